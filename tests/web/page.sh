#!/bin/sh
# page.sh ROOT BUILD: pages of `zwang view` in the distribution's Chromium. Exits 77, which is
# "skipped", where there is no browser or the page was not built.
set -eu
root=$1 build=$2
modules=$build/web/node_modules
chromium=$(command -v chromium || command -v chromium-browser || :)
if [ -z "$chromium" ] || [ ! -d "$modules/playwright-core" ] || [ ! -s "$build/generated/show/page.html" ]; then
    echo "skipped: no browser, or the page was not built"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for model in hoop string_pendulum bicycle; do
    "$build/zwang" view "$root/models/$model.zw" --out "$work/$model.html" >"$work/said" 2>&1 ||
        { cat "$work/said"; exit 1; }
done
cp "$root/tests/web/hostile.zw" "$work"
"$build/zwang" view "$work/hostile.zw" --out "$work/hostile.html" >"$work/said" 2>&1 ||
    { cat "$work/said"; exit 1; }
HOME=$work timeout 200 node "$root/tests/web/page.mjs" "$modules" "$chromium" \
    "$work/hoop.html" "$work/string_pendulum.html" "$work/bicycle.html" "$work/hostile.html"
