/* ==== >>cuda order: medians and percentiles, by selection ================================================================ */
/*  Short lines are sorted in a block. In longer ones each wanted rank has a slot, which holds the upper bits of its key as far as they
    are known: digit by digit, the elements that share these bits are counted by their next digit, and the counts tell it. The host
    learns none of it and waits for nothing. */

enum {
    GI_SLOTS         = 32,  /* of two ranks for each quantile */
    GI_SELECT_COUNTS = 8192 /* counters of a block */
};
#define GI_SELECT_ROOM ((int64_t)1 << 23) /* counters of all lines that are looked at together */

typedef struct gi_cuda_select_job {
    gi_cuda_quantiles   wanted; /* of the quantiles, those of the slots */
    gi_cuda_keys        keys;
    const char         *elements;            /* of the first line, packed */
    int64_t             first, length, part; /* the number of the first line; elements of a block */
    unsigned            lines, parts;
    int                 slots, shift, bits; /* the digit */
    bool                start;              /* it is the first one */
    const uint64_t     *known;              /* of each line's slots: the bits above the digit ... */
    uint64_t           *known_next;         /* ... and with it */
    int64_t            *ranks;              /* among the elements that share them */
    unsigned long long *counts;             /* of each line: 2^bits for every different `known` */
    unsigned long long *nans;               /* of each line */
} gi_cuda_select_job;

/* Slots that know the same bits share their counts. For a warp whose lane is a slot with these bits: which counts; `fresh`: is it
   the first slot that has them? */
GI_DEVICE unsigned gi_cuda_shared_slot(uint64_t known, bool exists, bool &fresh)
{
    unsigned lane = threadIdx.x % 32, slots = __ballot_sync(0xffffffffu, exists);
    unsigned same    = __match_any_sync(0xffffffffu, (unsigned long long)known) & slots;
    unsigned first   = same ? __ffs((int)same) - 1 : lane;
    fresh            = exists && first == lane;
    unsigned leaders = __ballot_sync(0xffffffffu, fresh);
    return __popc(leaders & ((1u << first) - 1));
}

template <class U> struct gi_key_of_bits {
    typedef uint32_t type;
};
template <> struct gi_key_of_bits<uint64_t> {
    typedef uint64_t type;
};

/* A block counts a part of a line. U: the bits of an element. */
template <class U>
static __global__ void __launch_bounds__(2 * GI_CUDA_THREADS) gi_cuda_count_keys(const __grid_constant__ gi_cuda_select_job j)
{
    typedef typename gi_key_of_bits<U>::type K;
    GI_BLOCK_SHARED(unsigned, count, [GI_SELECT_COUNTS]);
    GI_BLOCK_SHARED(uint64_t, known, [GI_SLOTS]);
    GI_BLOCK_SHARED(unsigned, found, [2]); /* different `known`s; NaNs */
    unsigned line = blockIdx.x / j.parts, part = blockIdx.x - line * j.parts, lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        bool     exists = lane < (unsigned)j.slots && (!j.start || lane == 0), fresh;
        uint64_t bits   = exists && !j.start ? j.known[(int64_t)line * j.slots + lane] : 0;
        unsigned slot = gi_cuda_shared_slot(bits, exists, fresh), different = __popc(__ballot_sync(0xffffffffu, fresh));
        if (fresh) known[slot] = bits;
        if (lane == 0) {
            found[0] = different;
            found[1] = 0;
        }
    }
    for (unsigned i = threadIdx.x; i < GI_SELECT_COUNTS; i += blockDim.x) count[i] = 0;
    __syncthreads();

    unsigned     different = found[0], nans = 0, mask = (1u << j.bits) - 1, last = 0, run = 0;
    int64_t      begin = part * j.part, end = j.length - begin < j.part ? j.length : begin + j.part;
    const U     *element = (const U *)j.elements + line * j.length;
    gi_cuda_keys how     = j.keys;
    how.size             = sizeof(U); /* known to the compiler */
