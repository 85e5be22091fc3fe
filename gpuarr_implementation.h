/*  gpuarr_implementation.h -- what GPUARR_IMPLEMENTATION and GPUARR_KERNELS compile: the rooms, in their order. Included by gpuarr.h each time
    that it is, never by you.

    GPUARR_PART says which part: the runtime (GI_IMPLEMENTING), the loops of an instruction set (GI_STAMPING), or the kernels (GI_LAUNCHING). */

#define GI_BUILDS(part) (GPUARR_PART == GPUARR_ALL || GPUARR_PART == (part))
#if defined(GPUARR_IMPLEMENTATION) && !defined(GPUARR_IMPLEMENTED) &&                                                          \
    (defined(BOOL) || defined(INT) || defined(FLT) || defined(U8) || defined(F64) || defined(u8) || defined(i32) ||            \
     defined(f32) || defined(f64))
#error "gpuarr: with GPUARR_IMPLEMENTATION include gpuarr.h before what defines BOOL, INT, FLT, U8, F64, u8, i32, f32, f64"
#undef GPUARR_IMPLEMENTATION /* which would be many more errors */
#endif
#if defined(GPUARR_IMPLEMENTATION) && !defined(GPUARR_IMPLEMENTED)
#define GI_IMPLEMENTING GI_BUILDS(GPUARR_RUNTIME)
#define GI_LAUNCHING    GI_BUILDS(GPUARR_GPU)       /* kernels, if this is a CUDA compiler */
#define GI_STAMPING     (GPUARR_PART != GPUARR_GPU) /* loops of instruction sets */
#define GPUARR_IMPLEMENTED
#else
#define GI_IMPLEMENTING 0
#define GI_LAUNCHING    0
#define GI_STAMPING     0
#endif
#if (defined(GPUARR_KERNELS) || defined(GPUARR_IMPLEMENTATION)) && !defined(GPUARR_HAS_FORMULAS)
#define GI_DEFINES_KERNELS 1 /* the formulas are there for kernels in this file, even if the rest is compiled elsewhere */
#else
#define GI_DEFINES_KERNELS (GI_STAMPING || GI_LAUNCHING)
#endif
#if GI_DEFINES_KERNELS
#ifdef __NVCC__ /* it passes GCC's pragmas on to GCC, and warns that it does not know them itself */
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675
#endif
#ifdef __clang__ /* some loops are asked for as vectors in vain, and may stay scalar, wherever they are inlined */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#if defined(GPUARR_STATIC) && defined(__GNUC__) /* what the program does not use is not compiled */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include "gpuarr/core/platform.h"
GI_BEGIN_OURS
#ifndef GPUARR_HAS_FORMULAS
#define GPUARR_HAS_FORMULAS
#include "gpuarr/formulas/arithmetic.h"
#include "gpuarr/formulas/vocabulary.h"
#include "gpuarr/formulas/log.h"
#include "gpuarr/formulas/trig_f32.h"
#include "gpuarr/formulas/trig_f64.h"
#include "gpuarr/formulas/exp.h"
#include "gpuarr/formulas/power.h"

/* ---- every element type in turn -------------------------------------------------------------------------------------- */
/* ---- the passes: first the primitives of all types, then conversions between them, then the rows -------------------- */
#define GI_PASS 1
#include "gpuarr/rows/each.h"
#undef GI_PASS
#include "gpuarr/formulas/complex.h"
#define GI_PASS 2
#include "gpuarr/rows/each.h"
#undef GI_PASS
GI_FORMULA double  gi_over_f64(double a, int64_t n) { return a / (double)n; }
GI_FORMULA ga_c128 gi_over_c128(ga_c128 a, int64_t n) { return gi_make_c128(a.re / (double)n, a.im / (double)n); }
#define GI_PASS 3
#include "gpuarr/rows/each.h"
#undef GI_PASS

#include "gpuarr/formulas/random.h"
#include "gpuarr/formulas/draws.h"
#include "gpuarr/formulas/moments.h"
#include "gpuarr/formulas/borders.h"
#include "gpuarr/formulas/half.h"
GI_END_FAST
#endif /* GPUARR_HAS_FORMULAS */

