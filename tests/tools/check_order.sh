#!/bin/sh
# check_order.sh ROOT BUILD: the tree passes, and a loop of three planted sources is seen.
set -eu
root=$1
"$root/tools/check_order" "$2"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
objects="$copy/build/CMakeFiles/zwang_planted.dir/src/planted"
mkdir -p "$copy/tools" "$copy/src/planted" "$objects"
echo 'planted  flint  ordered' >"$copy/tools/layers"

# plant NAME OTHER: a source that defines NAME and calls OTHER.
plant()
{
    echo "void $2(void); void $1(void); void $1(void) { $2(); }" >"$copy/src/planted/$1.c"
    cc -c "$copy/src/planted/$1.c" -o "$objects/$1.c.o"
}

plant first outside
plant second first
plant third second
"$root/tools/check_order" "$copy/build" "$copy" >/dev/null
plant first third
if said=$("$root/tools/check_order" "$copy/build" "$copy"); then
    echo "not seen: a loop of three sources"
    exit 1
fi
for name in first second third; do
    case $said in
    *$name*) ;;
    *)
        echo "does not name $name: $said"
        exit 1
        ;;
    esac
done
echo "the planted loop was seen"