#pragma unroll 4
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        K key;
        gi_cuda_key_at(how, (const char *)(element + i), key);
        unsigned slot = 0, counter;
        if (j.start) {
            nans += key == (K) ~(K)0;
        } else {
            uint64_t above = (uint64_t)key >> j.shift >> j.bits;
            while (slot < different && known[slot] != above) slot++;
            if (slot == different) continue;
        }
        counter = slot << j.bits | ((unsigned)(key >> j.shift) & mask);
        if (counter == last) {
            run++;
        } else { /* many neighbours have the same upper bits: they are added at once */
            if (run > 0) atomicAdd(&count[last], run);
            last = counter;
            run  = 1;
        }
    }
    if (run > 0) atomicAdd(&count[last], run);
    if (nans > 0) atomicAdd(&found[1], nans);
    __syncthreads();
    unsigned long long *total = j.counts + (int64_t)line * ((int64_t)j.slots << j.bits);
    for (unsigned i = threadIdx.x; i < different << j.bits; i += blockDim.x)
        if (count[i] > 0) atomicAdd(&total[i], (unsigned long long)count[i]);
    if (threadIdx.x == 0 && found[1] > 0 && j.keys.rule == GI_KEYS_ORDER)
        atomicAdd(&j.nans[line], (unsigned long long)found[1]);
}

/* A warp finds the next digit of a slot. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_next_digit(const __grid_constant__ gi_cuda_select_job j)
{
    unsigned warp = blockIdx.x * GI_WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, line = warp / j.slots;
    int      slot = (int)(warp - line * j.slots);
    if (line >= j.lines) return;
    int64_t  at     = (int64_t)line * j.slots;
    bool     exists = lane < (unsigned)j.slots, fresh;
    uint64_t known  = !j.start && exists ? j.known[at + lane] : 0;
    unsigned row    = __shfl_sync(0xffffffffu, gi_cuda_shared_slot(known, exists, fresh), slot);
    known           = __shfl_sync(0xffffffffu, (unsigned long long)known, slot);

    int64_t rank = 0;
    if (j.start) {
        int64_t n = gi_cuda_counted(j.wanted.rule, j.length, (int64_t)j.nans[line]);
        gi_rank r = gi_rank_of(j.wanted.rule, j.wanted.quantiles[slot / 2], n > 0 ? n : 1);
        rank      = slot % 2 == 0 ? r.previous : r.next;
    } else {
        rank = j.ranks[at + slot];
    }
    const unsigned long long *count = j.counts + ((at + row) << j.bits);
    int                       each = 1 << j.bits >> 5, digit = (int)lane * each;
    int64_t                   mine = 0, sum;
    for (int k = 0; k < each; k++) mine += (int64_t)count[digit + k];
    sum = mine;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        int64_t other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= (unsigned)step) sum += other;
    }
    int64_t below = sum - mine;
    __syncwarp(); /* all have read the rank, which one now replaces */
    if (rank < below || rank >= sum) return;
    for (; rank >= below + (int64_t)count[digit]; digit++) below += (int64_t)count[digit];
    j.known_next[at + slot] = known << j.bits | (unsigned)digit;
    j.ranks[at + slot]      = rank - below;
}

