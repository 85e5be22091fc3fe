// Functions that only the device has: intrinsics, bit counting, conversions, special functions.
// expect: rsqrt 0.5 cbrt 3 hypot 5 sincospi 1 0
// expect: popc 8 clz 24 ffs 5 brev 0x80000000 byte_perm 0x2301 mulhi 1
// expect: round 3 2 3 saturate 1 fma 7 fast 1
// expect: bits 0x3f800000 1 umul64hi 1
// expect: clocks run, min 2 max 3
#include "check.h"

struct results {
    double   d[12];
    unsigned u[12];
    int      clocks, low, high;
};

__global__ void compute(results *r, float one, int eight)
{
    long long start = clock64();
    double    s, c;
    sincospi(0.5 * one, &s, &c);
    r->d[0]   = rsqrtf(4.0f * one);
    r->d[1]   = cbrt(27.0 * one);
    r->d[2]   = hypotf(3.0f * one, 4.0f);
    r->d[3]   = s;
    r->d[4]   = c;
    r->d[5]   = __float2int_rn(2.6f * one);
    r->d[6]   = __float2int_rz(2.6f * one);
    r->d[7]   = __float2int_ru(2.4f * one);
    r->d[8]   = __saturatef(5.0f * one);
    r->d[9]   = __fmaf_rn(2.0f, 3.0f, one);
    r->d[10]  = __expf(0.0f * one);
    r->u[0]   = __popc(0xffu);
    r->u[1]   = __clz(0xff);
    r->u[2]   = __ffs(0x10 * one == 16.0f ? 0x10 : 0);
    r->u[3]   = __brev(1u);
    r->u[4]   = __byte_perm(0x0123u, 0x4567u, 0x4401) & 0xffff;
    r->u[5]   = __umulhi(0x80000000u, 2u);
    r->u[6]   = __float_as_uint(one);
    r->u[7]   = (unsigned)__int_as_float(0x3f800000);
    r->u[8]   = (unsigned)__umul64hi(0x8000000000000000ull, 2ull);
    r->low    = min(eight - 6, 3);
    r->high   = max(eight - 6, 3);
    r->clocks = clock64() >= start;
}

int main()
{
    results *d, r;
    CHECK(cudaMalloc(&d, sizeof r));
    CHECK(cudaMemset(d, 0, sizeof r));
    compute<<<1, 1>>>(d, 1.0f, 8);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
    printf("rsqrt %g cbrt %g hypot %g sincospi %g %g\n", r.d[0], r.d[1], r.d[2], r.d[3], r.d[4]);
    printf("popc %u clz %u ffs %u brev %#x byte_perm %#x mulhi %u\n", r.u[0], r.u[1], r.u[2], r.u[3], r.u[4], r.u[5]);
    printf("round %g %g %g saturate %g fma %g fast %g\n", r.d[5], r.d[6], r.d[7], r.d[8], r.d[9], r.d[10]);
    printf("bits %#x %u umul64hi %u\n", r.u[6], r.u[7], r.u[8]);
    printf("clocks %s, min %d max %d\n", r.clocks ? "run" : "stand", r.low, r.high);
    CHECK(cudaFree(d));
    return 0;
}
