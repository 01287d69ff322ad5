#!/bin/sh
# packages.sh BUILD: the Debian package of BUILD, and what `make install PREFIX=…` puts into a folder,
# tried in an empty system that debootstrap makes: the program derives, runs and exports there, and
# is gone when it is removed. Needs root. ZWANG_SUITE and ZWANG_MIRROR choose another Debian.
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
# The system's own lists of packages, as they are here.
cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/system/etc/apt/"
inside() { chroot "$root/system" env -i PATH="$2/bin:/usr/bin:/bin:/usr/sbin:/sbin" DEBIAN_FRONTEND=noninteractive sh -euc "$1"; }

try_program='
cd /tmp
zwang gallery bouncing_ball > ball.zw
zwang derive ball.zw --form appell
zwang check ball.zw --only kind
zwang run ball.zw --to 1 --out ball.h5 --method bdf
zwang run ball.zw --to 1 --every 1 --out - --quiet | tail -1
zwang export ball.zw --to fmu --sources-only --out ball.fmu
'
echo "== the package"
inside "apt-get update -qq && apt-get install -qq -y --no-install-recommends /tmp/zwang.deb" /usr \
    >"$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
inside "$try_program" /usr
inside 'test -f /usr/share/bash-completion/completions/zwang
test -f /usr/share/zsh/vendor-completions/_zwang
test -f /usr/share/fish/vendor_completions.d/zwang.fish
test -f /usr/include/zwang.h
dpkg -L zwang | grep -q "man1/zwang.1"
! ldd /usr/lib/libzwang.so | grep "not found"
apt-get remove -qq -y zwang
! command -v zwang' /usr

echo "== a prefix"
DESTDIR="$root/system" cmake --install "$1" --prefix "$prefix" --component Unspecified >/dev/null
inside "$try_program" "$prefix"
while read -r file || [ -n "$file" ]; do rm "$root/system$file"; done <"$1/install_manifest_Unspecified.txt"
[ -z "$(find "$root/system$prefix" -type f)" ]
rm "$1/install_manifest_Unspecified.txt"
echo "both work"
