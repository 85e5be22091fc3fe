#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#include "lean.h"
#pragma GCC target("avx2,fma")
#endif
#define GI_ISA          avx2
#define GI_ISA_LOWER    baseline
#define GI_ISA_BYTES    32
#define GI_ISA_TILE     2
#define GI_ISA_ROWS     6
#define GI_ISA_WIDE     2
#define GI_ISA_MM       _mm256_
#define GI_ISA_INTEGERS 1
#define GI_ISA_DTYPES   GI_EACH_STAMPED
#include "isa.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
