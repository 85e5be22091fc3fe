/*  ulp.c -- the largest errors of the elementary functions, in units in the last place, as a table for gpuarr/rows/README.md. float32 functions
    of one argument are tried on all 2^32 inputs against glibc's double function; the others on random points against libquadmath.

        ulp [stride [function]]     every stride-th float32 (default 1: all), of one function only                                                            */
#include <math.h>
#include <quadmath.h>
#include <stdlib.h>
#include <string.h>

#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

enum { PIECE = 1 << 16, POINTS = 1 << 21 };

typedef struct {
    double max, at, at2;
    long   wrong;
} error;

/* |got - want| in units in the last place of `want` (rounded to a `bits`-bit float with that least exponent). */
static void judge(error *e, double got, __float128 want, int bits, int least, double x, double y)
{
    double rounded = bits == 24 ? (double)(float)want : (double)want;
    if (isnan(rounded) || isinf(rounded) || isnan(got) || isinf(got)) {
        bool same = isnan(rounded) ? isnan(got) : got == rounded;
        if (!same && e->wrong++ == 0) e->at = x, e->at2 = y;
        return;
    }
    int    exponent = want == 0 ? least : ilogbq(want) < least ? least : ilogbq(want);
    double ulps     = (double)(fabsq((__float128)got - want) / scalbnq(1, exponent - bits + 1));
    if (ulps > e->max) e->max = ulps, e->at = x, e->at2 = y;
}

static __float128 wide_exp2(__float128 x) { return exp2q(x); }
static __float128 wide_logaddexp(__float128 x, __float128 y)
{
    if (x == y) return x + M_LN2q;
    return x > y ? x + log1pq(expq(y - x)) : y > x ? y + log1pq(expq(x - y)) : x + y;
}
static double narrow_logaddexp(double x, double y) { return (double)wide_logaddexp(x, y); }

typedef struct {
    const char *name;
    double (*narrow)(double);
    __float128 (*wide)(__float128);
    double low, high;
} one_reference;
typedef struct {
    const char *name;
    double (*narrow)(double, double);
    __float128 (*wide)(__float128, __float128);
    double low, high;
} two_reference;

static const one_reference ones[] = {
    { "exp", exp, expq, -745, 710 },     { "exp2", exp2, wide_exp2, -1075, 1024 }, { "expm1", expm1, expm1q, -40, 710 },
    { "log", log, logq, 0, 100 },        { "log2", log2, log2q, 0, 100 },          { "log10", log10, log10q, 0, 100 },
    { "log1p", log1p, log1pq, -1, 10 },  { "sin", sin, sinq, -1000, 1000 },        { "cos", cos, cosq, -1000, 1000 },
    { "tan", tan, tanq, -1000, 1000 },   { "arcsin", asin, asinq, -1, 1 },         { "arccos", acos, acosq, -1, 1 },
    { "arctan", atan, atanq, -10, 10 },  { "sinh", sinh, sinhq, -20, 20 },         { "cosh", cosh, coshq, -20, 20 },
    { "tanh", tanh, tanhq, -5, 5 },      { "arcsinh", asinh, asinhq, -10, 10 },    { "arccosh", acosh, acoshq, 1, 10 },
    { "arctanh", atanh, atanhq, -1, 1 }, { "cbrt", cbrt, cbrtq, -100, 100 },
};
static const two_reference twos[] = {
    { "power", pow, powq, 0, 20 },
    { "arctan2", atan2, atan2q, -10, 10 },
    { "hypot", hypot, hypotq, -10, 10 },
    { "logaddexp", narrow_logaddexp, wide_logaddexp, 0, 50 },
};