/* From the keys that the slots know. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_write_selected(const __grid_constant__ gi_cuda_select_job j)
{
    unsigned i = blockIdx.x * GI_CUDA_THREADS + threadIdx.x, line = i % j.lines;
    int      k = (int)(i / j.lines);
    if (k >= j.slots / 2) return;
    int64_t         n     = gi_cuda_counted(j.wanted.rule, j.length, (int64_t)j.nans[line]);
    gi_rank         r     = gi_rank_of(j.wanted.rule, j.wanted.quantiles[k], n > 0 ? n : 1);
    const uint64_t *known = j.known + (int64_t)line * j.slots + 2 * k;
    if (j.keys.size == 8) gi_cuda_write_quantile(j.wanted, j.keys, k, j.first + line, n, r, known[0], known[1]);
    else gi_cuda_write_quantile(j.wanted, j.keys, k, j.first + line, n, r, (uint32_t)known[0], (uint32_t)known[1]);
}

/* The quantiles of the slots, of the lines from j->first on. */
static bool gi_cuda_select_lines(const char *site, gi_cuda_select_job *j, uint64_t *known[2])
{
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      slots  = (int64_t)j->lines * j->slots;
    int          most   = j->slots <= 4 && j->length >= 32768 ? 11 : 8;
    bool         ok     = GI_CUDA_OK(site, cudaMemsetAsync(j->nans, 0, j->lines * sizeof *j->nans, stream));
    j->start            = true;
    for (int above = j->keys.bits > 8 ? j->keys.bits : 8; ok && above > 0; above -= j->bits, j->start = false) {
        j->bits       = above < most ? above : most;
        j->shift      = above - j->bits;
        j->known      = known[0];
        j->known_next = known[1];
        ok            = GI_CUDA_OK(site, cudaMemsetAsync(j->counts, 0, (size_t)(slots << j->bits) * sizeof *j->counts, stream));
        if (!ok) break;
        unsigned blocks = j->lines * j->parts, threads = 2 * GI_CUDA_THREADS;
        if (j->keys.size == 1) GI_LAUNCH(gi_cuda_count_keys<uint8_t>, blocks, threads, stream, *j);
        else if (j->keys.size == 2) GI_LAUNCH(gi_cuda_count_keys<uint16_t>, blocks, threads, stream, *j);
        else if (j->keys.size == 4) GI_LAUNCH(gi_cuda_count_keys<uint32_t>, blocks, threads, stream, *j);
        else GI_LAUNCH(gi_cuda_count_keys<uint64_t>, blocks, threads, stream, *j);
        ok = gi_cuda_launched(site, "the counts of a selection");
        if (!ok) break;
        GI_LAUNCH(gi_cuda_next_digit, (unsigned)((slots + GI_WARPS - 1) / GI_WARPS), GI_CUDA_THREADS, stream, *j);
        ok       = gi_cuda_launched(site, "a selection");
        known[0] = j->known_next;
        known[1] = (uint64_t *)j->known;
    }
    if (!ok) return false;
    j->known = known[0];
    GI_LAUNCH(gi_cuda_write_selected, gi_cuda_blocks(slots / 2), GI_CUDA_THREADS, stream, *j);
    return gi_cuda_launched(site, "a selection");
}

/* A selection for each 16 quantiles, for as many lines at once as there is room to count. */
static bool gi_cuda_select_quantiles(const char *site, const ga_array *packed, const gi_cuda_quantiles *wanted, int64_t length)
{
    gi_cuda_select_job j;
    memset(&j, 0, sizeof j);
    int64_t size = ga_itemsize(packed->dtype), lines = packed->size / length, count = wanted->count;
    int     slots = count < GI_SLOTS / 2 ? 2 * (int)count : (int)GI_SLOTS, most = slots <= 4 ? 11 : 8;
    int64_t step  = GI_SELECT_ROOM / ((int64_t)slots << most),
            share = packed->size / (8 * gi_gpus.gpu[gi_cuda_ordinal(packed)].processors);
    if (step > lines) step = lines;
    j.keys   = gi_cuda_keys_of(packed->dtype, true);
    j.length = length;
    j.part   = share < 16384 ? 16384 : share > INT32_MAX / 2 ? INT32_MAX / 2 : share;
    j.parts  = (unsigned)((length + j.part - 1) / j.part);
    gi_scratch room;
    size_t     words = (size_t)(step * (3 * slots + 1 + ((int64_t)slots << most)));
    if (!gi_scratch_get(site, &room, packed, words * sizeof(uint64_t))) return false;
    uint64_t *known[2] = { (uint64_t *)room.p, (uint64_t *)room.p + step * slots };
    bool      ok       = true;
    j.ranks            = (int64_t *)known[1] + step * slots;
    j.nans             = (unsigned long long *)j.ranks + step * slots;
    j.counts           = j.nans + step;
    for (int64_t k = 0; ok && k < count; k += GI_SLOTS / 2)
        for (int64_t line = 0; ok && line < lines; line += step) {
            j.wanted = *wanted;
            j.wanted.quantiles += k;
            j.wanted.places += k;
            j.slots    = count - k < GI_SLOTS / 2 ? 2 * (int)(count - k) : (int)GI_SLOTS;
            j.first    = line;
            j.lines    = (unsigned)(lines - line < step ? lines - line : step);
            j.elements = (const char *)packed->data + line * length * size;
            ok         = gi_cuda_select_lines(site, &j, known);
        }
    gi_scratch_free(&room);
    return ok;
}

