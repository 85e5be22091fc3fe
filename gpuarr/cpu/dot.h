/* ==== >>dot: the first steps of the tree of the products of two blocks (gpuarr.h, dot); of avx512: sums.h ============== */
#if GI_ISA_BYTES < 64

static GI_INLINE double GI_LOOP(gi_dot_pair)(const GA_T *x, const GA_T *y, int64_t i, int64_t apart)
{
    return gi_mul_f64((double)x[i], (double)y[i]) + gi_mul_f64((double)x[i + apart], (double)y[i + apart]);
}

/* accs[i]: of the products i, i + 128 ... of 1024. */
static void GI_LOOP(gi_dot_eighths)(const void *x_, const void *y_, double *accs)
{
    enum { H = GI_BLOCK / 8 };
    double *__restrict__ a = accs;
    const GA_T *x = (const GA_T *)x_, *y = (const GA_T *)y_;
    GI_VECTORIZE
    for (int64_t i = 0; i < H; i++)
        a[i] = (GI_LOOP(gi_dot_pair)(x, y, i, 4 * H) + GI_LOOP(gi_dot_pair)(x, y, i + 2 * H, 4 * H)) +
               (GI_LOOP(gi_dot_pair)(x, y, i + H, 4 * H) + GI_LOOP(gi_dot_pair)(x, y, i + 3 * H, 4 * H));
}

/* The products of n elements, of a whole block their eighths; returns how many. */
static int64_t GI_LOOP(gi_dot_block)(int64_t n, const void *x_, const void *y_, double *accs, int fetch)
{
    double *__restrict__ a = accs;
    const GA_T *x = (const GA_T *)x_, *y = (const GA_T *)y_;
    (void)fetch;
    if (n == GI_BLOCK) {
        GI_LOOP(gi_dot_eighths)(x, y, accs);
        return GI_BLOCK / 8;
    }
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) a[i] = gi_mul_f64((double)x[i], (double)y[i]);
    return n;
}
#endif
