# cuda.sh -- the tests again, on GPU arrays: sourced by run.sh. Without a GPU the kernels run under tools/cudasim, built three ways:
# plain, with ASan (threads in a random order, with lazy streams), and as a checker that looks at every access of a kernel (with UBSan; smaller
# arrays and fewer cases, because it is slow). With one, nvcc builds the mode gpu.
SIM=tools/cudasim
CUDA_TESTS="compositions ndimage signals numbers half places allocations cuda_reduce cuda_order cuda_images chunked_gpu cuda_convolve distances cuda_distances cuda_reductions cuda_stencils cuda_select fourier exchange
    cuda_map cuda_products filters cuda_filters errors errors_algorithms memory rows cuda_bools api launch cuda_kernels cuda_chunked cuda_api cuda_host options eval eval_joined formulas linear strided"
CHUNKED_TESTS="chunked chunked_ops chunked_files" # with GPUs that help
nvcc=$(PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin" command -v nvcc)

export CUDASIM_LEAKS=fail # in every build, not only the checker's

on_gpu() { env GPUARR_TEST_DEVICE=cuda "$@"; }

# ---- builds, in $B/MODE ----------------------------------------------------------------------------------------------------------------

# (The tests give enumerations values that they do not have, which C allows and C++ does not: -fno-sanitize=enum.)
cuda_flags() { # cuda_flags MODE kernels|host|runtime|link
    case $1-$2 in
    *-runtime) echo "-O2 -g1 -fno-semantic-interposition$([ "$1" != asan ] || echo " -fsanitize=address")" ;; # the checker's callbacks take the place of ThreadSanitizer's runtime
    asan-link) echo "-fsanitize=address" ;; # undefined behaviour is looked for in check
    asan-*) echo "-O1 -g1 -fsanitize=address --param asan-instrumentation-with-call-threshold=0" ;;
    check-kernels)
        echo "-O1 -g1 -fsanitize=thread,undefined -fno-sanitize=vptr,enum -fno-sanitize-recover=undefined --param tsan-instrument-func-entry-exit=0"
        ;;
    check-link | solver_check-link) echo "-fsanitize=undefined" ;;
    *-link) ;;
    *) echo "-O1 -g1" ;;
    esac
}

compile_kernels() { # compile_kernels MODE: the compiler for a file with kernels, which stands behind it
    if [ "$1" = gpu ]; then
        echo "$nvcc -std=c++17 -arch=native -O1 -fmad=false -Werror all-warnings -Xcompiler -fPIC -I. -x cu"
    else
        echo "g++ -std=c++17 $(cuda_flags "$1" kernels) -w -fPIC -I$SIM/include -I. -Itests -include cuda_runtime.h -x c++"
    fi
}

cuda_link() { # cuda_link MODE FILE ARGUMENTS...
    local file=$B/$1/$2 with
    with="g++ -rdynamic $(cuda_flags "$1" link)"
    [ "$1" != gpu ] || with=$nvcc
    made "$file" $with "${@:3}" $(object_files "$1") $LIBS -ldl
}

cuda_object() { # cuda_object MODE NAME: compiles tests/NAME.cu or NAME.c, into $object
    local compile="gcc -std=c11 -O1 -g1 -I$SIM/include -I." at=$B/$1/$2.cu
    object=$B/$1/$2.o
    case $1,$2 in
    gpu,cuda_*) compile="gcc -std=c11 -O1 -g1 -I$(dirname "$nvcc")/../include -I." ;;
    *,cuda_*) object=$B/c/$2.o ;;
    *) compile=$(test_compiler) object=$B/c/$2.o ;; # the object for the CPU
    esac
    if [ ! -f "tests/$2.cu" ]; then
        made "$object" $compile -c "tests/$2.c"
    elif [ "$1" = gpu ]; then
        object=$B/gpu/$2.o
        made "$object" $(compile_kernels gpu) -c "tests/$2.cu"
    else
        object=$B/$1/$2.o
        mkdir -p "$at"
        made "$B/cu2cpp" cc -std=c11 -O1 $SIM/cu2cpp.c && "$B/cu2cpp" -d "$at" -o "$at/$2.cpp" "tests/$2.cu" &&
            made "$object" $(compile_kernels "$1") -c "$at/$2.cpp"
    fi
}

own_kernels_object() { made "$B/$1/oracle_kernels.o" $(compile_kernels "$1") -c tests/oracle_kernels.c; } # own_kernels_object MODE

cuda_program() { # cuda_program MODE NAME
    local object own=
    if [ "$2" = cuda_barriers ]; then
        own=$B/$1/oracle_kernels.o
        own_kernels_object "$1" || return
    fi
    cuda_object "$1" "$2" && cuda_link "$1" "$2" "$object" $own
}

