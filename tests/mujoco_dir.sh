#!/bin/sh
# Builds against MuJoCo folders of both shapes, made from the installed one, and checks that the
# versioned file is linked by its path and found at run time. mujoco_dir.sh SOURCE-ROOT
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=$(echo '#include <mujoco/mujoco.h>' | cc -M -xc - | tr ' ' '\n' | grep 'mujoco/mujoco.h$')
lib=$(cc -print-file-name=libmujoco.so)
real=$(readlink -f "$lib")
name=$(basename "$real")
mkdir -p "$work/release/include" "$work/release/lib" "$work/wheel/include"
cp -r "$(dirname "$header")" "$work/release/include/"
cp -r "$(dirname "$header")" "$work/wheel/include/"
cp "$real" "$work/release/lib/$name"
ln -s "$name" "$work/release/lib/libmujoco.so"
cp "$real" "$work/wheel/$name"

found=$(sh "$root/src/find_mujoco.sh" "$work/release")
[ "$found" = "$work/release/lib/$name" ] || { echo "release: found $found"; exit 1; }
found=$(sh "$root/src/find_mujoco.sh" "$work/wheel")
[ "$found" = "$work/wheel/$name" ] || { echo "wheel: found $found"; exit 1; }
if sh "$root/src/find_mujoco.sh" "$work" 2>"$work/error"; then
  echo "a folder without MuJoCo was taken"
  exit 1
fi
grep -q 'no include/mujoco/mujoco.h' "$work/error"

for shape in release wheel; do
  meson setup "$work/b-$shape" "$root" -Dtests=false -Dbuildtype=plain \
    "-Dmujoco_dir=$work/$shape" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done
ninja -C "$work/b-wheel" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
loaded=$(ldd "$work/b-wheel/playhead" | grep libmujoco)
case $loaded in
  *"$work/wheel/$name"*) ;;
  *) echo "not the folder's library: $loaded"; exit 1 ;;
esac
"$work/b-wheel/playhead" info "$root/data/runs/drawer_close" >/dev/null
echo "both shapes found; the wheel's is linked and runs"
