#!/usr/bin/env bash
# run.sh [words] -- the tests of cudasim: one line per case, then 'N passed, N failed, N skipped'.
#
#   tests/run.sh              everything
#   tests/run.sh scan bugs    only the parts whose names contain one of the words
#   tests/run.sh nvcc         compiles the programs with nvcc; where there is a GPU, runs the clean ones on it
#
# Parts: rewriter (cu2cpp), driver, each program of clean/ (which must give its "expect:" lines in every mode, and about which
# the checker must be silent, until one of its barriers is skipped), bugs (each planted bug must be found), clang.
set -u
cd "$(dirname "$0")" || exit 2
here=$PWD
cudasim=$here/../cudasim
words=("$@")
B=$(mktemp -d "${TMPDIR:-/tmp}/cudasim-tests.XXXXXX") || exit 2
trap 'rm -rf "$B"' EXIT
export CUDASIM_BUILD=${CUDASIM_BUILD:-$B/parts}
unset CUDASIM_ORDER CUDASIM_LAZY CUDASIM_DEVICES CUDASIM_MAX_REPORTS CUDASIM_ABORT CUDASIM_LOG CUDASIM_FAIL CUDASIM_LEAKS
export UBSAN_OPTIONS=exitcode=99 ASAN_OPTIONS=exitcode=99:detect_leaks=0
jobs=$(nproc 2>/dev/null || echo 2)
results=$B/results
: >"$results"

# ---- cases ------------------------------------------------------------------------------------------------------------------

case_line() { # ok|FAIL|SKIP NAME [REASON]
    local line
    line=$(printf '%-4s %s%s' "$1" "$2" "${3:+: $3}")
    printf '%s\n' "$line" | tee -a "$results"
}

excerpt() { grep -av '^ *$' "$1" | head -n "${2:-6}" | cut -c1-240 | sed 's/^/       /'; }

failed() { # failed NAME REASON LOG
    case_line FAIL "$1" "$2
$(excerpt "$3")"
}

