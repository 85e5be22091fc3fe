/* cudasim: complex numbers as pairs. */
#ifndef CUDASIM_CUCOMPLEX_H
#define CUDASIM_CUCOMPLEX_H
#include "cuda_runtime.h"

typedef float2         cuFloatComplex;
typedef double2        cuDoubleComplex;
typedef cuFloatComplex cuComplex;

static inline cuFloatComplex make_cuFloatComplex(float x, float y) { return { x, y }; }
static inline cuComplex      make_cuComplex(float x, float y) { return { x, y }; }
static inline float          cuCrealf(cuFloatComplex x) { return x.x; }
static inline float          cuCimagf(cuFloatComplex x) { return x.y; }
static inline cuFloatComplex cuConjf(cuFloatComplex x) { return { x.x, -x.y }; }
static inline cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y) { return { x.x + y.x, x.y + y.y }; }
static inline cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y) { return { x.x - y.x, x.y - y.y }; }
static inline cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y)
{
    return { x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x };
}

static inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return { x, y }; }
static inline double          cuCreal(cuDoubleComplex x) { return x.x; }
static inline double          cuCimag(cuDoubleComplex x) { return x.y; }
static inline cuDoubleComplex cuConj(cuDoubleComplex x) { return { x.x, -x.y }; }
static inline cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y) { return { x.x + y.x, x.y + y.y }; }
static inline cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y) { return { x.x - y.x, x.y - y.y }; }
static inline cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y)
{
    return { x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x };
}

#endif
