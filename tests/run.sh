#!/usr/bin/env bash
# run.sh test|check|cudasim|gpu   builds and runs the tests and adds up their counts
# run.sh test|check JOB...        these jobs of it alone: unit:sanitized:convolve, on_cuda:check:cuda_images, bits:clang-O3, ptx ...
# run.sh one NAME[:KIND]...       these alone (make test T=NAME), in the build that is made soonest, or of that kind: convolve,
#                                 cuda_images, convolve:sanitized, cuda_images:check, oracle=sort,sum, language ...
#
# Every part prints its own closing line 'N passed, N failed, N skipped'; a part that prints none, or that fails without counting,
# counts as one failure. What is built stays in build/tests and is made again when something changed that it was made of
# (build.sh); logs and results are those of this run.
set -u
cd "$(dirname "$0")/.."
job=${1:-test}
B=build/tests R=build/tests/results
PY=python3
[ -x build/venv/bin/python ] && PY=build/venv/bin/python
WARN="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
USE_LIBS="$(tools/libs.sh flags)"
LIBS="-lm -lpthread $(tools/libs.sh link)"
SHARE="-DGI_WORTH_SHARING=0 -DGI_WORTH_WAKING=0" # threads share all that can be shared, short as it may be
BAD='FAIL|ERROR|runtime error|WARNING: ThreadSanitizer' # what a log says of a failure
passed=0 failed=0 skipped=0

mkdir -p "$B/locks"
exec {suite}>"$B/locks/suite"
flock -n "$suite" || { echo "another run of the tests is at work here; waiting for its end" && flock "$suite"; }
rm -rf "$R" && mkdir -p "$R/logs"
rm -rf "$B"/gpu.* "$B"/chunked*.{svg,dot} "$B"/tasks.* # what tests of an earlier run have written

. tests/build.sh

say() { printf '%s\n' "$*"; }
now() { printf '%s' "${EPOCHREALTIME/[.,]/}"; } # microseconds
since() { local t=$(($(now) - $1)) && printf '%d.%d' $((t / 1000000)) $((t / 100000 % 10)); }

# ---- counting ------------------------------------------------------------------------------------------------------------------------

# count NAME LOGFILE STATUS SECONDS: adds the closing line of a log
count() {
    local line n
    line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$2" | tail -n 1)
    if [ -z "$line" ]; then
        say "FAIL $1: no closing line (exit status $3)"
        tail -n 15 "$2"
        failed=$((failed + 1))
        return
    fi
    n=($(printf '%s' "$line" | tr -c '0-9\n' ' '))
    if [ $((10#${n[0]} + 10#${n[1]} + 10#${n[2]:-0})) = 0 ]; then
        say "FAIL $1: it tested nothing"
        failed=$((failed + 1))
    fi
    passed=$((passed + n[0])) failed=$((failed + n[1])) skipped=$((skipped + ${n[2]:-0}))
    if [ "${n[1]}" != 0 ] || [ "$3" != 0 ]; then
        grep -aE "$BAD" "$2" | head -n 30
        [ "${n[1]}" != 0 ] || { say "FAIL $1: exit status $3"; tail -n 15 "$2"; failed=$((failed + 1)); }
    fi
    [ "${n[2]:-0}" = 0 ] || grep -a 'SKIP' "$2"
    printf '%-44s %6s passed %4s failed %4s skipped %6ss\n' "$1" "${n[0]}" "${n[1]}" "${n[2]:-0}" "$4"
}

log_of() { printf '%s' "$R/logs/${1//[^A-Za-z0-9_.-]/_}.log"; }

# part NAME COMMAND...: runs one part
part() {
    local name=$1 log start status
    log=$(log_of "$1") start=$(now)
    shift
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    count "$name" "$log" $status "$(since "$start")"
}

# one NAME COMMAND...: a part that is one test, passed if the command succeeds; its seconds are shown if there are any
one() {
    local name=$1 log start took
    log=$(log_of "$1") start=$(now)
    shift
    if "$@" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        took=$(since "$start")
        [ "${took%.*}" = 0 ] || printf '%-44s %39ss\n' "$name" "$took"
    else
        say "FAIL $name"
        head -n 8 "$log"
        [ "$(wc -l <"$log")" -le 8 ] || { say "..." && tail -n 8 "$log"; }
        failed=$((failed + 1))
        return 1
    fi
}

# alone TEST COMMAND...: two builds of a test do not run side by side: they write the same files
alone() {
    local lock status
    exec {lock}>"$B/locks/$1"
    flock "$lock"
    "${@:2}"
    status=$?
    exec {lock}>&-
    return $status
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
    exit
}

# ---- jobs ----------------------------------------------------------------------------------------------------------------------------
# A job FUNCTION:ARGUMENT:ARGUMENT calls that function. Each processor has a lane, and a lane takes the first job of the list that none
# has begun and whose objects are built: objects come first, then the long ones. What a job says is shown when it has ended, and all
# is counted at the end.
declare -A needs # job -> the jobs that must have ended before

with_objects() { # with_objects JOB...: the jobs, and those that build the objects which they need, in $jobs
    local each object
    jobs=
    for each; do
        needs[$each]=
        case $each in
        object:*) ;;
        exercises) for object in $(objects plain) $(objects check); do needs[$each]+=" object:$object"; done ;;
        musl:*) for object in $(! command -v musl-gcc >/dev/null || objects musl-gcc-O2); do needs[$each]+=" object:$object"; done ;;
        cblas | lapacke) for object in gcc-O2:{avx2,avx512,baseline}; do needs[$each]+=" object:$object"; done ;;
        *:*) for object in $(objects "$(cut -d: -f2 <<<"$each")"); do needs[$each]+=" object:$object"; done ;;
        esac
        for object in ${needs[$each]} "$each"; do
            case " $jobs " in *" $object "*) ;; *) jobs="$jobs $object" needs[$object]=${needs[$object]:-} ;; esac
        done
    done
}

