/*  gpuarr_cpu.h -- the CPU backend. Included by gpuarr.h, never by you.

    The loops are ordinary code with ordinary line numbers. This file includes itself once per instruction set (GI_ISA) and, within
    that, once per element type (GA_TAG). A kernel works on packed elements: strides, casts and broadcasting are settled before by
    whoever calls it, a tile at a time.

        >>own kernels  >>loops  >>folds  >>moments  >>scans  >>windows  >>dense  >>stamp  >>random  >>find  >>isa             */

#ifndef GI_CPU_INCLUDED
#define GI_CPU_INCLUDED
#include "gpuarr/cpu/plans.h"
#include "gpuarr/cpu/sets.h"
#include "gpuarr/cpu/dispatch.h"
#endif /* GI_CPU_INCLUDED */
