#!/usr/bin/env bash
# run.sh test|check|cudasim|gpu -- builds and runs the tests and adds up their counts. Every part prints its own closing line
# 'N passed, N failed, N skipped'; a part that prints none, or that fails without counting, counts as one failure.
set -u
cd "$(dirname "$0")/.."
job=${1:-test}
B=build/tests
mkdir -p "$B"
PY=python3
[ -x build/venv/bin/python ] && PY=build/venv/bin/python
WARN="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
FITS=
LIBS="-lm -lpthread"
if printf '#include <fitsio.h>\n' | cc -E -x c - >/dev/null 2>&1; then FITS=-DGPUARR_USE_CFITSIO LIBS="$LIBS -lcfitsio"; fi
if printf '#include <fftw3.h>\n' | cc -E -x c - >/dev/null 2>&1; then FITS="$FITS -DGPUARR_USE_FFTW" LIBS="$LIBS -lfftw3 -lfftw3f"; fi
if pkg-config --exists hdf5 2>/dev/null; then FITS="$FITS -DGPUARR_USE_HDF5 $(pkg-config --cflags hdf5)" LIBS="$LIBS $(pkg-config --libs hdf5)"; fi
SHARE="-DGI_WORTH_SHARING=0 -DGI_WORTH_WAKING=0" # threads share all that can be shared, short as it may be
passed=0 failed=0 skipped=0

say() { printf '%s\n' "$*"; }

# count NAME LOGFILE STATUS: adds the closing line of a log
count() {
    local line
    line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$2" | tail -n 1)
    if [ -z "$line" ]; then
        say "FAIL $1: no closing line (exit status $3)"
        tail -n 15 "$2"
        failed=$((failed + 1))
        return
    fi
    set -- "$1" "$2" "$3" $(printf '%s' "$line" | tr -c '0-9\n' ' ')
    passed=$((passed + $4)) failed=$((failed + $5)) skipped=$((skipped + ${6:-0}))
    if [ "$5" != 0 ] || [ "$3" != 0 ]; then
        grep -aE 'FAIL|ERROR|runtime error|WARNING: ThreadSanitizer' "$2" | head -n 30
        [ "$5" != 0 ] || { say "FAIL $1: exit status $3"; tail -n 15 "$2"; failed=$((failed + 1)); }
    fi
    [ "${6:-0}" = 0 ] || grep -a 'SKIP' "$2"
    printf '%-34s %6s passed %4s failed %4s skipped  %4ss\n' "$1" "$4" "$5" "${6:-0}" "$SECONDS"
}

# part NAME COMMAND...: runs one part
part() {
    local name=$1 log="$B/${1//[^A-Za-z0-9_.-]/_}.log"
    shift
    SECONDS=0
    "$@" >"$log" 2>&1 </dev/null
    count "$name" "$log" $?
}

# one NAME COMMAND...: a part that is one test, passed if the command succeeds and prints nothing alarming
one() {
    local name=$1 log="$B/${1//[^A-Za-z0-9_.-]/_}.log"
    shift
    if "$@" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
    else
        say "FAIL $name"
        tail -n 15 "$log"
        failed=$((failed + 1))
    fi
}

# aside NAME FUNCTION: runs the parts of a function beside what follows; `joined NAME` shows and counts them.
aside() {
    (
        passed=0 failed=0 skipped=0
        "$2"
        echo "$passed passed, $failed failed, $skipped skipped"
    ) >"$B/$1.aside" 2>&1 &
    echo $! >"$B/$1.pid"
}

joined() {
    local line
    wait "$(cat "$B/$1.pid")"
    line=$(tail -n 1 "$B/$1.aside")
    head -n -1 "$B/$1.aside"
    case $line in
    *" passed, "*)
        set -- $line
        passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
        ;;
    *)
        say "FAIL $1: it stopped before the end: $line"
        failed=$((failed + 1))
        ;;
    esac
}

pictures() { # pictures PROGRAM...: the sums and the CRC-32 of each picture are NumPy's
    local out n=0 bad=0 picture r g b crc
    out=$(dirname "$1")/out
    mkdir -p "$out"
    "$@" --out "$out" >"$out/pictures.txt" || return 1
    while read -r picture r g b crc; do
        case $picture in \#*|'') continue ;; esac
        if grep "$picture" "$out/pictures.txt" | grep -E "$r +$g +$b" | grep -qi "$crc"; then
            n=$((n + 1))
        else
            bad=$((bad + 1))
            echo "FAIL $picture: want $r $g $b $crc, got: $(grep "$picture" "$out/pictures.txt")"
        fi
    done <tests/pictures_expected.txt
    echo "$n passed, $bad failed, 0 skipped"
}

