#!/bin/sh
# man.sh ROOT: the manual page names every option, and every command.
set -eu
page=$1/docs/zwang.1
missing=0
words=$(sed -n 's/^OPTION([A-Z_]*, "\(--[a-z-]*\)".*/\1/p' "$1/src/cli/options.def")
words="$words $(sed -n 's/^    {"\([a-z]*\)", [a-z].*/\1/p' "$1/src/cli/commands.c")"
[ "$(echo "$words" | wc -w)" -gt 20 ]
for word in $words; do
    if ! sed 's/\\-/-/g' "$page" | grep -qw -e "$word"; then
        echo "docs/zwang.1 does not name $word"
        missing=1
    fi
done
exit $missing
