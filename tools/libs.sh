#!/bin/sh
# libs.sh -- the optional libraries: the one list of them, for the Makefile, the tests and tools/deps.sh.
#   libs.sh flags             how to compile with those that are here
#   libs.sh link              how to link with them
#   libs.sh here              their names
#   libs.sh packages run|test what Debian calls those that `make run` or `make test` uses and that are not here
#   libs.sh flags|link|packages NAME    of that one, here or not

# name  | header, or command     | flags                | link             | Debian's packages          | the first job that uses it: run, test,
# or asked: used only where it is named
list='
stb     | stb/stb_image_write.h |                      |                  | libstb-dev                 | run
cfitsio | fitsio.h              | -DGPUARR_USE_CFITSIO | -lcfitsio        | libcfitsio-dev             | run
fftw    | fftw3.h               | -DGPUARR_USE_FFTW    | -lfftw3 -lfftw3f | libfftw3-dev               | test
zlib    | zlib.h                | -DGPUARR_USE_ZLIB    | -lz              | zlib1g-dev                 | test
hdf5    | pkg-config            | -DGPUARR_USE_HDF5    |                  | libhdf5-dev pkg-config     | test
cblas   | cblas.h               | -DGPUARR_USE_CBLAS   | its library      | libopenblas-dev            | asked
lapacke | lapacke.h             | -DGPUARR_USE_LAPACKE | -llapacke and BLAS | liblapacke-dev libopenblas-dev | asked
openmpi | mpicc.openmpi         |                      |                  | libopenmpi-dev openmpi-bin | asked
mpich   | mpicc.mpich           |                      |                  | libmpich-dev mpich         | asked
'

# A library is here if a program that includes its header links with it. First the headers that the compiler finds, in one call of it:
# a line <header> for each.
found=$(printf '%s' "$list" | sed -n 's/^\([a-z]*\)[^|]*| *\([^ ]*\.h\) .*/#if __has_include(<\2>)\n<\2>\n#endif/p' |
    sed 's,^#if __has_include(<stb/\(.*\)>)$,#if __has_include(<stb/\1>) || __has_include("\1"),' | ${CC:-cc} -E -P -x c - 2>/dev/null)

cblas_library() { # -lopenblas, or Debian's libblas-dev, which has cblas.h and its functions as well
    for library in openblas blas; do
        printf '#include <cblas.h>\nint main(void) { return cblas_dasum(0, 0, 1) != 0; }\n' |
            ${CC:-cc} -x c - -o /dev/null -l$library >/dev/null 2>&1 && echo "-l$library" && return
    done
}

links() { # links HEADER OPTION...
    header_=$1
    shift
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header_" | ${CC:-cc} -x c - -o /dev/null "$@" >/dev/null 2>&1
}

is_here() { # is_here HEADER NAME: of which $flags and $link are known
    case $1 in
    pkg-config) pkg-config --exists "$2" 2>/dev/null && links "$2.h" $flags $link ;;
    *.h) case $found in *"<$1>"*) [ -z "$(echo $link)" ] || links "$1" $link ;; *) return 1 ;; esac ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

what=$1 of=$2
printf '%s' "$list" | while IFS='|' read -r name header flags link packages job; do
    name=$(echo $name) header=$(echo $header) job=$(echo $job)
    [ -n "$name" ] || continue
    if [ "$header" = pkg-config ]; then
        flags="$flags $(pkg-config --cflags "$name" 2>/dev/null)" link="$link $(pkg-config --libs "$name" 2>/dev/null)"
    fi
    case $what,$of,$link in
    link,cblas,*"its library"*) link=$(cblas_library) ;;
    link,lapacke,*"and BLAS"*) link=$(links lapacke.h -llapacke $(cblas_library) && echo -llapacke $(cblas_library)) ;;
    *"its library"* | *"and BLAS"*) link= ;;
    esac
    case $what,$of in
    packages,run | packages,test)
        [ "$job" = run ] || [ "$job" = "$of" ] || continue
        is_here "$header" "$name" || echo $packages
        ;;
    *,?*)
        [ "$of" = "$name" ] || continue
        case $what in flags) echo $flags ;; link) echo $link ;; packages) echo $packages ;; esac
        ;;
    *)
        [ "$job" != asked ] && is_here "$header" "$name" || continue
        case $what in flags) echo $flags ;; link) echo $link ;; here) echo $name ;; esac
        ;;
    esac
done | paste -s -d ' '
