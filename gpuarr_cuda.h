/*  gpuarr_cuda.h -- the CUDA backend. Included by gpuarr.h when a .cu file is compiled (nvcc, or g++ with tools/cudasim), never by you.

    The kernels call the very formulas that the loops of gpuarr_cpu.h call, in the same order: a result has the same bits on both. A
    kernel is launched on the current stream and nothing waits for it, except where the host needs a number (how many elements are
    selected, ga_item ...). The rest of gpuarr sees none of this but the port, gpuarr/core/gpu.h.                              */

#ifndef GI_CUDA_KERNELS_INCLUDED /* what kernels of the user's are made of, in his own files, too */
#define GI_CUDA_KERNELS_INCLUDED
#include "gpuarr/cuda/own.h"
#include "gpuarr/cuda/tree.h"
#include "gpuarr/cuda/own_reduction.h"
#include "gpuarr/cuda/own_stencil.h"
#endif

#if GI_LAUNCHING
#include "gpuarr/cuda/runtime.h"
#include "gpuarr/cuda/map_kernels.h"
#include "gpuarr/cuda/map.h"
#include "gpuarr/cuda/programs.h"
#include "gpuarr/cuda/find.h"
#include "gpuarr/cuda/pieces.h"
#include "gpuarr/cuda/folds.h"
#include "gpuarr/cuda/own_run.h"
#include "gpuarr/cuda/moments.h"
#include "gpuarr/cuda/search.h"
#include "gpuarr/cuda/dot.h"
#include "gpuarr/cuda/scans.h"
#include "gpuarr/cuda/selecting.h"
#include "gpuarr/cuda/bisection.h"
#include "gpuarr/cuda/counting.h"
#include "gpuarr/cuda/keys.h"
#include "gpuarr/cuda/sort_short.h"
#include "gpuarr/cuda/sort_radix.h"
#include "gpuarr/cuda/sort_long.h"
#include "gpuarr/cuda/sort.h"
#include "gpuarr/cuda/unique.h"
#include "gpuarr/cuda/order.h"
#include "gpuarr/cuda/generators.h"
#include "gpuarr/cuda/label.h"
#include "gpuarr/cuda/measures.h"
#include "gpuarr/cuda/clip.h"
#include "gpuarr/cuda/products.h"
#include "gpuarr/cuda/linear.h"
#include "gpuarr/cuda/solver.h"
#include "gpuarr/cuda/distances.h"
#include "gpuarr/cuda/convolution.h"
#include "gpuarr/cuda/separable.h"
#include "gpuarr/cuda/fft.h"
#include "gpuarr/cuda/fourier.h"
#include "gpuarr/cuda/filters.h"
#include "gpuarr/cuda/devices.h"
#include "gpuarr/cuda/streams.h"
#include "gpuarr/cuda/copies.h"
#include "gpuarr/cuda/events.h"
#include "gpuarr/cuda/launch.h"
#include "gpuarr/cuda/waiting.h"
#include "gpuarr/cuda/port.h"
#endif
