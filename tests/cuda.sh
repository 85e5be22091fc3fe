# cuda.sh -- the tests again, on GPU arrays: sourced by run.sh, which has `one`, `part`, $B, $PY, $FITS and $LIBS.
# Without a GPU the kernels run under tools/cudasim, built three ways: plain (in each order of the threads, with lazy streams), with
# ASan and UBSan, and as a checker that looks at every access (with UBSan; smaller arrays and fewer cases, because it is slow).
SIM=tools/cudasim
CUDA_TESTS="rows api errors errors_algorithms memory allocations distances filters launch cuda_kernels cuda_reductions cuda_stencils cuda_chunked chunked_gpu"
CHUNKED_TESTS="chunked chunked_ops chunked_files" # with GPUs that help
for t in tests/cuda_*.c; do
    t=${t#tests/} t=${t%.c}
    [ "$t" = cuda_barriers ] || [ ! -f "tests/$t.c" ] || CUDA_TESTS="$CUDA_TESTS $t"
done
nvcc=$(PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin" command -v nvcc)

on_gpu() { env GPUARR_TEST_DEVICE=cuda "$@"; }

# ---- builds: of MODE plain, asan or check for cudasim, and of MODE gpu by nvcc, all in $B/MODE ------------------------------------------

# (The tests give enumerations values that they do not have, which C allows and C++ does not: -fno-sanitize=enum.)
cuda_flags() { # cuda_flags MODE implementation|runtime|link
    case $1-$2 in
    plain-runtime | check-runtime) echo "-O2 -g1" ;; # the checker's callbacks take the place of ThreadSanitizer's runtime
    plain-implementation) echo "-O1 -g1" ;;
    asan-link) echo "-fsanitize=address" ;; # undefined behaviour is looked for in check
    asan-*) echo "-O1 -g1 -fsanitize=address --param asan-instrumentation-with-call-threshold=0" ;;
    check-implementation)
        echo "-O1 -g1 -fsanitize=thread,undefined -fno-sanitize=vptr,enum -fno-sanitize-recover=undefined --param tsan-instrument-func-entry-exit=0"
        ;;
    check-link) echo "-fsanitize=undefined" ;;
    esac
}

# nvcc compiles everything at once, as a user does. For cudasim the CUDA backend is an object of its own, the only one that the checker
# looks at, and the rest is compiled by gcc (for the CPU: what a host reads of a GPU's memory is found by the memory's protection).
cuda_library() { # cuda_library MODE: the library, and cudasim
    mkdir -p "$B/$1"
    if [ "$1" = gpu ]; then
        once "$B/gpu/impl.o" "implementation, gpu" "$nvcc" -std=c++17 -arch=native -O2 -lineinfo -Werror all-warnings -Xcompiler -fPIC $FITS \
            -I. -x cu -c tests/impl.c
    else
        local host part flags="-O1 -g1"
        host=$(cuda_host "$1")
        [ "$1" != asan ] || flags=$(cuda_flags asan implementation)
        once "$B/$1/gpu.o" "CUDA backend, $1" g++ -std=c++17 $(cuda_flags "$1" implementation) -fPIC -w -DGPUARR_BASELINE_ONLY \
            -DGPUARR_PART=GPUARR_GPU $FITS -I$SIM/include -I. -include cuda_runtime.h -x c++ -c tests/impl.c
        for part in RUNTIME BASELINE; do
            once "$host-$part.o" "its $part, $1" gcc -std=c11 $flags -fPIC -DGPUARR_BASELINE_ONLY -DGPUARR_PART=GPUARR_$part -DGPUARR_WITH_CUDA \
                $FITS -I. -c tests/impl.c
        done
        once "$B/$1/cudasim.o" "cudasim, $1" g++ -std=c++17 $(cuda_flags "$1" runtime) -fPIC -I$SIM/include -c $SIM/cudasim.cpp
    fi
}

