#!/bin/sh
# all.sh ROOT PROGRAM: makes the wheel, installs it in a new virtual environment beside what the tests
# want from PyPI, and runs all tests of the package there: pytest, types, the manual's page, the
# notebooks; then the wheel alone where none of its libraries and no compiler is.
set -eu
root=$(cd "$1" && pwd) ZWANG_PROGRAM=$(realpath "$2")
export ZWANG_PROGRAM
cd "$root"
work=build-wheel/tests
mkdir -p build-wheel
rm -rf "$work"
python=$(tools/python_with venv)
"$python" -m venv "$work"
if ! "$work/bin/pip" install --quiet --disable-pip-version-check pip auditwheel 2>"$work/said"; then
    cat "$work/said"
    echo "skipped: pip cannot install from PyPI here"
    exit 77
fi
tools/wheel build-wheel/dist
wheel=$(echo "$PWD"/build-wheel/dist/zwang-*.whl)
"$work/bin/pip" install --quiet --disable-pip-version-check "$wheel[test]"
cd "$work"
bin/python -m pytest -q -p no:cacheprovider "$root/python/tests" -rs | tee said
sed -n 's/^SKIPPED \[[0-9]*\] \(.*\)/skipped: \1/p' said
! grep -q -e ' failed' -e ' error' said || exit 1
bin/python -m mypy --config-file "$root/pyproject.toml" --cache-dir types "$root/python/zwang"
"$root/python/tests/alone.sh" "$wheel" "$root/$work/bin/python"
