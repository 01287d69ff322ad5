#!/bin/sh
# links.sh ROOT: the manual holds together. Every relative link of its pages leads to a file, and to
# a heading of it where it names one; every picture is shown; no index is taken for an emphasis; no
# block of code is wider than a page; the table of contents leads to every page, and every chapter's
# last line leads to the chapter that the table has next.
set -eu
cd "$1"
here=tests/docs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
LC_ALL=C
export LC_ALL
failed=0

pages="README.md CONTRIBUTING.md $(find docs bench tests web -name '*.md' -not -path '*/node_modules/*' | sort)"
for page in $pages; do
    awk -f $here/anchors.awk "$page"
done >"$work/anchors"
for page in $pages; do
    awk -f $here/links.awk "$page"
done >"$work/links"

# A line is: page, line, the file that is meant (from the root), the anchor or nothing.
while IFS='	' read -r page line file anchor; do
    if [ ! -e "$file" ]; then
        echo "$page:$line: there is no file '$file'"
        failed=1
    elif [ -n "$anchor" ] && ! grep -qxF "$file#$anchor" "$work/anchors"; then
        echo "$page:$line: '$file' has no heading '#$anchor'"
        failed=1
    fi
done <"$work/links"

# The order of the chapters is that of the links in the table of contents, each counted once.
order=$(awk -F'\t' '$1 == "docs/README.md" && $3 ~ /^docs\/[a-z]*\.md$/ && $4 == "" && !seen[$3]++ { print $3 }' \
    "$work/links")
for page in docs/*.md; do
    [ "$page" = docs/README.md ] && continue
    if ! echo "$order" | grep -qxF "$page"; then
        echo "docs/README.md does not lead to $page"
        failed=1
    fi
done
before=
for page in $order; do
    if [ -n "$before" ] && ! tail -n 1 "$before" | grep -qF "](${page#docs/})"; then
        echo "the last line of $before does not lead to $page"
        failed=1
    fi
    before=$page
done

# In q′_ν, an index behind a sign, Markdown takes the underscore for the beginning of an emphasis.
for page in $pages; do
    if ! awk '/^```/ { fenced = !fenced }
        fenced || /^    / { next }
        { gsub(/`[^`]*`/, "") }
        /(\47|′|″|⁾|⁺|\}|\)|\])_/ { print FILENAME ":" FNR ": write \\_ for the underscore behind a sign"; bad = 1 }
        END { exit bad }' "$page"; then
        failed=1
    fi
done

# A code host scrolls what is wider. Bytes that continue a letter take no column.
for page in README.md docs/*.md; do
    if ! awk '/^```/ { fenced = !fenced; math = /^```math/ ; next }
        fenced && !math || /^    / {
            gsub(/[\200-\277]/, "")
            if (length > 100) { print FILENAME ":" FNR ": a block has at most 100 columns, not " length; bad = 1 }
        }
        END { exit bad }' "$page"; then
        failed=1
    fi
done

for picture in docs/*.svg docs/*.webp; do
    if ! cut -f3 "$work/links" | grep -qxF "$picture"; then
        echo "no page shows $picture"
        failed=1
    fi
done

count=$(wc -l <"$work/links")
echo "$count links, $(echo "$order" | wc -l) chapters"
[ "$failed" = 0 ] && [ "$count" -gt 50 ]
