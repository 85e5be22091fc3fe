/*  gpuarr_cpu.h -- the CPU backend. Included by gpuarr.h, never by you.

    The loops are ordinary code with ordinary line numbers. gpuarr/cpu/isa.h is included once per instruction set (GI_ISA), and
    includes gpuarr/cpu/type.h once per element type (GA_TAG). A kernel works on packed elements: strides, casts and broadcasting
    are settled before by whoever calls it, a tile at a time.                                                              */

#ifndef GI_CPU_INCLUDED
#define GI_CPU_INCLUDED
#include "gpuarr/cpu/plans.h"
#include "gpuarr/cpu/sets.h"
#if GI_IMPLEMENTING
#include "gpuarr/cpu/dispatch.h"
#endif
#endif /* GI_CPU_INCLUDED */