cuda_example() { # cuda_example MODE NAME: as C, or as CUDA if it has kernels of its own
    local compile="gcc -std=c11 -O1"
    case $1,$(grep -lE '^GA_(ELEMENTWISE|REDUCTION|STENCIL)' "examples/$2.c") in
    gpu,?*) compile="$nvcc -std=c++17 -arch=native -O2 -fmad=false -Werror all-warnings -x cu" ;;
    *,?*) compile="g++ -std=c++17 -O1 -I$SIM/include -include cuda_runtime.h -x c++" ;;
    esac
    made "$B/$1/examples/$2.o" $compile $USE_LIBS -I. -DGPUARR_IMPLEMENTED -c "examples/$2.c" && cuda_link "$1" "examples/$2" "$B/$1/examples/$2.o"
}

# ---- runs ------------------------------------------------------------------------------------------------------------------------------

# The ways in which a mode runs, one a line. Small arrays run with threads and streams in the least likely order: in `make test`, and with
# ASan; the checker has them in their order. Tests with large arrays run on these in `make check`, in plain, with threads in their order.
# Device memory is closed to the host in plain alone, as each opening and closing is a call of the system: that takes longer than the kernels.
ways() { # ways MODE NAME
    local unlikely="CUDASIM_ORDER=random:1 CUDASIM_LAZY=1 GPUARR_TEST_SMALL=1"
    case $1,$job in
    gpu,*) echo GPUARR_TEST_DEVICE=cuda ;;
    plain,one) echo CUDASIM_ORDER=forward ;;
    plain,*)
        if [ "$job" != test ] && has_large "$2"; then
            echo CUDASIM_ORDER=forward
            [ "$2" = bits ] || return 0 # of which there is no build with ASan
            unlikely+=" CUDASIM_PROTECT=0"
        fi
        echo "$unlikely"
        ;;
    asan,*) echo "$unlikely CUDASIM_PROTECT=0" ;;
    *) echo GPUARR_TEST_SMALL=1 CUDASIM_PROTECT=0 ;;
    esac
}

# Are some arrays of this test smaller on demand? (The large ones of these two are about the CPU; cuda_distances has the GPU's.)
has_large() { # has_large NAME
    case $1 in allocations | distances) return 1 ;; esac
    grep -qs 'test_small()' "tests/$1".{c,cu}
}

on_cuda() { # on_cuda MODE NAME: tests/NAME.c, or .cu
    local way
    one "build of $2, $1" cuda_program "$1" "$2" || return
    while read -r way; do
        part "$2, $1 $way" alone "$2" on_gpu $way "$B/$1/$2"
    done <<<"$(ways "$1" "$2")"
    case $1,$2 in
    plain,errors | plain,errors_algorithms) part "$2 without a GPU" alone "$2" env GPUARR_TEST_DEVICE=none CUDASIM_DEVICES=0 "$B/plain/$2" ;;
    plain,cuda_api) part "cuda_api without a GPU" "$B/plain/cuda_api" none && part "cuda_api with two GPUs, lazy" env CUDASIM_LAZY=1 "$B/plain/cuda_api" two ;;
    esac
    case $1,$2 in
    gpu,*) ;;
    *,cuda_api) part "cuda_api with two GPUs, $1" "$B/$1/cuda_api" two ;;
    esac
}

two_gpus() { # two_gpus MODE NAME: arrays of the CPU, with two GPUs that help
    one "build of $2, $1" cuda_program "$1" "$2" &&
        part "$2, two GPUs help, $1" alone "$2" env CUDASIM_DEVICES=2 GPUARR_NUM_GPUS=2 "$B/$1/$2"
}

hashes_agree() { # hashes_agree PROGRAM WAY...: the hash of tests/bits.c on the GPU is the one of the CPU
    local cpu= gpu=
    cpu=$(env "${@:2}" "$1") && gpu=$(on_gpu "${@:2}" "$1")
    if [ $? = 0 ] && [ "$cpu" = "$gpu" ]; then
        echo "1 passed, 0 failed, 0 skipped"
    else
        echo "FAIL the GPU's results have the hash $gpu, the CPU's $cpu"
        return 1
    fi
}

cuda_bits() { # cuda_bits MODE
    local way
    one "build of bits, $1" cuda_program "$1" bits || return
    while read -r way; do part "same bits, $1 $way" hashes_agree "$B/$1/bits" $way; done <<<"$(ways "$1" bits)"
}

cuda_oracle() { # cuda_oracle MODE CASES
    local way
    one "kernels for the oracle, $1" own_kernels_object "$1" &&
        one "shared library, $1" cuda_link "$1" libgpuarr.so -shared "$B/$1/oracle_kernels.o" || return
    way=$(ways "$1" oracle)
    [ "$1" != asan ] || way="$way ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(gcc -print-file-name=libasan.so)"
    part "oracle, $1, $2 cases $way" env $way $PY tests/oracle.py --device cuda --lib "$B/$1/libgpuarr.so" --cases "$2" --seed 2
}

