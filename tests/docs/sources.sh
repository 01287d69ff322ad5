#!/bin/sh
# sources.sh ROOT BUILD: every line of docs/sources.md is where the page says.
#
# A row of its tables is | number | what it says | `command` | `line` |. Each command is run once;
# those that ask about equations of one model, with the same options, are joined into one. A row
# holds where some line of the output is its line, with or without a remark behind three blanks.
# `opinion` and `not yet` stand in the place of a command. The last line of the page counts them.
set -eu
root=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$build:$PATH
LC_ALL=C
export PATH LC_ALL
mkdir "$work/folder"
ln -s "$root/models" "$work/folder/models"
ln -s "$root/docs" "$work/folder/docs"

# commands: one a line; rows: number of the command, line of the page, what is looked for.
awk -v work="$work" -f "$root/tests/docs/sources.awk" "$root/docs/sources.md"
number=0 failed=0
while IFS= read -r command; do
    number=$((number + 1))
    (cd "$work/folder" && LC_ALL=C.UTF-8 COLUMNS=0 sh -c "$command") >"$work/said" 2>"$work/messages" </dev/null || :
    awk -F '\t' -v number=$number '
        NR == FNR {
            sub(/^ +/, "")
            said[$0] = 1
            if (match($0, /^.*[^ ]   /)) said[substr($0, 1, RLENGTH - 3)] = 1
            next
        }
        $1 == number && !($3 in said) {
            print "docs/sources.md:" $2 ": not found: " $3
            failed = 1
        }
        END { exit failed }' "$work/said" "$work/rows" || {
        failed=1
        echo "    $command" | cut -c1-200
        head -3 "$work/messages"
    }
done <"$work/commands"

cat "$work/count"
tail -1 "$root/docs/sources.md" | cmp -s - "$work/count" || {
    echo "the last line of docs/sources.md says: $(tail -1 "$root/docs/sources.md")"
    failed=1
}
exit $failed
