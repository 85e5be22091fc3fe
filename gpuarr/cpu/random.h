/* ==== >>random: random numbers from many counters at once ============================================================ */
typedef long long          GI_FIND(gi_lanes_i64) __attribute__((vector_size(GI_ISA_BYTES)));
typedef unsigned long long GI_FIND(gi_lanes_u64) __attribute__((vector_size(GI_ISA_BYTES)));
#define GI_VI GI_FIND(gi_lanes_i64)
#define GI_VU GI_FIND(gi_lanes_u64)

/* The products of the lower halves of the lanes. */
static GI_INLINE GI_VU GI_FIND(gi_multiply_halves)(GI_VU a, GI_VU b)
{
#ifdef GI_ISA_MM
    return (GI_VU)GI_JOIN(GI_ISA_MM, mul_epu32)((GI_VI)a, (GI_VI)b);
#else
    for (int i = 0; i < GI_ISA_BYTES / 8; i++) a[i] = (a[i] & UINT32_MAX) * (b[i] & UINT32_MAX);
    return a;
#endif
}

/* gi_philox for the counters in a tile of vectors: words 0 and 1, and words 2 and 3 of each. Of the lanes only the lower halves are words. */
static GI_INLINE void GI_FIND(gi_philox_tile)(uint64_t seed, uint64_t stream, const GI_VU *counter, uint64_t *first,
                                              uint64_t *second)
{
    const GI_VU zero = { 0 }, half = zero + UINT32_MAX;
    GI_VU       a[GI_ISA_TILE], b[GI_ISA_TILE], c[GI_ISA_TILE], d[GI_ISA_TILE];
    uint32_t    key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    GI_UNROLL
    for (int v = 0; v < GI_ISA_TILE; v++) {
        a[v] = counter[v];
        b[v] = a[v] >> 32;
        c[v] = zero + stream;
        d[v] = zero + (stream >> 32);
    }
    for (int round = 0; round < 10; round++) {
        GI_UNROLL
        for (int v = 0; v < GI_ISA_TILE; v++) {
            GI_VU left  = GI_FIND(gi_multiply_halves)(a[v], zero + 0xD2511F53u),
                  right = GI_FIND(gi_multiply_halves)(c[v], zero + 0xCD9E8D57u);
            a[v]        = right >> 32 ^ b[v] ^ (zero + key0);
            c[v]        = left >> 32 ^ d[v] ^ (zero + key1);
            b[v]        = right;
            d[v]        = left;
        }
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    GI_UNROLL
    for (int v = 0; v < GI_ISA_TILE; v++) {
        a[v] = (a[v] & half) | b[v] << 32;
        c[v] = (c[v] & half) | d[v] << 32;
    }
    memcpy(first, a, sizeof a);
    memcpy(second, c, sizeof c);
}

/* Those of GI_COUNTERS counters, from one on. */
static GI_INLINE void GI_FIND(gi_philox_all)(const gi_random_plan *p, uint64_t counter, uint64_t *first, uint64_t *second)
{
    enum { PART = GI_ISA_TILE * GI_ISA_BYTES / 8 };
    uint64_t numbers[PART];
    GI_VU    number[GI_ISA_TILE];
    for (int i = 0; i < PART; i++) numbers[i] = (uint64_t)i;
    memcpy(number, numbers, sizeof number);
    for (int start = 0; start < GI_COUNTERS; start += PART) {
        GI_VU counters[GI_ISA_TILE];
        GI_UNROLL
        for (int v = 0; v < GI_ISA_TILE; v++) counters[v] = number[v] + (counter + (uint64_t)start);
        GI_FIND(gi_philox_tile)(p->seed, p->stream, counters, first + start, second + start);
    }
}
#undef GI_VI
#undef GI_VU

/* The words of GI_COUNTERS counters, in their order. */
typedef union GI_FIND(gi_random_words) {
    uint64_t pair[2 * GI_COUNTERS];
    uint32_t word[4 * GI_COUNTERS];
} GI_FIND(gi_random_words);
#define GI_WORDS GI_FIND(gi_random_words)

static GI_INLINE void GI_FIND(gi_random_fill)(const gi_random_plan *p, int64_t counter, GI_WORDS *b)
{
    uint64_t first[GI_COUNTERS], second[GI_COUNTERS];
    GI_FIND(gi_philox_all)(p, (uint64_t)counter, first, second);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        b->pair[2 * i]     = first[i];
        b->pair[2 * i + 1] = second[i];
    }
}

