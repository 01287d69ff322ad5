#!/bin/sh
# libraries.sh SOURCE BUILD: libraries are loaded at the first call of them, and one that is missing
# is named. Programs with a spoiled name of a library stand for machines without it.
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*"
    exit 1
}

# Nothing of ours is loaded at the start.
for name in $(sed -n 's/^LIBRARY(.*"\(.*\)")$/\1/p' "$build/generated/base/loading/lazy_functions.def"); do
    ! readelf -d "$build/zwang" | grep -q "NEEDED.*\[$name\]" || fail "$name is loaded at the start"
    LC_ALL=C sed "s/$name/$(echo "$name" | tr a-z x)/" "$build/zwang" >"$work/without_$name"
    chmod +x "$work/without_$name"
    "$work/without_$name" --version >/dev/null || fail "--version needs $name"
done

# What needs it says so, and exits 3; what does not need it goes on.
without() {
    library=$1
    shift
    for program in "$work/without_$library".so*; do
        status=0
        "$program" "$@" >"$work/out" 2>"$work/err" || status=$?
        [ $status -eq 3 ] || fail "without $library, zwang $*: exit $status"
        grep -q '^zwang: error: .* is needed and cannot be used: .*; install it again, or give more memory$' "$work/err" ||
            fail "without $library: $(cat "$work/err")"
    done
}
hoop=$source/models/hoop.zw
without libflint derive "$hoop"
without libsundials_cvode run "$hoop" --to 1 --method bdf
for program in "$work"/without_libsundials_* "$work"/without_libklu*; do
    "$program" run "$hoop" --to 0.1 --quiet >"$work/out" 2>&1 || fail "$program: $(cat "$work/out")"
done

# A first step of small integers needs none of them.
LD_DEBUG=files "$build/zwang" run "$hoop" --to 0.02 --every 0.02 --quiet >"$work/out" 2>&1 || fail "a first step"
for name in $(sed -n 's/^LIBRARY(.*"\(.*\)")$/\1/p' "$build/generated/base/loading/lazy_functions.def"); do
    ! grep -q "calling init: .*$name" "$work/out" || fail "a first step opens $name"
done

# Each method of integration; they are in different libraries, and so are sparse Jacobians.
for method in taylor erk adams bdf; do
    for program in zwang linked/zwang_linked; do
        "$build/$program" run "$hoop" --to 0.2 --every 0.1 --method $method --quiet --out - \
            >"$work/$(basename $program)" 2>&1 || fail "$program by $method"
    done
    cmp "$work/zwang" "$work/zwang_linked" || fail "$method: another result than of the program linked as usual"
done
cat >"$work/chain.zw" <<'MODEL'
const N = 60
coord x[N]
param k = 1e6
for i in 1..N {
  mass 1 at [i + x[i], 0, 0]
}
for i in 2..N {
  potential k*(x[i] - x[i-1])^2/2
}
initial x[1] = 0.1
run to 0.01 every 0.01
MODEL
LD_DEBUG=files "$build/zwang" run "$work/chain.zw" --method bdf --quiet >"$work/out" 2>&1 || fail "a chain by bdf"
grep -q sunlinsolklu "$work/out" || fail "a chain by bdf without KLU"
echo "libraries are loaded when they are needed"
