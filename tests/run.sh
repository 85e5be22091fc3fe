#!/usr/bin/env bash
# run.sh test|check|cudasim|gpu -- builds and runs the tests and adds up their counts. Every part prints its own closing line
# 'N passed, N failed, N skipped'; a part that prints none, or that fails without counting, counts as one failure.
set -u
cd "$(dirname "$0")/.."
job=${1:-test}
B=build/tests
rm -rf "$B" && mkdir -p "$B/begun"
PY=python3
[ -x build/venv/bin/python ] && PY=build/venv/bin/python
WARN="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
FITS=
LIBS="-lm -lpthread"
if printf '#include <fitsio.h>\n' | cc -E -x c - >/dev/null 2>&1; then FITS=-DGPUARR_USE_CFITSIO LIBS="$LIBS -lcfitsio"; fi
if printf '#include <fftw3.h>\n' | cc -E -x c - >/dev/null 2>&1; then FITS="$FITS -DGPUARR_USE_FFTW" LIBS="$LIBS -lfftw3 -lfftw3f"; fi
if printf '#include <zlib.h>\n' | cc -E -x c - >/dev/null 2>&1; then FITS="$FITS -DGPUARR_USE_ZLIB" LIBS="$LIBS -lz"; fi
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

# once FILE NAME COMMAND...: the command makes the file, with -o; one test, of the job that comes first
once() {
    local file=$1 name=$2 lock
    shift 2
    exec {lock}>"$file.lock"
    flock "$lock"
    if [ ! -e "$file.made" ]; then
        one "$name" "$@" -o "$file"
        : >"$file.made"
    fi
    exec {lock}>&-
}

# A job is a function with one argument, job:argument. Each processor has a lane, and a lane takes the next job that none has begun: the
# long ones come first. What a job says is shown when it has ended, and all is counted at the end.
lane() { # lane JOB...
    local each
    for each; do
        mkdir "$B/begun/$each" 2>/dev/null || continue
        (
            passed=0 failed=0 skipped=0 start=$EPOCHSECONDS
            "${each%%:*}" "${each#*:}"
            printf '%-34s %31ss\n' "---- all of $each" $((EPOCHSECONDS - start))
            echo "$passed passed, $failed failed, $skipped skipped"
        ) >"$B/begun/$each/log" 2>&1
        flock "$B/begun" head -n -1 "$B/begun/$each/log"
    done
}

jobs_done() { # jobs_done JOB...: runs them
    local lanes memory n each line
    memory=$(awk '/^MemAvailable/ { print int($2 / 2e6) }' /proc/meminfo) # a compiler takes up to 2 GB
    lanes=$(nproc)
    [ "$lanes" -le "${memory:-1}" ] || lanes=$memory
    for ((n = 1; n <= lanes || n == 1; n++)); do lane "$@" & done
    wait
    for each; do
        line=$(tail -n 1 "$B/begun/$each/log")
        case $line in
        *" passed, "*)
            set -- $line
            passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
            ;;
        *)
            say "FAIL $each: it stopped before the end: $line"
            failed=$((failed + 1))
            ;;
        esac
    done
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