static void all_floats(const one_reference *r, gi_kernel kernel, uint64_t stride)
{
    static float x[PIECE], y[PIECE];
    error        e = { 0, 0, 0, 0 };
    for (uint64_t first = 0; first < (uint64_t)1 << 32; first += PIECE * stride) {
        int64_t n = 0;
        for (uint64_t u = first; n < PIECE && u < (uint64_t)1 << 32; u += stride) {
            uint32_t bits = (uint32_t)u;
            memcpy(&x[n++], &bits, sizeof bits);
        }
        kernel(n, y, x, NULL, NULL);
        for (int64_t i = 0; i < n; i++) {
            double want = r->narrow(x[i]), got = y[i];
            if ((float)want == y[i]) { /* rightly rounded: at most half a unit, seldom the maximum */
                continue;
            }
            judge(&e, got, want, 24, -126, x[i], 0);
        }
    }
    printf("| %-9s | float32 | %.3f | %a | %s | %ld |\n", r->name, e.max < 0.5 ? 0.5 : e.max, e.at,
           stride == 1 ? "all 2^32" : "a sample", e.wrong);
    fflush(stdout);
}

static double point(uint64_t *state, double low, double high, bool wild)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    if (!wild) return low + (high - low) * ((double)(*state >> 11) * 0x1p-53);
    double   x;
    uint64_t bits = *state;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Random points: half of them in the usual range, half with random bits. */
static void some_points(const char *name, const char *type, bool narrow, gi_kernel kernel, const one_reference *r1,
                        const two_reference *r2)
{
    static double x[PIECE], y[PIECE], z[PIECE];
    static float  fx[PIECE], fy[PIECE], fz[PIECE];
    error         e     = { 0, 0, 0, 0 };
    uint64_t      state = 88172645463325252u;
    double        low = r1 ? r1->low : r2->low, high = r1 ? r1->high : r2->high;
    for (int done = 0; done < POINTS; done += PIECE) {
        for (int i = 0; i < PIECE; i++) {
            x[i] = point(&state, low, high, i & 1);
            y[i] = point(&state, low, high, i & 1);
            if (narrow) x[i] = fx[i] = (float)x[i], y[i] = fy[i] = (float)y[i];
        }
        kernel(PIECE, narrow ? (void *)fz : (void *)z, narrow ? (void *)fx : (void *)x, narrow ? (void *)fy : (void *)y, NULL);
        for (int i = 0; i < PIECE; i++) {
            if (narrow) z[i] = fz[i];
            __float128 want = r1 ? r1->wide(x[i]) : r2->wide(x[i], y[i]);
            judge(&e, z[i], want, narrow ? 24 : 53, narrow ? -126 : -1022, x[i], y[i]);
        }
    }
    if (r1) printf("| %-9s | %s | %.3f | %a | %d points | %ld |\n", name, type, e.max, e.at, POINTS, e.wrong);
    else printf("| %-9s | %s | %.3f | %a, %a | %d points | %ld |\n", name, type, e.max, e.at, e.at2, POINTS, e.wrong);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t    stride = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const char *only   = argc > 2 ? argv[2] : NULL;
    puts("| function | type | largest error (ulp) | at | inputs | wrong specials |\n| --- | --- | --- | --- | --- | --- |");
#define GA_ELEMENTARY(row, ...)                                                                                                \
    for (size_t k = 0; k < sizeof ones / sizeof *ones; k++)                                                                    \
        if (!strcmp(ones[k].name, #row) && (!only || !strcmp(only, #row))) {                                                   \
            all_floats(&ones[k], gi_row_kernel(&gi_row_##row, GA_F32), stride ? stride : 1);                                   \
            some_points(#row, "float64", false, gi_row_kernel(&gi_row_##row, GA_F64), &ones[k], NULL);                         \
        }
#define GA_ELEMENTARY2(row, ...)                                                                                               \
    for (size_t k = 0; k < sizeof twos / sizeof *twos; k++)                                                                    \
        if (!strcmp(twos[k].name, #row) && (!only || !strcmp(only, #row))) {                                                   \
            some_points(#row, "float32", true, gi_row_kernel(&gi_row_##row, GA_F32), NULL, &twos[k]);                          \
            some_points(#row, "float64", false, gi_row_kernel(&gi_row_##row, GA_F64), NULL, &twos[k]);                         \
        }
#define GA_TABLE
#include "gpuarr.h"
    return 0;
}
