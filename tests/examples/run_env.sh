#!/bin/sh
# run_env.sh SOURCE_ROOT ENV_ONE ENV_MANY: the tasks of data/ run alone and many at once; what comes
# of it is the same whatever the number of threads, and the same as alone.
set -eu
root=$1 env_one=$2 env_many=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for task in drawer_close muscle_reach quadruped_stand stack; do
  "$env_one" "$root/data/$task.lua" 3 | tee "$folder/one"
  "$env_one" "$root/data/$task.lua" 3 > "$folder/again"
  cmp "$folder/one" "$folder/again"
  grep -Eq '^seed 3: [0-9]+ steps, reward .*: (success|terminated|truncated) ' "$folder/one"
done

# A task that ends nothing is left, and what is no seed is refused.
echo "return { model = '$root/data/drawer.xml', success = function(s) return false end }" \
  > "$folder/endless.lua"
timeout 120 "$env_one" "$folder/endless.lua" > "$folder/one"
grep -q '^seed 0: 2000 steps, reward 0: not ended, and left here' "$folder/one"
for seed in abc -1 1x '' 99999999999999999999; do
  if "$env_one" "$root/data/stack.lua" "$seed" 2> "$folder/error"; then
    echo "'$seed' was taken for a seed"
    exit 1
  fi
  grep -q "^env_one: seed $seed: not a whole number from 0" "$folder/error"
done

"$env_many" "$root/data/drawer_close.lua" 6 300 1 | tee "$folder/one"
grep -Eq '^6 envs, [0-9]+ numbers in a state: 1800 steps, [1-9][0-9]* episodes ended' "$folder/one"
for threads in 2 5 0; do
  "$env_many" "$root/data/drawer_close.lua" 6 300 "$threads" > "$folder/many"
  cmp "$folder/one" "$folder/many"
done

if "$env_one" "$root/data/none.lua" 2> "$folder/error"; then
  echo "a task that is not there was run"
  exit 1
fi
grep -q 'none.lua: cannot open the task' "$folder/error"
if "$env_many" "$root/data/drawer_close.lua" 0 1 2> "$folder/error"; then
  echo "no envs at all were made"
  exit 1
fi
grep -q '^envs: 0: not from 1' "$folder/error"
