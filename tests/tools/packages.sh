#!/bin/sh
# packages.sh BUILD [WHEEL]: the Python wheel, the Debian package of BUILD, what `make install PREFIX=…`
# puts into a folder, and a clone of the repository, tried in an empty system that debootstrap makes: the
# program derives, runs and exports there, and is gone when it is removed. The wheel comes first, where
# none of its libraries and no compiler is; the clone comes last, and installs what it is built with.
# Needs root. ZWANG_SUITE and ZWANG_MIRROR choose another Debian.
set -eu
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || { echo "packages.sh: only root can make an empty system"; exit 1; }
suite=${ZWANG_SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
mirror=${ZWANG_MIRROR:-}
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
prefix=/opt/zwang
debootstrap --variant=minbase "$suite" "$root/system" $mirror >"$root/log" 2>&1 ||
    { tail -5 "$root/log"; exit 1; }
rm -f "$root/system/etc/apt/sources.list"
cp "$(ls -t "$1"/zwang_*.deb | head -1)" "$root/system/tmp/zwang.deb"
cp models/robot_arm.urdf "$root/system/tmp/"
cp models/robot_arm.zw "$root/system/tmp/arm.zw"
[ $# -lt 2 ] || cp "$2" python/tests/smoke.py "$root/system/tmp/"
# The system's own lists of packages, as they are here.
cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/system/etc/apt/"
inside() { chroot "$root/system" env -i PATH="$2/bin:/usr/bin:/bin:/usr/sbin:/sbin" DEBIAN_FRONTEND=noninteractive HOME=/root sh -euc "$1"; }

try_program='
cd /tmp
zwang gallery bouncing_ball > ball.zw
zwang derive ball.zw --form appell
zwang check ball.zw --only kind
zwang run ball.zw --to 1 --out ball.h5 --method bdf
zwang run ball.zw --to 1 --every 1 --out - --quiet | tail -1
zwang export ball.zw --to fmu --sources-only --out ball.fmu
printf "param k = 4\ncoord x\nmass 1 at [x, 0, 0]\npotential k*x^2/2\ninitial x = 1\nrun to 3 every 0.1\n" > spring.zw
zwang run spring.zw --set k=9 --out spring.csv --quiet
zwang fit spring.zw spring.csv --vary k --use x
zwang run arm.zw --to 0.1 --quiet
'
install() { inside "apt-get install -qq -y --no-install-recommends $*" /usr >"$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }; }
inside "apt-get update -qq" /usr

echo "== the wheel"
if [ $# -lt 2 ]; then
    echo "skipped: no wheel was given"
else
    install python3 python3-numpy python3-cffi
    inside 'for name in flint sundials_cvode klu openblas cminpack xml2; do ! ldconfig -p | grep "lib$name.so" || exit 1; done
    ! command -v cc || exit 1
    python3 -m zipfile -e /tmp/zwang-*.whl /opt/packages
    PYTHONPATH=/opt/packages python3 -B /tmp/smoke.py
    rm -r /opt/packages' /usr
fi

echo "== the package"
install /tmp/zwang.deb
inside "$try_program" /usr
inside 'test -f /usr/share/bash-completion/completions/zwang
test -f /usr/share/zsh/vendor-completions/_zwang
test -f /usr/share/fish/vendor_completions.d/zwang.fish
test -f /usr/include/zwang.h
dpkg -L zwang | grep -q "man1/zwang.1"
! ldd /usr/lib/libzwang.so | grep "not found" || exit 1
apt-get remove -qq -y zwang
! command -v zwang' /usr

echo "== a prefix"
DESTDIR="$root/system" cmake --install "$1" --prefix "$prefix" --component Unspecified >/dev/null
inside "$try_program" "$prefix"
while read -r file || [ -n "$file" ]; do rm "$root/system$file"; done <"$1/install_manifest_Unspecified.txt"
[ -z "$(find "$root/system$prefix" -type f)" ]
rm "$1/install_manifest_Unspecified.txt"

# `make` says what is missing and installs it; so does `pip install .`, which finds the rest on PyPI by
# this machine's own settings.
echo "== a clone"
git clone -q . "$root/system/opt/clone"
install make
inside 'cd /opt/clone && make' /usr >"$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
inside 'ln -s /opt/clone/build/zwang /usr/bin/zwang' /usr
inside "$try_program" /usr
inside 'rm /usr/bin/zwang' /usr
install python3-venv python3-dev
inside 'python3 -m venv /opt/venv' /usr
settings=$(env | sed -n 's/^\(PIP_[A-Z_]*=\)\(.*\)$/export \1'"'\\2'"';/p' | tr '\n' ' ')
for file in /etc/pip.conf ${PIP_CERT:-} ${PIP_FIND_LINKS:-}; do
    [ ! -e "$file" ] || { mkdir -p "$root/system$(dirname "$file")" && cp -r "$file" "$root/system$file"; }
done
if inside "$settings pip download -q --no-deps -d /tmp/try scikit-build-core" /opt/venv >"$root/log" 2>&1; then
    inside "$settings cd /opt/clone && pip install -q ." /opt/venv >"$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
    inside 'cd /tmp && python /opt/clone/python/tests/smoke.py' /opt/venv
else
    echo "skipped: pip in the empty system does not reach PyPI"
fi
echo "all work"