/* Elements begin to begin + 4 * GI_COUNTERS - 1: four from each counter. */
static void GI_FIND(gi_uniform_f32_block)(const gi_random_plan *p, int64_t begin, float *x)
{
    GI_WORDS b;
    GI_FIND(gi_random_fill)(p, begin / 4, &b);
    GI_VECTORIZE
    for (int i = 0; i < 4 * GI_COUNTERS; i++) x[i] = gi_unit_f32(b.word[i]);
}

/* Elements begin to begin + 2 * GI_COUNTERS - 1: two from each counter. */
static void GI_FIND(gi_uniform_f64_block)(const gi_random_plan *p, int64_t begin, double *x)
{
    GI_WORDS b;
    GI_FIND(gi_random_fill)(p, begin / 2, &b);
    GI_VECTORIZE
    for (int i = 0; i < 2 * GI_COUNTERS; i++) x[i] = gi_unit_of_u64(b.pair[i]);
}

static void GI_FIND(gi_integers_block)(const gi_random_plan *p, int64_t begin, int64_t *x)
{
    GI_WORDS       b;
    const uint64_t low = p->low, span = p->span;
    uint64_t       any = 0;
    GI_FIND(gi_random_fill)(p, begin / 2, &b);
    GI_VECTORIZE
    for (int i = 0; i < 2 * GI_COUNTERS; i++) {
        x[i] = (int64_t)(low + gi_multiply_high(b.pair[i], span));
        any |= b.pair[i] * span < span;
    }
    for (int i = 0; i < 2 * GI_COUNTERS && any; i++)
        x[i] = gi_random_integer(p, b.pair[i], begin + i); /* perhaps drawn again */
}

static void GI_FIND(gi_normal_block)(const gi_random_plan *p, int64_t begin, double *x)
{
    uint64_t first[GI_COUNTERS], second[GI_COUNTERS];
    GI_FIND(gi_philox_all)(p, (uint64_t)begin / 2, first, second);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        double sine, cosine = gi_normal_pair(p, gi_unit_of_u64(first[i]), gi_unit_of_u64(second[i]), &sine);
        x[2 * i]     = cosine;
        x[2 * i + 1] = sine;
    }
}

static void GI_FIND(gi_exponential_block)(const gi_random_plan *p, int64_t begin, double *x)
{
    GI_WORDS b;
    GI_FIND(gi_random_fill)(p, begin / 2, &b);
    GI_VECTORIZE
    for (int i = 0; i < 2 * GI_COUNTERS; i++) x[i] = gi_exponential(p, gi_unit_of_u64(b.pair[i]));
}

static void GI_FIND(gi_random)(const gi_random_plan *p, int64_t begin, int64_t n, void *out)
{
    double  last[2 * GI_COUNTERS]; /* the last block, of which only a part is wanted */
    int64_t each = p->kind == GI_UNIFORM_F32 ? 4 * GI_COUNTERS : 2 * GI_COUNTERS, itemsize = (int64_t)sizeof last / each;
    for (int64_t i = 0; i < n; i += each) {
        void *to = i + each <= n ? (char *)out + i * itemsize : (char *)last;
        switch (p->kind) {
        case GI_UNIFORM_F32: GI_FIND(gi_uniform_f32_block)(p, begin + i, (float *)to); break;
        case GI_UNIFORM_F64: GI_FIND(gi_uniform_f64_block)(p, begin + i, (double *)to); break;
        case GI_INTEGERS: GI_FIND(gi_integers_block)(p, begin + i, (int64_t *)to); break;
        case GI_EXPONENTIAL: GI_FIND(gi_exponential_block)(p, begin + i, (double *)to); break;
        default: GI_FIND(gi_normal_block)(p, begin + i, (double *)to); break;
        }
        if (to == last) memcpy((char *)out + i * itemsize, last, (size_t)((n - i) * itemsize));
    }
}
#undef GI_WORDS
