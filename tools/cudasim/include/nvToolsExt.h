/* cudasim: markers for profilers.  They do nothing. */
#ifndef CUDASIM_NVTOOLSEXT_H
#define CUDASIM_NVTOOLSEXT_H
#include <stdint.h>

typedef uint64_t nvtxRangeId_t;

static inline int           nvtxRangePushA(const char *name) { return (void)name, 0; }
static inline int           nvtxRangePop(void) { return 0; }
static inline nvtxRangeId_t nvtxRangeStartA(const char *name) { return (void)name, 0; }
static inline void          nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
static inline void          nvtxMarkA(const char *name) { (void)name; }
#define nvtxRangePush  nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark       nvtxMarkA

#endif
