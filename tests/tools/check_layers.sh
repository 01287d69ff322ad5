#!/bin/sh
# check_layers.sh ROOT: the tree passes, and every kind of breach planted in a copy is seen.
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
    rmdir "$copy/src/attic" 2>/dev/null || :
}

"$copy/tools/check_layers"
plant src/base/planted.c '#include "expr/expr.h"' 'later room expr'
plant src/expr/planted.h ' # include  "model/model.h"' 'later room model'
plant src/expr/planted.def '#include "text/text.h"' 'later room text'
plant src/forms/planted.c '#include "expr/pool_impl.h"' 'never leaves room expr'
plant src/contact/planted.c '#include "expr/expr.h"' 'may include only base,linalg'
plant src/cli/planted.c '#include "base/base.h"' 'may include only zwang.h'
plant src/model/planted.c '#include "zwang.h"' 'public header'
plant src/model/planted.c '#include "model.h"' 'names no room'
plant src/attic/planted.c '#include <stdio.h>' 'not in tools/layers'
plant src/model/planted.c '#include <flint/fmpq.h>' 'may not see flint'
plant src/motion/planted.c '#include <calcium/fmpz_mpoly_q.h>' 'may not see flint'
plant src/run/planted.c '#include <arb.h>' 'may not see flint'
plant src/inquiry/planted.c '#include <cvode/cvode.h>' 'may not see sundials'
plant src/run/planted.c '#include <hdf5.h>' 'may not see hdf5'
plant src/show/planted.c '#include <lapacke.h>' 'may not see lapacke'
plant include/planted.h '#include "base/base.h"' 'public header includes room base'
"$copy/tools/check_layers" >/dev/null
echo "every planted breach was seen"
