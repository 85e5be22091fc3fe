/* ==== quicksort of unsigned keys (GI_KEY is u32 or u64) ============================================================== */
/*  A pivot parts the keys in place: a compression under a mask leaves those below it side by side, and another one the rest. Few keys are sorted
    in registers, by a bitonic network. */

#define GI_QUICK(stem) GI_JOIN(stem, GI_JOIN(_, GI_JOIN(GI_KEY, GI_JOIN(_, GI_ISA))))
#define GI_KEYS(name)  GI_JOIN(_mm512_##name##_epi, GI_KEY_BITS)
#define GI_WHOLE(name) GI_JOIN(_mm512_##name##_epu, GI_KEY_BITS)
#if GI_KEY_BITS == 32
#define GI_KEY_MASK  __mmask16
#define GI_KEY_LANES 16
#else
#define GI_KEY_MASK  __mmask8
#define GI_KEY_LANES 8
#endif

#if GI_OPTIMIZED
#define GI_QUICK_STEP GI_INLINE
#else
#define GI_QUICK_STEP GI_OWN_FRAME
#endif

/* The lesser of two vectors to a, the greater to b, lane by lane. */
static GI_QUICK_STEP void GI_QUICK(gi_order_two)(__m512i *a, __m512i *b)
{
    const __m512i x = *a, y = *b;
#if GI_KEY_BITS == 32
    *a = _mm512_min_epu32(x, y);
    *b = _mm512_ternarylogic_epi32(x, y, *a, 0x96); /* what is left of both: it competes with less than the maximum */
#else /* a comparison and two blends take less than half as long as minimum and maximum */
    const __mmask8 turn = _mm512_cmplt_epu64_mask(y, x);
    *a                  = _mm512_mask_mov_epi64(x, turn, y);
    *b                  = _mm512_mask_mov_epi64(y, turn, x);
#endif
}

static GI_QUICK_STEP __m512i GI_QUICK(gi_turn_lanes)(__m512i v, const int across) /* lane l becomes lane l ^ across */
{
#if GI_KEY_BITS == 32
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
#endif
    return GI_KEYS(permutexvar)(_mm512_xor_si512(lanes, GI_KEYS(set1)(across)), v);
}

/* Of two vectors the greater keys in the upper lanes, those l for which l ^ across is less, the lesser ones in the others. */
static GI_QUICK_STEP __m512i GI_QUICK(gi_order_with)(const bool real, __m512i v, __m512i other, const int across)
{
    const GI_KEY_MASK upper = (GI_KEY_MASK)(across >= 8 ? 0xff00 : across >= 4 ? 0xf0f0 : across >= 2 ? 0xcccc : 0xaaaa);
#if GI_KEY_BITS == 32
    (void)real;
    return _mm512_mask_ternarylogic_epi32(_mm512_min_epu32(v, other), upper, v, other, 0x96); /* what is left of both */
#else
    const __m512d x = _mm512_castsi512_pd(v), y = _mm512_castsi512_pd(other);
    if (real) return _mm512_castpd_si512(_mm512_mask_max_pd(_mm512_min_pd(x, y), upper, x, y));
    return _mm512_mask_mov_epi64(v, _kxor_mask8(_mm512_cmplt_epu64_mask(other, v), upper), other);
#endif
}

/* Lanes l and l ^ across in order: the greater key goes to the upper one. */
static GI_QUICK_STEP __m512i GI_QUICK(gi_order_lanes)(const bool real, __m512i v, const int across)
{
    return GI_QUICK(gi_order_with)(real, v, GI_QUICK(gi_turn_lanes)(v, across), across);
}

/* Two vectors, each in order, in order: first keys of one beside last ones of the other, so that each becomes bitonic. */
static GI_QUICK_STEP void GI_QUICK(gi_merge_two)(__m512i *v)
{
    v[1] = GI_QUICK(gi_turn_lanes)(v[1], GI_KEY_LANES - 1);
    GI_QUICK(gi_order_two)(v, v + 1);
    GI_UNROLL
    for (int i = 0; i < 2; i++) {
        if (GI_KEY_LANES == 16) v[i] = GI_QUICK(gi_order_lanes)(false, v[i], GI_KEY_LANES / 2);
        v[i] = GI_QUICK(gi_order_lanes)(false, v[i], 4);
        v[i] = GI_QUICK(gi_order_lanes)(false, v[i], 2);
        v[i] = GI_QUICK(gi_order_lanes)(false, v[i], 1);
    }
}

static GI_QUICK_STEP __m512i GI_QUICK(gi_sort_vector)(__m512i v)
{
    v = GI_QUICK(gi_order_lanes)(false, v, 1);
    v = GI_QUICK(gi_order_lanes)(false, v, 3);
    v = GI_QUICK(gi_order_lanes)(false, v, 1);
    v = GI_QUICK(gi_order_lanes)(false, v, 7);
    v = GI_QUICK(gi_order_lanes)(false, v, 2);
    v = GI_QUICK(gi_order_lanes)(false, v, 1);
    if (GI_KEY_LANES < 16) return v;
    v = GI_QUICK(gi_order_lanes)(false, v, GI_KEY_LANES - 1);
    v = GI_QUICK(gi_order_lanes)(false, v, 4);
    v = GI_QUICK(gi_order_lanes)(false, v, 2);
    return GI_QUICK(gi_order_lanes)(false, v, 1);
}

