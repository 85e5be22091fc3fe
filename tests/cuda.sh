# cuda.sh -- the tests again, on GPU arrays: sourced by run.sh (which has `one`, `part`, `say` and $B). Without a GPU the kernels run
# under tools/cudasim, built three ways: plain (each order of the threads, lazy streams), with ASan and UBSan, and as a checker that
# looks at every access (with UBSan; smaller arrays, fewer cases, because it is some fifty times slower).
SIM=tools/cudasim
CUDA_TESTS="rows api errors memory"
for t in tests/cuda_*.c; do
    t=${t#tests/} t=${t%.c}
    [ "$t" = cuda_barriers ] || [ ! -f "tests/$t.c" ] || CUDA_TESTS="$CUDA_TESTS $t"
done

sim_flags() { # sim_flags MODE implementation|runtime
    case $1 in
    plain) [ "$2" = runtime ] && echo "-O2 -g1" || echo "-O1 -g1" ;;
    asan) echo "-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined" ;;
    check) [ "$2" = runtime ] && echo "-O2 -g1" || # its callbacks take the place of ThreadSanitizer's runtime
        echo "-O1 -g -fsanitize=thread,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined --param tsan-instrument-func-entry-exit=0" ;;
    esac
}

sim_link_flags() {
    case $1 in
    plain) ;;
    asan) echo "-fsanitize=address,undefined" ;;
    check) echo "-fsanitize=undefined" ;;
    esac
}

sim_library() { # sim_library MODE: the implementation and cudasim as objects (for programs and shared libraries)
    mkdir -p "$B/sim"
    printf '#include <cuda_runtime.h>\n#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\n' >"$B/sim/impl.cpp"
    one "cudasim, $1" g++ -std=c++17 $(sim_flags "$1" runtime) -fPIC -I$SIM/include -c $SIM/cudasim.cpp -o "$B/sim/cudasim-$1.o"
    one "implementation for cudasim, $1" g++ -std=c++17 $(sim_flags "$1" implementation) -fPIC -Wall -Wextra -DGPUARR_BASELINE_ONLY \
        $FITS -I$SIM/include -I. -c "$B/sim/impl.cpp" -o "$B/sim/impl-$1.o"
}

sim_program() { # sim_program MODE NAME
    one "build of $2 for cudasim, $1" gcc -std=c11 -g -O1 -I. -c "tests/$2.c" -o "$B/sim/$2-$1.o"
    one "link of $2 for cudasim, $1" g++ $(sim_link_flags "$1") "$B/sim/$2-$1.o" "$B/sim/impl-$1.o" "$B/sim/cudasim-$1.o" \
        -rdynamic -o "$B/sim/$2-$1" $LIBS -ldl
}

sim_shared() { # sim_shared MODE: the shared library for Python
    one "shared library for cudasim, $1" g++ -shared $(sim_link_flags "$1") "$B/sim/impl-$1.o" "$B/sim/cudasim-$1.o" \
        -o "build/libgpuarr-cudasim-$1.so" $LIBS -ldl
}

on_gpu() { env GPUARR_TEST_DEVICE=cuda "$@"; }

sim_bits() { # sim_bits MODE VARIABLE=VALUE...: the hash of tests/bits.c on the GPU is the one of the CPU
    local mode=$1 cpu gpu
    shift
    cpu=$(env "$@" "$B/sim/bits-$mode") || return 1
    gpu=$(on_gpu env "$@" "$B/sim/bits-$mode") || { echo "$gpu"; return 1; }
    if [ "$cpu" = "$gpu" ]; then echo "1 passed, 0 failed, 0 skipped"; return 0; fi
    echo "FAIL the GPU's results have the hash $gpu, the CPU's $cpu"
    echo "0 passed, 1 failed, 0 skipped"
}

sim_oracle() { # sim_oracle MODE CASES VARIABLE=VALUE...
    local mode=$1 cases=$2
    shift 2
    [ "$mode" = asan ] && set -- "$@" LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0
    env "$@" $PY tests/oracle.py --device cuda --lib "build/libgpuarr-cudasim-$mode.so" --cases "$cases" --seed 2
}

sim_tests() { # sim_tests MODE CASES VARIABLE=VALUE...: all programs, the hash and the oracle
    local mode=$1 cases=$2 t
    shift 2
    for t in $CUDA_TESTS; do part "$t, cudasim $mode $*" on_gpu "$@" "$B/sim/$t-$mode"; done
    part "same bits, cudasim $mode $*" sim_bits "$mode" "$@"
    part "oracle, cudasim $mode $*" sim_oracle "$mode" "$cases" "$@"
}

SECONDS=0
for mode in plain asan check; do
    sim_library $mode
    for t in $CUDA_TESTS bits; do sim_program $mode "$t"; done
    sim_shared $mode
done
printf '%-34s %31ss\n' "builds for cudasim" "$SECONDS"

sim_tests plain 4000 CUDASIM_ORDER=forward
sim_tests plain 1500 CUDASIM_ORDER=reverse
sim_tests plain 1500 CUDASIM_ORDER=random:1 CUDASIM_LAZY=1
part "errors without a GPU" env GPUARR_TEST_DEVICE=none CUDASIM_DEVICES=0 "$B/sim/errors-plain"
sim_tests asan 1000 GPUARR_TEST_SMALL=1
sim_tests check 500 GPUARR_TEST_SMALL=1
part "every barrier is needed" bash tests/barriers.sh "$B/sim"
