# language.sh -- it compiles, everywhere, without a word; what is wrong does not, and is told well: sourced by run.sh.

reads() { one "$1" made "$B/language/${1//[^A-Za-z0-9+.-]/_}" "${@:2}" -fsyntax-only; } # reads NAME COMPILER...: it would compile this

language() {
    local c std out=$B/language small="-DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY"
    mkdir -p "$out"
    printf '#include "gpuarr.h"\nint main(void) { return 0; }\n' >"$out/alone.c"
    cp "$out/alone.c" "$out/alone.cpp"
    for c in gcc clang; do
        for std in c11 c17; do reads "$c -std=$std, header alone" $c -std=$std $WARN -I. "$out/alone.c"; done
        reads "$c -std=c17, implementation" $c -std=c17 $WARN $USE_LIBS -DGPUARR_BASELINE_ONLY -I. tests/impl.c
        [ $c = clang ] || reads "$c, few dtypes" $c -std=c11 $WARN $small -I. tests/impl.c # (clang: object few:all)
        reads "$c, without stb, CFITSIO" $c -std=c11 $WARN -DGPUARR_NO_STB -DGPUARR_BASELINE_ONLY -I. tests/impl.c
    done
    for c in g++ clang++; do
        reads "$c -std=c++20, header alone" $c -std=c++20 $WARN -I. "$out/alone.cpp"
        reads "$c -std=c++17, implementation" $c -std=c++17 ${WARN/-Wpedantic/} $USE_LIBS -I. -DGPUARR_BASELINE_ONLY -x c++ tests/impl.c
        reads "$c -std=c++20, the tests" $c -std=c++20 $WARN -I. -x c++ tests/rows.c
    done
    reads "implementation with the GPU's kernels and the loops of every instruction set" g++ -std=c++17 -w $USE_LIBS -I$SIM/include -include cuda_runtime.h -I. -x c++ tests/impl.c
    printf '#define GPUARR_STATIC\n#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\nint main(void) { return ga_item(ga_max(ga_sqrt(ga_ones((9))))) > 1; }\n' >"$out/most.c"
    one "clang with address and undefined together" made "$out/most" clang -std=c11 -O1 -fsanitize=address,undefined -I. "$out/most.c" -lm -lpthread
    printf '#include <stdio.h>\n#include "gpuarr.h"\nvoid f(ga_array *a, const char *s);\nvoid f(ga_array *a, const char *s)\n{\n    ga_free(ga_index(a, s));\n    ga_free(ga_index(a, s, 1));\n}\n' >"$out/text.c"
    sed 's/ga_free(ga_index(a, s, 1))/printf(s)/' "$out/text.c" >"$out/said.c"
    for c in gcc clang; do
        reads "$c -Wformat=2, ga_index of a text in a variable" $c -std=c11 $WARN -Wformat=2 -I. "$out/text.c"
        one "$c -Wformat=2 still warns behind ga_index" warned_of Wformat-security $c -std=c11 -Wformat=2 "$out/said.c"
    done
    one "a library that does not link is not used" linked_libraries
    one "-m32 is refused in a sentence" refused 'for 64-bit Linux only' gcc -m32 "$out/alone.c"
    for c in gcc clang; do one "-fshort-enums is refused, $c" refused 'not with -fshort-enums' $c -fshort-enums "$out/alone.c"; done
    for c in g++ clang++; do one "-fshort-enums is refused, $c" refused 'not with -fshort-enums' $c -std=c++17 -fshort-enums "$out/alone.cpp"; done
    for c in -ffast-math -ffinite-math-only -freciprocal-math -fno-signed-zeros; do
        one "$c is refused in a sentence" refused 'compile this file, which has kernels, without -ffast-math' gcc $c -DGPUARR_IMPLEMENTATION "$out/alone.c"
    done
    one "-ffinite-math-only is refused, clang" refused 'compile this file, which has kernels, without -ffast-math' clang -ffinite-math-only -DGPUARR_IMPLEMENTATION "$out/alone.c"
    for c in gcc g++; do one "-mfpmath=387 is refused, $c" refused 'compile this file, which has kernels, without -mfpmath=387' $c -mfpmath=387 -DGPUARR_IMPLEMENTATION "$out/alone.c"; done
    for c in gcc clang; do one "C90 is refused, $c" refused 'C11 or later' $c -ansi "$out/alone.c"; done
    for c in g++ clang++; do one "C++11 is refused, $c" refused 'C11 or later' $c -std=c++11 "$out/alone.cpp"; done
    for c in BOOL INT f32; do
        one "a macro $c is refused in a sentence" refused 'with GPUARR_IMPLEMENTATION include gpuarr.h before' gcc "-D$c=3" -DGPUARR_IMPLEMENTATION "$out/alone.c"
    done
    one "Windows is refused in a sentence" refused 'for 64-bit Linux only' clang -D_WIN32 -DGPUARR_IMPLEMENTATION "$out/alone.c"
    for c in chunked_picture distance_matrix monthly_mean delayed; do
        reads "examples/$c.c in C++" clang++ -std=c++20 $WARN -DGPUARR_IMPLEMENTED -I. -x c++ "examples/$c.c"
    done

    one "build of gentable" made build/gentable cc -std=c11 $WARN -I. tools/gentable.c || return
    one "fronts are current (make front)" same_as_generated front gpuarr/face/front.h '/^\/\* BEGIN GENERATED/,/^\/\* END GENERATED/p'
    one "table of operations is current (make front)" same_as_generated docs gpuarr/rows/README.md '/^<!-- BEGIN TABLE/,/^<!-- END TABLE/p'
    one "a new row is one line" new_row
}