enum { GI_QUICK(GI_FEW) = 16 * GI_KEY_LANES, GI_QUICK(GI_MANY) = 4096 };

static GI_QUICK_STEP GI_KEY_MASK GI_QUICK(gi_first_lanes)(int64_t n)
{
    return (GI_KEY_MASK)(n >= GI_KEY_LANES ? (1u << GI_KEY_LANES) - 1 : n > 0 ? (1u << n) - 1 : 0);
}

#include "sort_lines.h"

/* Lanes l of one row and l ^ across of the other in order: the greater key goes to the upper one. */
static GI_QUICK_STEP void GI_QUICK(gi_order_across)(const bool real, __m512i *a, __m512i *b, const int across)
{
    const __m512i x = *a, y = *b;
    *a = GI_QUICK(gi_order_with)(real, x, GI_QUICK(gi_turn_lanes)(y, across), across);
    *b = GI_QUICK(gi_order_with)(real, y, GI_QUICK(gi_turn_lanes)(x, across), across);
}

/* Elements of keys, and keys of floats. */
static GI_QUICK_STEP __m512i GI_QUICK(gi_element_of_key)(const bool real, __m512i v, __m512i flip)
{
    const __m512i x = _mm512_xor_si512(v, flip);
    return real ? _mm512_xor_si512(x, GI_KEYS(srli)(GI_KEYS(srai)(x, GI_KEY_BITS - 1), 1)) : x;
}
static GI_QUICK_STEP __m512i GI_QUICK(gi_key_of_float)(__m512i x, __m512i flip)
{
    return _mm512_xor_si512(_mm512_xor_si512(x, GI_KEYS(srli)(GI_KEYS(srai)(x, GI_KEY_BITS - 1), 1)), flip);
}

/* Sorts n keys, as many as fit into 4, 8 or 16 rows, to elements: each lane by itself, then two lanes become one run, then four, and so on. Steps
   from row to row take less time than those from lane to lane. What is missing are greatest keys. real: floats are compared as such. */
static GI_QUICK_STEP void GI_QUICK(gi_sort_some)(const bool real, const int rows, const gi_keys *rule, int64_t n,
                                                 GI_KEY_T *keys)
{
    const GI_KEY_T infinity = (GI_KEY_T)-1 << (GI_KEY_BITS == 32 ? 23 : 52);
    const __m512i  none     = GI_KEYS(set1)(real ? (GI_SIGNED_KEY)infinity : -1);
    const __m512i  flip     = GI_KEYS(set1)((GI_SIGNED_KEY)rule->flip);
    __m512i        v[16];
    GI_UNROLL
    for (int i = 0; i < rows; i++) {
        const int64_t at = i * GI_KEY_LANES;
        v[i]             = GI_KEYS(mask_loadu)(none, GI_QUICK(gi_first_lanes)(n - at), keys + at);
        if (real) v[i] = GI_QUICK(gi_element_of_key)(true, v[i], flip);
    }
    GI_QUICK(gi_sort_each_column)(real, rows, v);
    GI_UNROLL
    for (int lanes = 1; lanes < GI_KEY_LANES; lanes *= 2) {
        GI_UNROLL
        for (int i = 0; i < rows / 2; i++) GI_QUICK(gi_order_across)(real, v + i, v + rows - 1 - i, 2 * lanes - 1);
        GI_UNROLL
        for (int across = 4; across > 0; across /= 2) {
            GI_UNROLL
            for (int i = 0; i < rows; i++)
                if (across < lanes) v[i] = GI_QUICK(gi_order_lanes)(real, v[i], across);
        }
        GI_QUICK(gi_merge_columns)(real, rows, v);
    }
    GI_QUICK(gi_turn_rows)(rows, v);
    GI_UNROLL
    for (int i = 0; i < rows; i++) {
        if (!real) v[i] = GI_QUICK(gi_element_of_key)(GI_KEY_BITS == 32 && rule->real, v[i], flip);
        GI_KEYS(mask_storeu)(keys + i * GI_KEY_LANES, GI_QUICK(gi_first_lanes)(n - i * GI_KEY_LANES), v[i]);
    }
}