work() { # work JOB
    local each=$1 need start call
    start=$(now)
    (
        passed=0 failed=0 skipped=0
        for need in ${needs[$each]}; do
            [ "$(cat "$R/$need/failed")" = 0 ] || { say "FAIL $each: not run, as ${need#object:} could not be built" && failed=1; }
        done
        IFS=: read -ra call <<<"$each"
        [ "$failed" != 0 ] || "${call[@]}"
        [ $((passed + failed + skipped)) != 0 ] || { say "FAIL $each: it tested nothing" && failed=1; }
        echo "$failed" >"$R/$each/failed"
        times >"$R/$each/times"
        echo "$passed passed, $failed failed, $skipped skipped"
    ) >"$R/$each/log" 2>&1
    # seconds, and those of processors: 0m1.234s 0m0.567s of this shell, and of what it ran
    printf '%s %s %s\n' "$(since "$start")" "$(tr 'ms' '  ' <"$R/$each/times" | awk '{ t += 60 * ($1 + $3) + $2 + $4 } END { printf "%.1f", t }')" "$each" >"$R/$each/seconds"
    flock "$R" head -n -1 "$R/$each/log"
    : >"$R/$each/ended"
}

lane() { # lane JOB...
    local each need waiting
    while :; do
        waiting=
        for each; do
            [ ! -d "$R/$each" ] || continue
            for need in ${needs[$each]}; do
                [ -e "$R/$need/ended" ] || { waiting=yes && continue 2; }
            done
            mkdir "$R/$each" 2>/dev/null || continue
            work "$each"
            continue 2
        done
        [ -n "$waiting" ] || return 0
        sleep 0.1
    done
}

