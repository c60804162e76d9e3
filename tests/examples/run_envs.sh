#!/bin/sh
# run_envs.sh SOURCE_ROOT PLAYHEAD ROWS_MANY_ENVS: many envs through the rows API; the run, what is
# appended to it, the snapshot and all of them packed are whole.
set -eu
root=$1 playhead=$2 rows_many_envs=$3
here=$root/tests/examples
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run=$folder/run

"$rows_many_envs" "$here/cart.xml" "$run" "$folder/snapshot.h5" > "$folder/text"
cat "$folder/text"
# 120 steps in episodes of 20, 30 and 40, and 60 in one of 50: 7 + 5 + 4 + 2 are begun, the last one
# of env 0 is dropped, and the last ones of 1 and 2 have no step.
grep -q '^18 begun = 15 saved + 3 dropped; 420 steps$' "$folder/text"
grep -q '^  truncated: 14$' "$folder/text"
grep -q '^  aborted: 1$' "$folder/text"
test "$(ls "$run" | grep -c '^env')" = 15
test ! -e "$run/env000.journal"
test -e "$run/env003_ep000001_10.h5"
"$playhead" verify "$run" > "$folder/text"
"$playhead" info --json "$run" > "$folder/info"
grep -q '"guarantee": *"STATES ONLY' "$folder/info"

# At step 60 env 1 has done one step of its third episode, env 2 twenty-one of its second.
"$playhead" verify "$folder/snapshot.h5" > "$folder/text"
"$playhead" info "$folder/snapshot.h5" > "$folder/text"
cat "$folder/text"
test "$(grep -c '^ *demo_.*aborted' "$folder/text")" = 2

rm "$folder/snapshot.h5"
"$rows_many_envs" "$here/cart.xml" "$run" "$folder/snapshot.h5" append > "$folder/text"
test "$(ls "$run" | grep -c '^env')" = 30
"$playhead" verify "$run" > "$folder/text"
if "$rows_many_envs" "$here/puppet.xml" "$run" "$folder/other.h5" append 2> "$folder/text"; then
  echo "a run of another model was appended to"
  exit 1
fi
# What the snapshot holds of an episode is in the run too: a pack of both would have it twice.
if "$playhead" pack --out "$folder/both.h5" "$run" "$folder/snapshot.h5" 2> "$folder/text"; then
  echo "an episode was packed twice"
  exit 1
fi
"$playhead" pack --out "$folder/all.h5" "$run"
"$playhead" verify "$folder/all.h5" > "$folder/text"