cuda_unlike() { # cuda_unlike MODE: the CUDA backend with a rest that was compiled for other dtypes: the CPU works, and the GPU says why it does not
    local at=$B/$1/unlike said
    mkdir -p "$at" && cat >"$at/main.c" <<'END'
#include "gpuarr.h"
int main(void)
{
    ga_array *a = ga_ones((3));
    return ga_item(ga_sum(a)) == 3 && ga_cuda_count() == 0 && !ga_to(a, GA_CUDA) ? 0 : 1;
}
END
    made "$at/runtime.o" gcc -std=c11 -O0 -w -DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY -DGPUARR_PART=GPUARR_RUNTIME -DGPUARR_WITH_CUDA $USE_LIBS -I. -c tests/impl.c &&
        made "$at/loops.o" gcc -std=c11 -O0 -w -DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY -DGPUARR_PART=GPUARR_BASELINE -I. -c tests/impl.c &&
        made "$at/main.o" gcc -std=c11 -DGPUARR_FEW_DTYPES -I. -c "$at/main.c" &&
        made "$at/unlike" g++ -rdynamic "$at/main.o" "$at/runtime.o" "$at/loops.o" "$B/$1/impl-gpu.o" "$B/plain/impl-cudasim.o" $LIBS -ldl &&
        said=$("$at/unlike" 2>&1) && [[ $said == *"was compiled with other options"* ]] && return
    echo "FAIL objects that were not compiled alike: ${said:-they do not link, or work together}"
    return 1
}
# By cuSOLVER, on cudasim's (nvcc and the real library: ptx): the cases of linear.c, as far as they ask for no bits of ours, and those of cusolver.c.
cusolver() { # cusolver MODE
    local name
    for name in $([ "$1" != solver ] || echo linear) cusolver; do
        one "build of $name, $1" cuda_program "$1" $name || return
        part "$name, $1" alone "$name" on_gpu CUDASIM_DEVICES=2 $([ "$1,$name" = solver,cusolver ] || echo GPUARR_TEST_SMALL=1) "$B/$1/$name" # (large ones: cusolver.c)
    done
    part "cusolver, $1, not converging" on_gpu CUDASIM_UNCONVERGED=1 "$B/$1/cusolver" unconverged
    [ "$1" = solver ] || return 0
    part "cusolver, $1, lazy" on_gpu CUDASIM_ORDER=random:1 CUDASIM_LAZY=1 GPUARR_TEST_SMALL=1 "$B/$1/cusolver"
    one "build of allocations, $1" cuda_program "$1" allocations && part "allocations, $1" alone allocations on_gpu GPUARR_TEST_SMALL=1 "$B/$1/allocations" linear
}

unlike() { one "objects that are not alike" cuda_unlike "$1"; } # unlike MODE

barriers() { # barriers MODE
    one "build of cuda_barriers, $1" cuda_program "$1" cuda_barriers && part "every barrier is needed" bash tests/barriers.sh "$B/$1/cuda_barriers"
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
    local e at=$B/$1/examples
    rm -rf "$at/out"
    for e in first pictures astronomy convolution distances heat life kmeans nbody primes julia sigmoid; do
        one "build of examples/$e.c, $1" cuda_example "$1" $e || return
    done
    part "pictures of the seed, $1" pictures "$at/pictures" --device cuda
    part "convolution of the lesson, $1" convolution 18480.68477 1584.497707 "$at/convolution" --device cuda --size 256
    part "distances of the course, $1" distances "$at/distances" --device cuda
    part "heat and life, $1" same_on_both "$at" heat life
    part "k-means and n bodies, $1" kmeans_and_nbody "$at" --device cuda
    part "primes, julia, sigmoid, $1" own_kernels "$at" --device cuda
    part "astronomy on real images, $1" $PY tests/check_astronomy.py "$at/astronomy --device cuda" ../shared/data
}

# The jobs under cudasim: those of `make test`, and the rest, which `make check` runs as well.
CUDA_JOBS="cuda_oracle:plain:6000 cuda_bits:plain cuda_examples:plain $(each two_gpus:plain:%s $CHUNKED_TESTS) $(each on_cuda:plain:%s $CUDA_TESTS)"
# The checker leaves out what has no kernels of its own (compositions, allocations; bits), which would take it twelve minutes.
CUDA_CHECK_JOBS="unlike:plain barriers:check cuda_oracle:check:1000 cuda_oracle:asan:1500 two_gpus:check:chunked_ops two_gpus:asan:chunked_ops
    $(each on_cuda:check:%s $(printf '%s ' $CUDA_TESTS | sed 's/compositions \|allocations //g')) $(each on_cuda:asan:%s $CUDA_TESTS)"

# And those on the GPU of this machine, if it has one.
GPU_JOBS="cuda_oracle:gpu:20000 $(each on_cuda:gpu:%s $CUDA_TESTS) cuda_bits:gpu cuda_examples:gpu"
gpu_here() { nvidia-smi -L 2>/dev/null | grep -q GPU && [ -n "$nvcc" ]; }