cuda_host() { [ "$1" = asan ] && echo "$B/asan/host" || echo "$B/host"; } # where the rest of the library of MODE is

cuda_link() { # cuda_link MODE ARGUMENTS...
    local mode=$1 host
    shift
    host=$(cuda_host "$mode")
    if [ "$mode" = gpu ]; then
        "$nvcc" "$@" "$B/gpu/impl.o" $LIBS
    else
        g++ -rdynamic $(cuda_flags "$mode" link) "$@" "$B/$mode/gpu.o" "$host-RUNTIME.o" "$host-BASELINE.o" "$B/$mode/cudasim.o" $LIBS -ldl
    fi
}

cuda_source() { # cuda_source MODE NAME: compiles tests/NAME.cu
    if [ "$1" = gpu ]; then
        "$nvcc" -std=c++17 -arch=native -O1 -fmad=false -Werror all-warnings -I. -c "tests/$2.cu" -o "$B/$1/$2.o"
        return
    fi
    [ -x "$B/cu2cpp" ] || cc -std=c11 -O1 $SIM/cu2cpp.c -o "$B/cu2cpp" || return
    "$B/cu2cpp" -d "$B/$1" -o "$B/$1/$2.cpp" "tests/$2.cu" &&
        g++ -std=c++17 $(cuda_flags "$1" implementation) -w -DTEST_ASAN=$([ "$1" = asan ] && echo 1 || echo 0) -I$SIM/include -I. -Itests \
            -include cuda_runtime.h -c "$B/$1/$2.cpp" -o "$B/$1/$2.o"
}

cuda_program() { # cuda_program MODE NAME
    local headers=$SIM/include object=$B/$2.o own=
    [ "$2" != cuda_barriers ] || own=$B/$1/oracle_kernels.o
    if [ -f "tests/$2.cu" ]; then # with kernels of its own
        cuda_source "$1" "$2" && cuda_link "$1" "$B/$1/$2.o" -o "$B/$1/$2"
        return
    fi
    [ "$1" != gpu ] || headers=$(dirname "$nvcc")/../include
    case $1,$2 in
    asan,* | gpu,cuda_*) object=$B/$1/$2.o ;; # the tests know whether ASan is there; CUDA's own headers
    *,cuda_*) ;;
    *) test_object "$2" ;; # the one for the CPU
    esac
    once "$object" "build of $2" gcc -std=c11 -O1 -g1 -DTEST_ASAN=$([ "$1" = asan ] && echo 1 || echo 0) -I. -I"$headers" -c "tests/$2.c"
    cuda_link "$1" "$object" $own -o "$B/$1/$2"
}

cuda_kernels() { # cuda_kernels MODE: those of tests/oracle_kernels.c
    local compile="g++ -std=c++17 $(cuda_flags "$1" implementation) -w -fPIC -I$SIM/include -include cuda_runtime.h -x c++"
    [ "$1" != gpu ] || compile="$nvcc -std=c++17 -arch=native -O1 -fmad=false -Werror all-warnings -Xcompiler -fPIC -x cu"
    $compile -I. -c tests/oracle_kernels.c -o "$B/$1/oracle_kernels.o"
}

cuda_example() { # cuda_example MODE NAME: as C, or as CUDA if it has kernels of its own
    local compile="gcc -std=c11 -O1 $FITS"
    case $1,$(grep -lE '^GA_(ELEMENTWISE|REDUCTION|STENCIL)' "examples/$2.c") in
    gpu,?*) compile="$nvcc -std=c++17 -arch=native -O2 -fmad=false -Werror all-warnings -x cu" ;;
    *,?*) compile="g++ -std=c++17 -O1 -I$SIM/include -include cuda_runtime.h -x c++" ;;
    esac
    $compile -I. -DGPUARR_IMPLEMENTED -c "examples/$2.c" -o "$B/$1/$2.o" && cuda_link "$1" "$B/$1/$2.o" -o "$B/$1/$2"
}