/* Sorts up to GI_FEW keys to elements. */
typedef void (*GI_QUICK(gi_few))(const gi_keys *rule, int64_t n, GI_KEY_T *keys);
static void GI_QUICK(gi_sort_few)(const gi_keys *rule, int64_t n, GI_KEY_T *keys)
{
    if (n > 8 * GI_KEY_LANES) {
        GI_QUICK(gi_sort_some)(false, 16, rule, n, keys);
    } else if (n > 4 * GI_KEY_LANES) {
        GI_QUICK(gi_sort_some)(false, 8, rule, n, keys);
    } else if (n > 2 * GI_KEY_LANES) {
        GI_QUICK(gi_sort_some)(false, 4, rule, n, keys);
    } else {
        const __m512i flip = GI_KEYS(set1)((GI_SIGNED_KEY)rule->flip);
        __m512i       v[2];
        v[0] = GI_QUICK(gi_sort_vector)(GI_KEYS(mask_loadu)(GI_KEYS(set1)(-1), GI_QUICK(gi_first_lanes)(n), keys));
        if (n > GI_KEY_LANES) {
            const GI_KEY_MASK in = GI_QUICK(gi_first_lanes)(n - GI_KEY_LANES);
            v[1]                 = GI_QUICK(gi_sort_vector)(GI_KEYS(mask_loadu)(GI_KEYS(set1)(-1), in, keys + GI_KEY_LANES));
            GI_QUICK(gi_merge_two)(v);
            GI_KEYS(mask_storeu)(keys + GI_KEY_LANES, in, GI_QUICK(gi_element_of_key)(rule->real, v[1], flip));
        }
        GI_KEYS(mask_storeu)(keys, GI_QUICK(gi_first_lanes)(n), GI_QUICK(gi_element_of_key)(rule->real, v[0], flip));
    }
}
#if GI_KEY_BITS == 64
/* The same of floats. */
static void GI_QUICK(gi_sort_few_floats)(const gi_keys *rule, int64_t n, GI_KEY_T *keys)
{
    if (n > 8 * GI_KEY_LANES) GI_QUICK(gi_sort_some)(true, 16, rule, n, keys);
    else if (n > 4 * GI_KEY_LANES) GI_QUICK(gi_sort_some)(true, 8, rule, n, keys);
    else GI_QUICK(gi_sort_some)(true, 4, rule, n, keys);
}
#else
#define gi_sort_few_floats gi_sort_few
#endif

/* The keys of a vector that a mask names, side by side. To compress into memory at once takes AMD's processors dozens of cycles, and Intel's
   less than this. */
static GI_QUICK_STEP void GI_QUICK(gi_put_chosen)(GI_KEY_T *to, GI_KEY_MASK chosen, __m512i v)
{
    GI_KEYS(mask_storeu)(to, GI_QUICK(gi_first_lanes)(__builtin_popcount(chosen)), GI_KEYS(maskz_compress)(chosen, v));
}

/* The first `lanes` keys of a vector: those below the pivot go to *low, the others before *high. A whole vector is written to *low. */
static GI_QUICK_STEP void GI_QUICK(gi_split_vector)(const bool to_memory, __m512i v, int64_t lanes, __m512i pivot,
                                                    GI_KEY_T **low, GI_KEY_T **high)
{
    const GI_KEY_MASK in    = GI_QUICK(gi_first_lanes)(lanes);
    const GI_KEY_MASK less  = GI_JOIN(GI_WHOLE(mask_cmplt), _mask)(in, v, pivot);
    const int64_t     count = __builtin_popcount(less);
    *high -= lanes - count;
    _mm512_storeu_si512(*low, GI_KEYS(maskz_compress)(less, v));
    if (to_memory) GI_KEYS(mask_compressstoreu)(*high, (GI_KEY_MASK)(in & ~less), v);
    else GI_QUICK(gi_put_chosen)(*high, (GI_KEY_MASK)(in & ~less), v);
    *low += count;
}