/* The quantiles of one line whose keys are sorted. */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_write_sorted(const __grid_constant__ gi_cuda_quantiles w, gi_cuda_keys keys, const K *sorted, int64_t length,
                         int64_t line)
{
    int     k   = (int)(blockIdx.x * GI_CUDA_THREADS + threadIdx.x);
    int64_t low = keys.rule == GI_KEYS_ORDER ? 0 : length, high = length;
    if (k >= w.count) return;
    while (low < high) { /* the NaNs are the last */
        int64_t middle = low + (high - low) / 2;
        if (sorted[middle] == (K) ~(K)0) high = middle;
        else low = middle + 1;
    }
    int64_t n = gi_cuda_counted(w.rule, length, length - low);
    gi_rank r = gi_rank_of(w.rule, w.quantiles[k], n > 0 ? n : 1);
    gi_cuda_write_quantile(w, keys, k, line, n, r, sorted[r.previous], sorted[r.next]);
}

/* Many quantiles of long lines: their keys are sorted. */
template <class K>
static bool gi_cuda_sort_quantiles(const char *site, const ga_array *packed, const gi_cuda_quantiles *wanted, int64_t length)
{
    gi_cuda_keys how = gi_cuda_keys_of(packed->dtype, true);
    gi_scratch   room;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      bytes  = gi_mem_padded(length * (int64_t)sizeof(K));
    bool         ok     = true;
    if (!gi_scratch_get(site, &room, packed, (size_t)(2 * bytes))) return false;
    for (int64_t line = 0; ok && line < packed->size / length; line++) {
        K          *keys[2]  = { (K *)room.p, (K *)((char *)room.p + bytes) };
        const char *elements = (const char *)packed->data + line * length * how.size;
        GI_LAUNCH(gi_cuda_plain_keys<K>, (unsigned)((length + GI_PLAIN_TILE - 1) / GI_PLAIN_TILE), GI_CUDA_THREADS, stream, how,
                  elements, length, keys[0], (int64_t *)NULL);
        ok = gi_cuda_launched(site, "the keys of a sort") &&
             gi_cuda_sort_pairs(site, packed, keys, (uint32_t **)NULL, length, how.bits);
        if (!ok) break;
        GI_LAUNCH(gi_cuda_write_sorted<K>, gi_cuda_blocks(wanted->count), GI_CUDA_THREADS, stream, *wanted, how, keys[0],
                  length, line);
        ok = gi_cuda_launched(site, "percentiles");
    }
    gi_scratch_free(&room);
    return ok;
}

/* Quantiles travel with launches: so the host need not wait until they have arrived. */
enum { GI_QUANTILES_SENT = 64, GI_QUANTILES_TO_SELECT = 32 };
#define GI_LINE_TO_SORT ((int64_t)1 << 20)

typedef struct gi_cuda_sent {
    int     count;
    double  quantiles[GI_QUANTILES_SENT];
    int64_t places[GI_QUANTILES_SENT];
} gi_cuda_sent;

static __global__ void __launch_bounds__(GI_QUANTILES_SENT)
    gi_cuda_put_quantiles(const __grid_constant__ gi_cuda_sent sent, double *quantiles, int64_t *places)
{
    int k = threadIdx.x;
    if (k >= sent.count) return;
    quantiles[k] = sent.quantiles[k];
    places[k]    = sent.places[k];
}

