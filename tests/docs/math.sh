#!/bin/sh
# math.sh ROOT BUILD: every formula of the manual can be set in type. They are $`…`$ in a line and
# blocks ```math, as code hosts read them; KaTeX, which the page of `zwang view` is built with, sets
# each. Where npm did not build that page there is no KaTeX, and the test is skipped.
set -eu
root=$1 build=$2
katex=$build/web/node_modules/katex/dist/katex.mjs
if ! command -v node >/dev/null || [ ! -e "$katex" ]; then
    echo "skipped: no KaTeX (npm did not build the page)"
    exit 77
fi
exec node "$root/tests/docs/math.mjs" "$(realpath "$katex")" "$root"/README.md "$root"/docs/*.md