#if GI_KEY_BITS == 64
/* The lanes that a mask names, then the others: a byte each. */
static const uint64_t gi_lanes_in_order[256] = {
    0x0706050403020100, 0x0706050403020100, 0x0706050403020001, 0x0706050403020100, 0x0706050403010002, 0x0706050403010200,
    0x0706050403000201, 0x0706050403020100, 0x0706050402010003, 0x0706050402010300, 0x0706050402000301, 0x0706050402030100,
    0x0706050401000302, 0x0706050401030200, 0x0706050400030201, 0x0706050403020100, 0x0706050302010004, 0x0706050302010400,
    0x0706050302000401, 0x0706050302040100, 0x0706050301000402, 0x0706050301040200, 0x0706050300040201, 0x0706050304020100,
    0x0706050201000403, 0x0706050201040300, 0x0706050200040301, 0x0706050204030100, 0x0706050100040302, 0x0706050104030200,
    0x0706050004030201, 0x0706050403020100, 0x0706040302010005, 0x0706040302010500, 0x0706040302000501, 0x0706040302050100,
    0x0706040301000502, 0x0706040301050200, 0x0706040300050201, 0x0706040305020100, 0x0706040201000503, 0x0706040201050300,
    0x0706040200050301, 0x0706040205030100, 0x0706040100050302, 0x0706040105030200, 0x0706040005030201, 0x0706040503020100,
    0x0706030201000504, 0x0706030201050400, 0x0706030200050401, 0x0706030205040100, 0x0706030100050402, 0x0706030105040200,
    0x0706030005040201, 0x0706030504020100, 0x0706020100050403, 0x0706020105040300, 0x0706020005040301, 0x0706020504030100,
    0x0706010005040302, 0x0706010504030200, 0x0706000504030201, 0x0706050403020100, 0x0705040302010006, 0x0705040302010600,
    0x0705040302000601, 0x0705040302060100, 0x0705040301000602, 0x0705040301060200, 0x0705040300060201, 0x0705040306020100,
    0x0705040201000603, 0x0705040201060300, 0x0705040200060301, 0x0705040206030100, 0x0705040100060302, 0x0705040106030200,
    0x0705040006030201, 0x0705040603020100, 0x0705030201000604, 0x0705030201060400, 0x0705030200060401, 0x0705030206040100,
    0x0705030100060402, 0x0705030106040200, 0x0705030006040201, 0x0705030604020100, 0x0705020100060403, 0x0705020106040300,
    0x0705020006040301, 0x0705020604030100, 0x0705010006040302, 0x0705010604030200, 0x0705000604030201, 0x0705060403020100,
    0x0704030201000605, 0x0704030201060500, 0x0704030200060501, 0x0704030206050100, 0x0704030100060502, 0x0704030106050200,
    0x0704030006050201, 0x0704030605020100, 0x0704020100060503, 0x0704020106050300, 0x0704020006050301, 0x0704020605030100,
    0x0704010006050302, 0x0704010605030200, 0x0704000605030201, 0x0704060503020100, 0x0703020100060504, 0x0703020106050400,
    0x0703020006050401, 0x0703020605040100, 0x0703010006050402, 0x0703010605040200, 0x0703000605040201, 0x0703060504020100,
    0x0702010006050403, 0x0702010605040300, 0x0702000605040301, 0x0702060504030100, 0x0701000605040302, 0x0701060504030200,
    0x0700060504030201, 0x0706050403020100, 0x0605040302010007, 0x0605040302010700, 0x0605040302000701, 0x0605040302070100,
    0x0605040301000702, 0x0605040301070200, 0x0605040300070201, 0x0605040307020100, 0x0605040201000703, 0x0605040201070300,
    0x0605040200070301, 0x0605040207030100, 0x0605040100070302, 0x0605040107030200, 0x0605040007030201, 0x0605040703020100,
    0x0605030201000704, 0x0605030201070400, 0x0605030200070401, 0x0605030207040100, 0x0605030100070402, 0x0605030107040200,
    0x0605030007040201, 0x0605030704020100, 0x0605020100070403, 0x0605020107040300, 0x0605020007040301, 0x0605020704030100,
    0x0605010007040302, 0x0605010704030200, 0x0605000704030201, 0x0605070403020100, 0x0604030201000705, 0x0604030201070500,
    0x0604030200070501, 0x0604030207050100, 0x0604030100070502, 0x0604030107050200, 0x0604030007050201, 0x0604030705020100,
    0x0604020100070503, 0x0604020107050300, 0x0604020007050301, 0x0604020705030100, 0x0604010007050302, 0x0604010705030200,
    0x0604000705030201, 0x0604070503020100, 0x0603020100070504, 0x0603020107050400, 0x0603020007050401, 0x0603020705040100,
    0x0603010007050402, 0x0603010705040200, 0x0603000705040201, 0x0603070504020100, 0x0602010007050403, 0x0602010705040300,
    0x0602000705040301, 0x0602070504030100, 0x0601000705040302, 0x0601070504030200, 0x0600070504030201, 0x0607050403020100,
    0x0504030201000706, 0x0504030201070600, 0x0504030200070601, 0x0504030207060100, 0x0504030100070602, 0x0504030107060200,
    0x0504030007060201, 0x0504030706020100, 0x0504020100070603, 0x0504020107060300, 0x0504020007060301, 0x0504020706030100,
    0x0504010007060302, 0x0504010706030200, 0x0504000706030201, 0x0504070603020100, 0x0503020100070604, 0x0503020107060400,
    0x0503020007060401, 0x0503020706040100, 0x0503010007060402, 0x0503010706040200, 0x0503000706040201, 0x0503070604020100,
    0x0502010007060403, 0x0502010706040300, 0x0502000706040301, 0x0502070604030100, 0x0501000706040302, 0x0501070604030200,
    0x0500070604030201, 0x0507060403020100, 0x0403020100070605, 0x0403020107060500, 0x0403020007060501, 0x0403020706050100,
    0x0403010007060502, 0x0403010706050200, 0x0403000706050201, 0x0403070605020100, 0x0402010007060503, 0x0402010706050300,
    0x0402000706050301, 0x0402070605030100, 0x0401000706050302, 0x0401070605030200, 0x0400070605030201, 0x0407060503020100,
    0x0302010007060504, 0x0302010706050400, 0x0302000706050401, 0x0302070605040100, 0x0301000706050402, 0x0301070605040200,
    0x0300070605040201, 0x0307060504020100, 0x0201000706050403, 0x0201070605040300, 0x0200070605040301, 0x0207060504030100,
    0x0100070605040302, 0x0107060504030200, 0x0007060504030201, 0x0706050403020100
};
#endif

/* The same of a whole vector. */
static GI_QUICK_STEP void GI_QUICK(gi_split_whole)(const bool to_memory, __m512i v, __m512i pivot, GI_KEY_T **low,
                                                   GI_KEY_T **high)
{
#if GI_KEY_BITS == 64 /* one permutation instead of two compressions */
    const __mmask8 less   = _mm512_cmplt_epu64_mask(v, pivot);
    const int64_t  count  = __builtin_popcountll(less);
    const __m512i  parted = _mm512_permutexvar_epi64(
         _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)(gi_lanes_in_order + less))), v);
    (void)to_memory;
    _mm512_storeu_si512(*low, parted);
    _mm512_mask_storeu_epi64(*high - GI_KEY_LANES, (__mmask8)(0xff << count), parted);
    *low += count;
    *high -= GI_KEY_LANES - count;
#else
    GI_QUICK(gi_split_vector)(to_memory, v, GI_KEY_LANES, pivot, low, high);
#endif
}

/* Keys below the pivot go first, of n, at least 8 vectors. Returns how many they are. Eight vectors are in registers, so that as many places are
   free beyond what has been read: four more are read where less is free, and then there is room for four on both sides. They are chosen before
   the last four are written, for which their addresses need not wait. */
