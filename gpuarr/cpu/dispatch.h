typedef enum gi_isa { GI_ISA_UNKNOWN, GI_ISA_BASELINE, GI_ISA_AVX2, GI_ISA_AVX512 } gi_isa;

static gi_isa gi_cpu_isa(void)
{
    static int known; /* atomic; every thread finds the same */
    int        isa = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (isa != GI_ISA_UNKNOWN) return (gi_isa)isa;
    isa = GI_ISA_BASELINE;
#if GI_HAS_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isa = GI_ISA_AVX2;
    if (isa == GI_ISA_AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        isa = GI_ISA_AVX512;
#endif
    const char *asked = getenv("GPUARR_ISA");
    if (!asked) asked = "";
    if (!strcmp(asked, "baseline")) isa = GI_ISA_BASELINE;
    else if (!strcmp(asked, "avx2")) isa = isa > GI_ISA_AVX2 ? GI_ISA_AVX2 : isa;
    else if (*asked && strcmp(asked, "avx512") != 0)
        fprintf(stderr, "gpuarr: GPUARR_ISA=%s in the environment is none of baseline, avx2 and avx512\n", asked);
    __atomic_store_n(&known, isa, __ATOMIC_RELAXED);
    return (gi_isa)isa;
}

const char *ga_isa(void)
{
    switch (gi_cpu_isa()) {
    case GI_ISA_AVX512: return "avx512";
    case GI_ISA_AVX2: return "avx2";
    default: return "baseline";
    }
}

/* What is the same for all numbers needs no kernel for each. */
static void gi_kernel_false(int64_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)x, (void)y, (void)z;
    memset(out, 0, (size_t)n);
}

static void gi_kernel_true(int64_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)x, (void)y, (void)z;
    memset(out, 1, (size_t)n);
}

#define GI_KERNEL_ZEROS(bytes)                                                                                                 \
    static void gi_kernel_zeros_##bytes(int64_t n, void *out, const void *x, const void *y, const void *z)                     \
    {                                                                                                                          \
        (void)x, (void)y, (void)z;                                                                                             \
        memset(out, 0, (size_t)n *bytes);                                                                                      \
    }
GI_KERNEL_ZEROS(2)
GI_KERNEL_ZEROS(4)
GI_KERNEL_ZEROS(8)
#undef GI_KERNEL_ZEROS

/* The same for all numbers of so many bytes: 0. */
static gi_kernel gi_kernel_zeros(int64_t bytes)
{
    return bytes == 1 ? gi_kernel_false : bytes == 2 ? gi_kernel_zeros_2 : bytes == 4 ? gi_kernel_zeros_4 : gi_kernel_zeros_8;
}

/* A loop of the best instruction set that this processor has: GI_LOOP_OF(scans)(dtype), by the names of gi_loops. */
#if defined(GPUARR_STATIC) /* no table may hold on to what the program does not use */
#if GI_HAS_X86
#define GI_LOOP_OF(entry)                                                                                                      \
    (gi_cpu_isa() == GI_ISA_AVX512 ? gi_##entry##_avx512                                                                       \
     : gi_cpu_isa() == GI_ISA_AVX2 ? gi_##entry##_avx2                                                                         \
                                   : gi_##entry##_baseline)
#else
#define GI_LOOP_OF(entry) gi_##entry##_baseline
#endif
#else
static const gi_loops *gi_cpu_loops(void)
{
    static const gi_loops *const each[] = {
        &gi_loops_baseline,
#if GI_HAS_X86
        &gi_loops_avx2,
        &gi_loops_avx512,
#endif
    };
    return each[gi_cpu_isa() - GI_ISA_BASELINE];
}
#define GI_LOOP_OF(entry) (gi_cpu_loops()->entry)
#endif

/* What was streamed is there for other threads before what is written from now on. */
static void gi_stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#define GI_CAST_PART 256

/* Without a loop: in two steps, through the real dtype of the complex side; the bits are the same. (Not for equal dtypes.) */
static __attribute__((noinline)) void gi_cast_complex(ga_dtype to, ga_dtype from, int64_t n, void *out, const void *in)
{
    const ga_dtype       way  = gi_dtype_real(gi_is_complex(from) ? from : to);
    const int64_t        size = gi_itemsizes[from], width = gi_itemsizes[to];
    const gi_cast_kernel first = GI_LOOP_OF(cast)(way, from), second = GI_LOOP_OF(cast)(to, way);
    double               part[GI_CAST_PART];
    for (int64_t i = 0; i < n; i += GI_CAST_PART) {
        const int64_t m = n - i < GI_CAST_PART ? n - i : GI_CAST_PART;
        first(m, part, (const char *)in + i * size);
        second(m, (char *)out + i * width, part);
    }
}

/* Converts n packed elements to another dtype. */
static void gi_cpu_cast(ga_dtype to, ga_dtype from, int64_t n, void *out, const void *in)
{
    const gi_cast_kernel loop = GI_LOOP_OF(cast)(to, from);
    if (loop) loop(n, out, in);
    else if (gi_is_complex(from) || gi_is_complex(to)) gi_cast_complex(to, from, n, out, in);
    else memmove(out, in, (size_t)(n * gi_itemsizes[to])); /* signed and unsigned, of one size */
}
