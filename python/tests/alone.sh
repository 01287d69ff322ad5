#!/bin/sh
# alone.sh WHEEL PYTHON: the wheel works in a root folder that has Python, what Python itself is linked
# with, cffi and NumPy, and nothing else: none of the libraries that zwang is built with, no compiler,
# no shell. PYTHON is of an environment where cffi and NumPy are installed.
set -eu
wheel=$1 python=$2
here=$(cd "$(dirname "$0")" && pwd)
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
prefix=$("$python" -c 'import sys; print(sys.base_prefix)')
library=$("$python" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
interpreter=$(realpath "$("$python" -c 'import sys; print(sys._base_executable)')")

copy() { mkdir -p "$bare$(dirname "$1")" && cp -rL "$1" "$bare$1"; }

# The libraries of the system that some files are linked with.
copy_needed()
{
    ldd "$@" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\/.*ld-/ { print $1 }' | sort -u |
    while read -r file; do
        case $file in "$packages"/*) continue ;; esac
        [ -e "$bare$file" ] || copy "$file"
    done
}

copy "$interpreter"
mkdir -p "$bare$library" "$bare/packages" "$bare/tmp" "$bare/dev"
(cd "$library" && tar -c --exclude=test --exclude=site-packages --exclude=dist-packages --exclude='config-*' .) |
    tar -x -C "$bare$library"
# shellcheck disable=SC2046 # file names of Python have no blanks
copy_needed "$interpreter" $(find "$library/lib-dynload" -name '*.so')
for each in numpy numpy.libs cffi _cffi_backend*.so pycparser; do
    cp -r "$packages"/$each "$bare/packages/" 2>/dev/null || :
done
# NumPy's wheel brings its libraries but for those of the C compiler, as every manylinux wheel.
copy_needed $(find "$bare/packages" -name '*.so*')
for each in libstdc++.so.6 libgcc_s.so.1 libz.so.1 libm.so.6 libdl.so.2 librt.so.1 libpthread.so.0; do
    file=$(ldconfig -p | awk -v name=$each '$1 == name { print $NF; exit }')
    [ -z "$file" ] || [ -e "$bare$file" ] || copy "$file"
done
"$python" -m zipfile -e "$wheel" "$bare/packages"
cp "$here/smoke.py" "$bare/packages/smoke.py"
for name in flint gmp openblas klu sundials_cvode ntl; do
    if find "$bare" -name "lib$name.so*" -not -path '*.libs/*' | grep .; then
        echo "lib$name is there, so that nothing is shown"
        exit 1
    fi
done
into=$(command -v chroot)
[ "$(id -u)" = 0 ] || into="$(command -v unshare) --map-root-user $into"
if ! $into "$bare" "$interpreter" -c pass 2>/dev/null; then
    echo "skipped: the wheel alone: the kernel lets nobody but root change the root folder"
    exit 0
fi
env -i LANG=C.UTF-8 PYTHONHOME="$prefix" PYTHONPATH=/packages $into "$bare" "$interpreter" -B /packages/smoke.py
echo "the wheel works without its libraries and without a compiler"
