# examples.sh -- the examples compute what NumPy, SciPy and mathematics say: sourced by run.sh.
# Each of these prints its own closing line.

# says FILE HOW WANT...: is each in the file, as grep -E, -F or -G reads it? Counted in n and bad of the caller, as is what follows.
says() {
    local want
    for want in "${@:3}"; do
        if grep -q "$2" -e "$want" "$1"; then
            n=$((n + 1))
        else
            bad=$((bad + 1))
            echo "FAIL no line '$want' in:"
            cat "$1"
        fi
    done
}

draws() { # draws FILE...: one check for all of them
    local file
    for file; do [ -s "$file" ] || { bad=$((bad + 1)) && echo "FAIL no picture $file" && return; }; done
    n=$((n + 1))
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
    local out n=0 bad=0
    out=$(dirname "$1")/out
    mkdir -p "$out"
    GA_REPORT="$out/report.html" "$1" --out "$out" >"$out/chunked_picture.txt" || return 1
    says "$out/chunked_picture.txt" -G "^sums of red, green, blue: 23985359, 23845834, 23552282\$" \
        "^mean of every 500th .* 0.499[0-9]\|0.500[0-9]\$" "^<chunked float64 (300, 600, 3), 6 chunks"
    grep -q "ga_eval" "$out/report.html" && grep -q "ga_stack" "$out/chunked_picture.svg" && n=$((n + 1)) || { bad=$((bad + 1)) && echo "FAIL no report, or no picture of the expression"; }
    echo "$n passed, $bad failed, 0 skipped"
}

distances() { # distances PROGRAM...: the printed numbers are SciPy's, and each of the seven ways gives the same distances
    local out n=0 bad=0 lines close
    out=$(dirname "$1")/out
    mkdir -p "$out"
    "$@" --points 300 --features 7 --out "$out" >"$out/distances.txt" || return 1
    mapfile -t lines <tests/distances_expected.txt
    says "$out/distances.txt" -F "${lines[@]}"
    close=$(awk '/^  / && $NF + 0 <= 1e-11 { n++ } END { print n + 0 }' "$out/distances.txt")
    [ "$close" = 7 ] && [ -s "$out/distances.png" ] && n=$((n + 1)) || { bad=$((bad + 1)) && cat "$out/distances.txt" && echo "FAIL a way differs"; }
    echo "$n passed, $bad failed, 0 skipped"
}

convolution() { # convolution SUM SUM_1D PROGRAM...: the sums are SciPy's, and on a GPU the results are the CPU's
    local out n=0 bad=0
    out=$(dirname "$3")/out
    mkdir -p "$out"
    "${@:3}" --out "$out" >"$out/convolution.txt" || return 1
    says "$out/convolution.txt" -E "^convolved .* sum $1\$" "^in one dimension .* sum $2\$" \
        "^against the definition +largest difference (0|[0-9.]+e-1[5-9])\$" \
        "$(case $* in *cuda*) echo "^the same on both +true" ;; *) echo "convolve2d on the CPU" ;; esac)"
    echo "$n passed, $bad failed, 0 skipped"
}

own_kernels() { # own_kernels FOLDER OPTIONS...: three ways to count primes agree with a fourth, the Julia set is there, fused and unfused are the same
    local n=0 bad=0 below count
    (cd "$1" && ./primes "${@:2}" && ./julia "${@:2}" && ./sigmoid "${@:2}") >"$1/own_kernels.txt" || return 1
    for below in 10 100 1000 10000 100000 1000000; do
        count=$(seq 2 $((below - 1)) | factor | awk 'NF == 2' | wc -l)
        if grep -qE "^ *$below +$count +$count +$count\$" "$1/own_kernels.txt"; then n=$((n + 1)); else bad=$((bad + 1)) && echo "FAIL there are $count primes below $below"; fi
    done
    says "$1/own_kernels.txt" -E "^26214 of 400000 points stay, 12296468 steps in all\$" "^the same bits: yes; the sum is 5000000.0\$" \
        "^four calls .* one kernel"
    draws "$1/out/julia.png"
    echo "$n passed, $bad failed, 0 skipped"
}

kmeans_and_nbody() { # kmeans_and_nbody FOLDER OPTIONS...: the error is NumPy's; the energy stays what it was
    local out=$1/out n=0 bad=0
    mkdir -p "$out"
    "$1/kmeans" --out "$out" "${@:2}" >"$out/reductions.txt" && "$1/nbody" "${@:2}" >>"$out/reductions.txt" || return 1
    says "$out/reductions.txt" -F "8 colours of 36864 pixels: mean square error 0.001147497943" \
        "300 stars, 100 steps: energy 0.00992852142562, before 0.00992850874985, changed by 1.3e-06 of it"
    draws "$out/kmeans.png"
    echo "$n passed, $bad failed, 0 skipped"
}