#if GI_STAMPING || GI_LAUNCHING
#include "gpuarr/rows/signs.h"
#include "gpuarr/plans/kernels.h"
#include "gpuarr/plans/fourier.h"
#endif
#if GI_IMPLEMENTING || GI_LAUNCHING /* what both have of their own, and who calls whom */
#include "gpuarr/core/kinds.h"
#include "gpuarr/core/buffers.h"
#include "gpuarr/core/shared.h"
#include "gpuarr/core/gpu.h"
#endif
#if GI_IMPLEMENTING
#include "gpuarr/core/errors.h"
#include "gpuarr/core/dtypes.h"
#include "gpuarr/core/memory.h"
#include "gpuarr/core/new_file.h"
#include "gpuarr/core/arena.h"
#include "gpuarr/core/deferred.h"
#include "gpuarr/core/arrays.h"
#include "gpuarr/core/shapes.h"
#include "gpuarr/core/options.h"
#include "gpuarr/core/floats.h"
#include "gpuarr/core/threads.h"
#include "gpuarr/core/shutdown.h"
#include "gpuarr/core/ranks.h"
#endif
#if GI_IMPLEMENTING || GI_LAUNCHING
#include "gpuarr/plans/numbers.h"
#include "gpuarr/plans/formulas.h"
#include "gpuarr/plans/layouts.h"
#include "gpuarr/plans/jobs.h"
#include "gpuarr/plans/programs.h"
#include "gpuarr/plans/lines.h"
#include "gpuarr/plans/order.h"
#include "gpuarr/plans/sequences.h"
#include "gpuarr/plans/products.h"
#include "gpuarr/plans/linear.h"
#include "gpuarr/plans/correlations.h"
#include "gpuarr/plans/labels.h"
#include "gpuarr/plans/taking.h"
#include "gpuarr/plans/bisection.h"
#include "gpuarr/plans/own.h"
#include "gpuarr/plans/print.h"
#endif
#if GI_HAS_CUDA
#include "gpuarr_cuda.h"
#endif

#if GI_STAMPING
#include "gpuarr_cpu.h"
#endif

