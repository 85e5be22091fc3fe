#!/usr/bin/env bash
# mpi.sh openmpi|mpich FOLDER [quick] -- gpuarr_mpi.h with that MPI: the tests of chunked arrays on several ranks, equal bits for any number
# of ranks and threads, errors, lost ranks, resuming, and several hosts (network namespaces) where the system lets us make them.
# quick: without what waits (lost ranks, cut cables). All numbers of ranks are tried with MPICH, when it is not quick.
set -u
cd "$(dirname "$0")/.."
mpi=$1 at=$2 quick=${3:-}
. tests/build.sh
passed=0 failed=0 skipped=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0 # MPI itself keeps what it has
for needed in mpicc.$mpi mpirun.$mpi; do
    command -v $needed >/dev/null && continue
    echo "SKIP $mpi: there is no $needed: apt-get install $(tools/libs.sh packages $mpi)"
    echo "0 passed, 0 failed, 1 skipped"
    exit
done
mkdir -p "$at" && at=$(cd "$at" && pwd)

ranks() { # ranks N COMMAND...
    local n=$1
    shift
    if [ "$mpi" = openmpi ]; then set -- mpirun.openmpi --oversubscribe --bind-to none -n "$n" "$@"; else set -- mpirun.mpich -n "$n" "$@"; fi
    (cd "$at" && timeout 300 "$@")
}

check() { # check NAME CONDITION...
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        echo "FAIL $mpi: $name"
        failed=$((failed + 1))
    fi
}

