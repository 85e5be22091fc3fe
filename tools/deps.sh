#!/bin/sh
# deps.sh run|cudasim|exercises|test|check|bench -- installs what that job needs and this machine lacks; says nothing when nothing is missing.
# Debian and its relatives, as root or with sudo; elsewhere it names the packages. The NumPy that results are compared with comes
# from PyPI into build/venv (NumPy >= 2), or from Debian where PyPI cannot be reached.
job=${1:-check}
cd "$(dirname "$0")/.." || exit 1

have() { command -v "$1" >/dev/null 2>&1; }
header() { [ -e "/usr/include/$1" ] || printf '#include <%s>\n' "$1" | "${CC:-cc}" -E -x c - >/dev/null 2>&1; }

install() {
    if ! have apt-get; then
        echo "gpuarr: these are missing here: $* (Debian's names); install them and try again" >&2
        return 1
    fi
    if [ "$(id -u)" = 0 ]; then as=; elif have sudo; then as=sudo; else
        echo "gpuarr: missing: $* -- as root: apt-get install $*" >&2
        return 1
    fi
    echo "gpuarr: installing $*"
    $as apt-get update -qq >/dev/null 2>&1
    DEBIAN_FRONTEND=noninteractive $as apt-get install -y -qq $* >/dev/null
}

missing=
need() { [ -z "$1" ] || missing="$missing $1"; }
have "${CC:-cc}" || need gcc
header stdio.h || need libc6-dev
if [ -z "$missing" ] && ! why=$(printf 'int main(void) { return 0; }\n' | "${CC:-cc}" -x c - -o /dev/null 2>&1); then # a full disk
    echo "gpuarr: ${CC:-cc} cannot compile an empty program: $why" >&2
    exit 1
fi
if [ "$job" = exercises ]; then # a C++ compiler, and addr2line for the lines in reports
    have "${CXX:-g++}" || need g++
    have addr2line || need binutils
    [ -z "$missing" ] || install $missing
    exit
fi
case $job in
run | cudasim) need "$(tools/libs.sh packages run)" ;;
*) need "$(tools/libs.sh packages test)" ;;
esac
[ "$job" = run ] || have g++ || need g++
if [ "$job" != run ] && [ "$job" != cudasim ]; then
    have gcc || need gcc
    have clang || need clang
    have python3 || need python3
    python3 -c 'import venv, ensurepip' 2>/dev/null || need python3-venv
    have mpicc.openmpi || need "$(tools/libs.sh packages openmpi)"
    have mpicc.mpich || need "$(tools/libs.sh packages mpich)"
    have ip || need iproute2
    have pgrep || need procps
    [ "$job" != check ] || have musl-gcc || need musl-tools
    ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a >/dev/null 2>&1 || need libclang-rt-14-dev
fi
[ "$job" != check ] || have clang-format || need clang-format

if [ -n "$missing" ] && ! install $missing; then
    # Without stb and CFITSIO the headers work; the calls that need them say so.
    have "${CC:-cc}" || exit 1
fi

if [ "$job" != run ] && [ "$job" != cudasim ] && ! build/venv/bin/python -c 'import numpy, scipy' 2>/dev/null; then
    if [ -e build/venv.failed ] && python3 -c 'import numpy, scipy' 2>/dev/null; then
        : # PyPI could not be reached before, and Debian's NumPy is here (`make clean` forgets that)
    elif ! python3 -c 'import numpy, scipy, sys; sys.exit(int(numpy.__version__.split(".")[0]) < 2)' 2>/dev/null; then
        mkdir -p build
        echo "gpuarr: NumPy and SciPy to compare with, into build/venv"
        { python3 -m venv build/venv && build/venv/bin/pip install -q --disable-pip-version-check 'numpy>=2' scipy; } >build/venv.log 2>&1 || {
            echo "gpuarr: PyPI could not be reached (see build/venv.log): using Debian's NumPy" >&2
            rm -rf build/venv
            : >build/venv.failed
            python3 -c 'import numpy, scipy' 2>/dev/null || install python3-numpy python3-scipy
        }
    fi
fi
if [ "$job" = check ] && [ -x build/venv/bin/pip ] && ! build/venv/bin/python -c 'import dask.array, distributed' 2>/dev/null; then
    echo "gpuarr: Dask, for the test of tools/dask, into build/venv"
    build/venv/bin/pip install -q --disable-pip-version-check 'dask[array]' distributed >>build/venv.log 2>&1 ||
        echo "gpuarr: PyPI could not be reached (see build/venv.log): tools/dask is not tested" >&2
fi
if [ "$job" = bench ]; then
    [ -x build/venv/bin/pip ] || python3 -m venv build/venv || exit 1
    echo "gpuarr: NumPy, SciPy, Numba, NumExpr, OpenCV, Dask, bottleneck and astropy to compare with, into build/venv"
    build/venv/bin/pip install -q --disable-pip-version-check 'numpy>=2' scipy numba numexpr opencv-python-headless 'dask[array]' \
        bottleneck astropy || exit 1
fi
exit 0