#if GI_IMPLEMENTING
#include "gpuarr/ops/row.h"
#include "gpuarr/ops/operands.h"
#include "gpuarr/ops/walk.h"
#include "gpuarr/ops/map.h"
#include "gpuarr/ops/copies.h"
#include "gpuarr/ops/half.h"
#include "gpuarr/ops/rows.h"
GI_BEGIN_STATIC_COLD
#include "gpuarr/ops/own_map.h"
#include "gpuarr/ops/compare.h"
#include "gpuarr/ops/views.h"
#include "gpuarr/ops/reshape.h"
#include "gpuarr/ops/create.h"
#include "gpuarr/ops/items.h"
#include "gpuarr/ops/devices.h"
#include "gpuarr/ops/sequences.h"
#include "gpuarr/ops/grids.h"
#include "gpuarr/ops/repeat.h"
#include "gpuarr/ops/random.h"
GI_END_STATIC_COLD
#include "gpuarr/ops/reduce.h"
GI_BEGIN_STATIC_COLD
#include "gpuarr/ops/moments.h"
#include "gpuarr/ops/extremes.h"
#include "gpuarr/ops/own_reduce.h"
#include "gpuarr/ops/join.h"
#include "gpuarr/ops/compose.h"
#include "gpuarr/ops/moments_some.h"
#include "gpuarr/ops/folds.h"
#include "gpuarr/ops/pad.h"
#include "gpuarr/ops/take.h"
#include "gpuarr/ops/sort_counted.h"
#include "gpuarr/ops/sort_shared.h"
#include "gpuarr/ops/sort.h"
#include "gpuarr/ops/unique.h"
#include "gpuarr/ops/histogram.h"
#include "gpuarr/ops/scan.h"
#include "gpuarr/ops/matmul.h"
#include "gpuarr/ops/norm.h"
#include "gpuarr/ops/contract.h"
#include "gpuarr/ops/products.h"
#include "gpuarr/ops/einsum.h"
#include "gpuarr/ops/linear.h"
#include "gpuarr/ops/linear_lapacke.h"
#include "gpuarr/ops/linear_cusolver.h"
#include "gpuarr/ops/linear_lu.h"
#include "gpuarr/ops/linear_qr.h"
#include "gpuarr/ops/linear_bidiagonal.h"
#include "gpuarr/ops/linear_eigen.h"
#include "gpuarr/ops/linear_francis.h"
#include "gpuarr/ops/linear_schur.h"
#include "gpuarr/ops/linear_svd.h"
GI_BEGIN_COLD
#include "gpuarr/ops/linear_products.h"
#include "gpuarr/ops/linear_norms.h"
#include "gpuarr/ops/linear_more.h"
GI_END_COLD
#include "gpuarr/ops/correlate.h"
#include "gpuarr/ops/fft.h"
#include "gpuarr/ops/fft_correlate.h"
#include "gpuarr/ops/separable.h"
#include "gpuarr/ops/convolve.h"
#include "gpuarr/ops/windows.h"
#include "gpuarr/ops/filters.h"
#include "gpuarr/ops/weighted.h"
#include "gpuarr/ops/select.h"
#include "gpuarr/ops/partition.h"
#include "gpuarr/ops/quantiles.h"
#include "gpuarr/ops/statistics.h"
GI_BEGIN_COLD
#include "gpuarr/ops/stack.h"
#include "gpuarr/ops/edit.h"
#include "gpuarr/ops/triangles.h"
#include "gpuarr/ops/differences.h"
#include "gpuarr/ops/search.h"
#include "gpuarr/ops/membership.h"
#include "gpuarr/ops/indices.h"
#include "gpuarr/ops/sums.h"
#include "gpuarr/ops/round.h"
#include "gpuarr/ops/covariance.h"
#include "gpuarr/ops/polynomials.h"
#include "gpuarr/ops/numbers.h"
#include "gpuarr/ops/chance.h"
#include "gpuarr/ops/places.h"
#include "gpuarr/ops/choices.h"
#include "gpuarr/ops/facts.h"
GI_END_COLD
#include "gpuarr/ops/label.h"
#include "gpuarr/ops/measures.h"
#include "gpuarr/ops/roots.h"
#include "gpuarr/ops/fourier_lines.h"
#include "gpuarr/ops/fourier_plans.h"
#include "gpuarr/ops/fourier.h"
#include "gpuarr/ops/clip.h"
#include "gpuarr/ops/clip_sketch.h"
#include "gpuarr/ops/distances.h"
#include "gpuarr/ops/metrics.h"
#include "gpuarr/ops/cdist.h"
#include "gpuarr/ops/stencils.h"
#include "gpuarr/ops/morphology.h"
#include "gpuarr/ops/sweeps.h"
#include "gpuarr/ops/line_filters.h"
#include "gpuarr/ops/regions.h"
#include "gpuarr/ops/signal.h"
#include "gpuarr/ops/spectra.h"
#include "gpuarr/ops/peaks.h"
#include "gpuarr/ops/transforms.h"
#include "gpuarr/ops/splines.h"
#include "gpuarr/ops/interpolate.h"
GI_BEGIN_COLD
#include "gpuarr/ops/dlpack.h"
#include "gpuarr/eval/words.h"
#include "gpuarr/eval/text.h"
#include "gpuarr/eval/numbers.h"
#include "gpuarr/eval/steps.h"
#include "gpuarr/eval/parse.h"
#include "gpuarr/eval/run.h"
#include "gpuarr/eval/types.h"
#include "gpuarr/eval/passes.h"
#include "gpuarr/eval/joins.h"
#include "gpuarr/eval/sequences.h"
#include "gpuarr/eval/build.h"
#include "gpuarr/eval/plans.h"
#include "gpuarr/eval/tiles.h"
#include "gpuarr/eval/programs.h"
#include "gpuarr/eval/make.h"
#include "gpuarr/eval/folds.h"
#include "gpuarr/eval/fuse.h"
#include "gpuarr/eval/call.h"
#include "gpuarr/eval/source.h"
#include "gpuarr/chunks/events.h"
#include "gpuarr/chunks/node.h"
#include "gpuarr/chunks/kept.h"
#include "gpuarr/chunks/pull.h"
#include "gpuarr/chunks/generators.h"
#include "gpuarr/chunks/chains.h"
#include "gpuarr/chunks/passes.h"
#include "gpuarr/chunks/joined.h"
#include "gpuarr/chunks/calls.h"
#include "gpuarr/chunks/products.h"
#include "gpuarr/chunks/neighbours.h"
#include "gpuarr/chunks/blocks.h"
#include "gpuarr/chunks/folds.h"
#include "gpuarr/chunks/branches.h"
#include "gpuarr/chunks/run.h"
#include "gpuarr/chunks/gpus.h"
#include "gpuarr/chunks/ranks.h"
#include "gpuarr/chunks/watch.h"
#include "gpuarr/chunks/report.h"
#include "gpuarr/chunks/units.h"
#include "gpuarr/chunks/by_rows.h"
#include "gpuarr/chunks/lines.h"
#include "gpuarr/chunks/fold_run.h"
#include "gpuarr/chunks/own_run.h"
#include "gpuarr/chunks/fingerprint.h"
#include "gpuarr/chunks/compute.h"
#include "gpuarr/chunks/forecast.h"
#include "gpuarr/chunks/port.h"
#include "gpuarr/chunks/draw.h"
#include "gpuarr/chunks/tasks.h"
GI_END_COLD
#include "gpuarr/files/text.h"
#include "gpuarr/files/npy.h"
#include "gpuarr/files/inflate.h"
GI_BEGIN_COLD
#include "gpuarr/files/packed.h"
GI_END_COLD
#include "gpuarr/files/npz.h"
#include "gpuarr/files/decimals.h"
#include "gpuarr/files/read_text.h"
#include "gpuarr/files/write_text.h"
GI_BEGIN_COLD
#include "gpuarr/files/raw.h"
#include "gpuarr/files/chunk_files.h"
#include "gpuarr/files/new_folders.h"
#include "gpuarr/files/chunk_npy.h"
#include "gpuarr/files/json.h"
#include "gpuarr/files/zarr.h"
#include "gpuarr/files/hdf5.h"
#include "gpuarr/files/open.h"
#include "gpuarr/files/new_files.h"
#include "gpuarr/files/store.h"
#include "gpuarr/files/persist.h"
#include "gpuarr/files/timing.h"
GI_END_COLD
#include "gpuarr/files/png.h"
GI_BEGIN_COLD
#include "gpuarr/files/png_read.h"
GI_END_COLD
#include "gpuarr/files/render.h"
#include "gpuarr/files/fits.h"
GI_END_STATIC_COLD
#endif /* GI_IMPLEMENTING */

#ifdef GI_NO_KERNELS
#undef GI_NO_KERNELS
#undef GA_ELEMENTWISE
#undef GA_ELEMENTWISE_T
#undef GA_REDUCTION
#undef GA_REDUCTION_T
#undef GA_STENCIL
/* ==== >>own kernels: what GA_ELEMENTWISE makes of a formula ========================================================== */
#include "gpuarr/own/kernels.h"
#include "gpuarr/own/vocabulary.h"
#include "gpuarr/own/elementwise.h"
#include "gpuarr/own/reduction.h"
#include "gpuarr/own/stencil.h"
#endif /* GI_NO_KERNELS */
GI_END_OURS
#ifdef __NVCC__
#pragma nv_diagnostic pop
#endif
#if defined(GPUARR_STATIC) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#endif /* GI_DEFINES_KERNELS */
#undef GI_BUILDS
#undef GI_IMPLEMENTING
#undef GI_LAUNCHING
#undef GI_STAMPING
#undef GI_DEFINES_KERNELS
