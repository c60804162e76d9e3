#!/bin/sh
# run.sh SOURCE_ROOT PLAYHEAD RECORD_ROWS: the example runs, its run is found whole, and the C that
# the README shows is a part of it.
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

awk -v source="$here/record_rows.c" '
  /^```c$/ { inside = 1; next }
  /^```$/ && inside { inside = 0; blocks++ }
  inside { shown = shown $0 "\n" }
  END {
    while ((getline line < source) > 0) text = text line "\n"
    if (blocks != 1 || !index(text, shown)) {
      print "README.md: its C is not that of " source
      exit 1
    }
  }' "$root/README.md"