distances() { # distances PROGRAM...: the printed numbers are SciPy's, and each of the seven ways gives the same distances
    local out n=0 bad=0 line close
    out=$(dirname "$1")/out
    mkdir -p "$out"
    "$@" --points 300 --features 7 --out "$out" >"$out/distances.txt" || return 1
    while read -r line; do
        if grep -qF "$line" "$out/distances.txt"; then
            n=$((n + 1))
        else
            bad=$((bad + 1))
            echo "FAIL not printed: $line"
        fi
    done <tests/distances_expected.txt
    close=$(awk '/^  / && $NF + 0 <= 1e-11 { n++ } END { print n + 0 }' "$out/distances.txt")
    [ "$close" = 7 ] && [ -s "$out/distances.png" ] && n=$((n + 1)) || { bad=$((bad + 1)) && cat "$out/distances.txt" && echo "FAIL a way differs"; }
    echo "$n passed, $bad failed, 0 skipped"
}

convolution() { # convolution SUM SUM_1D PROGRAM...: the sums are SciPy's, and on a GPU the results are the CPU's
    local out want n=0 bad=0
    out=$(dirname "$3")/out
    mkdir -p "$out"
    "${@:3}" --out "$out" >"$out/convolution.txt" || return 1
    for want in "^convolved .* sum $1\$" "^in one dimension .* sum $2\$" "^against the definition +largest difference (0|[0-9.]+e-1[5-9])\$" \
        "$(case $* in *cuda*) echo "^the same on both +true" ;; *) echo "convolve2d on the CPU" ;; esac)"; do
        if grep -qE "$want" "$out/convolution.txt"; then
            n=$((n + 1))
        else
            bad=$((bad + 1))
            echo "FAIL no line '$want' in:"
            cat "$out/convolution.txt"
        fi
    done
    echo "$n passed, $bad failed, 0 skipped"
}

own_kernels() { # own_kernels FOLDER OPTIONS...: three ways to count primes agree with a fourth, the Julia set is there, fused and unfused are the same
    local n=0 bad=0 below count
    (cd "$1" && ./primes "${@:2}" && ./julia "${@:2}" && ./sigmoid "${@:2}") >"$1/own_kernels.txt" || return 1
    for below in 10 100 1000 10000 100000 1000000; do
        count=$(seq 2 $((below - 1)) | factor | awk 'NF == 2' | wc -l)
        if grep -qE "^ *$below +$count +$count +$count\$" "$1/own_kernels.txt"; then n=$((n + 1)); else bad=$((bad + 1)) && echo "FAIL there are $count primes below $below"; fi
    done
    for want in "^26214 of 400000 points stay, 12296468 steps in all\$" "^the same bits: yes; the sum is 5000000.0\$" "^four calls .* one kernel"; do
        if grep -qE "$want" "$1/own_kernels.txt"; then n=$((n + 1)); else bad=$((bad + 1)) && echo "FAIL no line '$want'"; fi
    done
    [ -s "$1/out/julia.png" ] && n=$((n + 1)) || { bad=$((bad + 1)) && echo "FAIL no picture"; }
    echo "$n passed, $bad failed, 0 skipped"
}

kmeans_and_nbody() { # kmeans_and_nbody FOLDER OPTIONS...: the error is NumPy's; the energy stays what it was
    local out=$1/out n=0 bad=0 want
    mkdir -p "$out"
    "$1/kmeans" --out "$out" "${@:2}" >"$out/reductions.txt" && "$1/nbody" "${@:2}" >>"$out/reductions.txt" || return 1
    for want in "8 colours of 36864 pixels: mean square error 0.001147497943" \
        "300 stars, 100 steps: energy 0.00992852142562, before 0.00992850874985, changed by 1.3e-06 of it"; do
        if grep -qF "$want" "$out/reductions.txt"; then
            n=$((n + 1))
        else
            bad=$((bad + 1))
            echo "FAIL no line '$want' in:"
            cat "$out/reductions.txt"
        fi
    done
    [ -s "$out/kmeans.png" ] && n=$((n + 1)) || { bad=$((bad + 1)) && echo "FAIL no picture"; }
    echo "$n passed, $bad failed, 0 skipped"
}

