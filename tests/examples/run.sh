#!/bin/sh
# run.sh SOURCE_ROOT PLAYHEAD RECORD_ROWS: the example runs, its run is found whole, and the C that
# the README shows is a part of it and of env_one.c.
set -eu
root=$1 playhead=$2 record_rows=$3
here=$root/tests/examples
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$record_rows" "$here/cart.xml" "$folder/run" | tee "$folder/text"
grep -q '^env000_ep000001 step 50 at 0.500 s$' "$folder/text"
grep -Eq '^  cart +0\.[0-9]+ m$' "$folder/text"
"$playhead" verify "$folder/run"
if "$record_rows" "$here/cart.xml" "$folder/run" 2> "$folder/text"; then
  echo "a folder that holds a run was taken"
  exit 1
fi
grep -q 'exists already: it holds a run' "$folder/text"

cat "$here/record_rows.c" "$here/env_one.c" | awk -v readme="$root/README.md" '
  { text = text $0 "\n" }
  END {
    while ((getline line < readme) > 0) {
      if (line == "```" && inside) {
        inside = 0
        blocks++
        if (!index(text, shown)) wrong = 1
      }
      if (inside) shown = shown line "\n"
      if (line == "```c") { inside = 1; shown = "" }
    }
    if (blocks != 2 || wrong) {
      print "README.md: its C is not that of record_rows.c and env_one.c"
      exit 1
    }
  }'
