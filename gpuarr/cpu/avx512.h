#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#if __has_feature(address_sanitizer) && __has_feature(undefined_behavior_sanitizer) /* clang 14 cannot compile masks for both */
#pragma clang attribute push(__attribute__((no_sanitize("undefined"))), apply_to = function)
#define GI_CLANG_MASKS
#endif
#else
#pragma GCC diagnostic push /* gcc's own avx512fintrin.h: `__m512d __Y = __Y` is how it says "any value" */
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC            push_options
/* The passes that GI_BEGIN_OURS leaves out are worth 10 % to distances of few columns, nothing to rows, folds, keys and sequences, which go
   without (lean.h); PRE takes formulas like a maximum of maxima apart. */
#pragma GCC            optimize("gcse", "thread-jumps", "tree-vrp", "schedule-insns2", "tree-pta", "no-tree-pre")
#pragma GCC            target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif
/* Only floats gain from the wider registers: everything else is bound by memory, and each stamping takes compile time. */
#define GI_ISA          avx512
#define GI_ISA_LOWER    avx2
#define GI_ISA_BYTES    64
#define GI_ISA_TILE     4
#define GI_ISA_ROWS     8
#define GI_ISA_WIDE     3
#define GI_ISA_MM       _mm512_
#define GI_ISA_INTEGERS 0
#define GI_ISA_DTYPES   GI_EACH_FLT
#include "isa.h"
#if defined(__clang__)
#ifdef GI_CLANG_MASKS
#undef GI_CLANG_MASKS
#pragma clang attribute pop
#endif
#pragma clang attribute pop
#else
#pragma GCC            pop_options
#pragma GCC diagnostic pop
#endif
