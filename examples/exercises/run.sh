#!/usr/bin/env bash
# run.sh NN | list | solutions [NN...] -- builds an exercise, checks it, and says in words what is wrong. `make exercise-07` is
# run.sh 07.
#   NN          the exercise in this folder: first under the checker of tools/cudasim, in several orders of the threads; when all
#               is right, once more for the time: on the GPU if nvcc and a GPU are here, else on this processor
#   list        what there is
#   solutions   proves that every solution passes, and that every exercise as it is handed out fails with the message that its
#               first comment promises
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${EXERCISES_BUILD:-$root/build/exercises}
cudasim=$root/tools/cudasim/cudasim
mkdir -p "$build" || exit 1
export CUDASIM_BUILD=${CUDASIM_BUILD:-$build/parts}

# The GPU's compiler; it builds for a GPU that is here, and else only shows that a solution is right CUDA.
nvcc=$(PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin" command -v nvcc)
gpu=
[ -z "$nvcc" ] || ! nvidia-smi -L 2>/dev/null | grep -q GPU || gpu=yes

title() { basename "$1" .cu | sed 's/_/ /g'; }

needs_gpuarr() { grep -q '"gpuarr.h"' "$1"; }

# ---- building -------------------------------------------------------------------------------------------------------------

# The library for the exercises that use it, made once for each kind of build, and again when gpuarr has changed.
library() { # library check|plain|gpu
    local object=$build/gpuarr-$1.o source=$build/gpuarr.cu
    [ -z "$(find "$root"/gpuarr* -name '*.h' -newer "$object" -print -quit 2>&1)" ] && return
    echo "(compiling gpuarr for the exercises that use it: once, about a minute)"
    printf '#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\n' >"$source"
    case $1 in
    gpu) "$nvcc" -std=c++17 -arch=native -O2 -fmad=false -DGPUARR_FEW_DTYPES -I"$root" -c "$source" -o "$object.new.o" ;;
    *) # built for speed of the build: where the library adds and multiplies, it is tested elsewhere
        "$cudasim" build "--$1" -c -O1 -w -fno-sanitize=undefined -fno-inline-functions -DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY \
            -isystem "$root" -o "$object.new.o" "$source"
        ;;
    esac && mv "$object.new.o" "$object"
}

compile() { # compile check|plain|gpu FILE PROGRAM
    local with=
    if needs_gpuarr "$2"; then # the test suite's objects and libraries, or a build of our own
        case $1,${EXERCISES_CHECK:-} in
        check,?*) with=$EXERCISES_CHECK ;;
        plain,?*) with=$EXERCISES_PLAIN ;;
        *) library "$1" && with=$build/gpuarr-$1.o || return ;;
        esac
    fi
    case $1 in
    gpu) "$nvcc" -std=c++17 -arch=native -O2 -fmad=false -lineinfo -DGPUARR_FEW_DTYPES -I"$here" -I"$root" "$2" $with -o "$3" -lpthread ;;
    *) "$cudasim" build "--$1" -Wall -Wno-unknown-pragmas -Wno-unused-function -DGPUARR_FEW_DTYPES -I"$here" -isystem "$root" -o "$3" "$2" $with ;;
    esac
}

# ---- what the checker found, in words ---------------------------------------------------------------------------------------

explain() { # explain LOG FILE: at most three of the reports of cudasim that are about FILE
    awk -v file="$(basename "$2")" -v path="$2" -f "$here/explain.awk" "$1"
}

# What the program printed, without the sanitizer's own words: those become a sentence if nothing else was reported.
show_output() { # show_output OUTPUT REPORTED
    awk -v reported="$2" '
        /^cudasim: the next error is/ { skip = 1; next }
        reported && /^wrong: the result is right/ { skip = 1; next } # first things first
        skip && /^      / { next }
        { skip = 0 }
        / runtime error: / {
            if (!reported) {
                n = split($1, at, ":")
                sub(/^.* runtime error: /, "")
                printf "wrong: line %s: %s\n", at[2], $0
            }
            next
        }
        { print }' "$1"
}

# ---- one exercise -------------------------------------------------------------------------------------------------------------

check() { # check PROGRAM FILE: runs it in every order; stops at the first that goes wrong and says what it was
    local order lazy status log=$build/report.txt out=$build/output.txt first=yes
    for lazy in 0 1; do
        for order in forward reverse random:1; do
            rm -f "$log"
            EXERCISE=check CUDASIM_LOG=$log CUDASIM_ORDER=$order CUDASIM_LAZY=$lazy CUDASIM_TIMEOUT=${CUDASIM_TIMEOUT:-20} \
                UBSAN_OPTIONS=exitcode=99 timeout 300 "$1" >"$out" 2>&1 </dev/null
            status=$?
            if [ $status != 0 ] || [ -s "$log" ]; then
                if [ -s "$log" ]; then
                    explain "$log" "$2"
                    show_output "$out" 1
                else
                    show_output "$out" 0
                fi
                case $status in
                124) echo "wrong: it did not come to an end: does a loop go on for ever?" ;;
                134 | 139) [ -s "$log" ] || echo "wrong: the program crashed, in the part that runs on the processor" ;;
                esac
                [ $first = yes ] || [ $lazy = 0 ] ||
                    echo "       (found where the GPU does its work as late as it may: something must wait before the result is used)"
                [ $first = yes ] || [ $lazy = 1 ] ||
                    echo "       (found with the threads in another order: from 0 upwards, one after the other, it looked right)"
                return 1
            fi
            first=no
        done
    done
    cat "$out"
}

milliseconds() { # milliseconds FILE NAME
    awk -F'\t' -v name="$2" '$1 == name { printf "%.3f", $2 * 1e3 }' "$1"
}

