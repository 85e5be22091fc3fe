# explain.awk -- turns the reports of cudasim's checker into sentences for a student: the line, what happened there between which threads,
# and what helps. awk -v file=NAME.cu -v path=PATH -f explain.awk REPORTS

BEGIN {
    most = 3
    while ((getline text < path) > 0) source[++lines] = text
}

# "(3,0,0)" is 3, "(3,2,0)" is (x 3, y 2)
function place(s,    n)
{
    gsub(/[()]/, "", s)
    split(s, n, ",")
    if (n[3] != 0) return "(x " n[1] ", y " n[2] ", z " n[3] ")"
    return n[2] != 0 ? "(x " n[1] ", y " n[2] ")" : n[1]
}

# The line of the exercise in "f(int*) at a.cu:8, inlined in main at a.cu:20": the first that is in the exercise's own file; 0 for none.
function line_of(s,    parts, k, n, at)
{
    n = split(s, parts, ", inlined in ")
    for (k = 1; k <= n; k++) {
        at = parts[k]
        if (index(at, file ":")) {
            sub(/^.*:/, "", at)
            return at + 0
        }
    }
    return 0
}

function quote(n,    text)
{
    if (n < 1 || n > lines) return
    text = source[n]
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    printf "       line %d:   %s\n", n, text
}

function did(word) { return word ~ /^read/ ? "reads" : word ~ /^write/ ? "writes" : "changes atomically" }

function say(words, help)
{
    if (said[at, words_kind]++) return # the same, by other threads
    printf "wrong: %s%s\n", at ? "line " at ": " : "", words
    if (at) quote(at)
    if (other && other != at) quote(other)
    if (help != "") printf "       %s\n", help
    told++
}

# How the array that was missed is called here: "400 bytes of device memory"
function where_memory(s,    n, behind, size, index_, text)
{
    if (match(memory, /[0-9]+ byte\(s\) behind the end of [0-9]+ bytes/)) {
        split(memory, n, " ")
        behind = n[1]
        size = n[7]
        if (bytes > 0) {
            index_ = int((size + behind - 1) / bytes)
            return sprintf("behind the end of its array: it has %d elements, 0 to %d, and this is number %d", size / bytes, size / bytes - 1, index_)
        }
        return "behind the end of its array"
    }
    if (memory ~ /before the start/) return "before the start of its array: the index is negative"
    if (memory ~ /freed/) return "in memory that was freed before"
    return "where no array is"
}

function who() { return thread == "" ? "the program" : "thread " thread " of block " block }