static GI_INLINE int64_t GI_QUICK(gi_split_keys_by)(const bool to_memory, int64_t n, GI_KEY_T *keys, GI_KEY_T pivot)
{
    enum { FOUR = 4 * GI_KEY_LANES, AHEAD = 8, FAR = 1 << 16 }; /* FAR: bytes that the nearest cache does not keep */
    const bool    far   = n * (int64_t)sizeof *keys >= FAR;
    const __m512i p     = GI_KEYS(set1)((GI_SIGNED_KEY)pivot);
    int64_t       first = FOUR, last = n - FOUR; /* between which nothing has been read */
    GI_KEY_T     *low = keys, *high = keys + n;
    __m512i       end[4], v[4];
    GI_UNROLL
    for (int k = 0; k < 4; k++) {
        v[k]   = _mm512_loadu_si512(keys + k * GI_KEY_LANES);
        end[k] = _mm512_loadu_si512(keys + last + k * GI_KEY_LANES);
    }
    while (last - first >= FOUR) {
        const int64_t front =
            -(int64_t)(first + last <= (low - keys) + (high - keys)); /* all bits: for no branch, taken by chance */
        const int64_t at = last - FOUR + ((first - last + FOUR) & front);
        __m512i       next[4];
        if (far && last - first > 4 * AHEAD * GI_KEY_LANES) { /* which end is read next is known late */
            GI_UNROLL
            for (int k = 0; k < 4; k++) {
                __builtin_prefetch(keys + first + (AHEAD + k) * GI_KEY_LANES);
                __builtin_prefetch(keys + last - (AHEAD + 1 + k) * GI_KEY_LANES);
            }
        }
        first += FOUR & front;
        last -= FOUR & ~front;
        GI_UNROLL
        for (int k = 0; k < 4; k++) next[k] = _mm512_loadu_si512(keys + at + k * GI_KEY_LANES);
        GI_UNROLL
        for (int k = 0; k < 4; k++) GI_QUICK(gi_split_whole)(to_memory, v[k], p, &low, &high);
        GI_UNROLL
        for (int k = 0; k < 4; k++) v[k] = next[k];
    }
    const int64_t left = last - first;
    __m512i       rest[4];
    GI_UNROLL
    for (int k = 0; k < 4; k++)
        rest[k] = GI_KEYS(maskz_loadu)(GI_QUICK(gi_first_lanes)(left - k * GI_KEY_LANES), keys + first + k * GI_KEY_LANES);
    GI_UNROLL
    for (int k = 0; k < 4; k++) {
        const int64_t lanes = left - k * GI_KEY_LANES;
        GI_QUICK(gi_split_vector)
        (to_memory, rest[k], lanes < 0 ? 0 : lanes < GI_KEY_LANES ? lanes : GI_KEY_LANES, p, &low, &high);
    }
    GI_UNROLL
    for (int k = 0; k < 4; k++) GI_QUICK(gi_split_vector)(to_memory, v[k], GI_KEY_LANES, p, &low, &high);
    GI_UNROLL
    for (int k = 0; k < 4; k++) GI_QUICK(gi_split_vector)(to_memory, end[k], GI_KEY_LANES, p, &low, &high);
    return low - keys;
}

static int64_t GI_QUICK(gi_split_keys)(int64_t n, GI_KEY_T *keys, GI_KEY_T pivot)
{
    return gi_cpu_is_intel() ? GI_QUICK(gi_split_keys_by)(true, n, keys, pivot)
                             : GI_QUICK(gi_split_keys_by)(false, n, keys, pivot);
}

static const gi_keys GI_QUICK(gi_as_they_are) = { 0, false, 0, false };

/* How much of a sorted sample, at least, is equal to its median: 0: little, 1: a quarter, 2: the upper half, 3: all. */
static GI_QUICK_STEP int GI_QUICK(gi_alike)(int64_t count, const GI_KEY_T *sample)
{
    const GI_KEY_T median = sample[count / 2];
    if (sample[count / 4 * 3] != median) return 0;
    return sample[count - 1] > median ? 1 : sample[0] < median ? 2 : 3;
}

/* The median of a sample of keys that are not many: of as many medians of three as a vector holds. */
static GI_QUICK_STEP GI_KEY_T GI_QUICK(gi_pivot_of_few)(int64_t n, const GI_KEY_T *keys, int *alike)
{
    GI_KEY_T      sample[GI_KEY_LANES];
    const int64_t step = n / (3 * GI_KEY_LANES);
    __m512i       v[3];
    GI_UNROLL
    for (int k = 0; k < 3; k++) {
#if GI_KEY_BITS == 32
        const __m512i lanes = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45);
        v[k] = _mm512_i32gather_epi32(_mm512_mullo_epi32(lanes, _mm512_set1_epi32((int)step)), keys + k * step + step / 2, 4);
#else
        const __m512i lanes = _mm512_setr_epi64(0, 3, 6, 9, 12, 15, 18, 21);
        v[k] = _mm512_i64gather_epi64(_mm512_mul_epu32(lanes, _mm512_set1_epi64(step)), keys + k * step + step / 2, 8);
#endif
    }
    GI_QUICK(gi_order_two)(v, v + 1);
    v[1] = GI_WHOLE(min)(v[1], v[2]);
    _mm512_storeu_si512(sample, GI_QUICK(gi_sort_vector)(GI_WHOLE(max)(v[0], v[1])));
    *alike = GI_QUICK(gi_alike)(GI_KEY_LANES, sample);
    return sample[GI_KEY_LANES / 2];
}

