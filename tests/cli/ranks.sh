#!/bin/sh
# ranks.sh ZWANG: a sweep on four processes has the values of one; so it does when one of them was
# killed and the sweep is gone on with, by four processes or by one. Exits 77 without MPI.
set -u
zwang=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
command -v mpirun >/dev/null && [ -e "$(dirname "$zwang")/zwang_mpi.so" ] ||
    { echo "skipped: mpirun or zwang_mpi.so is missing"; exit 77; }
failures=0
fail()
{
    echo "ranks.sh: $1"
    failures=$((failures + 1))
}

cat >pendulum.zw <<'END'
system pendulum
param l = 1, g = 9.81, c = 0.01
coord a
mass 1 at [l*sin(a), 0, -l*cos(a)]
gravity [0, 0, -g]
force -c*a' along a
initial a = 1
run to 50 every 50
END
# An axis of starts and one of draws.
set -- pendulum.zw --vary a=0.1:3:24 --vary "l=uniform(0.5, 2)" --samples 10 --keep "final,max(a),count(impact)"
"$zwang" sweep "$@" --out one.csv --quiet || fail "one process: exit $?"

# ---- Four.
mpirun -n 4 "$zwang" sweep "$@" --out four.csv >said 2>&1 || fail "four processes: exit $?: $(cat said)"
cmp one.csv four.csv || fail "four processes have other values"
tr -s '\n ' ' ' <said | grep -q '240 runs, 240 ok; .* on 4 ranks, each with 1 thread' || fail "the summary is: $(cat said)"
[ "$(ls four.csv*)" = four.csv ] || fail "files are left: $(ls four.csv*)"

# ---- One of them is killed when it has made some runs.
cat >rank <<'END'
if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then
    pid=$$
    (while [ "$(stat -c %s killed.csv.part.2 2>/dev/null || echo 0)" -lt 2000 ]; do sleep 0.02; done; kill -9 $pid) &
fi
exec "$@"
END
set -- "$@" --to 400 --every 400
"$zwang" sweep "$@" --out long.csv --quiet || fail "one process, long: exit $?"
for resumed in "mpirun -n 4" "mpirun -n 2" ""; do
    mpirun -n 4 sh rank "$zwang" sweep "$@" --out killed.csv >said 2>&1 && fail "the kill was not noticed"
    ls killed.csv.part* >/dev/null 2>&1 || fail "nothing is left of the sweep"
    $resumed "$zwang" sweep "$@" --out killed.csv >said 2>&1 && fail "it begins anew beside what is there"
    $resumed "$zwang" sweep "$@" --out killed.csv --resume >said 2>&1 ||
        fail "going on by '$resumed': exit $?: $(cat said)"
    cmp long.csv killed.csv || fail "gone on with by '$resumed' it has other values"
    [ "$(ls killed.csv*)" = killed.csv ] || fail "files are left: $(ls killed.csv*)"
    rm -f killed.csv*
done

# ---- What is wrong is said before any work.
mpirun -n 4 "$zwang" sweep "$@" >said 2>&1 && fail "no file to share, and no error"
tr -s '\n ' ' ' <said | grep -q 'a folder that all of them see' || fail "without a file it says: $(cat said)"
mpirun -n 2 sh -c 'cd /; [ "$OMPI_COMM_WORLD_RANK" = 1 ] || cd "$0"; exec "$@"' "$work" \
    "$zwang" sweep "$@" --out away.csv >said 2>&1 && fail "a rank without the model, and no error"
grep -q "pendulum.zw" said || fail "of a rank without the model it says: $(cat said)"
mkdir elsewhere
sed 's/a = 1$/a = 2/' pendulum.zw >elsewhere/pendulum.zw
away='[ "$OMPI_COMM_WORLD_RANK" != 1 ] || cd elsewhere; exec "$@"'
mpirun -n 2 sh -c "$away" sh "$zwang" sweep "$@" --out away.csv >said 2>&1 &&
    fail "a rank with another model, and no error"
tr -s '\n ' ' ' <said | grep -q 'rank 1 has another model' || fail "of another model it says: $(cat said)"
ls away.csv* elsewhere/away.csv* >/dev/null 2>&1 && fail "runs were made of two models"
cp pendulum.zw elsewhere
mpirun -n 2 sh -c "$away" sh "$zwang" sweep "$@" --out away.csv >said 2>&1 &&
    fail "a rank that writes elsewhere, and no error"
tr -s '\n ' ' ' <said | grep -q 'what rank 1 has made is not beside' ||
    fail "of a rank that writes elsewhere it says: $(cat said)"
mv elsewhere/away.csv.part.1 .
"$zwang" sweep "$@" --out away.csv --resume --quiet && cmp long.csv away.csv ||
    fail "gone on with what was elsewhere it has other values"
[ $failures = 0 ] && echo "sweeps by four processes have the values of one"
exit $((failures > 0))
