#!/bin/sh
# check_layers.sh ROOT: the tree passes, and every kind of breach is seen that is planted in a copy of
# it or in a made-up tree, whose rooms this test chooses.
set -eu
root=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/tools"
cp -R "$root/src" "$root/include" "$copy"
cp "$root/tools/layers" "$root/tools/check_layers" "$copy/tools"

# plant FILE LINE REASON: with that line in that file the check fails and names the reason.
plant()
{
    mkdir -p "$(dirname "$copy/$1")"
    printf '%s\n' "$2" >"$copy/$1"
    if said=$("$copy/tools/check_layers"); then
        echo "not seen: $1: $2"
        exit 1
    fi
    case $said in
    "$1:1: "*"$3"*) ;;
    *)
        echo "wrong reason for $1: $2: $said"
        exit 1
        ;;
    esac
    rm "$copy/$1"
    rmdir "$(dirname "$copy/$1")" 2>/dev/null || :
}

# allow FILE LINE: with that line in that file the check passes; the file stays.
allow()
{
    mkdir -p "$(dirname "$copy/$1")"
    printf '%s\n' "$2" >"$copy/$1"
    "$copy/tools/check_layers" >/dev/null || {
        echo "refused: $1: $2"
        exit 1
    }
}

"$copy/tools/check_layers"
plant src/base/planted.c '#include "expr/expr.h"' 'later room expr'
plant src/expr/planted.h ' # include  "model/model.h"' 'later room model'
plant src/expr/planted.def '#include "text/text.h"' 'later room text'
plant src/forms/planted.c '#include "expr/pool_impl.h"' 'never leaves room expr'
plant src/cli/planted.c '#include "base/base.h"' 'may include only zwang.h'
plant src/model/planted.c '#include "zwang.h"' 'public header'
plant src/model/planted.c '#include "model.h"' 'names no room'
plant src/attic/planted.c '#include <stdio.h>' 'not in tools/layers'
plant src/model/planted.c '#include <flint/fmpq.h>' 'may not see flint'
plant src/motion/planted.c '#include <calcium/fmpz_mpoly_q.h>' 'may not see flint'
plant src/text/planted.c '#include <arb.h>' 'may not see flint'
plant src/inquiry/planted.c '#include <cvode/cvode.h>' 'may not see sundials'
plant src/api/planted.c '#include <hdf5.h>' 'may not see hdf5'
plant src/show/planted.c '#include <lapacke.h>' 'may not see lapacke'
plant src/api/planted.c '#include <cminpack.h>' 'may not see cminpack'
plant include/planted.h '#include "base/base.h"' 'public header includes room base'
"$copy/tools/check_layers" >/dev/null

# Rooms with folders, and rooms that may include some of those above them.
rm -rf "$copy/src" "$copy/include"
mkdir "$copy/include"
cat >"$copy/tools/layers" <<'END'
base
linalg   lapacke  suitesparse
expr     flint
program  flint
contact  only=base,linalg
ode      sundials  only=base,program,linalg
simulate
show
END
allow src/base/base.h '// base'
allow src/linalg/linalg.h '#include "base/base.h"'
allow src/linalg/sparse/fronts.c '#include <amd.h>'
allow src/expr/expr.h '#include "base/base.h"'
allow src/program/program.h '#include "expr/expr.h"'
allow src/contact/lcp/pivoting.c '#include "linalg/linalg.h"'
allow src/ode/sundials/cvode.c '#include <cvode/cvode.h>'
allow src/ode/taylor.c '#include "program/program.h"'
allow src/simulate/servos/servos.h '#include "contact/contact.h"'
allow src/simulate/servos/servos.c '#include "simulate/servos/servos.h"'
plant src/contact/planted.c '#include "expr/expr.h"' 'may include only base,linalg, not expr'
plant src/contact/lcp/planted.c '#include "program/program.h"' 'may include only base,linalg, not program'
plant src/contact/lcp/deep/planted.h '#include "simulate/simulate.h"' 'later room simulate'
plant src/ode/planted.c '#include "contact/contact.h"' 'may include only base,program,linalg'
plant src/linalg/sparse/planted.c '#include <cvode/cvode.h>' 'may not see sundials'
plant src/show/planted.c '#include "simulate/servos/servos_impl.h"' 'never leaves room simulate'
plant src/simulate/servos/planted.c '#include "servos.h"' 'names no room'
plant src/planted.c '#include "base/base.h"' 'room src is not in tools/layers'
"$copy/tools/check_layers"
echo "every planted breach was seen"