/* The median of a sample, or, after bad luck, the middle between the least and the greatest, which ends surely. */
static GI_KEY_T GI_QUICK(gi_pivot)(int64_t n, const GI_KEY_T *keys, bool unlucky, int *alike)
{
    enum { COUNT = 8 * GI_KEY_LANES };
    GI_KEY_T sample[COUNT], least = keys[0], greatest = keys[0];
    *alike = 0;
    for (int64_t i = 0; i < n && unlucky; i++) {
        least    = keys[i] < least ? keys[i] : least;
        greatest = keys[i] > greatest ? keys[i] : greatest;
    }
    if (unlucky) return least + (greatest - least) / 2 + (greatest > least);
    if (n < GI_QUICK(GI_MANY)) return GI_QUICK(gi_pivot_of_few)(n, keys, alike);
    const int64_t step = n / COUNT;
    for (int64_t i = 0; i < COUNT; i++) sample[i] = keys[i * step + step / 2];
    GI_QUICK(gi_sort_few)(&GI_QUICK(gi_as_they_are), COUNT, sample);
    *alike = GI_QUICK(gi_alike)(COUNT, sample);
    return sample[COUNT / 2];
}

/* Are all keys equal to this one? */
static bool GI_QUICK(gi_is_each)(int64_t n, const GI_KEY_T *keys, GI_KEY_T key)
{
    const __m512i one = GI_KEYS(set1)((GI_SIGNED_KEY)key);
    GI_KEY_MASK   no  = 0;
    for (int64_t i = 0; i < n && !no; i += GI_KEY_LANES) {
        const GI_KEY_MASK in = GI_QUICK(gi_first_lanes)(n - i);
        no                   = GI_JOIN(GI_WHOLE(mask_cmpneq), _mask)(in, GI_KEYS(maskz_loadu)(in, keys + i), one);
    }
    return !no;
}

/* n times the element of a key. */
static void GI_QUICK(gi_put_alike)(const gi_keys *rule, int64_t n, GI_KEY_T key, GI_KEY_T *to)
{
    const __m512i x =
        GI_QUICK(gi_element_of_key)(rule->real, GI_KEYS(set1)((GI_SIGNED_KEY)key), GI_KEYS(set1)((GI_SIGNED_KEY)rule->flip));
    for (int64_t i = 0; i < n; i += GI_KEY_LANES) GI_KEYS(mask_storeu)(to + i, GI_QUICK(gi_first_lanes)(n - i), x);
}

/* Sorts n keys to elements, in place; few: those of a part that is small. Floats: none is the greatest key. */
static void GI_QUICK(gi_quick_part)(const gi_keys *rule, int64_t n, GI_KEY_T *keys, int luck, GI_QUICK(gi_few) few)
{
    bool     again = false; /* the last pivot is the least key: those that are equal to it go first */
    GI_KEY_T pivot = 0;
    while (n > GI_QUICK(GI_FEW)) {
        int alike = 0;
        pivot     = again ? pivot + 1 : GI_QUICK(gi_pivot)(n, keys, luck <= 0, &alike);
        if (alike == 3 && GI_QUICK(gi_is_each)(n, keys, pivot)) {
            GI_QUICK(gi_put_alike)(rule, n, pivot, keys);
            return;
        }
        const int64_t low = GI_QUICK(gi_split_keys)(n, keys, pivot);
        if (again) GI_QUICK(gi_put_alike)(rule, low, pivot - 1, keys);
        else GI_QUICK(gi_quick_part)(rule, low, keys, --luck, few);
        again = !again && (low == 0 || alike > 0);
        keys += low;
        n -= low;
        if (pivot < (GI_KEY_T)-1) continue;
        GI_QUICK(gi_put_alike)(rule, n, pivot, keys); /* all of them are the greatest key */
        return;
    }
    few(rule, n, keys);
}

static int GI_QUICK(gi_luck)(int64_t n) { return 2 * (64 - __builtin_clzll((uint64_t)n | 1)); }

static void GI_QUICK(gi_quicksort)(int64_t n, void *keys)
{
    GI_QUICK(gi_quick_part)(&GI_QUICK(gi_as_they_are), n, (GI_KEY_T *)keys, GI_QUICK(gi_luck)(n), GI_QUICK(gi_sort_few));
}

/* The key of a rank, 0 to n - 1; the keys are put in another order. */
static uint64_t GI_QUICK(gi_select_key)(int64_t n, void *keys_, int64_t rank)
{
    GI_KEY_T *keys = (GI_KEY_T *)keys_, pivot = 0;
    int       luck  = GI_QUICK(gi_luck)(n);
    bool      again = false; /* the last pivot is the least key */
    while (n > GI_QUICK(GI_FEW)) {
        int alike         = 0;
        pivot             = again ? pivot + 1 : GI_QUICK(gi_pivot)(n, keys, luck-- <= 0, &alike);
        const int64_t low = GI_QUICK(gi_split_keys)(n, keys, pivot);
        if (rank < low) {
            if (again) return pivot - 1;
            n = low;
            continue;
        }
        again = !again && (low == 0 || alike > 0);
        keys += low;
        n -= low;
        rank -= low;
        if (pivot == (GI_KEY_T)-1) return pivot;
    }
    GI_QUICK(gi_sort_few)(&GI_QUICK(gi_as_they_are), n, keys);
    return keys[rank];
}

