#!/bin/sh
# page.sh ROOT BUILD [all]: pages of `zwang view` in the distribution's Chromium: two of them in
# everything that a page does, two briefly; with `all` all of the gallery briefly, and the hoop and
# hostile texts in everything. Exits 77, which is "skipped", where there is no browser or the page
# was not built.
set -eu
root=$1 build=$2 all=${3:-}
modules=$build/web/node_modules
chromium=$(command -v chromium || command -v chromium-browser || :)
if [ -z "$chromium" ] || [ ! -d "$modules/playwright-core" ] || [ ! -s "$build/generated/show/page.html" ]; then
    echo "skipped: no browser, or the page was not built"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# view MODEL [OPTION…]: its page. A run that stops early has one, too.
view()
{
    file=$1 name=$(basename "$1" .zw)
    shift
    "$build/zwang" view "$file" --out "$work/$name.html" "$@" >"$work/said" 2>&1 || [ $? = 1 ] ||
        { cat "$work/said"; exit 1; }
    # Of the gallery's pages none is larger than a megabyte and a half.
    if [ "$(wc -c <"$work/$name.html")" -gt 1500000 ]; then
        echo "$name.html is larger than 1.5 MB"
        exit 1
    fi
}

if [ "$all" = all ]; then
    for model in "$root"/models/*.zw; do view "$model"; done
    "$build/zwang" gallery --html "$work/site" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
    HOME=$work timeout 1500 node "$root/tests/web/page.mjs" "$modules" "$chromium" brief \
        "$work"/*.html "$work/site/hoop.html"
    "$build/zwang" run "$root/models/hoop.zw" --out "$work/hoop.csv" --quiet >"$work/said" 2>&1
    view "$root/tests/web/hostile.zw"
    HOME=$work timeout 220 node "$root/tests/web/page.mjs" "$modules" "$chromium" whole "$work/hoop.html" \
        "$work/hostile.html"
    exit
fi
view "$root/models/string_pendulum.zw"
"$build/zwang" run "$root/models/string_pendulum.zw" --out "$work/string_pendulum.csv" --quiet \
    >"$work/said" 2>&1
view "$root/tests/web/rest.zw" --forms appell,gauss --proofs
view "$root/tests/web/hostile.zw"
view "$root/tests/web/spin.zw"
HOME=$work timeout 220 node "$root/tests/web/page.mjs" "$modules" "$chromium" whole \
    "$work/string_pendulum.html" "$work/rest.html"
HOME=$work timeout 60 node "$root/tests/web/page.mjs" "$modules" "$chromium" brief "$work/hostile.html" \
    "$work/spin.html"
