#!/bin/sh
# house.sh ROOT [before]: tools/house counts a made-up tree right and can count this one. With
# `before` it counts the commit of its column "before" again. Exits 77, which is "skipped", where
# there is no Python 3, or no such commit.
set -eu
root=$1
if ! python3 -c '' 2>/dev/null; then
    echo "skipped: no python3"
    exit 77
fi

if [ "${2:-}" = before ]; then
    commit=$(sed -n 's/^BEFORE = "\(.*\)"/\1/p' "$root/tools/house")
    if ! git -C "$root" cat-file -e "$commit^{commit}" 2>/dev/null; then
        echo "skipped: commit $commit is not in this copy's history"
        exit 77
    fi
    "$root/tools/house" "$root" --at "$commit" | awk '
        NR > 2 {
            sub(/ *[<>]=.*/, "") # the aim
            if ($NF != $(NF - 1)) { print "counted otherwise: " $0; wrong = 1 }
            rows++
        }
        END { print rows " figures of " commit; exit wrong || !rows }' commit="$commit"
    exit
fi

"$root/tools/house" "$root" >/dev/null
"$root/tools/house" "$root" --list >/dev/null
"$root/tools/house" "$root" --long >/dev/null

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/base" "$tree/src/linalg" "$tree/src/ode/erk" "$tree/include"

cat >"$tree/src/base/base.h" <<'END'
// base.h: three lines.
#define OF_ANOTHER_ROOM 7
void *base_alloc(unsigned long bytes);
END
printf 'int a;\n' >"$tree/src/base/rank.c"

cat >"$tree/src/linalg/tolerances.h" <<'END'
// tolerances.h: 1e-1 in a comment is no threshold.
#ifndef ZWANG_TOLERANCES_H
#define ZWANG_TOLERANCES_H
#define RANK       1e-11
#define ROUNDINGS  (64 * DBL_EPSILON)
#define LN2        0.69
#define LOWEST     -1e-8
#define DERIVED    (RANK + 1)
#define SCALED(n)  (3e-15 * (n))
#endif
END

cat >"$tree/src/linalg/rank.c" <<'END'
// rank.c: thresholds of every kind, and numbers that are none.
#include "linalg/tolerances.h"
#include "base/base.h"
#include <float.h>

static const double small = 1e-9;
static const unsigned long most = 40, least = 2, other;
static const double nodes[2] = {0.183, 0.525};
static const double soft[] = {1e-7, 0.5};
static const struct {
    int count;
    double at[2];
} sets[] = {{2, {0.15, 0.85}}};
static const struct {
    double a[2], b;
} pair = {{1.0 / 18, 59.0 / 400}, 2e-5};
enum { TURNS = 5, SETS = sizeof sets / sizeof *sets };
typedef enum { FIRST = 1, SECOND, FAR = 300 } Kind;

/* A comment
   of two lines. */
static int rank(double x)
{
    char text[64] = "1e-3 20";
    assert(x > 0 && "0.1");
    int bits = ((int)x << 52) - 1023;
    return bits || x < 1e-6 || x > 4 * DBL_EPSILON || x * 0.5 < 2 || x > 0.3 || x < 12;
}

int two(
    int n)
{
    return n + 9;
}
END

cat >"$tree/src/ode/erk/erk.c" <<'END'
#include "ode/ode.h"
void *make(void)
{
    base_free(base_alloc(1));
    return base_alloc(1);
}
END
cat >"$tree/src/ode/ode.h" <<'END'
#include "base/base.h"
typedef struct {
    double *q, *v; // two
    struct {
        int a[2], b;
    } inner;
    int (*call)(int x, int y);
} Wide;
END

mkdir "$tree/docs"
cat >"$tree/docs/architecture.md" <<'END'
[elsewhere](../src/base/base.h)
## The main path
[one](../src/base/base.h), [again](../src/base/base.h) and [another](../src/ode/ode.h)
## More
[later](../src/linalg/tolerances.h)
END

cat >"$tree/expected" <<'END'
lines 58
comment_lines 5
other_lines 4
files 4
main_path 11
defines_plain 1
defines 4
constants 3
enumerators 2
literals 7
thresholds 16
in_table 5
other_thresholds 1
seen_most 13
seen_median 12
names_twice 1
widest_struct 5
assertions 1
assertions_1000 17.2
allocations 2
frees 1
functions 3
function_median 5
function_p99 7
function_longest 7
END
"$root/tools/house" "$tree" --bare >"$tree/counted"
diff "$tree/expected" "$tree/counted" || {
    "$root/tools/house" "$tree" --list
    exit 1
}
echo "the made-up tree is counted right"
