/* ==== one instruction set: every element type ====================================================================== */
#ifdef GI_ISA_MM
/* turned[s] = element s of the lines 0, 1, 2 ...; lines `next` bytes apart. (Broadcasts under a mask: insertions would compete with shuffles.) */
#if GI_ISA_BYTES == 64
static GI_INLINE void gi_turn_f64_avx512(const char *from, int64_t next, __m512d turned[2])
{
#define GI_QUARTER(i) _mm_loadu_pd((const double *)(const void *)(from + (i)*next))
    __m512d two[2];
    GI_UNROLL
    for (int i = 0; i < 2; i++) {
        two[i] = _mm512_mask_broadcast_f64x2(_mm512_castpd128_pd512(GI_QUARTER(i)), 0x0C, GI_QUARTER(i + 2));
        two[i] = _mm512_mask_broadcast_f64x2(two[i], 0x30, GI_QUARTER(i + 4));
        two[i] = _mm512_mask_broadcast_f64x2(two[i], 0xC0, GI_QUARTER(i + 6));
    }
    turned[0] = _mm512_unpacklo_pd(two[0], two[1]);
    turned[1] = _mm512_unpackhi_pd(two[0], two[1]);
#undef GI_QUARTER
}

static GI_INLINE void gi_turn_f32_avx512(const char *from, int64_t next, __m512 turned[4])
{
#define GI_QUARTER(i) _mm_loadu_ps((const float *)(const void *)(from + (i)*next))
    __m512 four[4];
    GI_UNROLL
    for (int i = 0; i < 4; i++) {
        four[i] = _mm512_mask_broadcast_f32x4(_mm512_castps128_ps512(GI_QUARTER(i)), 0x00F0, GI_QUARTER(i + 4));
        four[i] = _mm512_mask_broadcast_f32x4(four[i], 0x0F00, GI_QUARTER(i + 8));
        four[i] = _mm512_mask_broadcast_f32x4(four[i], 0xF000, GI_QUARTER(i + 12));
    }
    const __m512 low01 = _mm512_unpacklo_ps(four[0], four[1]), low23 = _mm512_unpacklo_ps(four[2], four[3]);
    const __m512 high01 = _mm512_unpackhi_ps(four[0], four[1]), high23 = _mm512_unpackhi_ps(four[2], four[3]);
    turned[0] = _mm512_shuffle_ps(low01, low23, 0x44);
    turned[1] = _mm512_shuffle_ps(low01, low23, 0xEE);
    turned[2] = _mm512_shuffle_ps(high01, high23, 0x44);
    turned[3] = _mm512_shuffle_ps(high01, high23, 0xEE);
#undef GI_QUARTER
}
#else
static GI_INLINE void GI_JOIN(gi_turn_f64_, GI_ISA)(const char *from, int64_t next, __m256d turned[2])
{
#define GI_HALF(i) _mm_loadu_pd((const double *)(const void *)(from + (i)*next))
    const __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(GI_HALF(0)), GI_HALF(2), 1);
    const __m256d odd  = _mm256_insertf128_pd(_mm256_castpd128_pd256(GI_HALF(1)), GI_HALF(3), 1);
    turned[0]          = _mm256_unpacklo_pd(even, odd);
    turned[1]          = _mm256_unpackhi_pd(even, odd);
#undef GI_HALF
}

static GI_INLINE void GI_JOIN(gi_turn_f32_, GI_ISA)(const char *from, int64_t next, __m256 turned[4])
{
#define GI_HALF(i) _mm_loadu_ps((const float *)(const void *)(from + (i)*next))
    __m256 four[4];
    GI_UNROLL
    for (int i = 0; i < 4; i++) four[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(GI_HALF(i)), GI_HALF(i + 4), 1);
    const __m256 low01 = _mm256_unpacklo_ps(four[0], four[1]), low23 = _mm256_unpacklo_ps(four[2], four[3]);
    const __m256 high01 = _mm256_unpackhi_ps(four[0], four[1]), high23 = _mm256_unpackhi_ps(four[2], four[3]);
    turned[0] = _mm256_shuffle_ps(low01, low23, 0x44);
    turned[1] = _mm256_shuffle_ps(low01, low23, 0xEE);
    turned[2] = _mm256_shuffle_ps(high01, high23, 0x44);
    turned[3] = _mm256_shuffle_ps(high01, high23, 0xEE);
#undef GI_HALF
}
#endif
#endif