heat_and_life() { # heat_and_life FOLDER: the wave fades as it must, the glider glides, and of the soup lives what NumPy says
    local out=$1/out n=0 bad=0
    mkdir -p "$out"
    "$1/heat" --out "$out" >"$out/stencils.txt" && "$1/life" --out "$out" >>"$out/stencils.txt" || return 1
    says "$out/stencils.txt" -E "^a wave on 256.2 points fades to 0.941978856 in 1000 steps, relative error [0-9]e-1[3-9]\$" \
        "moved by 775 cells: true\$" "live 21746, after 100 steps 6003, after 1000 steps 3097\$"
    draws "$out/heat.png" "$out/life.png"
    echo "$n passed, $bad failed, 0 skipped"
}

spectrum() { # spectrum FOLDER: the trend and the periods that were hidden
    local n=0 bad=0
    "$1/spectrum" >"$1/out/spectrum.txt" || return 1
    says "$1/out/spectrum.txt" -E "^trend: 0.66 a year\$" "^a period of 360.0 days\$" "^a period of 7.2 days\$"
    echo "$n passed, $bad failed, 0 skipped"
}

table() { # table FOLDER: what is read from CSV, and the CSV that is written
    local out=$1/out n=0 bad=0
    mkdir -p "$out"
    (cd "$out" && ../table) >"$out/table.txt" || return 1
    says "$out/table.txt" -E "^12.87 degrees on average, 71.4 % humidity\$" "^ \[ 7. 12.\]\$"
    says "$out/dew.csv" "# station, hours, dew point" "3, 0, 8.35" "3, 6, nan" "7, 12, nan"
    echo "$n passed, $bad failed, 0 skipped"
}

readme_block() { # readme_block WORDS: the lines between the first two fences behind the line that begins with these words
    awk -v words="$1" 'index($0, words) == 1 { behind = 1 } behind && /^```/ { n++; next } n == 1' README.md
}

first() { # first FOLDER: the first program is the README's, prints what it says, and draws
    local out=$1/out n=0 bad=0
    mkdir -p "$out"
    (cd "$out" && ../first) >"$out/first.txt" || return 1
    readme_block "It prints this" | cmp - "$out/first.txt" && n=$((n + 1)) || bad=$((bad + 1))
    readme_block "## The first program" | cmp - examples/first.c && n=$((n + 1)) || bad=$((bad + 1))
    [ -s "$out/first.png" ] && n=$((n + 1)) || { bad=$((bad + 1)) && echo "FAIL no picture"; }
    echo "$n passed, $bad failed, 0 skipped"
}

EXAMPLES=$(cd examples && printf '%s ' *.c)
EXAMPLES=${EXAMPLES//.c/}

examples() { # examples KIND [whole]: linked with the objects of KIND; whole: one as it stands, with what it uses of the implementation in it; the others are read so
    local e at=$B/examples
    rm -rf "$at/out"
    for e in $EXAMPLES; do
        case ${2:-},$e in
        whole,monthly_mean) # (first: job dropin)
            one "build of examples/$e.c" made "$at/$e" gcc -std=c11 -O1 $WARN $USE_LIBS -I. "examples/$e.c" $LIBS || return
            continue
            ;;
        whole,*) reads "examples/$e.c" gcc -std=c11 $WARN $USE_LIBS -DGPUARR_BASELINE_ONLY -I. "examples/$e.c" || return ;;
        esac
        one "build of examples/$e.c, $1" made "$at/$e.o" gcc -std=c11 -O1 $WARN $USE_LIBS -DGPUARR_IMPLEMENTED -DGPUARR_KERNELS= -I. -c "examples/$e.c" &&
            one "linking of examples/$e, $1" made "$at/$e" gcc "$at/$e.o" $(object_files "$1") $LIBS || return
    done
    part "the first program" first "$at"
    part "pictures of the seed" pictures "$at/pictures"
    part "a picture of chunks" chunked_picture "$at/chunked_picture"
    part "larger than memory, and delayed" $PY tests/chunked_examples.py "$at"
    part "convolution of the lesson" convolution 1182763.826 101407.8533 "$at/convolution"
    part "distances of the course" distances "$at/distances"
    part "heat and life" heat_and_life "$at"
    part "k-means and n bodies" kmeans_and_nbody "$at"
    part "a spectrum" spectrum "$at"
    part "a table" table "$at"
    part "primes, julia, sigmoid" own_kernels "$at"
    part "astronomy on real images" $PY tests/check_astronomy.py "$at/astronomy" ../shared/data
}