same_on_both() { # same_on_both FOLDER EXAMPLE...: it prints on the GPU what it prints on the CPU, and all is right
    local folder=$1 e n=0 bad=0
    mkdir -p "$folder/out"
    shift
    for e; do
        if "$folder/$e" --size 32 --out "$folder/out" >"$folder/$e.cpu" && "$folder/$e" --size 32 --out "$folder/out" --device cuda >"$folder/$e.gpu" &&
            [ -s "$folder/$e.cpu" ] && cmp "$folder/$e.cpu" "$folder/$e.gpu"; then
            n=$((n + 1))
        else
            bad=$((bad + 1))
            echo "FAIL $e" && cat "$folder/$e.cpu" "$folder/$e.gpu"
        fi
    done
    echo "$n passed, $bad failed, 0 skipped"
}

cuda_examples() { # cuda_examples MODE: the main job on the GPU
    local e
    for e in first pictures astronomy convolution distances heat life kmeans nbody primes julia sigmoid; do one "build of examples/$e.c, $1" cuda_example "$1" $e; done
    part "pictures of the seed, $1" pictures "$B/$1/pictures" --device cuda
    part "convolution of the lesson, $1" convolution 18480.68477 1584.497707 "$B/$1/convolution" --device cuda --size 256
    part "distances of the course, $1" distances "$B/$1/distances" --device cuda
    part "heat and life, $1" same_on_both "$B/$1" heat life
    part "k-means and n bodies, $1" kmeans_and_nbody "$B/$1" --device cuda
    part "primes, julia, sigmoid, $1" own_kernels "$B/$1" --device cuda
    part "astronomy on real images, $1" $PY tests/check_astronomy.py "$B/$1/astronomy --device cuda" ../shared/data
}

cuda_build() { # cuda_build MODE: everything
    local t
    SECONDS=0
    cuda_library "$1"
    one "kernels for the oracle, $1" cuda_kernels "$1"
    for t in $CUDA_TESTS bits $CHUNKED_TESTS $([ "$1" != check ] || echo cuda_barriers); do one "build of $t, $1" cuda_program "$1" "$t"; done
    one "shared library, $1" cuda_link "$1" -shared "$B/$1/oracle_kernels.o" -o "$B/$1/libgpuarr.so"
    printf '%-34s %31ss\n' "builds, $1" "$SECONDS"
}

# ---- runs --------------------------------------------------------------------------------------------------------------------------------

cuda_bits() { # cuda_bits MODE VARIABLE=VALUE...: the hash of tests/bits.c on the GPU is the one of the CPU
    local program=$B/$1/bits cpu gpu
    shift
    cpu=$(env "$@" "$program") && gpu=$(on_gpu "$@" "$program")
    if [ $? = 0 ] && [ "$cpu" = "$gpu" ]; then
        echo "1 passed, 0 failed, 0 skipped"
    else
        echo "FAIL the GPU's results have the hash $gpu, the CPU's $cpu"
        return 1
    fi
}

cuda_oracle() { # cuda_oracle MODE CASES VARIABLE=VALUE...
    local mode=$1 cases=$2
    shift 2
    [ "$mode" != asan ] || set -- "$@" ASAN_OPTIONS=detect_leaks=0 \
        LD_PRELOAD="$(gcc -print-file-name=libasan.so)"
    env "$@" $PY tests/oracle.py --device cuda --lib "$B/$mode/libgpuarr.so" --cases "$cases" --seed 2
}

cuda_tests() { # cuda_tests MODE CASES VARIABLE=VALUE...: all programs, the hash and the oracle
    local mode=$1 cases=$2 t
    shift 2
    for t in $CUDA_TESTS; do part "$t, $mode $*" on_gpu "$@" "$B/$mode/$t"; done
    [ "$mode" = asan ] || part "same bits, $mode $*" cuda_bits "$mode" "$@" # the tests above run the same kernels
    part "oracle, $mode, $cases cases $*" cuda_oracle "$mode" "$cases" "$@"
}

