#!/bin/sh
# test.sh ROOT: tools/test names every part that fails and everything that is skipped, with its
# reason. make, cmake, ctest and tools/setup are stand-ins here: clang cannot be installed, no test has
# the label threads, and the tests under sanitizers fail.
set -eu
root=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tools" "$tree/bin" "$tree/tests/export"
cp "$root/tools/test" "$tree/tools"

stand_in()
{
    { echo '#!/bin/sh'; cat; } >"$tree/$1"
    chmod +x "$tree/$1"
}
echo '[ "$1" != clang ] && [ "$1" != browser ]' | stand_in tools/setup
echo : | stand_in bin/make
echo : | stand_in bin/cmake
stand_in bin/ctest <<'END'
case " $* " in
*" tsan "*" -N "*) echo "Total Tests: 0" ;;
*" -N "*) echo "Total Tests: 4" ;;
*" sanitize "*)
    mkdir -p build-sanitize/Testing/Temporary
    echo "1/1 Testing: fails" >build-sanitize/Testing/Temporary/LastTest.log
    exit 8
    ;;
*)
    mkdir -p build/Testing/Temporary
    cat >build/Testing/Temporary/LastTest.log <<'LOG'
1/4 Testing: web_page
1/4 Test: web_page
skipped: no browser
2/4 Testing: passes
[       OK ] nothing was skipped: this line says nothing
3/4 Testing: in_part
skipped: no Octave
skipped: no Octave
 1 SKIPPED TEST(S)
4/4 Testing: silent
[  SKIPPED ] one
 1 SKIPPED TEST(S)
LOG
    ;;
esac
END
echo 'print("skipped: no Octave")' >"$tree/tests/export/rows.py"
cat >"$tree/expected" <<'END'
== Parts
release passed
sanitize FAILED
tsan skipped
exported passed
clang skipped
== Skipped
release: web_page: no browser
release: in_part: no Octave
release: silent: gave no reason
tsan: all of it: there is no test with the label 'threads'
exported: rows.py: no Octave
clang: all of it: tools/setup clang could not install what it needs
END

if PATH="$tree/bin:$PATH" "$tree/tools/test" release sanitize tsan exported clang >"$tree/said"; then
    echo "a failure was not told"
    exit 1
fi
awk '/^== Parts/ { on = 1; part = 1 } /^== Skipped/ { part = 0 }
    on { sub(/^ */, ""); print part && !/^==/ ? $1 " " $2 : $0 }' "$tree/said" >"$tree/told"
diff "$tree/expected" "$tree/told"

PATH="$tree/bin:$PATH" "$tree/tools/test" release >/dev/null
if PATH="$tree/bin:$PATH" "$tree/tools/test" attic 2>/dev/null; then
    echo "an unknown part was not told"
    exit 1
fi
echo "failures and skips are told"
