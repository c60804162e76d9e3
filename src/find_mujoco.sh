#!/bin/sh
# Prints the absolute path of the MuJoCo library in a release folder or a wheel's folder.
set -eu
dir=$(cd "$1" && pwd)
[ -f "$dir/include/mujoco/mujoco.h" ] || { echo "MuJoCo: $dir: no include/mujoco/mujoco.h" >&2; exit 1; }
for lib in "$dir"/lib/libmujoco.so "$dir"/libmujoco.so "$dir"/lib/libmujoco.so.* "$dir"/libmujoco.so.*; do
  [ -f "$lib" ] && { readlink -f "$lib"; exit 0; }
done
echo "MuJoCo: $dir: no libmujoco.so, in lib/ or beside include/" >&2
exit 1
