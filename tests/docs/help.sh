#!/bin/sh
# help.sh ROOT BUILD: the examples in the help of every command, in the help of the program and on
# the manual page can be typed as they stand.
set -eu
root=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$build:$PATH
export PATH
ln -s "$root/models" "$work/models"
failed=0 count=0

# The lines of standard input that call the program, below a line that begins with $1.
examples()
{
    awk -v after="$1" 'index($0, after) == 1 { on = 1; next } on && /^ *zwang / { sub(/^ +/, ""); print }'
}

{
    zwang --help | examples "A model is a text file"
    for command in $(sed -n 's/^    {"\([a-z]*\)", [a-z].*/\1/p' "$root/src/cli/commands.c"); do
        zwang "$command" --help | examples "Example:"
    done
    sed 's/\\-/-/g' "$root/docs/zwang.1" | examples ".SH EXAMPLES"
} >"$work/examples"

while read -r example; do
    count=$((count + 1))
    (cd "$work" && sh -c "$example") >"$work/said" 2>&1 </dev/null && continue
    grep -q "built without its page" "$work/said" && continue # no npm where this was built
    echo "$example"
    cat "$work/said"
    failed=1
done <"$work/examples"

echo "$count examples"
[ $failed = 0 ] && [ $count -gt 12 ]
