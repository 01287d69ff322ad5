#!/bin/sh
# words.sh ROOT BUILD: the manual leaves nothing out. What the program's own tables list is named
# where a reader looks for it: every statement and function of the language in language.md, every
# option in the section of each command that takes it in commands.md (or where it is told for all),
# every form in the help, in commands.md and in theory.md, every call of the library in library.md,
# every method in runs.md and commands.md; and every command's help has an example and fits a terminal.
# No text of the library names an option: the program adds that (run is still to follow).
set -eu
root=$1 build=$2
src=$root/src docs=$root/docs
missing=0 count=0

# named WORD TEXT WHERE: TEXT holds WORD as a word of its own.
named()
{
    count=$((count + 1))
    case $2 in
    *"$1"*) printf '%s\n' "$2" | grep -qw -e "$1" && return ;;
    esac
    echo "$3 does not name '$1'"
    missing=1
}

# section HEADING FILE: what stands under this heading, as far as the next one of its level.
section()
{
    awk -v heading="$1" '
        /^```/ { fenced = !fenced }
        !fenced && /^#+ / {
            inside = inside && length($1) > level
            if ($0 == heading) { inside = 1; level = length($1) }
        }
        inside' "$2"
}

table=$(section "## Statements" "$docs/language.md" | sed -n 's/^| `/`/p')
for word in $(sed -n 's/^STATEMENT([A-Z_]*, "\([a-z_]*\)".*/\1/p' "$src/text/statements.def"); do
    count=$((count + 1))
    if ! printf '%s\n' "$table" | grep -q "^\`$word[ \`]"; then
        echo "the table of statements in docs/language.md has no row '$word'"
        missing=1
    fi
done

expressions=$(section "## Expressions" "$docs/language.md")
functions=$(sed -n 's/^OP([A-Z0-9]*, "\([a-z0-9]*\)", [12],.*/\1/p' "$src/expr/ops.def" | grep -vxE 'pow|logistic')
functions="$functions $(grep -o '{"[a-z]*", [12], call_' "$src/model/calls.c" | cut -d'"' -f2) sum"
for word in $functions; do
    named "$word" "$expressions" "the section on expressions in docs/language.md"
done

general="$(section '## Setting values: `--set`' "$docs/commands.md")
$(section '## In the terminal' "$docs/commands.md")
$(section '### Plots' "$docs/commands.md")"
sed -n 's/^    {"\([a-z]*\)", [a-z].*/\1/p' "$src/cli/commands.c" >"${TMPDIR:-/tmp}/words.$$"
trap 'rm -f "${TMPDIR:-/tmp}/words.$$"' EXIT
while read -r command; do
    text=$(section "## $command" "$docs/commands.md")
    help=$("$build/zwang" "$command" --help)
    named "zwang $command" "$text" "the section '$command' of docs/commands.md"
    named "Example" "$help" "'zwang $command --help'"
    named "Manual: docs/commands.md#$command" "$help" "'zwang $command --help'"
    # A terminal's line; bytes that continue a letter take no column.
    if printf '%s\n' "$help" | LC_ALL=C awk '{ gsub(/[\200-\277]/, "") } length > 80 { exit 1 }'; then :; else
        echo "'zwang $command --help' has lines of more than 80 columns"
        missing=1
    fi
    for option in $(printf '%s\n' "$help" | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
        named "$option" "$text $general" "the section '$command' of docs/commands.md"
    done
done <"${TMPDIR:-/tmp}/words.$$"

forms=$(section "## The other forms" "$docs/theory.md")
for form in $(sed -n 's/^FORM([A-Z0-9]*, "\([a-z0-9]*\)".*/\1/p' "$src/forms/forms.def"); do
    named "$form" "$("$build/zwang" derive --help)" "'zwang derive --help'"
    named "$form" "$(section "## derive" "$docs/commands.md")" "the section 'derive' of docs/commands.md"
    case $form in
    multipliers | appell | action) continue ;; # they have sections of their own
    esac
    named "$form" "$forms" "the section on the other forms in docs/theory.md"
done

methods=$(section "## Methods" "$docs/runs.md")
for method in $(sed -n 's/^METHOD([A-Z]*, "\([a-z]*\)".*/\1/p' "$src/ode/integrators.def"); do
    named "$method" "$methods" "the section on methods in docs/runs.md"
    named "$method" "$(section "## run" "$docs/commands.md")" "the section 'run' of docs/commands.md"
done

library=$(cat "$docs/library.md")
for call in $(grep -o '\bzw_[a-z_]*(' "$root/include/zwang.h" | tr -d '(' | sort -u); do
    named "$call" "$library" "docs/library.md"
done

for option in $(sed -n 's/^OPTION([A-Z_]*, "\(--[a-z-]*\)".*/\1/p' "$src/cli/options.def"); do
    count=$((count + 1))
    if find "$src" -name '*.[ch]' -o -name '*.def' | grep -v -e "^$src/cli/" |
        xargs grep -nE -e "\"[^\"]*$option([^a-z-]|\$)"; then
        echo "a text of the library names '$option'"
        missing=1
    fi
done

echo "$count words looked for"
[ $missing = 0 ] && [ $count -gt 150 ]