refused() { # refused WORDS COMPILER...: with one error, which is ours
    local says words=$1
    shift
    says=$(! "$@" -fsyntax-only -I. 2>&1) && [ "$(grep -c ' error: ' <<<"$says")" = 1 ] && grep -q " error: .*gpuarr: $words" <<<"$says"
}

warned_of() { # warned_of OPTION COMPILER...
    "${@:2}" -fsyntax-only -I. 2>&1 | grep -q -- "-$1"
}

linked_libraries() { # an optional library whose header is here, but which does not link, is not used
    local name option out=$B/language/cc all
    all=$(tools/libs.sh here)
    for name in $all; do
        option=$(tools/libs.sh link "$name" | tr ' ' '\n' | grep -m 1 '^-l') || continue
        printf '#!/bin/sh\nfor each; do [ "$each" != %s ] || exit 1; done\nexec cc "$@"\n' "$option" >"$out" && chmod +x "$out"
        [ "$(CC=$out tools/libs.sh here)" = "$(tr ' ' '\n' <<<"$all" | grep -vx "$name" | paste -s -d ' ')" ] || { echo "FAIL $name without $option" && return 1; }
        case "$(CC=$out tools/libs.sh flags) $(CC=$out tools/libs.sh link) " in *" $option "* | *"$(tools/libs.sh flags "$name") "*) echo "FAIL flags of $name without $option" && return 1 ;; esac
    done
}

mustfail() { part "what must not compile" messages; }
messages() { # it only compiles, so it is done again when a compiler, a header or one of the programs has changed
    local versions
    versions=$(for c in gcc clang g++ clang++ "${nvcc:-nvcc}"; do "$c" --version 2>&1; done)
    made "$B/mustfail.txt" bash tests/mustfail.sh "${versions//$'\n'/ }" tests/mustfail/*.c && tail -n 20 "$B/mustfail.txt"
}

same_as_generated() { build/gentable "$1" | cmp - <(sed -n "$3" "$2" | sed '1d;$d'); } # same_as_generated front|docs FILE LINES

new_row() { # adding an operation is one line and `make front`
    local at=$B/newrow
    rm -rf "$at/gpuarr" && mkdir -p "$at/tools" "$at/tests" && cp -r gpuarr* Makefile "$at" && cp tools/gentable.c tools/libs.sh "$at/tools" &&
        cp tests/build.sh "$at/tests" &&
        sed -i 's/^GA_UNARY(       square, .*/&\nGA_UNARY(       cube,         ARITH, SAME, GA_MUL(x, GA_MUL(x, x)),          (3, 27),      "x * x * x"                          )/' "$at/gpuarr/rows/table.h" &&
        make -s -C "$at" front >"$at/log" 2>&1 &&
        printf '#define GPUARR_STATIC\n#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\nint main(void) { return ga_item(ga_cube(ga_full((1), 3))) == 27 ? 0 : 1; }\n' >"$at/main.c" &&
        made "$at/main" clang -std=c11 "-I$at" "$at/main.c" -lm -lpthread && "$at/main" && grep -q ga_cube "$at/gpuarr/rows/README.md"
}

