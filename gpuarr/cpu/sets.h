/* ==== >>sets: the loops of the instruction sets that this file compiles ============================================== */
#if GPUARR_PART == GPUARR_ALL
#define GI_LOOPS_LINKAGE static
#else
/* In files of their own they are known by these alone. Plans and loops of other flags have other sizes: so the names tell the flags,
   and parts that do not fit together do not link. */
#ifdef GPUARR_FEW_DTYPES
#define GI_PART_FLAGS few_dtypes
#else
#define GI_PART_FLAGS all_dtypes
#endif
#define GI_PART_NAME_(set, flags, dims) gi_loops_##set##_##flags##_max_dims_##dims
#define GI_PART_NAME(set, flags, dims)  GI_PART_NAME_(set, flags, dims)
#define gi_loops_baseline               GI_PART_NAME(baseline, GI_PART_FLAGS, GPUARR_MAX_DIMS)
#define gi_loops_avx2                   GI_PART_NAME(avx2, GI_PART_FLAGS, GPUARR_MAX_DIMS)
#define gi_loops_avx512                 GI_PART_NAME(avx512, GI_PART_FLAGS, GPUARR_MAX_DIMS)
#define GI_LOOPS_LINKAGE
#ifdef __cplusplus
extern "C" {
#endif
extern const gi_loops gi_loops_baseline __attribute__((visibility("hidden")));
extern const gi_loops gi_loops_avx2 __attribute__((visibility("hidden")));
extern const gi_loops gi_loops_avx512 __attribute__((visibility("hidden")));
#ifdef __cplusplus
} /* extern "C" */
#endif
#endif

#include "casts.h"
GI_BEGIN_FAST
#if GI_BUILDS(GPUARR_BASELINE)
#include "baseline.h"
#endif
#if GI_BUILDS(GPUARR_AVX2) && GI_HAS_X86
#include "avx2.h"
#endif
#if GI_BUILDS(GPUARR_AVX512) && GI_HAS_X86
#include "avx512.h"
#endif
GI_END_FAST
