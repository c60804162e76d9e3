#!/bin/sh
# run_fuzz.sh TARGET SEEDS: a minute of fuzzing (PH_FUZZ_SECONDS) from the seeds; what crashes is shown.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/corpus"
"$1" -max_total_time="${PH_FUZZ_SECONDS:-60}" -timeout=20 -rss_limit_mb=3000 -max_len=4096 \
  -artifact_prefix="$work/" -print_final_stats=1 "$work/corpus" "$2" 2>"$work/log" || {
  tail -60 "$work/log"
  for crash in "$work"/crash-* "$work"/timeout-* "$work"/oom-* "$work"/leak-*; do
    [ -f "$crash" ] && base64 "$crash"
  done
  exit 1
}
grep -E 'stat::number_of_executed_units|DONE' "$work/log" || true