heat_and_life() { # heat_and_life FOLDER: the wave fades as it must, the glider glides, and of the soup lives what NumPy says
    local out=$1/out n=0 bad=0 want
    mkdir -p "$out"
    "$1/heat" --out "$out" >"$out/stencils.txt" && "$1/life" --out "$out" >>"$out/stencils.txt" || return 1
    for want in "^a wave on 256.2 points fades to 0.941978856 in 1000 steps, relative error [0-9]e-1[3-9]\$" \
        "moved by 775 cells: true\$" "live 21746, after 100 steps 6003, after 1000 steps 3097\$"; do
        if grep -qE "$want" "$out/stencils.txt"; then
            n=$((n + 1))
        else
            bad=$((bad + 1))
            echo "FAIL no line '$want' in:"
            cat "$out/stencils.txt"
        fi
    done
    [ -s "$out/heat.png" ] && [ -s "$out/life.png" ] && n=$((n + 1)) || { bad=$((bad + 1)) && echo "FAIL no pictures"; }
    echo "$n passed, $bad failed, 0 skipped"
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
    exit
}

trap 'say "FAIL stopped before the end" && failed=$((failed + 1)) && finish' TERM

. tests/cuda.sh
case $job in
cudasim | gpu) # these alone
    [ "$job" = gpu ] || cuda_simulated
    cuda_real
    finish
    ;;
esac
aside simulated cuda_simulated # one processor for the GPU's kernels, one for all else

# ---- 1. it compiles, everywhere, without a word -----------------------------------------------------------------------------
SECONDS=0
printf '#include "gpuarr.h"\nint main(void) { return 0; }\n' >"$B/alone.c"
printf '#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\nint other(void);\nint main(void) { return other() ? 0 : 1; }\n' >"$B/unit1.c"
printf '#include "gpuarr.h"\nint other(void);\nint other(void) { ga_array *a = ga_zeros((2, 3)); int ok = a != 0; ga_free(a); return ok; }\n' >"$B/unit2.c"
sed 's/int other(void);/extern "C++" int other(void);/' "$B/unit2.c" >"$B/unit2.cpp"
cp "$B/unit1.c" "$B/unit1.cpp" && cp "$B/alone.c" "$B/alone.cpp"
printf '#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\n' >"$B/impl.cpp"
for c in gcc clang; do
    for std in c11 c17; do
        one "$c -std=$std, header alone" $c -std=$std $WARN -I. -fsyntax-only "$B/alone.c"
        one "$c -std=$std, implementation" $c -std=$std $WARN $FITS -I. -O1 -DGPUARR_BASELINE_ONLY -c tests/impl.c -o "$B/impl-$c-$std.o"
    done
done
for c in g++ clang++; do
    one "$c -std=c++20, header alone" $c -std=c++20 $WARN -I. -fsyntax-only "$B/alone.cpp"
    one "$c -std=c++20, implementation" $c -std=c++20 $WARN $FITS -I. -O1 -DGPUARR_BASELINE_ONLY -c "$B/impl.cpp" -o "$B/impl-$c.o"
    one "$c -std=c++17, implementation" $c -std=c++17 ${WARN/-Wpedantic/} $FITS -I. -fsyntax-only -DGPUARR_BASELINE_ONLY "$B/impl.cpp"
    one "$c -std=c++20, the tests" $c -std=c++20 $WARN -I. -fsyntax-only -x c++ tests/rows.c
done
one "two translation units, C" gcc -std=c11 $WARN -I. -O1 -DGPUARR_BASELINE_ONLY "$B/unit1.c" "$B/unit2.c" -o "$B/two" $LIBS
one "two translation units run" "$B/two"
one "without stb, CFITSIO" gcc -std=c11 $WARN -DGPUARR_NO_STB -I. -fsyntax-only -DGPUARR_BASELINE_ONLY tests/impl.c
one "fronts are current (make front)" sh -c "build/gentable front >$B/front && sed -n '/^\/\* BEGIN GENERATED/,/^\/\* END GENERATED/p' gpuarr.h | sed '1d;\$d' | cmp - $B/front"
one "README's table is current (make front)" sh -c "build/gentable docs >$B/docs && sed -n '/^<!-- BEGIN TABLE/,/^<!-- END TABLE/p' README.md | sed '1d;\$d' | cmp - $B/docs"

# Adding an operation is one line and `make front`.
one "a new row is one line" sh -c "
    rm -rf $B/newrow && mkdir -p $B/newrow/tools && cp gpuarr.h gpuarr_cpu.h gpuarr_cuda.h README.md Makefile $B/newrow && cp tools/gentable.c $B/newrow/tools &&
    sed -i 's/^GA_UNARY(       square, .*/&\nGA_UNARY(       cube,         ARITH, SAME, GA_MUL(x, GA_MUL(x, x)),          (3, 27),      \"x * x * x\"                          )/' $B/newrow/gpuarr.h &&
    make -s -C $B/newrow front &&
    printf '#define GPUARR_IMPLEMENTATION\n#include \"gpuarr.h\"\nint main(void) { return ga_item(ga_cube(ga_full((1), 3))) == 27 ? 0 : 1; }\n' >$B/newrow/main.c &&
    gcc -std=c11 -O1 -DGPUARR_BASELINE_ONLY -I$B/newrow $B/newrow/main.c -o $B/newrow/main -lm -lpthread && $B/newrow/main && grep -q ga_cube $B/newrow/README.md"
