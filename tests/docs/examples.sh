#!/bin/sh
# examples.sh ROOT BUILD [--write] [PAGE…]: the examples of README.md and docs/*.md say what really happens.
#
# In each page, from the top, in a fresh folder where models/ and src/ are at hand and BUILD is on
# PATH:
#   - a fenced block ```LANGUAGE file=NAME is written to NAME; where docs/NAME exists it is the same;
#   - a fenced block ```console holds lines `$ command`, each followed by what it prints (stdout and
#     stderr together). In what is expected, … stands for any text, and a line of … for any lines:
#     for step counts, and for digits that another C library may round otherwise. A line that begins
#     with ↪ belongs to the one before it, so that every block fits a page; a command goes on behind \.
#   - a picture that the page shows, on a line of its own, is the one that its commands make.
# With --write, pages get the output that they should have; what fits already stays as it is.
# A PAGE is named from the root; without one, all pages are read.
set -eu
root=$(cd "$1" && pwd) build=$(cd "$2" && pwd) mode=
shift 2
if [ "${1:-}" = --write ]; then
    mode=--write
    shift
fi
here=$root/tests/docs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$build:$build/docs:$PATH
LC_ALL=C
export PATH LC_ALL
unset COLUMNS NO_COLOR # lines are broken as where nothing is said: at column 80
failed=0 count=0 blocks=0 # each block of a page has a command at least

# run_step STEP PAGE: leaves what was printed in STEP.got; fails where it is not what was expected.
run_step()
{
    (cd "$work/folder" && LC_ALL=C.UTF-8 sh "$1.cmd" </dev/null) >"$1.got" 2>&1 || :
    awk -f "$here/match.awk" "$1.want" "$1.got" && return
    # A program without npm's page says so to 'zwang view'.
    grep -q "built without its page" "$1.got" && return
    if [ "$mode" = --write ]; then
        awk -f "$here/fold.awk" "$1.got" >"$1.want"
        return
    fi
    echo "$2:$(cat "$1.line"): \$ $(cat "$1.cmd")"
    echo "expected:" && cat "$1.want"
    echo "printed:" && cat "$1.got"
    echo
    return 1
}

# compare_pictures PAGE: fails where the page shows a picture that its commands do not make so.
compare_pictures()
{
    differ=0
    for name in $(sed -n 's|^!\[.*](\(docs/\)\{0,1\}\([a-z]*\.svg\))$|\2|p' "$root/$1"); do
        picture=$work/folder/$name
        if [ -e "$picture" ] && awk -f "$here/picture.awk" "$root/docs/$name" "$picture"; then
            :
        elif [ -e "$picture" ] && [ "$mode" = --write ]; then
            cp "$picture" "$root/docs/$name"
        else
            echo "$1: docs/$name is not the picture that its commands make now"
            differ=$((differ + 1))
        fi
    done
    return $differ
}

[ $# -gt 0 ] || set -- README.md $(cd "$root" && echo docs/*.md)
for each in "$@"; do
    page=$root/$each
    blocks=$((blocks + $(grep -c '^```console' "$page" || :)))
    rm -rf "$work/folder" "$work/steps"
    mkdir "$work/folder" "$work/steps"
    ln -s "$root/models" "$root/src" "$work/folder/"
    awk -v into="$work/steps" -f "$here/split.awk" "$page"
    find "$work/steps" -name '*.cmd' -o -name '*.file' | sort >"$work/list"
    while read -r step; do
        case $step in
        *.cmd)
            count=$((count + 1))
            run_step "${step%.cmd}" "$each" || failed=$((failed + 1))
            ;;
        *.file)
            name=$(cat "${step%.file}.name")
            cp "$step" "$work/folder/$name"
            if [ -e "$root/docs/$name" ] && ! cmp -s "$step" "$root/docs/$name"; then
                echo "$each: the block file=$name differs from docs/$name"
                failed=$((failed + 1))
            fi
            ;;
        esac
    done <"$work/list"
    compare_pictures "$each" || failed=$((failed + $?))
    if [ "$(awk -f "$here/wide.awk" "$page" | tee "$work/wide" | wc -l)" -gt 0 ]; then
        echo "$each: wider than 100 columns:" && cat "$work/wide"
        failed=$((failed + 1))
    fi
    if [ "$mode" = --write ]; then
        awk -v from="$work/steps" -f "$here/split.awk" "$page" >"$work/page"
        cmp -s "$work/page" "$page" || cp "$work/page" "$page"
    fi
done

echo "$count examples, $failed wrong"
[ "$failed" = 0 ] && [ "$count" -ge "$blocks" ]