wanted() {
    local w
    [ ${#words[@]} = 0 ] && return 0
    for w in "${words[@]}"; do case $1 in *"$w"*) return 0 ;; esac; done
    return 1
}

# At most as many at a time as there are processors.
parallel() {
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    "$@" &
}

header() { sed -n "s|^// $2: ||p" "$1"; } # header FILE KEY: the lines "// key: ..." of a program

# ---- clean programs ---------------------------------------------------------------------------------------------------------

# The program must end with status 0, print what it should (threads may print in any order), and cudasim must stay silent.
expect_clean() { # expect_clean CASE SOURCE PROGRAM
    local log=$B/${1//[^a-z0-9_]/_}.log status
    timeout 60 "$3" >"$log" 2>"$log.err" </dev/null
    status=$?
    if [ $status != 0 ]; then
        cat "$log" >>"$log.err"
        failed "$1" "exit status $status" "$log.err"
    elif [ -s "$log.err" ]; then
        failed "$1" 'messages on stderr' "$log.err"
    elif ! diff <(header "$2" expect | sort) <(sort "$log") >"$log.diff"; then
        failed "$1" 'other output than expected' "$log.diff"
    else
        case_line ok "$1"
    fi
}

# Without any one of its barriers, the checker must complain; a line with the word 'redundant' says why it need not.
skip_barriers() { # skip_barriers NAME PROGRAM
    local list=$B/$1.barriers site kind file line order found
    CUDASIM_LIST_BARRIERS=$list timeout 60 "$2" >/dev/null 2>&1 </dev/null
    [ -s "$list" ] || return 0
    while read -r site kind; do
        file=${site%:*} line=${site##*:} found=
        for order in forward reverse random:1; do
            CUDASIM_SKIP_BARRIER=$site CUDASIM_ORDER=$order timeout 60 "$2" >"$list.log" 2>&1 </dev/null
            [ $? = 99 ] && found=1 && break
        done
        if [ -n "$found" ]; then
            case_line ok "$1  without ${kind:-barrier} at ${file##*/}:$line"
        elif sed -n "${line}p" "$file" 2>/dev/null | grep -q redundant; then
            case_line SKIP "$1  without ${kind:-barrier} at ${file##*/}:$line" "$(sed -n "${line}s/.*redundant[: ]*//p" "$file")"
        else
            case_line FAIL "$1  without ${kind:-barrier} at ${file##*/}:$line" 'the checker says nothing'
        fi
    done < <(sort -u "$list")
}

clean_program() { # clean_program NAME SOURCE FILES...
    local name=$1 source=$2 mode log=$B/$1.build
    shift 2
    local libraries
    libraries=$(header "$source" link)
    case $(header "$source" needs) in
    *.h) [ -f "$here/../include/$(header "$source" needs)" ] || { case_line SKIP "$name" "no $(header "$source" needs) in include/"; return; } ;;
    '2 devices') export CUDASIM_DEVICES=2 ;;
    esac
    for mode in plain check asan; do
        if ! "$cudasim" build ${mode/#/--} -Wall -Wno-sign-compare $libraries -o "$B/$name.$mode" "$@" >"$log" 2>&1; then
            failed "$name  $mode build" 'does not compile' "$log"
            continue
        fi
        [ ! -s "$log" ] || failed "$name  $mode build" 'warnings' "$log"
        case $mode in
        plain)
            CUDASIM_ORDER=forward expect_clean "$name  plain forward" "$source" "$B/$name.plain"
            CUDASIM_ORDER=reverse expect_clean "$name  plain reverse" "$source" "$B/$name.plain"
            CUDASIM_ORDER=random:5 expect_clean "$name  plain random" "$source" "$B/$name.plain"
            CUDASIM_LAZY=1 expect_clean "$name  plain lazy" "$source" "$B/$name.plain"
            ;;
        asan) expect_clean "$name  asan+ubsan" "$source" "$B/$name.asan" ;;
        check)
            expect_clean "$name  checker" "$source" "$B/$name.check"
            CUDASIM_ORDER=random:2 CUDASIM_LAZY=1 expect_clean "$name  checker lazy random" "$source" "$B/$name.check"
            skip_barriers "$name" "$B/$name.check"
            ;;
        esac
        rm -f "$B/$name.$mode"
    done
}