linked() { # linked KIND: the implementation in one file of several, and in another language
    local out=$B/language
    mkdir -p "$out"
    printf '#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\nint other(void);\nint main(void) { return other() ? 0 : 1; }\n' >"$out/unit1.c"
    printf '#include "gpuarr.h"\nint other(void);\nint other(void) { ga_array *a = ga_zeros((2, 3)); int ok = a != 0; ga_free(a); return ok; }\n' >"$out/unit2.c"
    printf '#include "gpuarr.h"\nextern "C" int other(void);\nint main() { return other() ? 0 : 1; }\n' >"$out/unit3.cpp"
    one "two translation units, C" made "$out/unit1.o" clang -std=c11 $WARN $USE_LIBS -DGPUARR_BASELINE_ONLY -I. -c "$out/unit1.c" &&
        one "the second" made "$out/unit2.o" gcc -std=c11 $WARN -I. -c "$out/unit2.c" &&
        one "linking of both" made "$out/two" clang "$out/unit1.o" "$out/unit2.o" $LIBS && one "two translation units run" "$out/two"
    one "options in C++" made "$out/options" g++ -std=c++20 $WARN -I. -x c++ tests/options.c -x none $(object_files "$1") $LIBS &&
        part "options in C++" "$out/options"
    one "C++ and C" made "$out/three" g++ -std=c++20 $WARN -I. "$out/unit3.cpp" "$out/unit2.o" $(object_files "$1") $LIBS && one "C++ and C run" "$out/three"
}

lacks() { nm "$1" >"$1.names" && ! grep -E "$2" "$1.names"; }                       # lacks PROGRAM PATTERN: no name in it is like that
prints() { "$1" >"$1.txt"; }                                                      # prints PROGRAM: into PROGRAM.txt
same_as_linked() { prints "$1/$2" && cmp "$1/$2.txt" "$1/LINKED.txt"; }           # same_as_linked FOLDER WAY
compiled() { # compiled KIND: tests/ways.c, compiled in each way that the header knows, prints the same
    local out=$B/language/ways each way flags rows="-DGPUARR_USER_TABLE=\"tests/ways_rows.h\" -DGPUARR_USER_FORMULAS=\"tests/ways_formulas.h\""
    one "build of ways.c, LINKED" made "$out/LINKED" gcc -std=c11 -O1 $WARN -DWAY=LINKED -I. tests/ways.c $(object_files "$1") $LIBS || return
    one "ways.c, LINKED" prints "$out/LINKED" || return
    for each in "WHOLE clang -std=c11" "WHOLE,rows clang -std=c11 $rows" "STATIC gcc -std=c11" "STATIC,rows clang++ -std=c++20 -x c++ $rows" \
        "PLAIN_FIRST clang -std=c17" "KERNELS_FIRST clang -std=c11 -Wno-shadow"; do # (our variables may have the names of such kernels)
        way=${each%% *} flags=(${each#* })
        one "build of ways.c, $way" made "$out/$way" "${flags[0]}" $WARN "${flags[@]:1}" -DGPUARR_BASELINE_ONLY -DWAY=${way%,*} -I. tests/ways.c -lm -lpthread &&
            one "ways.c, $way" same_as_linked "$out" "$way"
    done
    one "build of eval_dtypes.c" made "$out/eval_dtypes" clang -std=c11 $WARN -DGPUARR_BASELINE_ONLY -I. tests/eval_dtypes.c -lm -lpthread &&
        one "eval_dtypes has no loops of other dtypes" lacks "$out/eval_dtypes" 'gi_kernel_(copysign|imag|isfinite|maximum|real)_(i8|u16|f32|c64)_' &&
        part "formulas of a program of one file" "$out/eval_dtypes"
    one "build of formula_c.c" made "$out/formula_c" gcc -std=c11 $WARN -I. tests/formula_c.c $(object_files "$1") $LIBS &&
        one "formulas as source" prints "$out/formula_c" &&
        one "build of that source" made "$out/formula_c_made" gcc -std=c11 -O1 $WARN "-DGENERATED=\"$out/formula_c.txt\"" -I. tests/formula_c.c $(object_files "$1") $LIBS &&
        part "formulas as source" "$out/formula_c_made"
    one "ways.c came to its end" grep -qx "0 arrays are left" "$out/LINKED.txt"
}

# ---- as a stranger takes it into a project ---------------------------------------------------------------------------------------------

dropped_in() { # dropped_in FOLDER COMPILER: the README's first program beside the headers in FOLDER, and a program for the GPU, compile and run
    local there=$1 program=$1/main.c
    case $2 in
    cudasim) # what the program asks of a GPU, it gets
        CUDASIM_BUILD="$B/cudasim" $SIM/cudasim build -O1 -DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY -o "$there/gpu" "$there/gpu.cu" && "$there/gpu"
        return
        ;;
    nvcc)
        made "$there/nvcc" "$nvcc" -std=c++17 -arch=sm_90 -DGPUARR_FEW_DTYPES -DGPUARR_BASELINE_ONLY --ptx "$there/gpu.cu"
        return
        ;;
    g++) # which takes a minute: clang++ runs it as C++, and g++ -O3 compiles the library
        made "$there/$2" "$2" -fsyntax-only "$there/main.cpp"
        return
        ;;
    *++) program=$1/main.cpp ;;
    esac
    made "$there/$2" "$2" "$program" -lm -lpthread && (cd "$there" && rm -f first.png && "./$2" >said.txt && [ -s first.png ]) &&
        readme_block "It prints this" | cmp - "$there/said.txt"
}

