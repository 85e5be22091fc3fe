/* What every processor has. On x86 it is hardly ever used, and compiled fast: it takes about twice as long as it could. */
#if GI_HAS_X86 && !defined(__clang__)
#pragma GCC push_options
#if GI_OPTIMIZED
#pragma GCC optimize("Og", "no-tree-loop-vectorize", "no-trapping-math", "no-math-errno", "fp-contract=off")
#else /* gcc -O0 does not inline formulas into functions of -Og */
#pragma GCC optimize("O1", "no-tree-vectorize", "no-trapping-math", "no-math-errno", "fp-contract=off")
#endif
#endif
#if GI_HAS_X86 && !defined(__clang__)
#define GI_ISA_SCALAR /* an element at a time */
#endif
#if GI_HAS_X86 && !defined(__FMA__)
#define GI_ISA_FUSED gi_fused_fma_ /* GI_JOIN(GI_ISA_FUSED, f64) */
#include "fused.h"
#endif
#define GI_ISA          baseline
#define GI_ISA_BYTES    16 /* of a vector register */
#define GI_ISA_TILE     2  /* vectors side by side in a tile that fits the registers */
#define GI_ISA_ROWS     4  /* of a tile, */
#define GI_ISA_WIDE     2  /* and its vectors */
#define GI_ISA_INTEGERS 1
#define GI_ISA_DTYPES   GI_EACH_STAMPED
#include "isa.h"
#if GI_HAS_X86 && !defined(__clang__)
#pragma GCC pop_options
#endif
