#!/bin/sh
# Wrong programs must not compile, and the compiler must say why on the user's line: tests/mustfail/*.c, whose first comment
# gives the words that gcc and clang (and g++, clang++, nvcc, where they are named) must say, and the flags that a careful user has; the
# faulty line is marked with HERE. Where a comment says lines: gcc 5 ..., the first message must be that of the faulty line, and there
# must be no more lines in all than so many (apart from the files that included each other, and the marks under the user's line).
# An error behind the implementation, or behind kernels, is shown with line, column and caret: gcc gives them up in a file that includes
# too much. The last line is 'N passed, N failed, N skipped'.
# With -o FILE what it says goes into FILE as well if nothing failed, and into FILE.d what it depends on (build.sh).
for to; do :; done
case " $* " in *" -o "*) ;; *) to= ;; esac
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0 skipped=0
at=$(mktemp -d) || exit 1
trap 'rm -rf "$at"' EXIT
out=$at/said
lines() { grep -cvE '^(In file included from | +from |[[:space:]]*[~^|]|$)' "$out"; }
fail() { echo "FAIL tests/mustfail/$name.c with $cc: $1"; sed 's/^/     /' "$out" | head -${2:-6}; failed=$((failed + 1)); }

# What is right must compile, or the rest says nothing.
cat > "$at/right.c" <<'END'
#include "gpuarr.h"
ga_array *f(ga_array *a, ga_array *b);
ga_array *f(ga_array *a, ga_array *b)
{
    double x[3] = { 1, 2, 3 };
    ga_add(ga_zeros((3)), ga_from(x, (3)));
    ga_roll(ga_zeros((3, 4), GA_F32), (1 + 2) * (3), .axis = (1));
    ga_sum(ga_concatenate((a, ga_reshape(b, (2, 3)))), .axes = ga_axes(0, 1));
    ga_eval("maximum(x, (b))", (x[0], b));
    return ga_add(ga_sum(a, .axis = 0), ga_index(b, "%d", 1), .out = a);
}
END

behind() { # behind WHAT: the place of an error behind it, then the line, then the caret
    name=behind_$1
    printf '#define GPUARR_%s\n#include "gpuarr.h"\nint f(void);\nint f(void)\n{\n    return 2 * unheard_of;\n}\n' "$1" >"$at/$name.c"
    caret='^'
    case $cc in g*) caret='^~~~~~~~~~' ;; esac
    printf '    return 2 * unheard_of;\n               %s\n' "$caret" >"$at/want"
    if $run -I. "$at/$name.c" >"$out" 2>&1; then
        fail "it compiles"
    elif grep -A 2 "^$at/$name.c:6:16: error:.*unheard_of" "$out" | sed 's/^ *[0-9]* | //; s/^ *| //' | tail -n 2 | cmp -s - "$at/want"; then
        passed=$((passed + 1))
    else
        fail "no line, column and caret"
    fi
}

for cc in gcc clang g++ clang++ nvcc; do
    run=$cc
    [ $cc = nvcc ] && ! command -v nvcc >/dev/null && run=/usr/local/cuda/bin/nvcc
    if ! command -v $run >/dev/null; then
        echo "SKIP no $cc"
        skips="${skips:-}SKIP no $cc
"
        skipped=$((skipped + 1))
        continue
    fi
    case $cc in
    nvcc) run="$run -x cu -std=c++17 --cuda -o /dev/null" careful= ;;
    *++) run="$run -x c++ -std=c++20 -fsyntax-only" careful="-Wall -Wextra -Wpedantic -Werror" ;;
    *) run="$run -std=c11 -fsyntax-only" careful="-Wall -Wextra -Wpedantic -Werror" ;;
    esac
    name=right
    if $run $careful -I. "$at/right.c" >"$out" 2>&1; then
        passed=$((passed + 1))
    else
        fail "a right program does not compile"
    fi
    [ $cc = nvcc ] || { behind IMPLEMENTATION; behind KERNELS; }
    for file in tests/mustfail/*.c; do
        name=$(basename "$file" .c)
        words=$(sed -n "1s/.*[ *]$cc: \"\([^\"]*\)\".*/\1/p" "$file")
        most=$(sed -n "s/.*lines:.* $cc \([0-9]*\) .*/\1/p" "$file")
        flags=$(sed -n '1s/.*flags: \(.*\) \*\/$/\1/p' "$file")
        case $cc in clang*) flags="$flags -Wno-unknown-warning-option" ;; esac
        line=$(grep -n 'HERE' "$file" | head -1 | cut -d: -f1)
        case $cc in gcc | clang) ;; *) [ -z "$words" ] && continue ;; esac
        if [ -z "$words" ] || [ -z "$line" ]; then
            : > "$out"
            fail "the file gives no words for $cc, or no line is marked"
        elif $run $flags -I. "$file" >"$out" 2>&1; then
            fail "it compiles"
        elif ! grep -qF -- "$words" "$out"; then
            fail "the message lacks '$words'"
        elif ! grep -q "$name.c[:(]$line[:)]" "$out"; then
            fail "the message is not on line $line"
        elif [ -n "$most" ] && ! grep -m 1 'error:' "$out" | grep -q "$name.c[:(]$line[:)]"; then
            fail "the first message is not on line $line"
        elif [ -n "$most" ] && [ "$(lines)" -gt "$most" ]; then
            fail "it says $(lines) lines, more than $most" 40
        else
            passed=$((passed + 1))
        fi
    done
done
line="$passed passed, $failed failed, $skipped skipped"
echo "$line"
[ $failed = 0 ] || exit 1
[ -n "$to" ] || exit 0
printf '%s%s\n' "${skips:-}" "$line" >"$to"
echo "$to: $(find gpuarr* tests/mustfail tests/mustfail.sh -type f | tr '\n' ' ')" >"$to.d"
