#!/usr/bin/env bash
# barriers.sh PROGRAM -- each barrier of gpuarr's kernels is left out once: cudasim's checker must complain. PROGRAM is
# tests/cuda_barriers.c in the checker's build: without arguments it lists its parts, with a name it runs that part.
# A line with the word "redundant" names a barrier that no result depends on, and why it stands there; one with "beyond the checker" a
# barrier that only matters to arrays which are too large for it. Both are printed and counted as skipped.
set -u
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GPUARR_TEST_DEVICE=cuda
passed=0 failed=0 skipped=0

say() { # say FAIL|SKIP TEXT: one line, counted
    echo "$1 $2"
    if [ "$1" = SKIP ]; then skipped=$((skipped + 1)); else failed=$((failed + 1)); fi
}

parts=$(env -u GPUARR_TEST_DEVICE "$program") || { say FAIL "$program does not list its parts"; parts=; }
for part in $parts; do # which barriers does it reach? And nothing may be wrong while all are there
    CUDASIM_LIST_BARRIERS=$folder/$part timeout 300 "$program" "$part" >"$folder/log" 2>&1 || {
        say FAIL "$part, all barriers in place: exit status $?"
        head -n 20 "$folder/log"
    }
    [ ! -f "$folder/$part" ] || sort -u "$folder/$part" | sed "s/\$/ $part/" >>"$folder/sites"
done
touch "$folder/sites"

found() { # found SITE: does the checker complain in one of the parts that reach it?
    local part order
    for part in $(awk -v site="$1" '$1 == site { print $NF }' "$folder/sites"); do
        for order in forward reverse random:1; do
            CUDASIM_SKIP_BARRIER=$1 CUDASIM_ORDER=$order CUDASIM_MAX_REPORTS=1 timeout 300 "$program" "$part" >"$folder/log" 2>&1
            [ $? = 99 ] && return 0
        done
    done
    return 1
}

for site in $(awk '{ print $1 }' "$folder/sites" | sort -u); do
    if found "$site"; then
        passed=$((passed + 1))
    elif sed -n "${site##*:}p" "${site%:*}" 2>/dev/null | grep -q 'redundant\|beyond the checker'; then
        say SKIP "the barrier at $site: $(sed -n "${site##*:}s/.*\(redundant\|beyond the checker\)/\1/p" "${site%:*}")"
    else
        say FAIL "without the barrier at $site the checker says nothing ($(awk -v site="$site" '$1 == site { print $NF }' "$folder/sites" | tr '\n' ' '))"
    fi
done
[ -s "$folder/sites" ] || say FAIL "no barrier was reached"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