chunked_picture() { # chunked_picture PROGRAM: the sums are NumPy's, and of 500000 x 500000 random numbers only those that are seen are made
    local out n=0 bad=0 want
    out=$(dirname "$1")/out
    mkdir -p "$out"
    GA_REPORT="$out/report.html" "$1" --out "$out" >"$out/chunked_picture.txt" || return 1
    for want in "^sums of red, green, blue: 23985359, 23845834, 23552282\$" "^mean of every 500th .* 0.499[0-9]\|0.500[0-9]\$" "^<chunked float64 (300, 600, 3), 6 chunks"; do
        if grep -q "$want" "$out/chunked_picture.txt"; then n=$((n + 1)); else bad=$((bad + 1)) && echo "FAIL no line '$want'"; fi
    done
    grep -q "ga_sin" "$out/report.html" && grep -q "ga_stack" "$out/chunked_picture.svg" && n=$((n + 1)) || { bad=$((bad + 1)) && echo "FAIL no report, or no picture of the expression"; }
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

trap 'say "FAIL stopped before the end" && failed=$((failed + 1)) && kill $(jobs -p) && finish' TERM

. tests/cuda.sh

# ---- the library and the tests, compiled once for all that use the same build -------------------------------------------------------

# Between them these builds cover both compilers at -O0 and higher, C11, C17 and C++20 with every warning an error, one, two and three instruction sets,
# and the sanitizers. (-O0 of gcc with all in one file: bits. C++17, and what else is not run, is only read: language.)
SAN="-std=c11 -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
implementation() { # implementation NAME: $B/impl-NAME.o
    local with
    case $1 in
    gcc-O2) with="gcc -std=c11 $WARN -O2 -fPIC" ;;
    g++-O3) with="g++ -std=c++20 $WARN -O3 -Wno-uninitialized -Wno-maybe-uninitialized $SHARE -x c++" ;; # gcc 12 says so of its own avx512fintrin.h
    clang++-O0) with="clang++ -std=c++20 $WARN -O0 $SHARE -x c++" ;;
    clang-O3) with="clang -std=c11 $WARN -O3" ;;
    asan) with="gcc $SAN $SHARE -DGPUARR_BASELINE_ONLY" ;;
    tsan) with="clang -std=c17 $WARN -O1 -g1 -fsanitize=thread $SHARE -DGPUARR_BASELINE_ONLY" ;;
    cblas) with="clang -std=c11 $WARN -O0 -DGPUARR_USE_CBLAS -DGPUARR_BASELINE_ONLY" ;;
    few) with="clang -std=c11 $WARN -O0 -DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY" ;;
    esac
    once "$B/impl-$1.o" "implementation, $1" $with $FITS -I. -c tests/impl.c
}

test_object() { # test_object NAME: $B/NAME.o
    once "$B/$1.o" "build of $1" gcc -std=c11 -O1 -g1 $WARN -I. -c "tests/$1.c"
}

# ---- 1. it compiles, everywhere, without a word -----------------------------------------------------------------------------------
language() {
    local c std out=$B/language
    mkdir -p "$out"
    SECONDS=0
    printf '#include "gpuarr.h"\nint main(void) { return 0; }\n' >"$out/alone.c"
    printf '#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\nint other(void);\nint main(void) { return other() ? 0 : 1; }\n' >"$out/unit1.c"
    printf '#include "gpuarr.h"\nint other(void);\nint other(void) { ga_array *a = ga_zeros((2, 3)); int ok = a != 0; ga_free(a); return ok; }\n' >"$out/unit2.c"
    cp "$out/alone.c" "$out/alone.cpp"
    printf '#include "gpuarr.h"\nextern "C" int other(void);\nint main() { return other() ? 0 : 1; }\n' >"$out/unit3.cpp"
    for c in gcc clang; do
        for std in c11 c17; do one "$c -std=$std, header alone" $c -std=$std $WARN -I. -fsyntax-only "$out/alone.c"; done
        one "$c -std=c17, implementation" $c -std=c17 $WARN $FITS -I. -fsyntax-only tests/impl.c
        one "$c, few dtypes" $c -std=c11 $WARN -DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY -I. -fsyntax-only tests/impl.c
        one "$c, without stb, CFITSIO" $c -std=c11 $WARN -DGPUARR_NO_STB -DGPUARR_BASELINE_ONLY -I. -fsyntax-only tests/impl.c
    done
    for c in g++ clang++; do
        one "$c -std=c++20, header alone" $c -std=c++20 $WARN -I. -fsyntax-only "$out/alone.cpp"
        one "$c -std=c++17, implementation" $c -std=c++17 ${WARN/-Wpedantic/} $FITS -I. -fsyntax-only -DGPUARR_BASELINE_ONLY -x c++ tests/impl.c
        one "$c -std=c++20, the tests" $c -std=c++20 $WARN -I. -fsyntax-only -x c++ tests/rows.c
    done
    one "two translation units, C" clang -std=c11 $WARN $FITS -I. "$out/unit1.c" "$out/unit2.c" -o "$out/two" $LIBS
    one "two translation units run" "$out/two"
    implementation gcc-O2
    one "C++ and C" sh -c "gcc -std=c11 $WARN -I. -c $out/unit2.c -o $out/unit2.o && g++ -std=c++20 $WARN -I. $out/unit3.cpp $out/unit2.o $B/impl-gcc-O2.o -o $out/three $LIBS"
    one "C++ and C run" "$out/three"
    one "build of examples/first.c, as it stands" clang -std=c11 $WARN -I. examples/first.c -o "$out/first" -lm -lpthread
    one "examples/first.c runs" sh -c "cd $out && ./first && [ -s first.png ]"
    one "fronts are current (make front)" sh -c "build/gentable front >$B/front && sed -n '/^\/\* BEGIN GENERATED/,/^\/\* END GENERATED/p' gpuarr/face/front.h | sed '1d;\$d' | cmp - $B/front"
    one "table of operations is current (make front)" sh -c "build/gentable docs >$B/docs && sed -n '/^<!-- BEGIN TABLE/,/^<!-- END TABLE/p' gpuarr/rows/README.md | sed '1d;\$d' | cmp - $B/docs"

    # Adding an operation is one line and `make front`.
    one "a new row is one line" sh -c "
        mkdir -p $B/newrow/tools && cp -r gpuarr* Makefile $B/newrow && cp tools/gentable.c $B/newrow/tools &&
        sed -i 's/^GA_UNARY(       square, .*/&\nGA_UNARY(       cube,         ARITH, SAME, GA_MUL(x, GA_MUL(x, x)),          (3, 27),      \"x * x * x\"                          )/' $B/newrow/gpuarr/rows/table.h &&
        make -s -C $B/newrow front &&
        printf '#define GPUARR_IMPLEMENTATION\n#include \"gpuarr.h\"\nint main(void) { return ga_item(ga_cube(ga_full((1), 3))) == 27 ? 0 : 1; }\n' >$B/newrow/main.c &&
        clang -std=c11 -I$B/newrow $B/newrow/main.c -o $B/newrow/main -lm -lpthread && $B/newrow/main && grep -q ga_cube $B/newrow/gpuarr/rows/README.md"
    printf '%-34s %31ss\n' "builds" "$SECONDS"
    part "what must not compile" bash tests/mustfail.sh
}