function tell(    action, word, helps, other_who, n)
{
    if (head == "" || told >= most) return
    words_kind = head
    gsub(/[0-9]+|0x[0-9a-f]+| (read|write|atomic access)/, "", words_kind)
    other_who = conflict
    if (head ~ /^data race/) {
        word = head ~ /in shared memory/ ? "shared" : "global"
        match(head, /(read|write|atomic access)/)
        action = did(substr(head, RSTART, RLENGTH))
        if (match(conflict, /by block [0-9]+ thread [0-9]+ of the same kernel/)) {
            split(substr(conflict, RSTART, RLENGTH), n, " ")
            other_who = "thread " n[5] (n[3] == block_number ? " of the same block" : " of block " n[3])
            if (n[3] == block_number && at == other) helps = "both are in one line, where no barrier can stand between them. If they count or add in one place: use an atomic function (atomicAdd). If one needs what was there before the other wrote: first all read, then a barrier, then all write"
            else if (n[3] == block_number) helps = advice ~ /one warp/ ? "between the two a barrier is missing: __syncthreads(), reached by all threads of the block (inside of one warp __syncwarp() is enough)" : "between the two a barrier is missing: __syncthreads(), reached by all threads of the block"
            else helps = "blocks run in any order, and no barrier stands between them: use an atomic function, or let each thread write a place of its own"
        } else if (conflict ~ /by host code/) {
            other_who = "the program on the processor"
            helps = "wait for the stream before you touch the memory: cudaStreamSynchronize"
        } else {
            if (match(conflict, /kernel [^ ]+ launched at [^ ]+ in stream [0-9]+/)) {
                split(substr(conflict, RSTART, RLENGTH), n, " ")
                other_who = "the kernel " n[2] " in stream " n[8]
            } else sub(/^.* by /, "", other_who)
            say("a race: " (thread == "" ? mine : "the kernel, by " who() ",") " uses the same memory at the same time as " other_who, "nothing orders the two: give each its own memory, put them into one stream, or make one wait (cudaStreamWaitEvent, cudaStreamSynchronize)")
            return
        }
        say("a race in " word " memory: " who() " " action " the same place that " other_who " " (conflict ~ /with a read/ ? "reads" : conflict ~ /with a write/ ? "writes" : "changes") (other && other != at ? " in line " other : "") "; which comes first is chance", helps)
        return
    }
    match(head, /^[0-9]+-byte (read|write|atomic access)/)
    if (RLENGTH > 0) {
        bytes = head + 0
        action = head ~ /-byte write/ ? "writes" : head ~ /-byte read/ ? "reads" : "changes"
    }
    if (head ~ /of unallocated memory/ || head ~ /of freed memory/) say(who() " " action " " where_memory(), memory ~ /freed/ ? "free it later" : "check the index against the size")
    else if (head ~ /outside a __shared__ variable/) {
        n[1] = ""
        if (match(detail, /byte -?[0-9]+ of the [0-9]+ bytes/)) {
            split(substr(detail, RSTART, RLENGTH), n, " ")
            say(sprintf("%s %s outside of a __shared__ array, at element %d: it has %d elements", who(), action, n[2] / bytes, n[5] / bytes), "check the index against the size of the array")
        } else say(who() " " action " outside of a __shared__ array", "check the index against the size of the array")
    }
    else if (head ~ /of dynamic shared memory, but the launch asked/) say(who() " " action " more dynamic shared memory than the launch asked for", "the third number in <<< >>> is the size in bytes")
    else if (head ~ /shared memory that no thread of this block wrote/) say(who() " reads a place of shared memory that no thread of its block has written", "shared memory holds garbage at first: some thread must fill this place, and a barrier must come before it is read")
    else if (head ~ /of memory that nothing wrote/) say(who() " reads memory that nobody has written", "memory from cudaMalloc holds garbage: copy something there, or cudaMemset it first")
    else if (head ~ /to the host reads device memory that nothing wrote/) say("a copy to the processor takes memory that nobody has written", "does the kernel write all of its result? is the copy too long?")
    else if (head ~ /^divergent barrier/) say("the threads of one block wait at different barriers", "all threads of a block must reach the same __syncthreads(): move it out of the if")
    else if (head ~ /the others have already returned/) say("not all threads of the block come to this barrier: some have returned, or gone around it", "no return before a barrier, and no if around it: threads that have nothing to do skip the work, not the barrier")
    else if (head ~ /^launch of .* refused/) { sub(/^launch of /, "the launch of ", head); sub(/ refused: .*/, "", head); say(head " is refused: " advice, "") }
    else if (head ~ /is a host pointer/) say("the kernel is given a pointer to memory of the processor", "a kernel can only use memory of the GPU: from cudaMalloc, filled by cudaMemcpy")
    else if (head ~ /host code .* device (pointer|memory)/) say("the program uses memory of the GPU directly", "copy it with cudaMemcpy first")
    else if (head ~ /device code .* null pointer/) say(who() " uses a null pointer", "which array was never given?")
    else if (head ~ /another thread's local variable/) say(who() " uses a local variable of another thread", "threads share through __shared__ memory or shuffles only")
    else if (head ~ /device code .* host memory/) say(who() " uses memory of the processor", "copy it to the GPU first")
    else if (head ~ /pending work may still/) say("the program uses memory on the processor that a copy under way still needs", "wait first: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize")
    else if (head ~ /^shuffle from lane|^warp primitive|^lanes of one warp/) say(head, advice)
    else if (head ~ /^leak/) { sub(/^leak: /, "", head); say(head, "each cudaMalloc needs its cudaFree") }
    else say(head, advice)
}

/^cudasim: [0-9]+ report\(s\)/ { next }
/^cudasim: / {
    tell()
    head = substr($0, 10)
    thread = block = conflict = memory = advice = detail = mine = ""
    at = other = bytes = 0
    block_number = -1
    next
}
/^      block \([0-9,]+\) thread \([0-9,]+\)/ {
    match($0, /block \([0-9,]+\)/)
    block_number = substr($0, RSTART + 7) + 0 # of one-dimensional grids
    block = place(substr($0, RSTART + 6, RLENGTH - 6))
    match($0, /thread \([0-9,]+\)/)
    thread = place(substr($0, RSTART + 7, RLENGTH - 7))
    next
}
/^      at / { if (!at) at = line_of($0); next }
/^      conflicts with / { conflict = substr($0, 7); next }
/^      which was at / { other = line_of($0); next }
/^      memory: / { memory = substr($0, 15); next }
/^      by / { mine = substr($0, 10); next }
/^      (in kernel|allocated at|freed at) / { next }
{ if (advice != "") detail = detail " " advice; advice = substr($0, 7); if (detail == "") detail = advice }
END { tell() }