# counted NAME N LOG: every one of N ranks has written its closing line, and they are added up
counted() {
    local lines
    lines=$(grep -caE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$3")
    check "$1: $lines of $2 ranks came to the end" [ "$lines" = "$2" ]
    grep -aE 'FAIL|says:|ERROR|runtime error' "$3" | head -n 20
    set -- $(awk '/^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3; s += $5 } END { print p + 0, f + 0, s + 0 }' "$3")
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

build="mpicc.$mpi -std=c11 -O1 -g1 -I."
[ "$mpi" = mpich ] || build="$build -fsanitize=address,undefined -fno-sanitize-recover=undefined" # one of them is enough
printf '#define GPUARR_IMPLEMENTATION\n#include "gpuarr_mpi.h"\n' >"$at/impl.c"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -DGPUARR_BASELINE_ONLY -I. -fsyntax-only"
check "gpuarr_mpi.h compiles as C" made "$at/read_c" mpicc.$mpi -std=c11 $warnings "$at/impl.c"
check "gpuarr_mpi.h compiles as C++" made "$at/read_cpp" mpicxx.$mpi -std=c++20 $warnings -x c++ "$at/impl.c"
made "$at/impl.o" $build -DGPUARR_BASELINE_ONLY -DGPUARR_FEW_DTYPES -DGI_WORTH_SHARING=0 -DGI_WORTH_WAKING=0 -c "$at/impl.c" || {
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
}
for t in chunked chunked_ops tasks mpi; do
    made "$at/$t.o" $build -c "tests/$t.c" && made "$at/$t" $build "$at/$t.o" "$at/impl.o" -lm -lpthread || failed=$((failed + 1))
done
rm -f "$at"/*.log "$at"/bits-*
mkdir -p "$at/build/tests" # where the tests write: those of other builds may be running

# what the tests of one process ask for
ways="1-1 1-2 2-1 3-2 4-1" some="1 3" couples="2 4" # ranks and threads
[ -z "$quick" ] && [ "$mpi" = mpich ] || ways="1-1 3-2" some=3 couples=2 # sanitized, each is slow
for n in $some; do
    ranks $n "$at/chunked" >"$at/chunked-$n.log" 2>&1
    counted "chunked" $n "$at/chunked-$n.log"
done
ranks 2 "$at/chunked_ops" >"$at/chunked_ops.log" 2>&1
counted "chunked_ops" 2 "$at/chunked_ops.log"
ranks 3 "$at/tasks" >"$at/tasks.log" 2>&1
counted "tasks" 3 "$at/tasks.log"

# the same bits for 1 to 4 ranks of 1 and 2 threads; and the same files
for each in $ways; do
    n=${each%-*} threads=${each#*-}
    rm -rf "$at/files" && mkdir "$at/files"
    GPUARR_NUM_THREADS=$threads ranks $n "$at/mpi" bits "$at/files" >"$at/bits.log" 2>&1
    counted "bits, $n ranks" $n "$at/bits.log"
    (grep -a HASH "$at/bits.log" && cd "$at/files" && find . -type f | sort | xargs cksum) >"$at/bits-$each"
    check "$n ranks of $threads threads have the bits of one" cmp "$at/bits-$each" "$at/bits-1-1"
done
check "there are bits" grep -q "HASH file" "$at/bits-1-1"

# errors of one rank are errors of all
for n in $couples; do
    ranks $n "$at/mpi" errors "$at/files" >"$at/errors.log" 2>&1
    counted "errors" $n "$at/errors.log"
done

if [ -n "$quick" ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
    exit
fi

# a rank that ends early, or never comes
for rank in 0 1; do
    ranks 2 "$at/mpi" leave $rank >"$at/leave.log" 2>&1
    counted "rank $rank ends early" 2 "$at/leave.log"
    GA_TIMEOUT=1 ranks 2 "$at/mpi" silent $rank >"$at/silent.log" 2>&1
    check "a silent rank $rank ends the job" [ $? != 0 ]
    check "a silent rank $rank is told" grep -q "has not heard of rank $rank on .* for 1 s: it is lost, or busy" "$at/silent.log"
done

# a rank is killed in the middle, and another number of ranks goes on from there
rm -rf "$at/files" && mkdir "$at/files"
KILL=1 ranks 2 "$at/mpi" resume "$at/files/x.npy" >"$at/kill.log" 2>&1
check "the job ends with a rank" [ $? != 0 ]
check "what is done is written down" [ -s "$at/files/x.npy.gpuarr.part" -a -s "$at/files/x.npy.gpuarr.journal" -a ! -e "$at/files/x.npy" ]
ranks 3 "$at/mpi" resume "$at/files/x.npy" >"$at/resume.log" 2>&1
counted "resuming" 3 "$at/resume.log"
check "what was done is not done again" [ "$(awk '/^CALLS/ { n += $2 } END { print n + 0 }' "$at/resume.log")" -lt 20 ]
check "the journal is gone" [ -s "$at/files/x.npy" -a ! -e "$at/files/x.npy.gpuarr.journal" ]

# three hosts, and a cable that is cut
hosts() {
    local bridge=gpuarr$$ n dead
    for n in 1 2 3; do ip netns del $bridge-$n 2>/dev/null; done
    ip link add $bridge type bridge 2>/dev/null && ip link set $bridge up || return 1
    for n in 1 2 3; do
        ip netns add $bridge-$n && ip link add $bridge-v$n type veth peer name eth0 netns $bridge-$n && ip link set $bridge-v$n master $bridge up &&
            ip -n $bridge-$n addr add 10.211.77.$n/24 dev eth0 && ip -n $bridge-$n link set eth0 up && ip -n $bridge-$n link set lo up || return 1
    done
    cat >"$at/agent" <<END # in place of ssh: enters the host of that address
#!/bin/bash
while [[ \$1 == -* ]]; do [ "\$1" = -l ] && shift; shift; done
host=\${1##*.}; shift
exec ip netns exec $bridge-\$host unshare --uts bash -c "hostname host\$host; \$*"
END
    chmod +x "$at/agent"
}
on_hosts() {
    local list=10.211.77.1,10.211.77.2,10.211.77.3
    if [ "$mpi" = openmpi ]; then
        timeout -k 5 $patience ip netns exec gpuarr$$-1 unshare --uts bash -c "hostname host1; exec mpirun.openmpi -mca plm_rsh_agent $at/agent -mca btl tcp,self -mca btl_tcp_if_include eth0 \
            -mca oob_tcp_if_include eth0 --bind-to none --map-by node -H ${list//,/:4,}:4 -n 3 $*"
    else
        UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 timeout -k 5 $patience ip netns exec gpuarr$$-1 unshare --uts bash -c "hostname host1; exec mpirun.mpich -launcher ssh -launcher-exec $at/agent -iface eth0 -hosts $list -n 3 $*"
    fi
}
if hosts 2>"$at/hosts.log"; then
    rm -rf "$at/files" && mkdir "$at/files"
    patience=120
    on_hosts "$at/mpi" bits "$at/files" >"$at/bits.log" 2>&1
    counted "bits, 3 hosts" 3 "$at/bits.log"
    (grep -a HASH "$at/bits.log" && cd "$at/files" && find . -type f | sort | xargs cksum) >"$at/bits-hosts"
    check "3 hosts have the bits of one" cmp "$at/bits-hosts" "$at/bits-1-1"
    rm -f "$at/waiting" "$at/severed" && mkfifo "$at/waiting"
    (read -r <"$at/waiting" && ip link set gpuarr$$-v2 down && touch "$at/severed") &
    cutter=$!
    patience=30 # mpirun itself may wait for the daemon that it has lost for ever
    GA_TIMEOUT=5 on_hosts "$at/mpi" cut "$at/waiting" >"$at/cut.log" 2>&1
    check "a cut cable ends the job" [ $? != 0 ]
    for left in $(pgrep -f "$at/mpi cut"); do timeout 20 tail --pid="$left" -f /dev/null; done # those on the other side notice it by themselves
    check "a cut cable leaves nobody computing" [ -z "$(pgrep -x mpi -a | grep "cut $at/waiting")" ]
    check "a cut cable is told" grep -qE "has not heard of rank|waited 5 s" "$at/cut.log"
    kill $cutter 2>/dev/null # it would wait for ever, and hold the lock of this test
    wait $cutter 2>/dev/null
    if [ ! -e "$at/severed" ]; then
        echo "SKIP $mpi with a cut cable: this machine is so busy that the ranks lost each other before"
        skipped=$((skipped + 1))
    fi
else
    echo "SKIP $mpi on three hosts: network namespaces cannot be made here ($(head -n 1 "$at/hosts.log"))"
    skipped=$((skipped + 1))
fi
for n in 1 2 3; do
    ip netns pids gpuarr$$-$n 2>/dev/null | xargs -r kill -9 2>/dev/null
    ip netns del gpuarr$$-$n 2>/dev/null
    ip link del gpuarr$$-v$n 2>/dev/null
done
ip link del gpuarr$$ 2>/dev/null
echo "$passed passed, $failed failed, $skipped skipped"