# ---- 2. what the calls do, under the sanitizers, with fewer dtypes, with a BLAS library ------------------------------------------------
TESTS="rows api errors errors_algorithms memory allocations folds reductions distances filters convolve products images kernels stencils chunked chunked_ops chunked_files tasks"

sanitized() {
    local t
    implementation asan
    for t in $TESTS; do
        one "build of $t" gcc $SAN $WARN -Wno-conversion -I. "tests/$t.c" "$B/impl-asan.o" -o "$B/$t-asan" $LIBS
        part "$t, ASan + UBSan" "$B/$t-asan"
    done
    part "files of Zarr, HDF5 and NumPy" $PY tests/chunked_files.py "$B/chunked_files-asan"
}

optimised() {
    local t
    implementation gcc-O2
    for t in $TESTS; do
        test_object $t
        one "linking $t" gcc "$B/$t.o" "$B/impl-gcc-O2.o" -o "$B/$t" $LIBS
        part "$t, -O2" "$B/$t"
    done
}

variants() {
    implementation tsan
    one "build of threads" clang -std=c11 -O1 -g1 -fsanitize=thread -I. tests/threads.c "$B/impl-tsan.o" -o "$B/threads" $LIBS
    part "threads, ThreadSanitizer" "$B/threads"

    implementation few
    one "build of few_dtypes" gcc -std=c11 -O1 $WARN -Wno-conversion -DGPUARR_FEW_DTYPES -I. tests/few_dtypes.c "$B/impl-few.o" -o "$B/few_dtypes" $LIBS
    part "few dtypes" "$B/few_dtypes"

    part "products, CBLAS" cblas
}

cblas() { # large products by a BLAS library, near to our own
    local library
    for library in openblas blas none; do # Debian's libblas-dev has cblas.h as well, and its functions
        printf '#include <cblas.h>\nint main(void) { return cblas_dasum(0, 0, 1) != 0; }\n' | gcc -x c - -o "$B/cblas" -l$library >/dev/null 2>&1 && break
    done
    if [ $library = none ]; then
        echo "SKIP there is no CBLAS here: apt-get install libopenblas-dev"
        echo "0 passed, 0 failed, 1 skipped"
        return
    fi
    implementation cblas
    test_object products
    gcc -std=c11 $WARN -DGPUARR_USE_CBLAS -DGPUARR_BASELINE_ONLY -I. -fsyntax-only tests/impl.c && gcc "$B/products.o" "$B/impl-cblas.o" -o "$B/products-cblas" $LIBS -l$library && GPUARR_TEST_BLAS=1 "$B/products-cblas"
}