show_times() { # show_times KIND MINE THEIRS: of each thing that was timed
    local name mine theirs
    while IFS=$'\t' read -r name _; do
        mine=$(milliseconds "$2" "$name") theirs=$(milliseconds "$3" "$name")
        if [ -n "$theirs" ]; then
            awk -v n="$name" -v a="$mine" -v b="$theirs" 'BEGIN {
                r = (b > 0) ? a / b : 1
                words = (r > 1.25) ? sprintf("%.1f times as long", r) : (r < 0.8) ? "you are faster" : "the same, more or less"
                printf "  time of %s: yours %s ms, the solution %s ms: %s\n", n, a, b, words
            }'
        else
            echo "  time of $name: $mine ms"
        fi
    done <"$2"
    [ "$1" = gpu ] || echo "  (times of this processor, which plays the GPU: they do not tell what a GPU would take)"
}

times() { # times FILE: builds it for speed, and the solution if it is here, and shows both times
    local kind=plain name solution mine=$build/times-mine.txt theirs=$build/times-theirs.txt
    [ -z "$gpu" ] || kind=gpu
    name=$(basename "$1" .cu)
    solution=$here/solutions/$name.cu
    : >"$mine"
    : >"$theirs"
    compile $kind "$1" "$build/$name-$kind" || return 1
    if ! EXERCISE=time EXERCISE_TIMES=$mine "$build/$name-$kind" >"$build/output.txt" 2>&1; then
        cat "$build/output.txt"
        return 1
    fi
    if [ -f "$solution" ] && compile $kind "$solution" "$build/$name-$kind-solution" >/dev/null 2>&1; then
        EXERCISE=time EXERCISE_TIMES=$theirs "$build/$name-$kind-solution" >/dev/null 2>&1
    fi
    show_times $kind "$mine" "$theirs"
}

exercise() { # exercise NN
    local file=("$here/$1"_*.cu) name
    if [ ! -f "${file[0]}" ]; then
        echo "there is no exercise $1; \`make exercises\` lists them" >&2
        return 2
    fi
    file=${file[0]}
    name=$(basename "$file" .cu)
    echo "exercise $(title "$file")"
    if ! compile check "$file" "$build/$name-check"; then
        echo "wrong: it does not compile. Begin with the first error: the others often go away with it."
        return 1
    fi
    if ! check "$build/$name-check" "$file"; then
        echo "not yet: mend ${file#"$root"/}, then make exercise-$1 again"
        return 1
    fi
    echo "right: the results are as expected, and the checker found nothing in 6 orders of the threads"
    times "$file"
}

list() {
    local file
    for file in "$here"/[0-9][0-9]_*.cu; do
        printf '  make exercise-%s   %s\n' "$(basename "$file" | cut -c1-2)" "$(sed -n '1s/^.*Exercise [0-9]*: \(.*[^ ]\)  *make exercise.*$/\1/p' "$file")"
    done
    echo "The tasks are in the first comment of examples/exercises/NN_*.cu; examples/exercises/README.md tells how to begin."
}

# ---- the proof ------------------------------------------------------------------------------------------------------------------

# What is not to be written by the student: the file without its gaps.
frame() { sed '/---- your code here ----/,/---- end of your code ----/d' "$1"; }
promise() { sed -n 's/^ *At first    the checker says: "\(.*\)".*/\1/p' "$1"; }

prove() { # prove FILE: prints what is not as it should be
    local file=$1 name solution said
    name=$(basename "$file" .cu)
    solution=$here/solutions/$name.cu
    [ -f "$solution" ] || { echo "there is no solution"; return 1; }
    [ "$(frame "$file")" = "$(frame "$solution")" ] || { diff <(frame "$file") <(frame "$solution"); echo "it differs from its solution outside of the gaps"; return 1; }
    [ -n "$(promise "$file")" ] || { echo "its first comment does not say what the checker says at first"; return 1; }
    compile check "$solution" "$build/$name-solution" || return 1
    check "$build/$name-solution" "$solution" >"$build/said.txt" || { cat "$build/said.txt"; echo "the solution does not pass"; return 1; }
    compile plain "$solution" "$build/$name-plain-solution" && EXERCISE=time "$build/$name-plain-solution" || { echo "the solution does not pass without the checker"; return 1; }
    if [ -n "$nvcc" ] && ! "$nvcc" -std=c++17 -arch=sm_75 -O1 -I"$here" -I"$root" -c "$solution" -o "$build/nvcc.o"; then
        echo "nvcc does not take the solution"
        return 1
    fi
    compile check "$file" "$build/$name-check" >/dev/null 2>&1 || { echo "as it is handed out it does not compile"; return 1; }
    said=$(check "$build/$name-check" "$file") && { echo "as it is handed out it passes"; return 1; }
    case $said in
    *"$(promise "$file")"*) return 0 ;;
    esac
    printf '%s\n' "$said" "as it is handed out it does not say: $(promise "$file")"
    return 1
}

solutions() { # solutions [NN...]: of these exercises; else of all
    local file passed=0 failed=0 words
    for file in "$here"/[0-9][0-9]_*.cu; do
        case " $* " in "  " | *" $(basename "$file" | cut -c1-2) "*) ;; *) continue ;; esac
        if words=$(prove "$file" 2>&1); then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            printf 'FAIL %s\n%s\n' "$(basename "$file")" "$words"
        fi
    done
    echo "$passed passed, $failed failed, 0 skipped"
    [ $failed = 0 ]
}

case ${1:-} in
[0-9]) exercise "0$1" ;;
[0-9][0-9]) exercise "$1" ;;
list) list ;;
solutions) solutions "${@:2}" ;;
*) sed -n '2,/^here/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
esac