/* What this instruction set leaves to the next lower one. */
#ifdef GI_ISA_LOWER
#if GPUARR_PART == GPUARR_ALL
#define GI_LOWER(entry) GI_JOIN(gi_##entry##_, GI_ISA_LOWER)
#else
#define GI_LOWER(entry) GI_JOIN(gi_loops_, GI_ISA_LOWER).entry
#endif
#define GI_OR_LOWER(none, entry, ...) GI_LOWER(entry)(__VA_ARGS__)
#else
#define GI_OR_LOWER(none, ...) none
#endif

/* How many of n elements make whole vectors; of elements of so many bytes, the smallest ones of a loop. (But all, where more than 31 would be
   left.) */
#if defined(GI_ISA_MM) && !defined(__clang__)
#define GI_IN_VECTORS(n, bytes) (GI_ISA_BYTES / (int)(bytes) > 32 ? (n) : (n) & -(int64_t)(GI_ISA_BYTES / (int)(bytes)))
#else
#define GI_IN_VECTORS(n, bytes) (n)
#endif

#if GI_ISA_BYTES == 64 && GI_OPTIMIZED /* else it would take up to 60 KiB of stack */
#include "powers.h"
#define GI_CORE_power , /* is there */
#endif
#define GI_PASS 4
#include "../rows/each.h"
#undef GI_PASS
#ifdef GI_CORE_power
#undef GI_CORE_power
#endif

#if GI_ISA_BYTES == 64
#include "lean.h"
#endif
/* out[i] = condition[i] ? x[i] : y[i], for elements of 1 to 16 bytes whatever they mean. */
#define GI_FIND(name) GI_JOIN(name, GI_JOIN(_, GI_ISA))
#define GI_SELECT(name, U)                                                                                                     \
    static void GI_FIND(gi_select_##name)(int64_t n, void *out, const void *c, const void *x, const void *y)                   \
    {                                                                                                                          \
        const uint8_t *chosen = (const uint8_t *)c; /* not bool: true is whatever is not 0 */                                  \
        const int64_t  whole  = GI_IN_VECTORS(n, 1);                                                                           \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < whole; i++) {                                                                                  \
            const U a = ((const U *)x)[i], b = ((const U *)y)[i];                                                              \
            ((U *)out)[i] = chosen[i] ? a : b;                                                                                 \
        }                                                                                                                      \
        for (int64_t i = whole; i < n; i++) {                                                                                  \
            GI_ONE_BY_ONE((U *)out)[i] = ((const U *)(chosen[i] ? x : y))[i];                                                  \
        }                                                                                                                      \
    }
GI_SELECT(u8, uint8_t)
GI_SELECT(u16, uint16_t)
GI_SELECT(u32, uint32_t)
GI_SELECT(u64, gi_loose_u64)
#undef GI_SELECT
#define GI_REPLACE(name, U)                                                                                                    \
    static void GI_FIND(gi_replace_##name)(int64_t n, void *out, const void *x, const void *c, const void *unused)             \
    {                                                                                                                          \
        const uint8_t *chosen = (const uint8_t *)c;                                                                            \
        (void)unused;                                                                                                          \
        const int64_t whole = GI_IN_VECTORS(n, 1);                                                                             \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < whole; i++)                                                                                    \
            if (chosen[i]) ((U *)out)[i] = ((const U *)x)[i];                                                                  \
        for (int64_t i = whole; i < n; i++) {                                                                                  \
            GI_ONE_BY_ONE if (chosen[i])((U *)out)[i] = ((const U *)x)[i];                                                     \
        }                                                                                                                      \
    }
GI_REPLACE(u8, uint8_t)
GI_REPLACE(u16, uint16_t)
GI_REPLACE(u32, uint32_t)
GI_REPLACE(u64, gi_loose_u64)
#undef GI_REPLACE
static gi_kernel GI_FIND(gi_replace)(int itemsize)
{
    switch (itemsize) {
    case 1: return GI_FIND(gi_replace_u8);
    case 2: return GI_FIND(gi_replace_u16);
    case 4: return GI_FIND(gi_replace_u32);
    default: return GI_FIND(gi_replace_u64);
    }
}
static void GI_FIND(gi_select_c128)(int64_t n, void *out, const void *c, const void *x, const void *y)
{
    const uint8_t *chosen = (const uint8_t *)c;
    const ga_c128 *a = (const ga_c128 *)x, *b = (const ga_c128 *)y;
    for (int64_t i = 0; i < n; i++) ((ga_c128 *)out)[i] = chosen[i] ? a[i] : b[i];
}
static gi_kernel GI_FIND(gi_select)(int itemsize)
{
    switch (itemsize) {
    case 1: return GI_FIND(gi_select_u8);
    case 2: return GI_FIND(gi_select_u16);
    case 4: return GI_FIND(gi_select_u32);
    case 8: return GI_FIND(gi_select_u64);
    default: return GI_FIND(gi_select_c128);
    }
}

