#!/bin/sh
# smoke.sh REASON PYTHON SOURCES BUILD: the package of the build tree answers. The other tests of this
# folder are a part of tools/test. REASON: why it was not built, if it was not.
if [ -n "$1" ]; then
    echo "skipped: $1"
    exit 77
fi
PYTHONPATH=$4 exec "$2" -B "$3/tests/smoke.py"