static bool gi_cuda_send_quantiles(const char *site, const gi_order *o, double *quantiles, int64_t *places)
{
    for (int64_t first = 0; first < o->count; first += GI_QUANTILES_SENT) {
        gi_cuda_sent sent;
        memset(&sent, 0, sizeof sent);
        sent.count = o->count - first < GI_QUANTILES_SENT ? (int)(o->count - first) : (int)GI_QUANTILES_SENT;
        memcpy(sent.quantiles, o->quantiles + first, (size_t)sent.count * sizeof *sent.quantiles);
        memcpy(sent.places, o->places + first, (size_t)sent.count * sizeof *sent.places);
        GI_LAUNCH(gi_cuda_put_quantiles, 1, GI_QUANTILES_SENT, gi_cuda_current_stream(), sent, quantiles + first,
                  places + first);
        if (!gi_cuda_launched(site, "percentiles")) return false;
    }
    return true;
}

/* Quantiles of lines that are too long for a block. */
static bool gi_cuda_order_long(const char *site, const gi_lines *p, const gi_cuda_quantiles *wanted)
{
    gi_layout l = { (char *)p->a->data, 0, { 0 }, { 0 } };
    for (int d = 0; d < p->kept + p->reduced; d++) {
        bool kept    = d < p->kept;
        l.shape[d]   = kept ? p->kept_shape[d] : p->shape[d - p->kept];
        l.strides[d] = kept ? p->kept_strides[d] : p->strides[d - p->kept];
        l.ndim++;
    }
    ga_array *lines  = gi_view_with(site, p->a, &l);
    ga_array *packed = lines ? gi_cuda_packed(site, lines, lines->dtype) : NULL;
    bool      sort   = wanted->count > GI_QUANTILES_TO_SELECT && p->length >= GI_LINE_TO_SORT && p->length <= INT32_MAX,
         ok          = packed != NULL;
    if (ok && !sort) ok = gi_cuda_select_quantiles(site, packed, wanted, p->length);
    else if (ok && ga_itemsize(packed->dtype) == 8) ok = gi_cuda_sort_quantiles<uint64_t>(site, packed, wanted, p->length);
    else if (ok) ok = gi_cuda_sort_quantiles<uint32_t>(site, packed, wanted, p->length);
    ga_free(packed);
    ga_free(lines);
    return ok;
}

/* The quantiles of nothing. */
static bool gi_cuda_fill_nan(const char *site, const gi_order *o)
{
    gi_job j;
    ga_arg nan = GA_ARG(gi_nan_f64());
    char   element[16];
    memset(&j, 0, sizeof j);
    gi_number_to(nan, o->rule.result, element);
    j.inputs       = 1;
    j.ndim         = 1;
    j.shape[0]     = o->count * o->lines.lines;
    j.in[0].number = true;
    j.in[0].data   = element;
    j.in[0].dtype = j.in[0].wanted = o->rule.result;
    j.out.data                     = o->out;
    j.out.dtype = j.out.wanted = o->rule.result;
    j.out.strides[0]           = ga_itemsize(o->rule.result);
    return gi_cuda_run(site, &j);
}

/* Runs a planned order statistic of at least one line into o->out. */
static bool gi_cuda_order(const char *site, const gi_order *o)
{
    const gi_lines *p       = &o->lines;
    const ga_array *both[2] = { p->a, o->result };
    gi_scratch      room;
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    if (p->length == 0) return gi_cuda_fill_nan(site, o);
    if (!gi_scratch_get(site, &room, p->a, (size_t)o->count * (sizeof(double) + sizeof(int64_t)))) return false;
    double           *quantiles = (double *)room.p;
    int64_t          *places    = (int64_t *)(quantiles + o->count);
    gi_cuda_quantiles wanted    = { o->rule, (int)o->count, quantiles, places, o->out, p->lines };
    bool              ok        = gi_cuda_send_quantiles(site, o, quantiles, places);
    if (ok && p->length <= GI_SORT_TILE) {
        gi_cuda_short j;
        memset(&j, 0, sizeof j);
        j.keys   = gi_cuda_keys_of(p->a->dtype, true);
        j.result = GI_SHORT_QUANTILES;
        j.wanted = wanted;
        ok       = gi_cuda_run_short(site, &j, p);
    } else if (ok) {
        ok = gi_cuda_order_long(site, p, &wanted);
    }
    gi_scratch_free(&room);
    return ok;
}
