GI_BEGIN_FAST
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(GPUARR_BASELINE_ONLY)
#pragma GCC push_options
#pragma GCC optimize("O1", "no-tree-vectorize", "no-trapping-math", "no-math-errno",                                           \
                     "fp-contract=off") /* hardly ever used: save compile time */
#endif
#define GI_ISA          baseline
#define GI_ISA_BYTES    16 /* of a vector register */
#define GI_ISA_TILE     2  /* vectors side by side in a tile that fits the registers */
#define GI_ISA_ROWS     4  /* of a tile of two vectors */
#define GI_ISA_STAMPS   1
#define GI_ISA_INTEGERS 1
#define GI_ISA_DTYPES   GI_EACH_STAMPED
#include "isa.h"
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(GPUARR_BASELINE_ONLY)
#pragma GCC pop_options
#endif
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_ROWS
#undef GI_ISA_STAMPS
#undef GI_ISA_INTEGERS
#undef GI_ISA_DTYPES

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#define GI_HAS_X86 1
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
/* -O1 and the vectoriser: the other passes of -O2 would add some 4 s to the compile time for little speed. (Without the
   expensive optimizations gcc leaves out vzeroupper.) */
#pragma GCC push_options
#pragma GCC optimize("O1", "expensive-optimizations", "strict-aliasing", "tree-loop-vectorize", "no-tree-slp-vectorize",       \
                     "no-tree-pre", "vect-cost-model=dynamic", "no-trapping-math", "no-math-errno", "fp-contract=off")
#pragma GCC target("avx2,fma")
#endif
#define GI_ISA          avx2
#define GI_ISA_BYTES    32
#define GI_ISA_TILE     2
#define GI_ISA_ROWS     6
#define GI_ISA_MM       _mm256_
#define GI_ISA_STAMPS   1
#define GI_ISA_INTEGERS 1
#define GI_ISA_DTYPES   GI_EACH_STAMPED
#include "isa.h"
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_ROWS
#undef GI_ISA_MM
#undef GI_ISA_STAMPS
#undef GI_ISA_INTEGERS
#undef GI_ISA_DTYPES
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC optimize("no-tree-pre") /* it takes formulas like a maximum of maxima apart */
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif
/* Only floats gain from the wider registers: everything else is bound by memory, and each stamping takes compile time. */
#define GI_ISA          avx512
#define GI_ISA_BYTES    64
#define GI_ISA_TILE     4
#define GI_ISA_ROWS     8
#define GI_ISA_MM       _mm512_
#define GI_ISA_STAMPS   (GI_CLASS == 3)
#define GI_ISA_INTEGERS 0
#define GI_ISA_DTYPES   GI_EACH_FLT
#include "isa.h"
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_ROWS
#undef GI_ISA_MM
#undef GI_ISA_STAMPS
#undef GI_ISA_INTEGERS
#undef GI_ISA_DTYPES
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
#define GI_HAS_X86 0
#endif
GI_END_FAST
