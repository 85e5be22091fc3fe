/* ==== >>dense: loops that live in registers, on vectors of floats (and for matrix products of integers) ============= */
/*  The lanes of a vector belong to different elements of the result. Each of these goes through the same chain of operations,
    however wide the vector is: so every instruction set gives the same bits.                                                 */
#ifdef GI_ISA_MM /* these need the passes of -O2 */
GI_BEGIN_FAST
#endif
/* clang-format off */
#define GI_W         GI_JOIN(gi_wrap_, GA_TAG) /* the type of a lane: integers are unsigned and wrap */
#define GI_V         GI_LOOP(gi_vector)
#define GI_V_BITS    GI_LOOP(gi_vector_bits)
#define GI_WIDE      GI_LOOP(gi_vector_wide)
#define GI_NARROW    GI_LOOP(gi_vector_narrow)
#define GI_LANES     ((int)(GI_ISA_BYTES / sizeof(GA_T)))
#define GI_VFN(name) GI_LOOP(gi_v##name)
#define GI_MM_f32(name) GI_JOIN(GI_ISA_MM, name##_ps)
#define GI_MM_f64(name) GI_JOIN(GI_ISA_MM, name##_pd)
#define GI_MASK_f32     __mmask16
#define GI_MASK_f64     __mmask8
#define GI_MASK         GI_JOIN(GI_MASK_, GA_TAG) /* a bit for each lane of 512 bits */
#define GI_MM           GI_JOIN(GI_MM_, GA_TAG) /* the intrinsics of this type: GI_MM(sqrt) is _mm256_sqrt_pd */
#define GI_TO_ALL_f32   "ps {%2%{1to16%}, %1, %0|%0, %1, %2%{1to16%}}"
#define GI_TO_ALL_f64   "pd {%2%{1to8%}, %1, %0|%0, %1, %2%{1to8%}}"
#define GI_TO_ALL       GI_JOIN(GI_TO_ALL_, GA_TAG) /* 512-bit: operands in both syntaxes (-masm), one of them *x for all lanes */
/* clang-format on */
typedef GI_W GI_V __attribute__((vector_size(GI_ISA_BYTES)));

static GI_INLINE GI_V GI_VFN(load)(const GI_W *p)
{
    GI_V v;
    memcpy(&v, p, sizeof v);
    return v;
}

static GI_INLINE void GI_VFN(store)(GI_W *p, GI_V v) { memcpy(p, &v, sizeof v); }

static GI_INLINE GI_V GI_VFN(all)(GI_W x) /* x in every lane */
{
    const GI_V zero = { 0 };
    return x - zero;
}

#if GI_CLASS == 3
typedef GI_FLAG GI_V_BITS __attribute__((vector_size(GI_ISA_BYTES)));
typedef double  GI_WIDE __attribute__((vector_size(GI_ISA_BYTES)));
typedef float   GI_NARROW __attribute__((vector_size(GI_ISA_BYTES / 2)));

static GI_INLINE void GI_VFN(stream)(GA_T *p, GI_V v) /* past the caches; p is aligned to the vector */
{
#ifdef GI_ISA_MM
    GI_MM(stream)(p, v);
#else
    GI_VFN(store)(p, v);
#endif
}

static GI_INLINE void GI_VFN(fence)(void) /* after streams: other threads see what was written */
{
#ifdef GI_ISA_MM
    _mm_sfence();
#endif
}

/* Keeps v in a register: gcc would load it from memory again in each instruction that uses it. */
static GI_INLINE GI_V GI_VFN(pin)(GI_V v)
{
#ifdef GI_ISA_MM
    __asm__("" : "+v"(v));
#endif
    return v;
}

static GI_INLINE GI_V GI_VFN(fma)(GI_V a, GI_V b, GI_V c) /* a * b + c, rounded once */
{
#ifdef GI_ISA_MM
    return GI_MM(fmadd)(a, b, c);
#elif defined(GI_ISA_FUSED)
    return GI_JOIN(GI_ISA_FUSED, GA_TAG)(a, b, c);
#else
    for (int i = 0; i < GI_LANES; i++) c[i] = GI_NAME(gi_fma)(a[i], b[i], c[i]);
    return c;
#endif
}

/* a - *x in every lane. Between additions a broadcast costs as much as one of them, and nothing within an instruction. Compilers
   take it out if it has two uses; hence the assembler. */
static GI_INLINE GI_V GI_VFN(less)(GI_V a, const GA_T *x)
{
#if GI_ISA_BYTES == 64
    __asm__("vsub" GI_TO_ALL : "=v"(a) : "v"(a), "m"(*x));
    return a;
#else
    return a - GI_VFN(all)(*x);
#endif
}

static GI_INLINE GI_V GI_VFN(sqrt)(GI_V a)
{
#ifdef GI_ISA_MM
    return GI_MM(sqrt)(a);
#else
    for (int i = 0; i < GI_LANES; i++) a[i] = GI_NAME(gi_root)(a[i]);
    return a;
#endif
}

static GI_INLINE GI_V GI_VFN(abs)(GI_V a)
{
    const GI_V_BITS none = { 0 };
    return (GI_V)((GI_V_BITS)a & (none + ((GI_FLAG)-1 >> 1)));
}

static GI_INLINE GI_V GI_VFN(max)(GI_V a, GI_V b) /* the larger one, NaN if any is NaN */
{
    const GI_V_BITS first = (GI_V_BITS)(a > b) | (GI_V_BITS)(a != a);
    return (GI_V)(((GI_V_BITS)a & first) | ((GI_V_BITS)b & ~first));
}

#if GI_ISA_BYTES == 64 && !GI_OPTIMIZED /* it would take too much stack */
#elif !defined(GI_ISA_MM)
GI_BEGIN_FAST
#include "sequence.h"
GI_END_FAST
#else
#if GI_ISA_BYTES == 64
#include "lean.h"
#endif
#include "sequence.h"
#if GI_ISA_BYTES == 64 && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif
#include "distances.h"
#include "sift.h"
#include "parts.h"
#include "correlate.h"
#include "fourier.h"

#else
static GI_INLINE GI_V GI_VFN(fma)(GI_V a, GI_V b, GI_V c) { return a * b + c; }
#endif

#if GI_CLASS == 3 && defined(GI_ISA_FUSED)
GI_BEGIN_FAST
#include "tiles.h"
GI_END_FAST
#else
#include "tiles.h"
#endif

#if GI_CLASS == 3 && defined(GI_ISA_MM)
#include "turn.h"
#endif
GI_TABLE(gi_product_tiles, GI_LOOP(gi_product_tiles),
         { GI_ISA_ROWS, GI_ISA_WIDE, GI_ISA_BYTES, sizeof(GI_W), GI_LOOP(gi_tile), GI_ROW })
#undef GI_ROW

#undef GI_W
#undef GI_DISTANCE_VECTORS
#undef GI_V
#undef GI_V_BITS
#undef GI_WIDE
#undef GI_NARROW
#undef GI_LANES
#undef GI_VFN
#undef GI_MM_f32
#undef GI_MM_f64
#undef GI_MM
#undef GI_MASK_f32
#undef GI_MASK_f64
#undef GI_MASK
#undef GI_TO_ALL_f32
#undef GI_TO_ALL_f64
#undef GI_TO_ALL
#undef GI_Q
#undef GI_Q_f32
#undef GI_Q_f64
#undef GI_Q_MM_f32
#undef GI_Q_MM_f64
#undef GI_Q_MM
#undef GI_SIDE
#undef GI_LINES
#undef GI_TURN
#ifdef GI_ISA_MM
GI_END_FAST
#endif
