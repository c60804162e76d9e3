#!/bin/sh
# run_mj.sh SOURCE_ROOT PLAYHEAD RECORD_MJ_LOOP REPLAY_BITS: a plain mj_step loop is recorded; its
# run is whole, EXACT is promised, and every step comes back bit for bit.
set -eu
root=$1 playhead=$2 record_mj_loop=$3 replay_bits=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$folder"
"$record_mj_loop" "$root/tests/examples/puppet.xml" run
"$playhead" verify run
"$playhead" info --json run > info
test "$(grep -o '"guarantee": *"EXACT' info | wc -l)" = 3
"$replay_bits" run | tee text
test "$(grep -c '^env000_ep00000[012]: 200 of 200 steps came back' text)" = 3
"$replay_bits" "$root/data/runs/quadruped_stand" > text || ! "$playhead" info \
  "$root/data/runs/quadruped_stand" | grep -q EXACT
