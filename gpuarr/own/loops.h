/* ==== >>own kernels: the loops of GA_ELEMENTWISE, for files of the user's =============================================== */

enum { GI_OWN_PART = 256 }; /* elements that are computed once more, exactly, if an argument among them is rare */

#define GI_OWN_INLINE inline __attribute__((always_inline))

/* Where the part of the elements that begins at `from` ends. */
static inline int64_t gi_own_part_end(const gi_elements *e, int64_t from)
{
    return e->n - from < GI_OWN_PART ? e->n : from + GI_OWN_PART;
}

#if GI_HAS_CUDA
#define GI_OWN_CUDA(name, t) (void (*)(void)) gi_cuda_own_kernel<name##_formula_##t>
#else
#define GI_OWN_CUDA(name, t) NULL
#endif

/* What stands behind the store of a result. Where x * y + z and x * y - z are stored side by side, as the parts of a complex number,
   gcc makes one vfmaddsub of them, although it was told not to fuse anything; an asm statement keeps it from vectors. */
#if defined(__clang__)
#define GI_OWN_FAST
#define GI_OWN_STORED(value)
#else
#define GI_OWN_FAST                                                                                                            \
    __attribute__((optimize("O2", "tree-loop-vectorize", "no-tree-slp-vectorize", "vect-cost-model=dynamic",                   \
                            "no-trapping-math", "no-math-errno", "fp-contract=off")))
#define GI_OWN_STORED(value)                                                                                                   \
    if (__builtin_classify_type(value) == 12 /* a struct */) __asm__("");
#endif
#define GI_OWN_STAMP(name, t, isa, target)                                                                                     \
    static target GI_OWN_FAST void name##_##isa##_##t(const gi_elements *gi_e, bool gi_exact)                                  \
    {                                                                                                                          \
        for (int64_t from = 0, to = 0; from < gi_e->n; from = to) {                                                            \
            to = gi_own_part_end(gi_e, from);                                                                                  \
            if (gi_exact || name##_part_##t(gi_e, from, to, false)) (void)name##_part_##t(gi_e, from, to, true);               \
        }                                                                                                                      \
    }
#define GI_OWN_JOIN(name, isa, target)                                                                                         \
    static target GI_OWN_FAST void name##_join_##isa(int64_t n, void *accs, const void *more)                                  \
    {                                                                                                                          \
        name##_join_part(n, accs, more);                                                                                       \
    }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#if defined(__clang__)
#define GI_OWN_VECTORS
#else
#define GI_OWN_VECTORS ",prefer-vector-width=512"
#endif
#define GI_AVX2   __attribute__((target("avx2,fma")))
#define GI_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma" GI_OWN_VECTORS)))
#define GI_OWN_STAMPS(name, t)                                                                                                 \
    GI_OWN_STAMP(name, t, baseline, ) GI_OWN_STAMP(name, t, avx2, GI_AVX2) GI_OWN_STAMP(name, t, avx512, GI_AVX512)
#define GI_LOOPS_FOR(name, t)                                                                                                  \
    {                                                                                                                          \
        name##_baseline_##t, name##_avx2_##t, name##_avx512_##t                                                                \
    }
#define GI_OWN_JOINS(name) GI_OWN_JOIN(name, baseline, ) GI_OWN_JOIN(name, avx2, GI_AVX2) GI_OWN_JOIN(name, avx512, GI_AVX512)
#define GI_JOINS_OF(name)                                                                                                      \
    {                                                                                                                          \
        name##_join_baseline, name##_join_avx2, name##_join_avx512                                                             \
    }
#else
#define GI_OWN_STAMPS(name, t) GI_OWN_STAMP(name, t, baseline, )
#define GI_LOOPS_FOR(name, t)                                                                                                  \
    {                                                                                                                          \
        name##_baseline_##t, NULL, NULL                                                                                        \
    }
#define GI_OWN_JOINS(name) GI_OWN_JOIN(name, baseline, )
#define GI_JOINS_OF(name)                                                                                                      \
    {                                                                                                                          \
        name##_join_baseline, NULL, NULL                                                                                       \
    }
#endif
#define GI_STAMP_OF(name, t, dtype)                                                                                            \
    {                                                                                                                          \
        dtype, GI_LOOPS_FOR(name, t), GI_OWN_CUDA(name, t)                                                                     \
    }
