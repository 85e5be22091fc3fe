#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
/* -O2 without the passes that take time and give these loops no speed. (-O1 with the vectoriser takes as long, and makes remainder half as
   fast, tanh, arcsin and arctan two thirds.) */
#pragma GCC push_options
#pragma GCC optimize("O2", "vect-cost-model=dynamic", "no-tree-slp-vectorize", "no-tree-vrp", "no-thread-jumps", "no-gcse",    \
                     "no-schedule-insns2", "no-tree-pta", "no-tree-pre", "no-code-hoisting", "no-inline-functions",            \
                     "no-inline-small-functions", "no-partial-inlining", "no-crossjumping", "no-cse-follow-jumps",             \
                     "no-rerun-cse-after-loop", "no-tree-tail-merge", "no-store-merging", "no-tree-switch-conversion",         \
                     "no-tree-loop-distribute-patterns", "no-hoist-adjacent-loads", "no-isolate-erroneous-paths-dereference",  \
                     "no-optimize-sibling-calls", "no-optimize-strlen", "no-peephole2", "no-lra-remat", "no-trapping-math",    \
                     "no-math-errno", "fp-contract=off")
#pragma GCC target("avx2,fma")
#endif
#define GI_ISA          avx2
#define GI_ISA_LOWER    baseline
#define GI_ISA_BYTES    32
#define GI_ISA_TILE     2
#define GI_ISA_ROWS     6
#define GI_ISA_MM       _mm256_
#define GI_ISA_INTEGERS 1
#define GI_ISA_DTYPES   GI_EACH_STAMPED
#include "isa.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