clean_programs() {
    local source name files f
    for source in clean/*.cu; do
        name=$(basename "$source" .cu)
        ! wanted "$name" || parallel clean_program "$name" "$source" "$source"
    done
    if wanted multi; then
        files=()
        for f in $(header clean/multi/main.cu sources); do files+=("clean/multi/$f"); done
        parallel clean_program multi clean/multi/main.cu "${files[@]}"
    fi
    wait
}

# ---- planted bugs -----------------------------------------------------------------------------------------------------------

expect_report() { # expect_report PREFIX PROGRAM NAME OPTIONS WORDS
    local log=$B/$1_$3.log status
    (
        case $4 in *lazy*) export CUDASIM_LAZY=1 ;; esac
        case $4 in *devices=2*) export CUDASIM_DEVICES=2 ;; esac
        case $4 in *hangs*) export CUDASIM_TIMEOUT=0.5 ;; esac
        timeout 60 "$2" "$3" >"$log" 2>&1 </dev/null
    )
    status=$?
    if [ $status != 99 ]; then
        failed "$1  $3" "exit status $status, a report gives 99" "$log"
    elif ! grep -aqE -- "$5" "$log"; then
        failed "$1  $3" "the report does not say '$5'" "$log"
    elif ! grep -aqE 'bugs[a-z_]*\.(cu|h):[0-9]' "$log"; then
        failed "$1  $3" 'the report names no line of the program' "$log"
    elif grep -aqE '\.cpp:[0-9]|malloc\.c:[0-9]|(cublas_v2|cusolverDn)\.h:[0-9]' "$log"; then
        failed "$1  $3" 'the report names a file that is not of the program' "$log"
    else
        case_line ok "$1  $3"
    fi
}

planted_bugs() { # planted_bugs PREFIX SOURCE
    local name options expected
    if ! "$cudasim" build --check -o "$B/$1" "$2" >"$B/$1.build" 2>&1; then
        failed "$1" 'does not compile' "$B/$1.build"
        return
    fi
    while IFS='|' read -r name options expected; do
        if [[ $options == *g++ ]] && [[ ${CXX:-} == clang* ]]; then
            case_line SKIP "$1  $name" 'found with g++ only'
        else
            expect_report "$1" "$B/$1" "$name" "$options" "$expected"
        fi
    done < <("$B/$1")
}

# ---- the rewriter -----------------------------------------------------------------------------------------------------------

rejects() { # rejects NAME LINE WORDS: source on the standard input; the message must stand at this line
    cat >"$B/bad.cu"
    if "$cu2cpp" "$B/bad.cu" >"$B/bad.cpp" 2>"$B/bad.log"; then
        case_line FAIL "rewriter  $1" 'accepted'
    elif ! grep -q "bad.cu:$2: error: .*$3" "$B/bad.log"; then
        failed "rewriter  $1" 'another message' "$B/bad.log"
    else
        case_line ok "rewriter  $1"
    fi
}

becomes() { # becomes NAME INPUT OUTPUT
    printf '%s\n' "$2" >"$B/good.cu"
    "$cu2cpp" "$B/good.cu" 2>&1 | sed 1d >"$B/good.cpp"
    if [ "$(cat "$B/good.cpp")" = "$3" ]; then case_line ok "rewriter  $1"; else failed "rewriter  $1" 'gave' "$B/good.cpp"; fi
}

rewriter() {
    local f
    cu2cpp=$B/cu2cpp
    ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
        ../cu2cpp.c -o "$cu2cpp" >"$B/cu2cpp.log" 2>&1 || ${CC:-cc} -std=c11 ../cu2cpp.c -o "$cu2cpp" >"$B/cu2cpp.log" 2>&1 ||
        { failed rewriter 'does not compile' "$B/cu2cpp.log" && return; }
    rejects 'no arguments after a launch' 2 'arguments are missing' <<<$'int main() {\n  k<<<1, 2>>>; }'
    rejects 'launch that does not end' 1 'without its >>>' <<<'int main() { k<<<1, 2>>(3); }'
    rejects 'launch without a block' 1 'needs a grid and a block' <<<'int main() { k<<<32>>>(3); }'
    rejects 'empty launch' 1 'needs a grid and a block' <<<'int main() { k<<<>>>(3); }'
    rejects 'five launch values' 1 'at most four' <<<'int main() { k<<<1, 2, 3, 4, 5>>>(3); }'
    rejects 'launch split over macros' 1 'inside of the macro' <<<'#define CONFIG(g, b) k<<<g, b>>>'
    rejects 'conflict marker' 2 'conflict marker' <<<$'int x;\n<<<<<<< HEAD\n'
    rejects 'nothing to launch' 1 'no kernel' <<<'int main() { <<<1, 2>>>(3); }'
    rejects 'shared variable with a value' 3 'initial value' <<<$'__global__ void k()\n{\n  __shared__ int x = 0;\n}'
    rejects 'shared parameter' 1 'parameter' <<<'__device__ void f(__shared__ float *p) { }'
    rejects 'dynamic array of two names' 1 'expected one array' <<<'__global__ void k() { extern __shared__ float a[], b[]; }'
    becomes 'launch' 'void f() { k<<<g, b>>>(x); }' 'void f() { CUDASIM_LAUNCH(k, (g, b), x); }'
    becomes 'template launch' 'void f() { k<a, 2><<<g, b>>>(); }' 'void f() { CUDASIM_LAUNCH((k<a, 2>), (g, b) ); }'
    becomes 'launch by pointer' 'void f() { table[2]<<<g, b>>>(x); }' 'void f() { CUDASIM_LAUNCH_POINTER(table[2], (g, b), x); }'
    becomes 'shifts are no launches' 'int x = 1 << 2 >> 1; std::vector<std::vector<std::vector<int>>> v;' \
        'int x = 1 << 2 >> 1; std::vector<std::vector<std::vector<int>>> v;'
    becomes 'comments and strings' '// k<<<1, 2>>>(x) __shared__ int a;' '// k<<<1, 2>>>(x) __shared__ int a;'
    becomes 'number without a digit in front' 'float x = .5f; void f() { k<<<1, 2>>>(.5e-3f); }' 'float x = .5f; void f() { CUDASIM_LAUNCH(k, (1, 2), .5e-3f); }'
    becomes 'kernel as a void pointer' 'void f() { cudaLaunchCooperativeKernel((const void *)k<3>, g, b, a); }' \
        'void f() { cudaLaunchCooperativeKernel(  k<3>, g, b, a); }'
    becomes 'dynamic array' 'void f() { extern __shared__ float s[]; }' 'void f() { CUDASIM_DYN_SHARED(float, s); }'
    becomes 'assembly' '__device__ void f() { unsigned x; asm volatile("mov.u32 %0, %%laneid;" : "=r"(x)); }' \
        '__device__ void f() { unsigned x; cudasim_inline_assembly(); }'
    becomes 'assembly of the host' 'void f() { asm("pause"); __asm__ volatile("" ::: "memory"); }' 'void f() { asm("pause"); __asm__ volatile("" ::: "memory"); }'
    becomes 'assembly without instructions' '__device__ void f(int x) { asm volatile("" : "+r"(x)); }' '__device__ void f(int x) { asm volatile("" : "+r"(x)); }'
    becomes 'assembly in a macro' '#define LANE(x) asm("mov.u32 %0, %%laneid;" : "=r"(x))' '#define LANE(x) cudasim_inline_assembly()'
    printf '/* never closed' >"$B/good.cu"
    "$cu2cpp" "$B/good.cu" >/dev/null 2>&1 && case_line ok 'rewriter  open comment' || case_line FAIL 'rewriter  open comment'
    # broken input may be rejected, but must not crash the rewriter
    local broken=0 n
    for f in clean/syntax.cu clean/templates.cu; do
        for n in $(seq 40 97 "$(wc -c <"$f")"); do
            head -c "$n" "$f" >"$B/cut.cu"
            timeout 10 "$cu2cpp" "$B/cut.cu" >"$B/cut.cpp" 2>"$B/cut.log"
            [ $? -lt 2 ] || { broken=$n && break 2; }
        done
    done
    [ $broken = 0 ] && case_line ok 'rewriter  files cut anywhere' || failed "rewriter  $f cut after $broken bytes" 'crash' "$B/cut.log"
    local lines=0
    for f in clean/*.cu bugs*.cu; do
        [ "$(wc -l <"$f")" = "$("$cu2cpp" "$f" 2>/dev/null | sed 1d | wc -l)" ] || lines=$f
    done
    [ "$lines" = 0 ] && case_line ok 'rewriter  line numbers stay' || case_line FAIL 'rewriter  line numbers stay' "$lines"
}

# ---- the driver -------------------------------------------------------------------------------------------------------------

gives() { # gives NAME STATUS WORDS COMMAND...: exit status, and words in the output
    local name=$1 status=$2 words=$3 got
    shift 3
    "$@" >"$B/driver.log" 2>&1 </dev/null
    got=$?
    if [ $got != "$status" ]; then failed "driver  $name" "exit status $got, not $status" "$B/driver.log"
    elif [ -n "$words" ] && ! grep -aqE -- "$words" "$B/driver.log"; then failed "driver  $name" "no '$words'" "$B/driver.log"
    else case_line ok "driver  $name"; fi
}

same() { # same NAME EXPECTED GOT
    if [ "$2" = "$3" ]; then case_line ok "driver  $1"; else case_line FAIL "driver  $1" "$3, not $2"; fi
}

driver() {
    local d=$B/driver
    mkdir -p "$d/my files" "$d/empty"
    cat >"$d/args.cu" <<'END'
#include <cstdio>
#ifndef SIZE
#define SIZE 1
#endif
__global__ void k(int *x) { *x = SIZE; }
int main(int argc, char **argv)
{
    int *d, v;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d);
    cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("size %d:", v);
    for (int i = 1; i < argc; i++) printf(" [%s]", argv[i]);
    printf("\n");
    int c;
    while ((c = getchar()) != EOF) putchar(c);
    return argc > 1 && argv[1][0] == 'e' ? 3 : 0;
}
END
    cp "$d/args.cu" "$d/my files/a b.cu"
    printf '__global__ void k(int *x) { x[1] = 1; }\nint main() { int *d; cudaMalloc(&d, 4); k<<<1, 1>>>(d); cudaDeviceSynchronize(); cudaFree(d); }\n' >"$d/bug.cu"
    printf 'int main() { undeclared(); }\n' >"$d/bad.cu"
    gives 'help' 0 'cudasim check' "$cudasim" --help
    gives 'arguments' 0 '^size 1: \[-n\] \[4 5\] \[--order\]$' "$cudasim" run "$d/args.cu" -n '4 5' --order
    gives 'arguments after --' 0 '^size 1: \[x.cu\]$' "$cudasim" run "$d/args.cu" -- x.cu
    gives 'exit status' 3 '^size 1: \[e\]$' "$cudasim" run "$d/args.cu" e
    gives 'flags of nvcc' 0 '^size 7:' "$cudasim" run -O3 -std=c++14 -arch=sm_80 -gencode arch=compute_90,code=sm_90 -lineinfo -Xcompiler -Wall,-Wextra -I "$d" -D SIZE=7 --expt-relaxed-constexpr -lcudart -lm "$d/args.cu"
    gives 'names with spaces' 0 '^size 1: \[x\]$' "$cudasim" run "$d/my files/a b.cu" x
    gives 'run --check' 99 'bug.cu:1' "$cudasim" run --check "$d/bug.cu"
    gives 'check' 99 'bug.cu:1' "$cudasim" check "$d/bug.cu"
    gives 'check, nothing found' 0 'nothing to report \(6 runs' "$cudasim" check "$d/args.cu"
    gives 'check, exit status' 3 'exit status 3' "$cudasim" check "$d/args.cu" e
    gives 'compiler error' 1 'bad.cu:1:.*undeclared' "$cudasim" run "$d/bad.cu"
    printf '__global__ void child(int *x) { *x = 1; }\n__global__ void parent(int *x)\n{\n    if (*x == 0)\n        child<<<1, 1>>>(x);\n}\nint main() { parent<<<1, 1>>>(nullptr); }\n' >"$d/nested.cu"
    printf '__global__ void child() { }\n__device__ void f()\n{\n#ifdef __CUDA_ARCH__\n    child<<<1, 1>>>();\n#endif\n}\nint main() { child<<<1, 1>>>(); }\n' >"$d/left_out.cu"
    gives 'launch in a kernel' 1 'nested.cu:5:[0-9]*: error: .*launches a kernel' "$cudasim" build -o "$d/nested" "$d/nested.cu"
    gives 'launch in a kernel, left out' 0 '' "$cudasim" run "$d/left_out.cu"
    # inline assembly: one sentence for the function that is called, none for the one that is not
    printf '__device__ inline unsigned lane()\n{\n    unsigned x;\n    asm("mov.u32 %%0, %%%%laneid;"\n        : "=r"(x));\n    return x;\n}\n__global__ void k(unsigned *x) { *x = %s; }\nint main() { asm("nop"); }\n' 'lane()' >"$d/ptx.cu"
    sed 's/= lane()/= 1/' "$d/ptx.cu" >"$d/ptx_unused.cu"
    gives 'PTX in a kernel' 1 'ptx.cu:4:.*error: .*inline assembly \(PTX\) in device code cannot run on a CPU' "$cudasim" build -o "$d/ptx" "$d/ptx.cu"
    same 'PTX in a kernel, one message' 1 "$(grep -c 'error' "$B/driver.log")"
    gives 'PTX that nothing calls' 0 '' "$cudasim" run "$d/ptx_unused.cu"
    # a file without the headers calls the free() of the C library, which reads device memory
    printf '#include <cstdlib>\nint give_back(void *p)\n{\n    free(p);\n    return 1;\n}\n' >"$d/free.cpp"
    printf 'int give_back(void *p);\nint main() { int *d; cudaMalloc(&d, 4); return give_back(d); }\n' >"$d/free.cu"
    gives 'free() in a file without the headers' 99 'give_back.* at .*free.cpp:4' "$cudasim" run "$d/free.cu" "$d/free.cpp"
    same 'the advice is cudaFree' 1 "$(grep -c 'use cudaFree' "$B/driver.log")"
    # one bug shows in every order, one only if the last thread comes first; the leak is a third
    cat >"$d/orders.cu" <<'END'
#include <cstdio>
__device__ int turn;
__global__ void k(int *x)
{
    if (threadIdx.x == 31 && turn == 0) x[40] = 1;
    turn = 1;
}
int main()
{
    int *d;
    cudaMalloc(&d, 128);
    k<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    printf("done\n");
}
END
    cat >"$d/volatile.cu" <<'END'
#include <cstdio>
__global__ void k(volatile int *x)
{
    if (blockIdx.x == 0)
        while (x[0] == 0 || x[1] == 0) {}
    if (blockIdx.x == 0) x[2] = 1;
    else if (threadIdx.x == 0) x[blockIdx.x - 1] = 1;
}
int main()
{
    int *d, v;
    cudaMalloc(&d, 12);
    cudaMemset(d, 0, 12);
    k<<<3, 2>>>(d);
    cudaMemcpy(&v, d + 2, 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("got %d\n", v);
}
END
    gives 'a block waits for others, volatile' 0 'got 1' "$cudasim" run "$d/volatile.cu"
    gives 'the same with ASan' 0 'got 1' "$cudasim" run --asan "$d/volatile.cu"
    printf 'int main() { int *d; cudaMalloc(&d, 4); return 3; }\n' >"$d/leak.cu"
    gives 'check goes on after a report' 99 'behind the end of 128 bytes' "$cudasim" check "$d/orders.cu"
    same 'check repeats no report' 1 "$(grep -c 'never freed' "$B/driver.log")"
    same 'check says how many runs failed' 1 "$(grep -c 'check: 6 of 6 runs failed, the first with exit status 99 and order forward, eager' "$B/driver.log")"
    gives 'run, a leak' 3 'leak: 4 bytes' "$cudasim" run "$d/leak.cu"
    gives 'run, a leak that fails' 99 'leak: 4 bytes' env CUDASIM_LEAKS=fail "$cudasim" run "$d/leak.cu"
    gives 'run, no leaks' 3 '' env CUDASIM_LEAKS=0 "$cudasim" run "$d/leak.cu"
    same 'run is silent about leaks' 0 "$(grep -c leak "$B/driver.log")"
    gives 'missing file' 2 'no such file' "$cudasim" run "$d/none.cu"
    gives 'no file' 2 'which file' "$cudasim" run
    gives 'no command' 2 'cudasim run' "$cudasim" "$d/args.cu"
    gives 'unknown order' 2 'forward, reverse' "$cudasim" run --order=sideways "$d/args.cu"
    gives 'missing library' 2 'lcurand' "$cudasim" run -lcurand "$d/args.cu"
    gives 'no such compiler' 2 'no such command' env CXX=/nowhere/g++ "$cudasim" run "$d/args.cu"
    local tool
    for tool in bash readlink dirname; do ln -sf "$(command -v $tool)" "$d/empty/$tool"; done
    gives 'no compiler at all' 2 'apt install g\+\+' env -u CXX PATH="$d/empty" "$d/empty/bash" "$cudasim" run "$d/args.cu"
    gives 'build' 0 '' "$cudasim" build "$d/args.cu" -o "$d/prog" -O2
    gives 'built program' 0 '^size 1: \[x\]$' "$d/prog" x
    echo 'some text' >"$d/input"
    "$cudasim" run "$d/args.cu" <"$d/input" 2>&1 | grep -q 'some text' && case_line ok 'driver  standard input' || case_line FAIL 'driver  standard input'
    gives 'compiled parts are kept' 1 '^0$' sh -c "\"$cudasim\" run --verbose \"$d/args.cu\" 2>&1 | grep -c 'cudasim.cpp'"
}

# ---- the other compiler, and the real one -----------------------------------------------------------------------------------

clang() {
    if ! command -v clang++ >/dev/null 2>&1; then case_line SKIP clang 'no clang++'; return; fi
    export CXX=clang++
    local name mode
    for name in reduction streams syntax; do
        for mode in plain check asan; do
            [ $mode = check ] || [ $name = reduction ] || continue
            if "$cudasim" build --$mode -o "$B/clang_$name" clean/$name.cu >"$B/clang_$name.log" 2>&1; then
                expect_clean "clang++  $name $mode" clean/$name.cu "$B/clang_$name"
            else
                failed "clang++  $name $mode" 'does not compile' "$B/clang_$name.log"
            fi
        done
    done
    planted_bugs bugs_clang bugs.cu
    planted_bugs bugs_memory_clang bugs_memory.cu
}

nvcc_programs() {
    if ! command -v nvcc >/dev/null 2>&1; then case_line SKIP nvcc 'no nvcc'; return; fi
    local source name gpu=
    nvidia-smi >/dev/null 2>&1 && gpu=1
    one() { # one NAME SOURCE FILES...
        local name=$1 source=$2
        shift 2
        if ! nvcc -std=c++17 -arch=${CUDASIM_TEST_ARCH:-sm_75} $(header "$source" link) -lcublas -lcusolver -o "$B/nvcc_$name" "$@" >"$B/nvcc_$name.log" 2>&1; then
            failed "nvcc  $name" 'does not compile' "$B/nvcc_$name.log"
        elif [ -n "$gpu" ] && [ "${name#bugs}" = "$name" ] && [ "$name" != peer ]; then
            expect_clean "nvcc  $name on the GPU" "$source" "$B/nvcc_$name"
        else
            case_line ok "nvcc  $name compiles"
        fi
    }
    for source in clean/*.cu bugs*.cu; do parallel one "$(basename "$source" .cu)" "$source" "$source"; done
    parallel one multi clean/multi/main.cu clean/multi/main.cu clean/multi/kernels.cu clean/multi/host.cpp
    wait
}

# ---- all of it --------------------------------------------------------------------------------------------------------------

if [ "${words[*]-}" = nvcc ]; then
    nvcc_programs
else
    # the parts that all programs share, once, so that programs side by side do not build them twice
    printf 'int main() { return 0; }\n' >"$B/first.cu"
    for mode in plain check asan; do
        parallel "$cudasim" build --$mode -o "$B/first.$mode" "$B/first.cu"
    done
    wait
    ! wanted rewriter || parallel rewriter
    ! wanted driver || parallel driver
    ! wanted bugs || parallel planted_bugs bugs bugs.cu
    ! wanted bugs || parallel planted_bugs bugs_memory bugs_memory.cu
    ! wanted clang || parallel clang
    clean_programs
fi
printf '%s passed, %s failed, %s skipped\n' "$(grep -c '^ok ' "$results")" "$(grep -c '^FAIL' "$results")" "$(grep -c '^SKIP' "$results")"
! grep -q '^FAIL' "$results"
