/* ---- where an element is --------------------------------------------------------------------------------------------- */
/*  The first of n elements whose bits are those of *x. There is one.                                                        */
#if GI_ISA_BYTES == 64
static int64_t GI_FIND(gi_locate_4)(int64_t n, const void *elements, const void *x)
{
    const int32_t *v      = (const int32_t *)elements;
    const __m512i  wanted = _mm512_set1_epi32(*(const int32_t *)x);
    int64_t        i      = 0;
    for (; i + 16 <= n; i += 16) {
        const __mmask16 equal = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(v + i), wanted);
        if (equal) return i + __builtin_ctz(equal);
    }
    while (i < n - 1 && v[i] != *(const int32_t *)x) i++;
    return i;
}

static int64_t GI_FIND(gi_locate_8)(int64_t n, const void *elements, const void *x)
{
    const int64_t *v      = (const int64_t *)elements;
    const __m512i  wanted = _mm512_set1_epi64(*(const int64_t *)x);
    int64_t        i      = 0;
    for (; i + 8 <= n; i += 8) {
        const __mmask8 equal = _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(v + i), wanted);
        if (equal) return i + __builtin_ctz(equal);
    }
    while (i < n - 1 && v[i] != *(const int64_t *)x) i++;
    return i;
}
static gi_locate_loop GI_FIND(gi_locate)(int itemsize)
{
    return itemsize == 4 ? GI_FIND(gi_locate_4) : itemsize == 8 ? GI_FIND(gi_locate_8) : NULL;
}
#else
static gi_locate_loop GI_FIND(gi_locate)(int itemsize)
{
    (void)itemsize;
    return NULL;
}
#endif