printf '%-34s %31ss\n' "builds" "$SECONDS"

# ---- 2. what the calls do, under the sanitizers --------------------------------------------------------------------------------
SAN="-std=c11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
SECONDS=0
one "implementation with ASan and UBSan" gcc $SAN $FITS $SHARE -DGPUARR_BASELINE_ONLY -I. -c tests/impl.c -o "$B/impl-asan.o"
one "implementation with ThreadSanitizer" clang -std=c11 -O1 -g -fsanitize=thread $FITS $SHARE -DGPUARR_BASELINE_ONLY -I. -c tests/impl.c -o "$B/impl-tsan.o"
one "implementation, optimised" gcc -std=c11 -O2 $FITS -I. -c tests/impl.c -o "$B/impl-O2.o"
printf '%-34s %31ss\n' "implementations" "$SECONDS"
for t in rows api errors memory folds reductions distances filters convolve products images kernels stencils chunked chunked_ops chunked_files tasks; do
    [ -f tests/$t.c ] || continue
    one "build of $t" gcc $SAN $WARN -Wno-conversion -I. tests/$t.c "$B/impl-asan.o" -o "$B/$t-asan" $LIBS
    part "$t, ASan + UBSan" "$B/$t-asan"
    one "build of $t" gcc -std=c11 -O1 $WARN -I. tests/$t.c "$B/impl-O2.o" -o "$B/$t" $LIBS
    part "$t, -O2" "$B/$t"
done
part "files of Zarr, HDF5 and NumPy" $PY tests/chunked_files.py "$B/chunked_files-asan"
if [ -f tests/threads.c ]; then
    one "build of threads" clang -std=c11 -O1 -g -fsanitize=thread -I. tests/threads.c "$B/impl-tsan.o" -o "$B/threads" $LIBS
    part "threads, ThreadSanitizer" "$B/threads"
fi
few_dtypes() {
    gcc -std=c11 -O1 $WARN -Wno-conversion -DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY -I. tests/impl.c tests/few_dtypes.c -o "$B/few_dtypes" -lm -lpthread &&
        "$B/few_dtypes"
}
part "few dtypes" few_dtypes
cblas() { # large products by a BLAS library, near to our own
    if ! printf '#include <cblas.h>\n' | cc -E -x c - >/dev/null 2>&1; then
        echo "SKIP there is no cblas.h here: apt-get install libopenblas-dev"
        echo "0 passed, 0 failed, 1 skipped"
        return
    fi
    gcc -std=c11 -O1 $WARN -Wno-conversion -DGPUARR_USE_CBLAS -DGPUARR_BASELINE_ONLY -I. tests/impl.c tests/products.c -o "$B/products-cblas" -lm -lpthread -lopenblas &&
        GPUARR_TEST_BLAS=1 "$B/products-cblas"
}
part "products, CBLAS" cblas
[ -f tests/mustfail.sh ] && part "what must not compile" bash tests/mustfail.sh

# ---- 3. the same bits everywhere -------------------------------------------------------------------------------------------------
bits() { # one hash for every compiler, level, instruction set and number of threads
    local reference= n=0 bad=0
    for build in "gcc -O0" "gcc -O3 $SHARE" "clang -O0 $SHARE" "clang -O3"; do
        $build -std=c11 -DGPUARR_IMPLEMENTATION -I. tests/bits.c -o "$B/bits" -lm -lpthread || return 1
        for isa in baseline avx2 avx512; do
            for threads in 1 2; do
                [ "$build $threads" = "clang -O0 $SHARE 1" ] && continue # slow, and the other number of threads is run
                hash=$(GPUARR_ISA=$isa GPUARR_NUM_THREADS=$threads "$B/bits")
                [ -n "$reference" ] || reference=$hash
                n=$((n + 1))
                if [ "$hash" != "$reference" ]; then
                    bad=$((bad + 1))
                    echo "FAIL $build, $isa, $threads threads: $hash, not $reference"
                fi
            done
        done
    done
    echo "$((n - bad)) passed, $bad failed, 0 skipped"
}
part "same bits" bits

