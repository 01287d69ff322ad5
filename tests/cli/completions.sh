#!/bin/bash
# completions.sh FOLDER BUILD: what the shells are told is what the program takes: bash completes
# every option of the table for the commands that have it, and no other; zsh and fish read theirs,
# where they are there.
set -euo pipefail
zwang=$2/zwang
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for shell in bash zsh fish; do
    "$zwang" --completion $shell >"$work/$shell"
done
! "$zwang" --completion csh 2>/dev/null || failed=1
# shellcheck source=/dev/null
. "$work/bash"
compopt() { :; }

# complete WORD…: what is offered for the last one.
complete_words()
{
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _zwang
    printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
}

commands=$("$zwang" --help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p')
[ -n "$commands" ]
if [ "$(complete_words zwang '')" != "$(printf '%s\n' $commands | LC_ALL=C sort)" ]; then
    echo "commands: $(complete_words zwang '' | tr '\n' ' ')" && failed=1
fi
for command in $commands; do
    "$zwang" "$command" --help | grep -o '^  --[a-z-]*' | tr -d ' ' | LC_ALL=C sort -u >"$work/told"
    echo --help >>"$work/told"
    complete_words zwang "$command" -- | LC_ALL=C sort -u >"$work/offered"
    if ! LC_ALL=C sort -u "$work/told" | diff - "$work/offered"; then
        echo "$command: the completion offers other options than the help" && failed=1
    fi
    # fish has a line for each of them.
    while read -r option; do
        [ "$option" = --help ] || grep -q -- "-l ${option#--} " "$work/fish" ||
            { echo "fish: $option" && failed=1; }
        grep -q -- "[( ]$option[ )]" "$work/zsh" || { echo "zsh: $option" && failed=1; }
    done <"$work/told"
done
[ "$(complete_words zwang run m.zw --color a | tr '\n' ' ')" = "always auto " ] ||
    { echo "the words of --color" && failed=1; }
# Words that the help alone names are taken by the program, and files are not offered with them.
model=$1/models/hoop.zw
for method in $(complete_words zwang run m.zw --method ''); do
    "$zwang" run "$model" --method "$method" --to 0.01 --quiet --out - >"$work/rows" 2>&1 ||
        { echo "--method $method" && failed=1; }
done
for form in $(complete_words zwang derive m.zw --form ''); do
    "$zwang" derive "$model" --form "$form" >"$work/form" 2>&1 || ! grep -q unknown "$work/form" ||
        { echo "--form $form" && failed=1; }
done
for target in $(complete_words zwang export m.zw --to ''); do
    "$zwang" export "$model" --to "$target" --sources-only --out "$work/x.$target" >"$work/x" 2>&1 ||
        ! grep -q 'unknown\|did you mean' "$work/x" || { echo "--to $target" && failed=1; }
done
[ "$(complete_words zwang export m.zw --to p)" = python ] || { echo "targets" && failed=1; }
[ "$(complete_words zwang run m.zw --engine n)" = native ] || { echo "engines" && failed=1; }
[ "$(complete_words zwang derive m.zw --form h)" = hamel ] || { echo "forms" && failed=1; }
# Units, behind a number and a blank, in quotes.
[ "$(complete_words zwang run m.zw --to '"2 m')" = "$(printf '2 min\n2 ms')" ] ||
    { echo "the units of --to: $(complete_words zwang run m.zw --to '"2 m')" && failed=1; }
[ "$(complete_words zwang run m.zw --set "'v=30 km/")" = "v=30 km/h" ] ||
    { echo "the units of --set" && failed=1; }
[ -z "$(complete_words zwang run m.zw --to 2)" ] || { echo "a number alone" && failed=1; }
# What fish offers, asked of fish itself.
if command -v fish >/dev/null; then
    offered=$(cd "$work" && fish -c "source fish; for l in 'zwang ru' 'zwang run m.zw --method t' \
        'zwang export m.zw --to ju' 'zwang run m.zw --to \"2 mi'; complete -C \$l; end" | cut -f 1)
    [ "$offered" = "$(printf 'run\ntaylor\ntimestepping\njulia\n2 min')" ] ||
        { echo "fish offers: $offered" && failed=1; }
fi
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        $shell -n "$work/$shell" || failed=1
    else
        echo "skipped: $shell is not there to read its completion"
    fi
done
exit $failed
