/* ==== >>sets: the loops of the instruction sets that this file compiles ============================================== */
#if GPUARR_PART == GPUARR_ALL
#define GI_LOOPS_LINKAGE static
#else
/* In files of their own they are known by these alone. */
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