/* Floats become keys at the beginning of `to`, and the NaNs among them its last elements. Returns how many keys there are. */
static int64_t GI_QUICK(gi_part_nans)(__m512i flip, int64_t n, const GI_KEY_T *from, GI_KEY_T *to, bool *minus)
{
    int64_t  keys = 0, nans = n;
    unsigned zero = 0;                                                     /* lanes of -0 */
    for (int64_t i = (n - 1) & -GI_KEY_LANES; i >= 0; i -= GI_KEY_LANES) { /* from behind: NaNs keep their order */
        const GI_KEY_MASK in = GI_QUICK(gi_first_lanes)(n - i);
        const __m512i     v = GI_KEYS(maskz_loadu)(in, from + i), key = GI_QUICK(gi_key_of_float)(v, flip);
#if GI_KEY_BITS == 32
        const unsigned nan = _mm512_fpclass_ps_mask(_mm512_castsi512_ps(v), 0x81);
        zero |= _mm512_fpclass_ps_mask(_mm512_castsi512_ps(v), 0x04);
#else
        const unsigned nan = _mm512_fpclass_pd_mask(_mm512_castsi512_pd(v), 0x81);
        zero |= _mm512_fpclass_pd_mask(_mm512_castsi512_pd(v), 0x04);
#endif
        if (!nan) {
            GI_KEYS(mask_storeu)(to + keys, in, key);
            keys += n - i < GI_KEY_LANES ? n - i : GI_KEY_LANES;
            continue;
        }
        nans -= __builtin_popcount(nan);
        GI_QUICK(gi_put_chosen)(to + keys, (GI_KEY_MASK)(in & ~nan), key);
        GI_QUICK(gi_put_chosen)(to + nans, (GI_KEY_MASK)nan, v);
        keys += __builtin_popcount(in & ~nan);
    }
    *minus = zero != 0;
    return keys;
}

static void GI_QUICK(gi_sort_to_elements)(const gi_keys *rule, int64_t n, void *keys)
{
    GI_QUICK(gi_quick_part)
    (rule, n, (GI_KEY_T *)keys, GI_QUICK(gi_luck)(n), rule->real ? GI_QUICK(gi_sort_few_floats) : GI_QUICK(gi_sort_few));
}

static bool GI_QUICK(gi_sort_line)(const gi_keys *rule, int64_t n, const void *elements, void *to_)
{
    const GI_KEY_T *from  = (const GI_KEY_T *)elements;
    GI_KEY_T       *to    = (GI_KEY_T *)to_;
    const __m512i   flip  = GI_KEYS(set1)((GI_SIGNED_KEY)rule->flip);
    bool            minus = false;
    int64_t         keys  = n;
    if (rule->real) keys = GI_QUICK(gi_part_nans)(flip, n, from, to, &minus);
    for (int64_t i = 0; i < n && !rule->real; i += GI_KEY_LANES) {
        const GI_KEY_MASK in = GI_QUICK(gi_first_lanes)(n - i);
        GI_KEYS(mask_storeu)(to + i, in, _mm512_xor_si512(GI_KEYS(maskz_loadu)(in, from + i), flip));
    }
    GI_QUICK(gi_sort_to_elements)(rule, keys, to);
    return minus;
}

/* Keys below the pivot go first, of any number. Returns how many they are. */
static int64_t GI_QUICK(gi_split)(int64_t n, void *keys_, uint64_t pivot)
{
    GI_KEY_T *keys = (GI_KEY_T *)keys_;
    if (n >= 8 * GI_KEY_LANES) return GI_QUICK(gi_split_keys)(n, keys, (GI_KEY_T)pivot);
    int64_t low = 0;
    for (int64_t i = 0; i < n; i++) {
        const GI_KEY_T key = keys[i];
        keys[i]            = keys[low];
        keys[low]          = key;
        low += key < (GI_KEY_T)pivot;
    }
    return low;
}

/* gi_split of n elements, at least 8 vectors, that become keys elsewhere. -1: there is a NaN, and the keys are of no use. *minus: there is -0. */
static GI_INLINE int64_t GI_QUICK(gi_split_elements_by)(const bool to_memory, const bool real, __m512i flip, int64_t n,
                                                        const GI_KEY_T *from, GI_KEY_T *to, GI_KEY_T pivot, bool *minus)
{
    const __m512i p    = GI_KEYS(set1)((GI_SIGNED_KEY)pivot);
    const int64_t tail = n % GI_KEY_LANES;
    GI_KEY_T     *low = to, *high = to + n;
    GI_KEY_MASK   nan = 0, zero = 0;                        /* lanes of NaN; of -0 */
    for (int64_t i = n - tail; i >= 0; i -= GI_KEY_LANES) { /* what is no whole vector while there is room for one */
        const __m512i v   = GI_KEYS(maskz_loadu)(GI_QUICK(gi_first_lanes)(n - i), from + i);
        const __m512i key = real ? GI_QUICK(gi_key_of_float)(v, flip) : _mm512_xor_si512(v, flip);
#if GI_KEY_BITS == 32
        if (real) nan = (GI_KEY_MASK)(nan | _mm512_fpclass_ps_mask(_mm512_castsi512_ps(v), 0x81));
        if (real) zero = (GI_KEY_MASK)(zero | _mm512_fpclass_ps_mask(_mm512_castsi512_ps(v), 0x04));
#else
        if (real) nan = (GI_KEY_MASK)(nan | _mm512_fpclass_pd_mask(_mm512_castsi512_pd(v), 0x81));
        if (real) zero = (GI_KEY_MASK)(zero | _mm512_fpclass_pd_mask(_mm512_castsi512_pd(v), 0x04));
#endif
        if (i < n - tail) GI_QUICK(gi_split_whole)(to_memory, key, p, &low, &high);
        else GI_QUICK(gi_split_vector)(to_memory, key, tail, p, &low, &high);
    }
    *minus = zero != 0;
    return nan ? -1 : low - to;
}