# ---- 3. the same bits everywhere ----------------------------------------------------------------------------------------------------------
BUILDS="gcc-O0 gcc-O2 g++-O3 clang++-O0 clang-O3"

bits() { # bits BUILD: the hashes of tests/bits.c for each instruction set and number of threads
    local program=$B/bits-$1 isa threads
    SECONDS=0
    case $1 in
    gcc-O0) one "build of bits, $1" gcc -std=c17 -O0 $FITS -DGPUARR_IMPLEMENTATION -I. tests/bits.c -o "$program" $LIBS ;; # all in one file
    *)
        implementation "$1"
        one "build of bits, $1" ${1%-*} -std=$(case $1 in *++*) echo "c++20 -x c++" ;; *) echo c11 ;; esac) -${1#*-} -I. tests/bits.c -x none "$B/impl-$1.o" -o "$program" $LIBS
        ;;
    esac
    for isa in baseline avx2 avx512; do
        for threads in 1 2; do
            [ "$1 $threads" = "clang++-O0 1" ] && continue # slow, and the other number of threads is run
            echo "$(GPUARR_ISA=$isa GPUARR_NUM_THREADS=$threads "$program") $1, $isa, $threads threads" >>"$B/bits.txt"
        done
    done
    printf '%-34s %31ss\n' "bits, $1" "$SECONDS"
}

same_bits() { # one hash for every compiler, language, level, instruction set and number of threads
    local lines
    lines=$(wc -l <"$B/bits.txt")
    [ "$lines" = 27 ] || echo "FAIL $lines hashes, not 27"
    awk 'NR == 1 { reference = $1 }
        { if ($1 == reference && NF == 5) n++; else print "FAIL " $0 ", not " reference }
        END { print n + 0 " passed, " 27 - n " failed, 0 skipped" }' "$B/bits.txt"
}

# ---- 4. NumPy's and SciPy's results ---------------------------------------------------------------------------------------------------------
oracle() {
    local cases=12000
    [ "$job" = check ] && cases=60000
    implementation gcc-O2
    one "kernels for the oracle" gcc -std=c11 -O1 -fPIC $WARN -I. -c tests/oracle_kernels.c -o "$B/oracle_kernels.o"
    one "shared library" gcc -shared "$B/impl-gcc-O2.o" "$B/oracle_kernels.o" -o "$B/libgpuarr.so" $LIBS
    part "oracle, $cases random cases" $PY tests/oracle.py --lib "$B/libgpuarr.so" --cases $cases --seed 1
}

bench_results() { # every row of `make bench` computes what NumPy and SciPy do
    clang -O1 $WARN -DGPUARR_BASELINE_ONLY -I. tools/bench.c -o "$B/bench" -lm -lpthread && $PY tools/bench.py "$B/bench" --check
}
bench() { part "results of make bench" bench_results; }

# ---- 5. the main job --------------------------------------------------------------------------------------------------------------------------
examples() {
    local e
    implementation gcc-O2
    mkdir -p "$B/examples"
    for e in pictures chunked_picture distance_matrix monthly_mean delayed astronomy convolution distances heat life kmeans nbody primes julia sigmoid; do # with the library, once compiled
        one "build of examples/$e.c" gcc -std=c11 -O1 $WARN $FITS -DGPUARR_IMPLEMENTED -DGPUARR_KERNELS= -I. "examples/$e.c" "$B/impl-gcc-O2.o" -o "$B/examples/$e" $LIBS
    done
    for e in chunked_picture distance_matrix monthly_mean delayed; do
        one "examples/$e.c in C++" clang++ -std=c++20 $WARN -DGPUARR_IMPLEMENTED -I. -fsyntax-only -x c++ "examples/$e.c"
    done
    part "pictures of the seed" pictures "$B/examples/pictures"
    part "a picture of chunks" chunked_picture "$B/examples/chunked_picture"
    part "larger than memory, and delayed" $PY tests/chunked_examples.py "$B/examples"
    part "convolution of the lesson" convolution 1182763.826 101407.8533 "$B/examples/convolution"
    part "distances of the course" distances "$B/examples/distances"
    part "heat and life" heat_and_life "$B/examples"
    part "k-means and n bodies" kmeans_and_nbody "$B/examples"
    part "primes, julia, sigmoid" own_kernels "$B/examples"
    part "astronomy on real images" $PY tests/check_astronomy.py "$B/examples/astronomy" ../shared/data
}