#include "bits.h"
/* The integers: their bits, and how AVX-512 names them. */
#define GI_EACH_WHOLE(X)                                                                                                       \
    X(I8, i8, 8, epi8)                                                                                                         \
    X(U8, u8, 8, epu8)                                                                                                         \
    X(I16, i16, 16, epi16)                                                                                                     \
    X(U16, u16, 16, epu16)                                                                                                     \
    X(I32, i32, 32, epi32)                                                                                                     \
    X(U32, u32, 32, epu32)                                                                                                     \
    X(I64, i64, 64, epi64)                                                                                                     \
    X(U64, u64, 64, epu64)
#include "extremes.h"
#include "sums.h"
#include "quotients.h"
#include "divisors.h"
#include "compare.h"
#undef GI_EACH_WHOLE
/* Puts loops that are written out for this set into what has been found for a row. */
static GI_INLINE void GI_FIND(gi_find_quicker)(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)
{
    GI_FIND(gi_extremes)(op, dtype, fold);
    GI_FIND(gi_sums)(op, dtype, fold);
    GI_FIND(gi_divisions)(op, dtype, kernel);
    GI_FIND(gi_divisors_of)(op, dtype, kernel);
    GI_FIND(gi_comparisons)(op, dtype, kernel);
}
#include "gather.h"
#include "compress.h"
#include "half.h"
#include "locate.h"
#include "bisect.h"
#include "truth.h"
#include "whole.h"
#if GI_ISA_BYTES == 64
static GI_INLINE __m512i gi_load_small_u8(__mmask16 in, const char *x)
{
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(in, x));
}
static GI_INLINE __m512i gi_load_small_u16(__mmask16 in, const char *x)
{
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(in, x));
}
static GI_INLINE __m512i gi_small_add_product_u32(__m512i a, __m512i b, __m512i c)
{
    return _mm512_add_epi32(_mm512_mullo_epi32(a, b), c);
}
static GI_INLINE __m512i gi_small_add_product_u64(__m512i a, __m512i b, __m512i c)
{
    return _mm512_add_epi64(_mm512_mullo_epi64(a, b), c);
}
#define GI_SMALL_TAG     f32
#define GI_SMALL_SUFFIX  ps
#define GI_SMALL_T       float
#define GI_SMALL_VECTOR  __m512
#define GI_SMALL_MASK    __mmask16
#define GI_SMALL_NOTHING -0.0f
#define GI_SMALL_LOAD    _mm512_maskz_loadu_ps
#define GI_SMALL_STORE   _mm512_mask_storeu_ps
#define GI_SMALL_FMA     _mm512_fmadd_ps
#include "small.h"
#define GI_SMALL_TAG     f64
#define GI_SMALL_SUFFIX  pd
#define GI_SMALL_T       double
#define GI_SMALL_VECTOR  __m512d
#define GI_SMALL_MASK    __mmask8
#define GI_SMALL_NOTHING -0.0
#define GI_SMALL_LOAD    _mm512_maskz_loadu_pd
#define GI_SMALL_STORE   _mm512_mask_storeu_pd
#define GI_SMALL_FMA     _mm512_fmadd_pd
#include "small.h"
#define GI_SMALL_TAG     u8
#define GI_SMALL_SUFFIX  epi32
#define GI_SMALL_T       uint8_t
#define GI_SMALL_VECTOR  __m512i
#define GI_SMALL_MASK    __mmask16
#define GI_SMALL_NOTHING 0
#define GI_SMALL_LOAD    gi_load_small_u8
#define GI_SMALL_STORE   _mm512_mask_cvtepi32_storeu_epi8
#define GI_SMALL_FMA     gi_small_add_product_u32
#include "small.h"
#define GI_SMALL_TAG     u16
#define GI_SMALL_SUFFIX  epi32
#define GI_SMALL_T       uint16_t
#define GI_SMALL_VECTOR  __m512i
#define GI_SMALL_MASK    __mmask16
#define GI_SMALL_NOTHING 0
#define GI_SMALL_LOAD    gi_load_small_u16
#define GI_SMALL_STORE   _mm512_mask_cvtepi32_storeu_epi16
#define GI_SMALL_FMA     gi_small_add_product_u32
#include "small.h"
#define GI_SMALL_TAG     i32
#define GI_SMALL_SUFFIX  epi32
#define GI_SMALL_T       int32_t
#define GI_SMALL_VECTOR  __m512i
#define GI_SMALL_MASK    __mmask16
#define GI_SMALL_NOTHING 0
#define GI_SMALL_LOAD    _mm512_maskz_loadu_epi32
#define GI_SMALL_STORE   _mm512_mask_storeu_epi32
#define GI_SMALL_FMA     gi_small_add_product_u32
#include "small.h"
#define GI_SMALL_TAG     i64
#define GI_SMALL_SUFFIX  epi64
#define GI_SMALL_T       int64_t
#define GI_SMALL_VECTOR  __m512i
#define GI_SMALL_MASK    __mmask8
#define GI_SMALL_NOTHING 0
#define GI_SMALL_LOAD    _mm512_maskz_loadu_epi64
#define GI_SMALL_STORE   _mm512_mask_storeu_epi64
#define GI_SMALL_FMA     gi_small_add_product_u64
#include "small.h"
#define GI_PLACE_TAG                       f32
#define GI_PLACE_SUFFIX                    ps
#define GI_PLACE_T                         float
#define GI_PLACE_VECTOR                    __m512
#define GI_PLACE_LOAD                      _mm512_loadu_ps
#define GI_PLACE_LOAD_SOME(other, some, x) _mm512_mask_loadu_ps(other, (__mmask16)(some), x)
#define GI_PLACE_REAL                      1
#include "place.h"
#define GI_PLACE_TAG                       f64
#define GI_PLACE_SUFFIX                    pd
#define GI_PLACE_T                         double
#define GI_PLACE_VECTOR                    __m512d
#define GI_PLACE_LOAD                      _mm512_loadu_pd
#define GI_PLACE_LOAD_SOME(other, some, x) _mm512_mask_loadu_pd(other, (__mmask8)(some), x)
#define GI_PLACE_REAL                      1
#include "place.h"
#define GI_PLACE_TAG                       i32
#define GI_PLACE_SUFFIX                    epi32
#define GI_PLACE_T                         int32_t
#define GI_PLACE_VECTOR                    __m512i
#define GI_PLACE_LOAD                      _mm512_loadu_si512
#define GI_PLACE_LOAD_SOME(other, some, x) _mm512_mask_loadu_epi32(other, (__mmask16)(some), x)
#define GI_PLACE_REAL                      0
#include "place.h"
#define GI_PLACE_TAG                       i64
#define GI_PLACE_SUFFIX                    epi64
#define GI_PLACE_T                         int64_t
#define GI_PLACE_VECTOR                    __m512i
#define GI_PLACE_LOAD                      _mm512_loadu_si512
#define GI_PLACE_LOAD_SOME(other, some, x) _mm512_mask_loadu_epi64(other, (__mmask8)(some), x)
#define GI_PLACE_REAL                      0
#include "place.h"
#if !defined(GPUARR_STATIC) && defined(__GNUC__) && !defined(__clang__) /* sorts take 1.03 of the time without the passes */
#pragma GCC pop_options
#endif
#define GI_KEY        u32
#define GI_KEY_T      uint32_t
#define GI_SIGNED_KEY int
#define GI_KEY_BITS   32
#include "quicksort.h"
#define GI_KEY        u64
#define GI_KEY_T      uint64_t
#define GI_SIGNED_KEY long long
#define GI_KEY_BITS   64
#include "quicksort.h"
#ifndef GPUARR_STATIC
#include "lean.h"
#endif
#endif
#include "numbers.h"
#if GI_ISA_BYTES == 64 && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#include "linear.h"
#include "random.h"
#include "draws.h"