folder_there() { # folder_there FOLDER: cp -r gpuarr* there/
    rm -rf "$1/gpuarr" && mkdir -p "$1" && cp -r gpuarr* "$1" && programs_there "$1"
}

single_there() { # single_there FOLDER: make single, alone
    mkdir -p "$1" && tools/single >"$1/gpuarr.h" && programs_there "$1"
}

programs_there() {
    readme_block "## The first program" >"$1/main.c" && cp "$1/main.c" "$1/main.cpp" &&
        printf '#define GPUARR_STATIC\n#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\nint main(void)\n{\n    double sum = 0;\n    ga_set_device(GA_CUDA);\n    ga_scope { sum = ga_item(ga_sum(ga_sqrt(ga_full((1000), 4)))); }\n    return sum == 2000 ? 0 : 1;\n}\n' >"$1/gpu.cu"
}

dropin() { # dropin folder|single COMPILER...
    local c at=$B/dropin/$1
    one "gpuarr in another project ($1)" "$1_there" "$at" || return
    for c in ${*:2}; do
        if [ "$c" = nvcc ] && [ -z "$nvcc" ]; then
            part "drop-in ($1), nvcc" printf 'SKIP there is no nvcc here\n0 passed, 0 failed, 1 skipped\n'
        else
            one "drop-in ($1), $c" dropped_in "$at" "$c"
        fi
    done
}

# ---- the form of the sources -----------------------------------------------------------------------------------------------------------

format() {
    one "clang-format" clang-format --dry-run -Werror gpuarr*.h gpuarr/*/*.h tools/*.c tools/dask/*.c examples/*.c tests/*.c tests/*.h
    one "layers" tools/layers
    one "every test is in a list" none_forgotten
    part "tests/names.txt" tests/names.py
    if git rev-parse --git-dir >/dev/null 2>&1; then
        one "no lines stand twice" tools/twice
        one "no file is too long" none_too_long
    else
        part "lines that stand twice, long files" printf 'SKIP this is no checkout of git\n0 passed, 0 failed, 2 skipped\n'
    fi
}

none_too_long() { # of what is written here: 1200 lines, gpuarr.h 3000
    git ls-files -z | xargs -0 wc -l | awk '$2 != "total" && $1 > ($2 == "gpuarr.h" ? 3000 : 1200) { print "FAIL " $2 " has " $1 " lines"; bad = 1 } END { exit bad }'
}

none_forgotten() { # every test of tests/ is run by somebody
    local file name bad=0 others="impl bits stack oracle_kernels ways unload threads few_dtypes cuda_barriers mpi ulp fuzz fuzz_api fuzz_fits fuzz_npy fuzz_text fuzz_zarr fuzz_formulas formulas eval_dtypes formula_c cusolver"
    for file in tests/*.c tests/*.cu; do
        name=$(basename "${file%.c*}")
        case " $TESTS $CUDA_TESTS $others " in *[[:space:]]"$name"[[:space:]]*) ;; *) echo "FAIL $file is in no list of run.sh or cuda.sh" && bad=1 ;; esac
    done
    return $bad
}