# ---- 6. on GPU arrays -----------------------------------------------------------------------------------------------------------------------------
ptx() { part "nvcc and its kernels" tools/ptx_gate; }
cudasim() { part "cudasim's own tests" $SIM/tests/run.sh; }

mpi() { part "several ranks, $1" tests/mpi.sh "$1" "$B/$1"; } # mpi openmpi|mpich

dask() { # tools/dask, on Dask's schedulers
    implementation gcc-O2
    one "library for Dask" gcc -std=c11 -O1 -fPIC -shared $WARN -I. tools/dask/gpuarr_dask.c "$B/impl-gcc-O2.o" -o "$B/libgpuarr_dask.so" $LIBS
    part "chunks of Dask" env GPUARR_CACHE="$PWD/$B/dask" $PY tests/dask_chunks.py "$B/libgpuarr_dask.so"
}

exercises() {
    cuda_library plain
    cuda_library check
    part "the students' exercises" env EXERCISES_BUILD="$PWD/$B/exercises" EXERCISES_LIBRARIES="$PWD/$B" EXERCISES_LINK="$LIBS" \
        examples/exercises/run.sh solutions
}

# ---- 7. fuzzing, formatting -------------------------------------------------------------------------------------------------------------------------
fuzz_target() { # fuzz_target NAME VARIABLE=VALUE...: a short run of a libFuzzer target
    ln -f "$B/fuzz" "$B/fuzz_$1" && mkdir -p "$B/corpus_$1" || return 1
    if env "${@:2}" "$B/fuzz_$1" -seed=1 -timeout=60 -max_total_time=20 -max_len=8192 "$B/corpus_$1"; then echo "1 passed, 0 failed, 0 skipped"; else echo "0 passed, 1 failed, 0 skipped"; fi
}

fuzzing() {
    one "build of fuzz" clang -std=c11 -O1 -g1 -fsanitize=fuzzer,address,undefined $FITS -DGPUARR_BASELINE_ONLY -I. tests/fuzz.c -o "$B/fuzz" $LIBS
    part "fuzzing .npy" fuzz_target npy
    part "fuzzing FITS" fuzz_target fits ASAN_OPTIONS=allocator_may_return_null=1
    part "fuzzing Zarr" fuzz_target zarr
}

format() {
    one "clang-format" clang-format --dry-run -Werror gpuarr*.h gpuarr/*/*.h tools/*.c tools/dask/*.c examples/*.c tests/*.c tests/*.h
    one "layers" tools/layers
    one "no code stands twice" tools/twice
    one "no file is longer than a room" sh -c '! git ls-files -- "*.h" "*.c" "*.cu" "*.cpp" "*.py" "*.sh" | grep -vx gpuarr.h | xargs wc -l | awk "\$2 != \"total\" && \$1 > 1200" | grep . && [ "$(wc -l <gpuarr.h)" -le 2600 ]'
}

# ---- all of it ------------------------------------------------------------------------------------------------------------------------------------------
# run.sh test JOB..., for one who looks for what failed: these jobs alone
case $job in
cudasim) jobs=$CUDA_JOBS ;;
gpu) jobs= ;; # the GPU alone
test) jobs="$CUDA_JOBS ptx sanitized optimised $(printf 'bits:%s ' $BUILDS) examples bench mpi:openmpi mpi:mpich variants oracle language" ;;
check) jobs="$CUDA_JOBS ptx sanitized optimised cudasim fuzzing exercises $(printf 'bits:%s ' $BUILDS) examples bench mpi:openmpi mpi:mpich variants oracle dask language format" ;;
*) say "run.sh test|check|cudasim|gpu" && exit 2 ;;
esac
[ $# -lt 2 ] || jobs="${*:2}"
[ -z "$jobs" ] || jobs_done $jobs
[ ! -f "$B/bits.txt" ] || part "same bits" same_bits
[ $# -gt 1 ] || cuda_real
finish