/* ---- windows that slide -------------------------------------------------------------------------------------------- */

#if GI_ISA_BYTES < 64 /* integers and bits gain nothing from the widest registers */
/* The window moves along a line; its elements are a set of bits, and `below` counts those in the words before `word`. */
static void GI_FIND(gi_slide)(const gi_slide *s, const uint32_t *first, int64_t step, int64_t n, uint32_t *out)
{
    int64_t below = 0, word = 0, nans = 0;
    memset(s->bits, 0, (size_t)s->words * sizeof *s->bits);
    for (int64_t k = 0; k < s->count; k++) {
        uint32_t x = first[s->window[k]];
        s->bits[x / 64] |= (uint64_t)1 << x % 64;
        nans += x >= s->first_nan;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < s->edges && i > 0; k++) {
            uint32_t old = first[(i - 1) * step + s->leaving[k]], x = first[i * step + s->entering[k]];
            s->bits[old / 64] &= ~((uint64_t)1 << old % 64);
            s->bits[x / 64] |= (uint64_t)1 << x % 64;
            below += (x / 64 < word) - (old / 64 < word);
            nans += (x >= s->first_nan) - (old >= s->first_nan);
        }
        while (below > s->rank) below -= __builtin_popcountll(s->bits[--word]);
        for (int64_t here; below + (here = __builtin_popcountll(s->bits[word])) <= s->rank; word++) below += here;
        uint64_t left = s->bits[word];
        for (int64_t k = below; k < s->rank; k++) left &= left - 1;
        out[i] = nans > 0 ? s->first_nan : (uint32_t)(word * 64 + __builtin_ctzll(left));
    }
}
#else
static void GI_FIND(gi_slide)(const gi_slide *s, const uint32_t *first, int64_t step, int64_t n, uint32_t *out)
{
    GI_LOWER(slide)(s, first, step, n, out);
}
#endif