static int64_t GI_QUICK(gi_split_elements)(const gi_keys *rule, int64_t n, const void *elements, void *to_, uint64_t pivot,
                                           bool *minus)
{
    const GI_KEY_T *from = (const GI_KEY_T *)elements;
    GI_KEY_T       *to   = (GI_KEY_T *)to_;
    const __m512i   flip = GI_KEYS(set1)((GI_SIGNED_KEY)rule->flip);
    if (gi_cpu_is_intel())
        return rule->real ? GI_QUICK(gi_split_elements_by)(true, true, flip, n, from, to, (GI_KEY_T)pivot, minus)
                          : GI_QUICK(gi_split_elements_by)(true, false, flip, n, from, to, (GI_KEY_T)pivot, minus);
    return rule->real ? GI_QUICK(gi_split_elements_by)(false, true, flip, n, from, to, (GI_KEY_T)pivot, minus)
                      : GI_QUICK(gi_split_elements_by)(false, false, flip, n, from, to, (GI_KEY_T)pivot, minus);
}

#if GI_KEY_BITS == 64
static void GI_QUICK(gi_number)(int64_t n, const void *keys_, uint64_t *words, gi_numbering *p)
{
    const uint64_t *keys  = (const uint64_t *)keys_;
    const __m512i   first = _mm512_set1_epi64((long long)keys[0]);
    __m512i         least = first, greatest = first, different = _mm512_setzero_si512();
    for (int64_t i = 0; i < n; i += GI_KEY_LANES) {
        const __m512i v = _mm512_mask_loadu_epi64(first, GI_QUICK(gi_first_lanes)(n - i), keys + i);
        least           = _mm512_min_epu64(least, v);
        greatest        = _mm512_max_epu64(greatest, v);
        different       = _mm512_or_si512(different, _mm512_xor_si512(v, first));
    }
    const uint64_t bits = (uint64_t)_mm512_reduce_or_epi64(different);
    p->least            = _mm512_reduce_min_epu64(least);
    p->low              = bits ? __builtin_ctzll(bits) : 0;
    const uint64_t span = (_mm512_reduce_max_epu64(greatest) - p->least) >> p->low;
    p->rest             = span ? 64 - __builtin_clzll(span) + p->digits - 64 : 0;
    p->rest             = p->rest < 0 ? 0 : p->rest;
    least               = _mm512_set1_epi64((long long)p->least);
    const __m128i right = _mm_cvtsi32_si128(p->low + p->rest), left = _mm_cvtsi32_si128(p->digits);
    __m512i       number = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (int64_t i = 0; i < n; i += GI_KEY_LANES, number = _mm512_add_epi64(number, _mm512_set1_epi64(GI_KEY_LANES))) {
        const GI_KEY_MASK in = GI_QUICK(gi_first_lanes)(n - i);
        const __m512i     v  = _mm512_srl_epi64(_mm512_sub_epi64(_mm512_maskz_loadu_epi64(in, keys + i), least), right);
        _mm512_mask_storeu_epi64(words + i, in, _mm512_or_si512(_mm512_sll_epi64(v, left), number));
    }
}
GI_TABLE(gi_quick_loops, GI_QUICK(gi_quick_loops),
         { GI_QUICK(gi_quicksort), GI_QUICK(gi_sort_lines), GI_QUICK(gi_sort_line), GI_QUICK(gi_sort_to_elements),
           GI_QUICK(gi_split), GI_QUICK(gi_split_elements), GI_QUICK(gi_select_key), GI_QUICK(gi_number) })
#else
GI_TABLE(gi_quick_loops, GI_QUICK(gi_quick_loops),
         { GI_QUICK(gi_quicksort), GI_QUICK(gi_sort_lines), GI_QUICK(gi_sort_line), GI_QUICK(gi_sort_to_elements),
           GI_QUICK(gi_split), GI_QUICK(gi_split_elements), GI_QUICK(gi_select_key), NULL })
#endif
#undef gi_sort_few_floats
#undef GI_QUICK
#undef GI_QUICK_STEP
#undef GI_KEYS
#undef GI_WHOLE
#undef GI_KEY_MASK
#undef GI_KEY_LANES
#undef GI_SIGNED_KEY
#undef GI_KEY
#undef GI_KEY_T
#undef GI_KEY_BITS
