#!/bin/sh
# installed.sh ROOT BUILD: a program outside the tree is built against an installed prefix, by
# pkg-config and by find_package(zwang), with the shared and with the static library; the static one
# shows no name but zw_….
set -eu
root=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mv "$work/prefix" "$work/moved" # it stands wherever it is put
prefix=$work/moved
library=$(dirname "$(find "$prefix" -name libzwang.a)")
nm -g --defined-only "$library/libzwang.a" | awk 'NF == 3 && $3 !~ /^zw_/ {print "not hidden: " $3; bad = 1} END {exit bad}'
expected='101 rows; the energy 0.525 is kept'
run() { "$@" "$root/models/blade.zw" | tail -1 | grep -qx "$expected" || { echo "wrong: $*"; exit 1; }; }
mkdir "$work/outside"
cat >"$work/outside/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(outside C)
find_package(zwang 1.0 REQUIRED)
add_executable(example $root/docs/example.c)
target_link_libraries(example PRIVATE zwang::zwang)
END
cmake -S "$work/outside" -B "$work/made" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
    cmake --build "$work/made" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
run "$work/made/example"
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$library/pkgconfig"
    # shellcheck disable=SC2046 # several words
    cc "$root/docs/example.c" $(pkg-config --cflags --libs zwang) -Wl,-rpath,"$library" -o "$work/shared"
    run "$work/shared"
    rm "$library"/libzwang.so*
    # shellcheck disable=SC2046
    cc "$root/docs/example.c" $(pkg-config --static --cflags --libs zwang) -o "$work/static"
    run "$work/static"
else
    echo "skipped: linking by pkg-config, which is not installed"
fi
echo "installed: builds and runs outside"