#define GI_KEY      u8
#define GI_KEY_T    uint8_t
#define GI_KEY_BITS 8
#include "keys.h"
#include "windows.h"
#define GI_KEY      u16
#define GI_KEY_T    uint16_t
#define GI_KEY_BITS 16
#include "keys.h"
#include "windows.h"
#define GI_KEY      i32
#define GI_KEY_T    int32_t
#define GI_KEY_BITS 32
#include "keys.h"
#include "windows.h"
#define GI_KEY      i64
#define GI_KEY_T    int64_t
#define GI_KEY_BITS 64
#include "keys.h"
#include "windows.h"

/* ---- what this instruction set has -------------------------------------------------------------------------------- */
#ifdef GPUARR_STATIC
#include "rows.h"
#define GI_TAKES(TAG) (GI_FORMULA_DTYPES >> (int)GA_##TAG & 1) /* formulas alone find rows so */
#else
#define GI_TAKES(TAG) true
#endif
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG: found = GI_TAKES(TAG) && GI_FIND(gi_find_##tag)(op, kernel, fold); break;
static bool GI_FIND(gi_find)(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)
{
    bool found = false;
    switch (dtype) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: break;
    }
    found = found || GI_OR_LOWER(false, find, op, dtype, kernel, fold);
    if (found) GI_FIND(gi_find_quicker)(op, dtype, kernel, fold);
    return found;
}
#undef GI_DTYPE_CASE
#undef GI_TAKES
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG: return GI_FIND(gi_cast_##tag)(from);
static gi_cast_kernel GI_FIND(gi_cast)(ga_dtype to, ga_dtype from)
{
    const gi_cast_kernel apart = to == GA_BOOL ? GI_FIND(gi_truth)(from) : GI_FIND(gi_whole)(to, from);
    if (apart) return apart;
    switch (to) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return GI_OR_LOWER(NULL, cast, to, from);
    }
}
#undef GI_DTYPE_CASE
static const gi_distance_tiles *GI_FIND(gi_distances)(ga_dtype dtype)
{
    return dtype == GA_F32 ? GI_FIND(gi_distance_tiles_f32)() : GI_FIND(gi_distance_tiles_f64)();
}
static gi_sift_loop GI_FIND(gi_sift)(ga_dtype dtype) { return dtype == GA_F32 ? GI_FIND(gi_sift_f32) : GI_FIND(gi_sift_f64); }
static gi_clamped_loop GI_FIND(gi_sum_clamped)(ga_dtype dtype)
{
    return dtype == GA_F32 ? GI_FIND(gi_sum_clamped_f32) : GI_FIND(gi_sum_clamped_f64);
}
static gi_range_loop GI_FIND(gi_widen_range)(ga_dtype dtype)
{
    return dtype == GA_F32 ? GI_FIND(gi_widen_range_f32) : GI_FIND(gi_widen_range_f64);
}
static const gi_key_loops *GI_FIND(gi_keys)(int itemsize)
{
    switch (itemsize) {
    case 1: return GI_FIND(gi_key_loops_u8)();
    case 2: return GI_FIND(gi_key_loops_u16)();
    case 4: return GI_FIND(gi_key_loops_i32)();
    default: return GI_FIND(gi_key_loops_i64)();
    }
}
static const gi_window_loops *GI_FIND(gi_windows)(int itemsize)
{
    switch (itemsize) {
    case 1: return GI_FIND(gi_window_loops_u8)();
    case 2: return GI_FIND(gi_window_loops_u16)();
    case 4: return GI_FIND(gi_window_loops_i32)();
    default: return GI_FIND(gi_window_loops_i64)();
    }
}
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG:                                                                                                             \
        loop.columns = GI_FIND(GI_JOIN(gi_line_columns_, GI_TWIN_##tag));                                                      \
        loop.run     = GI_FIND(GI_JOIN(gi_correlate_lines_, GI_TWIN_##tag));                                                   \
        return loop;
static gi_correlate_loop GI_FIND(gi_correlate)(ga_dtype dtype)
{
    gi_correlate_loop loop = { 1, NULL };
    switch (dtype) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return GI_OR_LOWER(loop, correlate, dtype);
    }
}
#undef GI_DTYPE_CASE
static gi_correlate_loop GI_FIND(gi_correlate_tiles)(ga_dtype dtype)
{
    const gi_correlate_loop none = { 1, NULL }, f32 = { GI_FIND(gi_tile_columns_f32), GI_FIND(gi_correlate_tiles_f32) },
                            f64 = { GI_FIND(gi_tile_columns_f64), GI_FIND(gi_correlate_tiles_f64) };
    return dtype == GA_F32 ? f32 : dtype == GA_F64 ? f64 : none;
}
static const gi_node_loops *GI_FIND(gi_nodes)(ga_dtype dtype)
{
    return dtype == GA_F32 ? GI_FIND(gi_node_loops_f32)() : GI_FIND(gi_node_loops_f64)();
}
static const gi_scan_loops *GI_FIND(gi_scans)(ga_dtype dtype)
{
    return dtype == GA_F32 ? GI_FIND(gi_scan_loops_f32)() : GI_FIND(gi_scan_loops_f64)();
}
static gi_place_loop GI_FIND(gi_place)(ga_dtype dtype)
{
#if GI_ISA_BYTES == 64
    if (dtype == GA_F32) return GI_FIND(gi_place_f32);
    if (dtype == GA_F64) return GI_FIND(gi_place_f64);
    if (dtype == GA_I32) return GI_FIND(gi_place_i32);
    if (dtype == GA_I64) return GI_FIND(gi_place_i64);
#endif
    (void)dtype;
    return NULL;
}
static gi_small_loop GI_FIND(gi_small)(ga_dtype dtype)
{
#if GI_ISA_BYTES == 64
    if (dtype == GA_F32) return GI_FIND(gi_small_f32);
    if (dtype == GA_F64) return GI_FIND(gi_small_f64);
    if (dtype == GA_I8 || dtype == GA_U8) return GI_FIND(gi_small_u8);
    if (dtype == GA_I16 || dtype == GA_U16) return GI_FIND(gi_small_u16);
    if (dtype == GA_I32 || dtype == GA_U32) return GI_FIND(gi_small_i32);
    if (dtype == GA_I64 || dtype == GA_U64) return GI_FIND(gi_small_i64);
#endif
    (void)dtype;
    return NULL;
}
static const gi_quick_loops *GI_FIND(gi_quick)(int itemsize)
{
#if GI_ISA_BYTES == 64
    return itemsize == 4 ? GI_FIND(gi_quick_loops_u32)() : itemsize == 8 ? GI_FIND(gi_quick_loops_u64)() : NULL;
#else
    (void)itemsize;
    return NULL;
#endif
}
/* The sort of keys of 8 bytes, alone. */
static gi_word_sort GI_FIND(gi_sort_words)(void)
{
#if GI_ISA_BYTES == 64
    return GI_FIND(gi_quicksort_u64);
#else
    return NULL;
#endif
}
static gi_sequence_loop GI_FIND(gi_sequence)(ga_dtype dtype)
{
#if GI_ISA_BYTES == 64 && !GI_OPTIMIZED
    return GI_LOWER(sequence)(dtype);
#else
    return dtype == GA_F32 ? GI_FIND(gi_sequence_f32) : GI_FIND(gi_sequence_f64);
#endif
}
static gi_dot_loop GI_FIND(gi_dot)(ga_dtype dtype)
{
    return dtype == GA_F32 ? GI_FIND(gi_dot_block_f32) : GI_FIND(gi_dot_block_f64);
}
static const gi_fourier_loops *GI_FIND(gi_fourier)(ga_dtype dtype)
{
    return dtype == GA_F32 ? GI_FIND(gi_fourier_loops_f32)() : GI_FIND(gi_fourier_loops_f64)();
}
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG: return GI_FIND(GI_JOIN(gi_chains_, GI_TWIN_##tag));
static gi_chains GI_FIND(gi_chains)(ga_dtype dtype)
{
    switch (dtype) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return GI_OR_LOWER(NULL, chains, dtype);
    }
}
#undef GI_DTYPE_CASE
static gi_parts_loop GI_FIND(gi_parts)(ga_dtype dtype, bool exponents)
{
    if (exponents) return dtype == GA_F32 ? GI_FIND(gi_mantissas_f32) : GI_FIND(gi_mantissas_f64);
    return dtype == GA_F32 ? GI_FIND(gi_fractions_f32) : GI_FIND(gi_fractions_f64);
}
static const gi_product_tiles *GI_FIND(gi_tiles)(ga_dtype dtype)
{
    switch (dtype) {
    case GA_F32: return GI_FIND(gi_product_tiles_f32)();
    case GA_F64: return GI_FIND(gi_product_tiles_f64)();
#if GI_ISA_INTEGERS
    case GA_I32: return GI_FIND(gi_product_tiles_i32)();
    case GA_I64: return GI_FIND(gi_product_tiles_i64)();
#endif
    default: return GI_OR_LOWER(NULL, tiles, dtype);
    }
}
#if defined(GI_ISA_MM) && GI_ISA_BYTES < 64
/* gi_turn_lines of elements of one or two bytes: a square of 16 bytes by 16 or 8 lines at a time, in rounds that shuffle the cards. */
static GI_INLINE void GI_FIND(gi_turn_short)(const int size, int64_t lines, int64_t n, char *out, int64_t next, const char *in,
                                             int64_t step)
{
    const int side = 16 / size;
    if (lines < side || n < side) {
        for (int64_t l = 0; l < lines; l++)
            for (int64_t i = 0; i < n; i++) memcpy(out + (l * next + i) * size, in + i * step + l * size, (size_t)size);
        return;
    }
    for (int64_t i = 0; i < n; i = gi_next_square(i, side, n))
        for (int64_t l = 0; l < lines; l = gi_next_square(l, side, lines)) {
            __m128i a[16], b[16];
            GI_UNROLL
            for (int k = 0; k < side; k++)
                a[k] = _mm_loadu_si128((const __m128i *)(const void *)(in + (i + k) * step + l * size));
            GI_UNROLL
            for (int round = 1; round < side; round *= 2) {
                GI_UNROLL
                for (int k = 0; k < side / 2; k++) {
                    const __m128i x = a[k], y = a[k + side / 2];
                    b[2 * k]     = size == 1 ? _mm_unpacklo_epi8(x, y) : _mm_unpacklo_epi16(x, y);
                    b[2 * k + 1] = size == 1 ? _mm_unpackhi_epi8(x, y) : _mm_unpackhi_epi16(x, y);
                }
                GI_UNROLL
                for (int k = 0; k < side; k++) a[k] = b[k];
            }
            GI_UNROLL
            for (int k = 0; k < side; k++) _mm_storeu_si128((__m128i *)(void *)(out + ((l + k) * next + i) * size), a[k]);
        }
}
static void GI_FIND(gi_turn_1)(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t step)
{
    GI_FIND(gi_turn_short)(1, lines, n, (char *)out, next, in, step);
}
static void GI_FIND(gi_turn_2)(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t step)
{
    GI_FIND(gi_turn_short)(2, lines, n, (char *)out, next, in, step);
}
#endif
#if GI_ISA_BYTES == 64
/* Four such squares at once, one below the other. */
static GI_INLINE void GI_FIND(gi_turn_four)(const int size, char *out, int64_t next, const char *in, int64_t step)
{
    const int side = 16 / size;
    __m512i   a[16], b[16];
    GI_UNROLL
    for (int k = 0; k < side; k++) {
        const char *from = in + k * step;
        a[k]             = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)from));
        a[k]             = _mm512_inserti32x4(a[k], _mm_loadu_si128((const __m128i *)(const void *)(from + side * step)), 1);
        a[k] = _mm512_inserti32x4(a[k], _mm_loadu_si128((const __m128i *)(const void *)(from + 2 * side * step)), 2);
        a[k] = _mm512_inserti32x4(a[k], _mm_loadu_si128((const __m128i *)(const void *)(from + 3 * side * step)), 3);
    }
    GI_UNROLL
    for (int round = 1; round < side; round *= 2) {
        GI_UNROLL
        for (int k = 0; k < side / 2; k++) {
            const __m512i x = a[k], y = a[k + side / 2];
            b[2 * k]     = size == 1 ? _mm512_unpacklo_epi8(x, y) : _mm512_unpacklo_epi16(x, y);
            b[2 * k + 1] = size == 1 ? _mm512_unpackhi_epi8(x, y) : _mm512_unpackhi_epi16(x, y);
        }
        GI_UNROLL
        for (int k = 0; k < side; k++) a[k] = b[k];
    }
    GI_UNROLL
    for (int k = 0; k < side; k++) _mm512_storeu_si512(out + k * next * size, a[k]);
}
/* All of them; where lines of the result begin amid a line of the cache, in bands of two or three, so that fewer of these are written in two
   parts, far from each other. */
static GI_INLINE void GI_FIND(gi_turn_short)(const int size, int64_t lines, int64_t n, char *out, int64_t next, const char *in,
                                             int64_t step)
{
    const int     side = 16 / size, four = 4 * side;
    const int64_t band = next * size % GI_LINE != 0 ? 2 * four : four;
    for (int64_t from = 0, end; from < n; from = end) {
        end = n - from < band + four ? n : from + band;
        for (int64_t l = 0; l < lines; l = gi_next_square(l, side, lines))
            for (int64_t i = from; i < end; i = gi_next_square(i, four, end))
                GI_FIND(gi_turn_four)(size, out + (l * next + i) * size, next, in + i * step + l * size, step);
    }
}
static void GI_FIND(gi_turn_1)(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t step)
{
    if (lines < 16 || n < 64) GI_LOWER(turn)(1)(lines, n, out, next, in, step);
    else GI_FIND(gi_turn_short)(1, lines, n, (char *)out, next, in, step);
}
static void GI_FIND(gi_turn_2)(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t step)
{
    if (lines < 8 || n < 32) GI_LOWER(turn)(2)(lines, n, out, next, in, step);
    else GI_FIND(gi_turn_short)(2, lines, n, (char *)out, next, in, step);
}
#endif
static gi_turn_lines GI_FIND(gi_turn)(int itemsize)
{
#ifdef GI_ISA_MM
    if (itemsize == 1) return GI_FIND(gi_turn_1);
    if (itemsize == 2) return GI_FIND(gi_turn_2);
    if (itemsize == 4) return GI_FIND(gi_pack_across_f32);
    if (itemsize == 8) return GI_FIND(gi_pack_across_f64);
#else
    (void)itemsize;
#endif
    return NULL;
}

#ifndef GPUARR_STATIC
GI_LOOPS_LINKAGE const gi_loops GI_FIND(gi_loops) = {
    GI_FIND(gi_find),
    GI_FIND(gi_cast),
    GI_FIND(gi_distances),
    GI_FIND(gi_sift),
    GI_FIND(gi_sum_clamped),
    GI_FIND(gi_widen_range),
    GI_FIND(gi_windows),
    GI_FIND(gi_slide),
    GI_FIND(gi_bits),
    GI_FIND(gi_correlate),
    GI_FIND(gi_correlate_tiles),
    GI_FIND(gi_random),
    GI_FIND(gi_nodes),
    GI_FIND(gi_scans),
    GI_FIND(gi_fourier),
    GI_FIND(gi_chains),
    GI_FIND(gi_tiles),
    GI_FIND(gi_turn),
    GI_FIND(gi_select),
    GI_FIND(gi_power),
    GI_FIND(gi_with_number),
    GI_FIND(gi_sequence),
    GI_FIND(gi_replace),
    GI_FIND(gi_stream),
    GI_FIND(gi_linear),
    GI_FIND(gi_half),
    GI_FIND(gi_dot),
    GI_FIND(gi_locate),
    GI_FIND(gi_bisect),
    GI_FIND(gi_small),
    GI_FIND(gi_quick),
    GI_FIND(gi_place),
    GI_FIND(gi_truths),
    GI_FIND(gi_truth_blocks),
    GI_FIND(gi_gather),
    GI_FIND(gi_inside),
    GI_FIND(gi_compress),
    GI_FIND(gi_sort_words),
    GI_FIND(gi_keys),
    GI_FIND(gi_draws),
    GI_FIND(gi_parts),
};
#endif
#undef GI_FIND
#undef GI_LOWER
#undef GI_OR_LOWER
#undef GI_IN_VECTORS
#undef GI_ISA
#undef GI_ISA_LOWER
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_ROWS
#undef GI_ISA_WIDE
#undef GI_ISA_SCALAR
#undef GI_ISA_MM
#undef GI_ISA_FUSED
#undef GI_ISA_INTEGERS
#undef GI_ISA_DTYPES