jobs_done() { # jobs_done JOB...: runs them
    local lanes memory n each line
    memory=$(awk '/^MemAvailable/ { print int($2 / 2e6) }' /proc/meminfo) # a compiler takes up to 2 GB
    lanes=$(nproc)
    [ "$lanes" -le "${memory:-1}" ] || lanes=$memory
    for ((n = 1; n <= lanes || n == 1; n++)); do lane "$@" {suite}>&- & done
    wait
    for each; do
        line=$(tail -n 1 "$R/$each/log")
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

slowest() { # where the time went
    sort -rn "$R"/*/seconds 2>/dev/null | awk -v most=15 '
        { wall += $1; used += $2 }
        NR <= most { line[NR] = sprintf("%8.1f s, %7.1f s of a processor: %s", $1, $2, $3) }
        END {
            if (NR < 4) exit
            printf "%d jobs took %d s, one after the other, and %d s of a processor; the longest:\n", NR, wall, used
            for (i = 1; i <= most && i <= NR; i++) print line[i]
        }'
}

failures() { # failures JOB...: what failed, job by job, once more: a long log is read from its end
    local each
    for each; do
        if [ -e "$R/$each/log" ] && [ "$(cat "$R/$each/failed" 2>/dev/null)" != 0 ]; then
            say "failed in $each:"
            grep -aE -A 2 "$BAD" "$R/$each/log" | head -n 12 | cut -c1-400
        fi
    done
}

stop() { # stop PROCESS: it and all that it started
    local child
    for child in $(pgrep -P "$1"); do stop "$child"; done
    [ "$1" = $$ ] || kill "$1" 2>/dev/null
}

trap 'say "FAIL stopped before the end" && failed=$((failed + 1)) && stop $$ && finish' TERM INT

each() { local t && for t in ${*:2}; do printf "$1 " "$t"; done; } # each FORMAT WORD...

. tests/examples.sh
. tests/cuda.sh
. tests/language.sh

# ---- the library, compiled once for all that use the same build ------------------------------------------------------------------------

# Between them these kinds cover both compilers at -O0 and higher, C11, C17 and C++20 with every warning an error, one, two and three
# instruction sets, whole and in parts, and the sanitizers; those of the tests on GPU arrays are in cuda.sh. (gcc -O0 in one file: job bits.
# C++17 is only read: job language.)
SAN="-std=c11 -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
compiler() { # compiler KIND: and its flags
    case $1 in
    gcc-O2) echo "gcc -std=c11 $WARN -O2 -fPIC" ;;
    quick) echo "gcc -std=c11 -O0 -g1 -fPIC" ;;
    g++-O3) echo "g++ -std=c++20 $WARN -O3 $SHARE -x c++" ;;
    clang++-O0) echo "clang++ -std=c++20 $WARN -O0 $SHARE -x c++" ;;
    clang-O3) echo "clang -std=c11 $WARN -O3" ;;
    sanitized) echo "gcc $SAN $SHARE -DGPUARR_BASELINE_ONLY" ;;
    threads) echo "clang -std=c17 $WARN -O1 -g1 -fsanitize=thread $SHARE -DGPUARR_BASELINE_ONLY" ;;
    cblas) echo "clang -std=c11 $WARN -O0 -DGPUARR_USE_CBLAS" ;;
    lapacke) echo "gcc -std=c11 $WARN -O0 -DGPUARR_USE_LAPACKE" ;;
    few) echo "clang -std=c11 $WARN -O0 -fPIC -DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY" ;;
    small-*) echo "$(cut -d- -f2 <<<"$1") -std=c11 -${1##*-} -DGPUARR_NO_STB" ;; # without other libraries, whose stacks are theirs
    musl-gcc-O2) echo "musl-gcc -std=c11 $WARN -O2 -DGPUARR_NO_STB" ;;
    plain | asan | solver | gpu) echo "gcc -std=c11 $(cuda_flags "$1" host) -fPIC -DGPUARR_BASELINE_ONLY -DGPUARR_WITH_CUDA$([ "$1" != solver ] || echo " -DGPUARR_USE_CUSOLVER")" ;;
    esac
}

# The objects of a kind, KIND:PART: the part of the implementation, as gpuarr.h names it (GPUARR_PART), or cudasim itself. Whoever changes
# what is not a loop waits for `runtime` alone, which `quick` has without optimisation. For cudasim the CUDA backend is an object of its
# own, the only one that the checker looks at; of a GPU it is nvcc's.
objects() { # objects KIND
    case $1 in
    gcc-O2) echo gcc-O2:{runtime,avx2,avx512,baseline} ;;
    small-* | musl-gcc-O2 | quick | cblas | lapacke) echo "$1:runtime" gcc-O2:{avx2,avx512,baseline} ;; # (frames of loops: object)
    fuzz) echo gcc-O2:{avx2,avx512,baseline} ;; # the runtime stands in fuzz.c; the sanitizers see loops in `sanitized`
    clang++-O0) echo clang++-O0:{runtime,avx2,baseline,avx512} ;;
    sanitized) echo sanitized:{runtime,baseline} ;;
    g++-O3 | clang-O3 | threads | few) echo "$1:all" ;;
    gpu) echo gpu:{gpu,runtime} gcc-O2:{avx2,avx512,baseline} ;;
    plain) echo plain:{gpu,runtime,cudasim} gcc-O2:baseline ;;
    check) echo check:gpu plain:{runtime,cudasim} gcc-O2:baseline ;;
    asan) echo asan:{gpu,runtime,cudasim} gcc-O2:baseline ;;
    solver) echo plain:gpu solver:runtime plain:cudasim gcc-O2:baseline ;; # only what calls cuSOLVER differs: the GPU's objects have it, but for asan's
    solver_check) echo check:gpu solver:runtime plain:cudasim gcc-O2:baseline ;;
    esac
}

object() { # object KIND PART
    local file=$B/$1/impl-$2.o flags libs=$USE_LIBS
    case $1 in small-* | musl* | few) libs= ;; esac
    case $1,$2 in
    *,cudasim) one "cudasim, $1" made "$file" g++ -std=c++17 $(cuda_flags "$1" runtime) -fPIC -I$SIM/include -c $SIM/cudasim.cpp && return ;;
    gpu,gpu) flags="$nvcc -std=c++17 -arch=native --split-compile=0 -O2 -lineinfo -Werror all-warnings -Xcompiler -fPIC -x cu" ;;
    *,gpu) flags="g++ -std=c++17 $(cuda_flags "$1" kernels) -fPIC -w -DGPUARR_BASELINE_ONLY $([ "$1" = asan ] || echo -DGPUARR_USE_CUSOLVER) -I$SIM/include -include cuda_runtime.h -x c++" ;;
    *) flags="$(compiler "$1") $(frames "$1" "$2")" ;;
    esac
    one "implementation, $1, $2" made "$file" $flags -DGPUARR_PART="GPUARR_${2^^}" $libs -I. -c tests/impl.c
}

# frames KIND PART: no function of ours takes more stack than that; what is larger belongs into the arena (core/arena.h). A thread may have
# 64 KiB: job stack runs the calls there.
frames() {
    local most=17500 # the accumulators of a block of complex numbers, of a tile of a convolution without optimisation
    case $1,$2 in
    sanitized,* | threads,* | plain,* | asan,* | solver,* | gpu,*) return ;;
    esac
    echo "-Wframe-larger-than=$most -Werror=frame-larger-than$(case $(compiler "$1") in clang*) ;; *) echo "=$most" ;; esac)"
}

object_files() { # object_files KIND
    local each
    for each in $(objects "$1"); do echo "$B/${each%:*}/impl-${each#*:}.o"; done
}

# The tests, compiled once for all builds that need no flags of their own. NAME.su, beside the object, has the stack that the test itself takes.
test_compiler() { echo "gcc -std=c11 -O1 -g1 -fstack-usage $WARN -I."; }
test_object() { one "build of $1" made "$B/c/$1.o" $(test_compiler) -c "tests/$1.c"; } # test_object NAME: $B/c/NAME.o

# ---- what the calls do, under the sanitizers, with fewer dtypes, with a BLAS library ------------------------------------------------

TESTS="chance compositions ndimage signals numbers half places folds new_files inside errors errors_algorithms errors_limits chunked_files filters chunked stencils memory allocations images products convolve reductions distances chunked_ops rows bools modes api kernels tasks ending options eval eval_joined fourier linear exchange tables strided"

unit() { # unit KIND NAME [LIBRARIES]: tests/NAME.c, on the CPU
    local kind=$1 name=$2 object=$B/$1/$2.o flags
    case $kind in
    gcc-O2 | quick | cblas | lapacke) test_object "$name" && object=$B/c/$name.o ;;
    sanitized) flags="gcc $SAN $WARN -Wno-conversion -DGPUARR_BASELINE_ONLY" ;; # as the library: loops of its own kernels that nothing would call
    threads) flags="clang -std=c11 -O1 -g1 -fsanitize=thread -DGPUARR_BASELINE_ONLY" ;;
    few) flags="gcc -std=c11 -O1 $WARN -Wno-conversion -DGPUARR_FEW_DTYPES" ;;
    *) flags="$(compiler "$kind")" ;;
    esac
    [ ! -v flags ] || one "build of $name, $kind" made "$object" $flags -I. -c "tests/$name.c" || return
    one "linking $name, $kind" made "$B/$kind/$name" $(linker "$kind") "$object" $(object_files "$kind") $LIBS "${@:3}" || return
    part "$name, $kind" alone "$name" "$B/$kind/$name"
}

stack() { # stack KIND: the tests, in a thread of 64 KiB
    local name cc=gcc at=$B/c tests compile=
    case $1 in
    musl*) # linux/...
        cc=musl-gcc at=$B/$1
        compile="musl-gcc -std=c11 -O1 -fstack-usage $WARN -DGPUARR_BASELINE_ONLY -I. -idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)"
        ;;
    esac
    # Not folds, which takes long (its calls are those of reductions), nor chunked: expressions of hundreds of operations take as much more.
    tests=$(each %s $TESTS | sed 's/\<folds\>//; s/\<chunked\>//')
    one "build of stack, $1" made "$at/stack.o" $cc -std=c11 -O1 $WARN -c tests/stack.c || return
    for name in $tests; do # the variables of a test itself are no call's
        one "build of $name, $cc" made "$at/$name.o" ${compile:-$(test_compiler)} -c "tests/$name.c" || continue
        one "linking $name, $1" made "$B/$1/$name" $cc -Wl,--wrap=main "$at/stack.o" "$at/$name.o" $(object_files "$1") -lm -lpthread || continue
        part "$name, $1, 64 KiB" alone "$name" env GPUARR_TEST_SMALL=1 GPUARR_TEST_OWN_STACK="$(cut -f2 "$at/$name.su" | sort -n | tail -n 1)" "$B/$1/$name"
    done
}

musl() { # musl KIND: the same with another C library, whose threads have 128 KiB, in place of gcc -O2's
    if command -v musl-gcc >/dev/null; then
        one "a strict reading with musl" made "$B/$1/read" $(compiler "$1") -I. -fsyntax-only tests/impl.c
        stack "$1"
    else
        part "musl" printf 'SKIP there is no musl-gcc here: apt-get install musl-tools\n0 passed, 0 failed, 1 skipped\n'
    fi
}

linker() { # linker KIND: the compiler as linker
    case $1 in
    sanitized) echo "gcc -fsanitize=address,undefined" ;;
    threads) echo "clang -fsanitize=thread" ;;
    *++*) echo g++ ;;
    *) echo gcc ;;
    esac
}

unload() { # unload KIND: gpuarr in a library that comes and goes, without other libraries, some of which keep memory when they are unloaded
    one "library to unload" made "$B/c/libunload.so" clang -std=c11 -O0 $WARN -fPIC -shared -DLIBRARY -DGPUARR_FEW_DTYPES -I. \
        tests/unload.c $(object_files "$1") -lm -lpthread &&
        one "build of unload" made "$B/c/unload" gcc -std=c11 -O1 -g1 $WARN tests/unload.c -ldl -lpthread && part "unloading" "$B/c/unload" "$B/c/libunload.so"
}

files() { # files KIND: what others read and write
    one "build of chunked_files, $1" made "$B/$1/chunked_files.o" gcc $SAN $WARN -Wno-conversion -I. -c tests/chunked_files.c
    one "linking chunked_files, $1" made "$B/$1/chunked_files" $(linker "$1") "$B/$1/chunked_files.o" $(object_files "$1") $LIBS
    part "files of Zarr, HDF5 and NumPy" $PY tests/chunked_files.py "$B/$1/chunked_files"
}

cblas() { # cblas KIND: large products by a BLAS library, near to our own
    local library
    library=$(tools/libs.sh link cblas)
    if [ -z "$library" ]; then
        part "products, CBLAS" printf 'SKIP there is no CBLAS here: apt-get install %s\n0 passed, 0 failed, 1 skipped\n' "$(tools/libs.sh packages cblas)"
        return
    fi
    one "a strict reading with CBLAS" made "$B/cblas/read" gcc -std=c11 $WARN -DGPUARR_USE_CBLAS -DGPUARR_BASELINE_ONLY -I. -fsyntax-only tests/impl.c
    object cblas runtime
    GPUARR_TEST_BLAS=1 unit cblas products $library
}

lapacke() { # lapacke KIND: large matrices by a LAPACK library
    local library
    library=$(tools/libs.sh link lapacke)
    if [ -z "$library" ]; then
        part "linear, LAPACKE" printf 'SKIP there is no LAPACKE here: apt-get install %s\n0 passed, 0 failed, 1 skipped\n' "$(tools/libs.sh packages lapacke)"
        return
    fi
    one "a strict reading with LAPACKE" made "$B/lapacke/read" g++ -x c++ -std=c++20 $WARN -DGPUARR_USE_LAPACKE -DGPUARR_BASELINE_ONLY -I. -fsyntax-only tests/impl.c
    object lapacke runtime
    GPUARR_TEST_LAPACKE=1 unit lapacke linear $library
}

# ---- the same bits everywhere ----------------------------------------------------------------------------------------------------------

bits() { # bits KIND: the hashes of tests/bits.c for each instruction set and number of threads
    local program=$B/$1/bits isa threads start hash
    case $1 in
    gcc-O0) one "build of bits, $1" made "$program" gcc -std=c17 -O0 $USE_LIBS -DGPUARR_IMPLEMENTATION -I. tests/bits.c $LIBS || return ;; # all in one file
    *)
        one "build of bits, $1" made "$program" ${1%-*} -std=$(case $1 in *++*) echo "c++20 -x c++" ;; *) echo c11 ;; esac) -${1##*-} -I. tests/bits.c \
            -x none $(object_files "$1") $(case $1 in musl*) echo "-lm -lpthread" ;; *) echo "$LIBS" ;; esac) || return
        ;;
    esac
    start=$(now)
    for isa in baseline avx2 avx512; do
        for threads in 1 2; do
            case $1,$isa,$threads in
            gcc-O2,*) ;;
            *-O0,*,1) continue ;; # slow
            *,avx512,1) ;;
            *,1 | musl*,baseline,* | musl*,avx2,*) continue ;; # one thread goes the same way for each instruction set; musl's loops are gcc-O2's
            esac
            hash=$(GPUARR_ISA=$isa GPUARR_NUM_THREADS=$threads "$program") && echo "$hash $1, $isa, $threads threads" >>"$R/bits"
        done
    done
    printf '%-44s %39ss\n' "bits, $1" "$(since "$start")"
}

same_bits() { # same_bits KIND...: one hash for every compiler, language, level, instruction set and number of threads
    local each want=0
    for each; do case $each in gcc-O2) want=$((want + 6)) ;; *-O0) want=$((want + 3)) ;; musl*) want=$((want + 2)) ;; *) want=$((want + 4)) ;; esac; done
    touch "$R/bits"
    awk -v want=$want 'NR == 1 { reference = $1 }
        { if ($1 == reference && NF == 5) n++; else print "FAIL " $0 ", not " reference }
        END { if (NR != want) print "FAIL " NR " hashes, not " want
              print n + 0 " passed, " want - n " failed, 0 skipped" }' "$R/bits"
}

# ---- NumPy's and SciPy's results ---------------------------------------------------------------------------------------------------------

oracle_library() { # oracle_library KIND
    one "kernels for the oracle" made "$B/c/oracle_kernels.o" gcc -std=c11 -O1 -fPIC $WARN -I. -c tests/oracle_kernels.c
    one "what Python needs" made "$B/c/sharing.o" gcc -std=c11 -O1 -fPIC $WARN -I. -c tools/python/sharing.c
    one "shared library, $1" made "$B/$1/libgpuarr.so" gcc -shared "$B/c/oracle_kernels.o" "$B/c/sharing.o" $(object_files "$1") $LIBS
}

oracle() { # oracle KIND [OPERATIONS]
    local cases=12000
    [ "$job" != check ] || cases=60000
    oracle_library "$1" || return
    part "oracle, $cases random cases" $PY tests/oracle.py --lib "$B/$1/libgpuarr.so" --cases $cases --seed 1 ${2:+--only "$2"}
}

# Random formulas, every node of them: SEED=2 FORMULAS=1000000 tests/run.sh one formula_nodes
formula_nodes() { # formula_nodes KIND
    local n=1000
    [ "$job" != check ] || n=5000
    if ! $PY -c 'import numpy' 2>/dev/null; then
        part "nodes of random formulas" printf 'SKIP there is no NumPy here: tools/deps.sh test\n0 passed, 0 failed, 1 skipped\n'
        return
    fi
    oracle_library "$1" || return
    part "nodes of random formulas, $1" $PY tests/oracle.py --lib "$B/$1/libgpuarr.so" --only eval_n --cases "${FORMULAS:-$n}" --seed "${SEED:-1}"
}

bench() { # every row of `make bench` computes what NumPy and SciPy do; and its pages
    part "pages of make bench" $PY tests/bench_pages.py
    one "build of bench" made "$B/bench" clang -O1 $WARN -DGPUARR_BASELINE_ONLY -I. tools/bench.c -lm -lpthread &&
        part "results of make bench" $PY tools/bench.py "$B/bench" --check
}

# ---- other ways to use it ------------------------------------------------------------------------------------------------------------------

ptx() { part "nvcc and its kernels" tools/ptx_gate; }
cudasim() { part "cudasim's own tests" env CUDASIM_BUILD="$PWD/$B/cudasim" $SIM/tests/run.sh; }

mpi() { part "several ranks, $1" alone "mpi-$1" tests/mpi.sh "$1" "$B/$1" ${2:-}; } # mpi openmpi|mpich [quick]

python() { # python KIND: tools/python
    oracle_library "$1" || return
    part "gpuarr from Python" $PY tests/python.py "$B/$1/libgpuarr.so"
}

dask() { # dask KIND: tools/dask, on Dask's schedulers
    one "library for Dask" made "$B/$1/libgpuarr_dask.so" gcc -std=c11 -O1 -fPIC -shared $WARN -I. tools/dask/gpuarr_dask.c $(object_files "$1") $LIBS || return
    part "chunks of Dask" env GPUARR_CACHE="$PWD/$B/dask" $PY tests/dask_chunks.py "$B/$1/libgpuarr_dask.so"
}

exercises() {
    part "the students' exercises" env EXERCISES_BUILD="$PWD/$B/exercises" CUDASIM_BUILD="$PWD/$B/cudasim" \
        EXERCISES_CHECK="$(exercises_library check)" EXERCISES_PLAIN="$(exercises_library plain)" examples/exercises/run.sh solutions
}
exercises_library() { # the objects, and what they are linked with
    local each
    for each in $(object_files "$1"); do case $each in *cudasim.o) ;; *) printf '%s ' "$PWD/$each" ;; esac; done
    echo "$LIBS"
}

# ---- fuzzing -------------------------------------------------------------------------------------------------------------------------------

fuzz_target() { # fuzz_target NAME VARIABLE=VALUE...: a short run of a libFuzzer target
    local corpus=$R/corpus_$1
    ln -f "$B/fuzz" "$B/fuzz_$1" && mkdir -p "$corpus" || return 1
    if env "${@:2}" "$B/fuzz_$1" -seed=1 -timeout=60 -max_total_time=10 -max_len=8192 "$corpus"; then echo "1 passed, 0 failed, 0 skipped"; else echo "0 passed, 1 failed, 0 skipped"; fi
}

fuzzing() { # fuzzing KIND
    one "build of fuzz" made "$B/fuzz.o" clang -std=c11 -O0 -g1 -fsanitize=fuzzer-no-link,address,undefined $USE_LIBS -DGPUARR_PART=GPUARR_RUNTIME -I. -c tests/fuzz.c &&
        one "linking fuzz" made "$B/fuzz" clang -fsanitize=fuzzer,address,undefined "$B/fuzz.o" $(object_files "$1") $LIBS || return
    part "fuzzing .npy" fuzz_target npy
    part "fuzzing FITS" fuzz_target fits ASAN_OPTIONS=allocator_may_return_null=1
    part "fuzzing Zarr" fuzz_target zarr
    part "fuzzing text" fuzz_target text
    part "fuzzing formulas" fuzz_target formulas
}

# Random calls of every public function: SEED=2 CALLS=1000000 tests/run.sh one fuzz_api
fuzz_api() { # fuzz_api KIND
    local program=$B/$1/fuzz_api
    one "the calls of fuzz_api" bash -c '"$1" tests/fuzz_api.py >"$2.new" && mv "$2.new" "$2"' - "$PY" "$B/fuzz_api_calls.h" || return
    one "build of fuzz_api, $1" made "$program.o" gcc $SAN $WARN -Wno-conversion -I. -I"$B" -c tests/fuzz_api.c || return
    one "linking fuzz_api, $1" made "$program" $(linker "$1") "$program.o" $(object_files "$1") $LIBS || return
    part "random calls, $1" "$program" --calls "${CALLS:-100000}" --seed "${SEED:-1}"
}

# Random formulas against nested calls, and texts that are none: SEED=2 FORMULAS=1000000 tests/run.sh one formulas
formulas() { # formulas KIND
    local flags="-std=c11 -O1 -g1 $WARN" program=$B/$1/formulas n=1000
    [ "$job" != check ] || n=20000
    case $1 in sanitized) flags="$SAN $WARN -Wno-conversion" n=$((n / 5)) ;; esac
    one "build of formulas, $1" made "$program.o" gcc $flags -I. -c tests/formulas.c || return
    one "linking formulas, $1" made "$program" $(linker "$1") "$program.o" $(object_files "$1") $LIBS || return
    part "random formulas, $1" "$program" --formulas "${FORMULAS:-$n}" --texts "${FORMULAS:-$n}" --seed "${SEED:-1}"
}

# The texts of fuzz_formulas without libFuzzer, whatever they lead to: SEED=2 FORMULAS=1000000 tests/run.sh one formula_texts
formula_texts() { # formula_texts KIND
    local program=$B/$1/formula_texts
    one "build of formula_texts, $1" made "$program.o" gcc $SAN $WARN -Wno-conversion -DFUZZ_ALONE -DGPUARR_IMPLEMENTED -I. -c tests/fuzz_formulas.c || return
    one "linking formula_texts, $1" made "$program" $(linker "$1") "$program.o" $(object_files "$1") $LIBS || return
    part "changed texts of formulas, $1" "$program" --inputs "${FORMULAS:-50000}" --seed "${SEED:-1}"
}

# ---- all of it -----------------------------------------------------------------------------------------------------------------------------

jobs_of() { # jobs_of NAME: of a name that `run.sh one` was given
    local name=${1%%[:=]*} kind=
    case $1 in *:*) kind=${1#*:} ;; esac
    case $kind in
    '' | gcc-O2 | quick | g++-O3 | clang++-O0 | clang-O3 | sanitized | plain | check | asan) ;;
    gpu) gpu_here || { say "there is no GPU here, or no nvcc: T=$name:check runs it under cudasim" >&2 && return 1; } ;;
    *)
        say "there is no build '$kind'; there are: quick gcc-O2 g++-O3 clang++-O0 clang-O3 sanitized, and for GPU arrays plain check asan gpu" >&2
        return 1
        ;;
    esac
    case $kind,$name in
    *,) say "there is a test's name missing before ':$kind'" >&2 && return 1 ;;
    ,threads) echo unit:threads:threads ;;
    ,few_dtypes) echo unit:few:few_dtypes ;;
    ,cuda_barriers) echo barriers:check ;;
    ,bits) echo bits:gcc-O2 ;;
    ,stack) echo stack:small-gcc-O0 stack:small-gcc-O2 stack:small-clang-O0 stack:small-clang-O2 ;;
    ,musl) echo musl:musl-gcc-O2 ;;
    ,mpi) echo mpi:mpich mpi:openmpi ;;
    ,fuzz_api | ,formula_texts) echo "$name:sanitized" ;;
    ,formula_nodes) echo formula_nodes:quick ;;
    ,formulas | quick,formulas | sanitized,formulas | gcc-O2,formulas) echo "formulas:${kind:-quick}" ;;
    ,fuzz*) echo fuzzing:fuzz ;;
    ,oracle) echo "oracle:quick:$([ "$1" = oracle ] || echo "${1#*=}")" ;;
    ,python) echo python:quick ;;
    ,examples) echo examples:gcc-O2 ;;
    ,dask) echo dask:gcc-O2 ;;
    ,ways) echo compiled:quick ;;
    ,cusolver) echo cusolver:solver ;;
    check,cusolver) echo cusolver:solver_check ;;
    ,dropin) echo dropin:folder:gcc:clang ;;
    ,single) echo dropin:single:gcc:clang ;;
    ,language | ,mustfail | ,cblas | ,lapacke | ,bench | ,exercises | ,ptx | ,cudasim | ,format) echo "$name" ;;
    ,unload) echo unload:few ;;
    *)
        case " $TESTS " in *[[:space:]]"$name"[[:space:]]*)
            case $kind in plain | check | asan) ;; *) echo "unit:${kind:-quick}:$name" && return ;; esac
            ;;
        esac
        case " $CUDA_TESTS $CHUNKED_TESTS " in *[[:space:]]"$name"[[:space:]]*) echo "on_cuda:${kind:-plain}:$name" && return ;; esac
        say "there is no test '$1'; there are: $TESTS $CUDA_TESTS cuda_barriers threads few_dtypes bits stack musl mpi fuzz fuzz_api ways unload oracle" \
            "oracle=OPERATION,... examples language mustfail dropin single bench cblas lapacke cusolver exercises formulas formula_nodes formula_texts python dask ptx cudasim format" >&2
        return 1
        ;;
    esac
}

# What each runs; the objects of all are put in front, and the long ones stand first.
case $job in
one)
    shift
    jobs=
    [ $# -gt 0 ] || { say "run.sh one NAME..." && exit 2; }
    for name; do jobs="$jobs $(jobs_of "$name")" || exit 2; done
    ;;
test)
    kinds="gcc-O2"
    jobs="mpi:mpich:quick cuda_bits:plain examples:gcc-O2 $(each unit:gcc-O2:%s $TESTS) mustfail language linked:gcc-O2 unload:few compiled:gcc-O2 oracle:gcc-O2 python:gcc-O2 formulas:gcc-O2 formula_nodes:gcc-O2 bench
        dropin:folder:clang $CUDA_JOBS"
    ;;
check)
    kinds="gcc-O0 gcc-O2 g++-O3 clang++-O0 clang-O3$(! command -v musl-gcc >/dev/null || echo " musl-gcc-O2")"
    # (of two jobs that run the same tests, as the stacks do, one would wait for the other: there is another long one between them)
    jobs="ptx musl:musl-gcc-O2 stack:small-gcc-O0 cudasim stack:small-clang-O0 exercises $(command -v musl-gcc >/dev/null || echo stack:small-gcc-O2)
        $CUDA_CHECK_JOBS mpi:openmpi mpi:mpich fuzzing:fuzz fuzz_api:sanitized formulas:sanitized formula_texts:sanitized formulas:gcc-O2 formula_nodes:gcc-O2 dask:gcc-O2 examples:gcc-O2:whole $(each unit:sanitized:%s $TESTS) files:sanitized
        unit:threads:threads unit:few:few_dtypes $CUDA_JOBS mustfail language dropin:folder:clang:g++:nvcc
        dropin:single:gcc:clang++:cudasim oracle:gcc-O2 python:gcc-O2 bench $(each unit:gcc-O2:%s $TESTS) linked:gcc-O2 unload:few compiled:gcc-O2 format cblas lapacke cusolver:solver cusolver:solver_check"
    ;;
cudasim) jobs="$CUDA_CHECK_JOBS $CUDA_JOBS" ;;
gpu) jobs= ;; # what runs on a GPU alone
*) say "run.sh test|check|cudasim|gpu, or run.sh one NAME..." && exit 2 ;;
esac
case $job in test | check | gpu) ! gpu_here || jobs="$GPU_JOBS $jobs" ;; esac
[ -z "${kinds:-}" ] || jobs="$(each bits:%s $kinds) $jobs"
[ $# -lt 2 ] || [ "$job" = one ] || jobs="${*:2}" kinds=
with_objects $jobs
kinds=$(printf '%s\n' $jobs | sed -n 's/^bits://p') # whose hashes are compared in the end
[ -z "$jobs" ] || jobs_done $jobs
[ -z "${kinds:-}" ] || part "same bits" same_bits $kinds
[ "$job" = one ] || [ $# -gt 1 ] || gpu_here || part "GPU" printf 'SKIP there is no GPU here, or no nvcc: nothing ran on one\n0 passed, 0 failed, 1 skipped\n'
slowest
[ "$failed" = 0 ] || failures $jobs
finish
