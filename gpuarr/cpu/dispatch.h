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
    if (asked && !strcmp(asked, "baseline")) isa = GI_ISA_BASELINE;
    if (asked && !strcmp(asked, "avx2") && isa > GI_ISA_AVX2) isa = GI_ISA_AVX2;
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

/* Integers are finite and no NaN: these rows need no kernel for each of them. */
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

/* What a row has for a dtype, for the best instruction set that has it: a kernel, or for reductions a fold. False: nothing. */
static bool gi_cpu_find(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512 && gi_find_avx512(op, dtype, kernel, fold)) return true;
    if (gi_cpu_isa() >= GI_ISA_AVX2 && gi_find_avx2(op, dtype, kernel, fold)) return true;
#endif
    return gi_find_baseline(op, dtype, kernel, fold);
}

/* The kernel of an elementwise operation for a dtype, NULL if its row has none. */
static gi_kernel gi_cpu_kernel(ga_op op, ga_dtype dtype)
{
    gi_kernel kernel = NULL;
    gi_fold   unused;
    if (dtype < GA_F32 && (op == GA_OP_isnan || op == GA_OP_isinf)) return gi_kernel_false;
    if (dtype < GA_F32 && op == GA_OP_isfinite) return gi_kernel_true;
    return gi_cpu_find(op, dtype, &kernel, &unused) ? kernel : NULL;
}

/* How a reduction folds a dtype; false if its row does not have it. */
static bool gi_cpu_fold(ga_op op, ga_dtype dtype, gi_fold *fold)
{
    gi_kernel unused;
    return gi_cpu_find(op, dtype, &unused, fold);
}

static gi_cast_kernel gi_cpu_cast(ga_dtype to, ga_dtype from)
{
    gi_cast_kernel found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_cast_avx512(to, from);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_cast_avx2(to, from);
#endif
    return found ? found : gi_find_cast_baseline(to, from);
}

static const gi_dense *gi_cpu_dense(ga_dtype dtype) /* NULL unless float32 or float64 */
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_dense_avx512(dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_dense_avx2(dtype);
#endif
    return gi_find_dense_baseline(dtype);
}

static const gi_window_loops *gi_cpu_windows(int itemsize)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_windows_avx512(itemsize);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_windows_avx2(itemsize);
#endif
    return gi_find_windows_baseline(itemsize);
}

static void gi_cpu_slide(const gi_slide *s, const uint32_t *first, int64_t step, int64_t n, uint32_t *out)
{
#if GI_HAS_X86
    if (gi_cpu_isa() >= GI_ISA_AVX2) gi_slide_avx2(s, first, step, n, out);
    else
#endif
        gi_slide_baseline(s, first, step, n, out);
}

static const gi_bit_rows *gi_cpu_bit_rows(void)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return &gi_bit_rows_avx512;
    if (gi_cpu_isa() == GI_ISA_AVX2) return &gi_bit_rows_avx2;
#endif
    return &gi_bit_rows_baseline;
}

static gi_correlate_loop gi_cpu_correlate_lines(ga_dtype dtype)
{
    const gi_dense *dense = gi_cpu_dense(dtype);
    if (dense) return dense->correlate_lines;
#if GI_HAS_X86
    if (gi_cpu_isa() >= GI_ISA_AVX2) return gi_find_correlate_avx2(dtype);
#endif
    return gi_find_correlate_baseline(dtype);
}

static gi_random_loop gi_cpu_random(void)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_random_blocks_avx512;
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_random_blocks_avx2;
#endif
    return gi_random_blocks_baseline;
}

static const gi_node_loops *gi_cpu_nodes(ga_dtype dtype) /* float32 or float64 */
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_nodes_avx512(dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_nodes_avx2(dtype);
#endif
    return gi_find_nodes_baseline(dtype);
}

static const gi_scan_loops *gi_cpu_scans(ga_dtype dtype) /* float32 or float64 */
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_scans_avx512(dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_scans_avx2(dtype);
#endif
    return gi_find_scans_baseline(dtype);
}

static gi_chains gi_cpu_chains(ga_dtype dtype)
{
    gi_chains found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_chains_avx512(dtype);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_chains_avx2(dtype);
#endif
    return found ? found : gi_find_chains_baseline(dtype);
}

static const gi_product_tiles *gi_cpu_tiles(ga_dtype dtype) /* of float32, float64, int32 or int64 */
{
    const gi_product_tiles *found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_tiles_avx512(dtype);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_tiles_avx2(dtype);
#endif
    return found ? found : gi_find_tiles_baseline(dtype);
}

static gi_turn_lines gi_cpu_turn(int itemsize) /* NULL: this instruction set has none for elements of the size */
{
    return itemsize == 4 ? gi_cpu_tiles(GA_F32)->pack_across : itemsize == 8 ? gi_cpu_tiles(GA_F64)->pack_across : NULL;
}

static gi_kernel gi_cpu_select(int itemsize)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_select_avx512(itemsize);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_select_avx2(itemsize);
#endif
    return gi_find_select_baseline(itemsize);
}

static gi_kernel gi_cpu_power(double exponent, ga_dtype dtype)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_power_avx512(exponent, dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_power_avx2(exponent, dtype);
#endif
    return gi_find_power_baseline(exponent, dtype);
}

/* out[i] = x[i] where y[i], a bool, is true; for elements of up to 8 bytes. */
static gi_kernel gi_cpu_replace(int itemsize)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_replace_avx512(itemsize);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_replace_avx2(itemsize);
#endif
    return gi_find_replace_baseline(itemsize);
}

/* How results that no cache would keep are written. */
static gi_stream gi_cpu_stream(void)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_stream_avx512;
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_stream_avx2;
#endif
    return gi_stream_baseline;
}

/* What was streamed is there for other threads before what is written from now on. */
static void gi_stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