# The kernels run under cudasim: the jobs cuda_simulated:MODE, the longest first.
CUDA_JOBS="cuda_simulated:asan cuda_simulated:check cuda_simulated:plain"
cuda_simulated() { # cuda_simulated MODE
    local t
    cuda_build "$1"
    part "cuda_api with two GPUs, $1" "$B/$1/cuda_api" two
    for t in $([ "$1" = plain ] && echo $CHUNKED_TESTS || echo chunked_ops); do part "$t, two GPUs help, $1" env CUDASIM_DEVICES=2 GPUARR_NUM_GPUS=2 "$B/$1/$t"; done
    case $1 in
    plain)
        cuda_tests plain 6000 CUDASIM_ORDER=forward
        cuda_tests plain 3000 CUDASIM_ORDER=reverse GPUARR_TEST_SMALL=1
        cuda_tests plain 3000 CUDASIM_ORDER=random:1 CUDASIM_LAZY=1 GPUARR_TEST_SMALL=1
        part "cuda_api with two GPUs, lazy" env CUDASIM_LAZY=1 "$B/plain/cuda_api" two
        part "cuda_api without a GPU" "$B/plain/cuda_api" none
        for t in errors errors_algorithms; do part "$t without a GPU" env GPUARR_TEST_DEVICE=none CUDASIM_DEVICES=0 "$B/plain/$t"; done
        part "objects that are not alike" cuda_unlike
        cuda_examples plain
        ;;
    asan) cuda_tests asan 1500 GPUARR_TEST_SMALL=1 ;;
    check)
        cuda_tests check 1000 GPUARR_TEST_SMALL=1
        part "every barrier is needed" bash tests/barriers.sh "$B/check/cuda_barriers"
        ;;
    esac
}

cuda_unlike() { # the CUDA backend with a rest that was compiled for other sizes: the CPU works, and the GPU says why it does not
    local said
    gcc -std=c11 -O0 -w -DGPUARR_MAX_DIMS=9 -DGPUARR_BASELINE_ONLY -DGPUARR_PART=GPUARR_RUNTIME -DGPUARR_WITH_CUDA $FITS -I. -c tests/impl.c -o "$B/plain/unlike.o" &&
        gcc -std=c11 -O0 -w -DGPUARR_MAX_DIMS=9 -DGPUARR_BASELINE_ONLY -DGPUARR_PART=GPUARR_BASELINE -I. -c tests/impl.c -o "$B/plain/unlike-loops.o" &&
        gcc -std=c11 -DGPUARR_MAX_DIMS=9 -I. -x c -c -o "$B/plain/unlike-main.o" - <<'END' &&
#include "gpuarr.h"
int main(void)
{
    ga_array *a = ga_ones((3));
    return ga_item(ga_sum(a)) == 3 && ga_cuda_count() == 0 && !ga_to(a, GA_CUDA) ? 0 : 1;
}
END
        g++ -rdynamic "$B/plain/unlike-main.o" "$B/plain/unlike.o" "$B/plain/unlike-loops.o" "$B/plain/gpu.o" "$B/plain/cudasim.o" -o "$B/plain/unlike" $LIBS -ldl &&
        said=$("$B/plain/unlike" 2>&1) && [[ $said == *"was compiled with other options"* ]] &&
        echo "1 passed, 0 failed, 0 skipped" || echo "FAIL objects that were not compiled alike: ${said:-they do not link, or work together}"
}

cuda_real() { # on the GPU of this machine, if it has one
    if nvidia-smi -L 2>/dev/null | grep -q GPU && [ -n "$nvcc" ]; then
        cuda_build gpu
        cuda_tests gpu 20000
        cuda_examples gpu
    else
        part "GPU" sh -c 'echo "SKIP there is no GPU here, or no nvcc: nothing ran on one"; echo "0 passed, 0 failed, 1 skipped"'
    fi
}