# ---- 4. NumPy's and SciPy's results ------------------------------------------------------------------------------------------------
cases=12000
[ "$job" = check ] && cases=60000
one "kernels for the oracle" gcc -std=c11 -O1 -fPIC $WARN -I. -c tests/oracle_kernels.c -o "$B/oracle_kernels.o"
one "shared library" gcc -std=c11 -O1 -fPIC -shared $FITS -I. tests/impl.c "$B/oracle_kernels.o" -o build/libgpuarr.so $LIBS
part "oracle, $cases random cases" $PY tests/oracle.py --lib build/libgpuarr.so --cases $cases --seed 1

# ---- 5. the main job -------------------------------------------------------------------------------------------------------------------
one "build of examples/first.c, as it stands" gcc -std=c11 -O1 $WARN $FITS -I. examples/first.c -o build/first $LIBS
for e in pictures chunked_picture astronomy convolution distances heat life kmeans nbody primes julia sigmoid; do # with the library, once compiled
    one "build of examples/$e.c" gcc -std=c11 -O1 $WARN $FITS -DGPUARR_IMPLEMENTED -DGPUARR_KERNELS= -I. "examples/$e.c" "$B/impl-O2.o" -o "build/$e" $LIBS
done
part "pictures of the seed" pictures build/pictures
chunked_picture() { # the sums are NumPy's, and of 500000 x 500000 random numbers only those that are seen are made
    local n=0 bad=0
    GA_REPORT="$B/report.html" build/chunked_picture --out "$B" >"$B/chunked_picture.txt" || return 1
    for want in "^sums of red, green, blue: 23985359, 23845834, 23552282\$" "^mean of every 500th .* 0.499[0-9]\|0.500[0-9]\$" "^<chunked float64 (300, 600, 3), 6 chunks"; do
        if grep -q "$want" "$B/chunked_picture.txt"; then n=$((n + 1)); else bad=$((bad + 1)) && echo "FAIL no line '$want'"; fi
    done
    grep -q "ga_sin" "$B/report.html" && grep -q "ga_stack" "$B/chunked_picture.svg" && n=$((n + 1)) || { bad=$((bad + 1)) && echo "FAIL no report, or no picture of the expression"; }
    echo "$n passed, $bad failed, 0 skipped"
}
part "a picture in chunks" chunked_picture
part "convolution of the lesson" convolution 1182763.826 101407.8533 build/convolution
part "distances of the course" distances build/distances
part "heat and life" heat_and_life build
part "k-means and n bodies" kmeans_and_nbody build
part "primes, julia, sigmoid" own_kernels build
part "astronomy on real images" $PY tests/check_astronomy.py build/astronomy ../shared/data
bench_results() { # every row of `make bench` computes what NumPy and SciPy do
    gcc -O1 $WARN -Wno-misleading-indentation -I. tools/bench.c -o "$B/bench" -lm -lpthread && $PY tools/bench.py "$B/bench" --check
}
part "results of make bench" bench_results

# ---- 6. on GPU arrays ---------------------------------------------------------------------------------------------------------------------
part "nvcc and its kernels" tools/ptx_gate
[ "$job" != check ] || part "cudasim's own tests" $SIM/tests/run.sh

# ---- 7. fuzzing, formatting ----------------------------------------------------------------------------------------------------------------
if [ "$job" = check ]; then
    fuzz() { # fuzz NAME: a short run of a libFuzzer target
        [ -f "tests/fuzz_$1.c" ] || { echo "0 passed, 1 failed, 0 skipped"; return 1; }
        clang -std=c11 -O1 -g -fsanitize=fuzzer,address,undefined $FITS -DGPUARR_BASELINE_ONLY -I. "tests/fuzz_$1.c" -o "$B/fuzz_$1" $LIBS || return 1
        mkdir -p "$B/corpus_$1"
        if "$B/fuzz_$1" -seed=1 -timeout=60 -max_total_time=20 -max_len=8192 "$B/corpus_$1"; then echo "1 passed, 0 failed, 0 skipped"; else echo "0 passed, 1 failed, 0 skipped"; fi
    }
    part "fuzzing .npy" fuzz npy
    part "fuzzing FITS" fuzz fits
    part "fuzzing Zarr" fuzz zarr
    one "clang-format" sh -c 'clang-format --dry-run -Werror gpuarr.h gpuarr_cpu.h gpuarr_cuda.h tools/*.c examples/*.c tests/*.c tests/*.h'
fi

joined simulated
[ "$job" != check ] || part "the students' exercises" env EXERCISES_BUILD="$PWD/$B/exercises" EXERCISES_LIBRARIES="$PWD/$B" EXERCISES_LINK="$LIBS" \
    examples/exercises/run.sh solutions
cuda_real
finish
