/* Conversions to this type, from each type: gi_cast_f32_i64(x). */
#if GI_CLASS == 0
#define GI_CAST(TAG, from, F, name) GI_FORMULA bool gi_cast_b8_##from(F x) { return gi_truth_##from(x); }
GI_EACH_BOOL(GI_CAST) GI_EACH_INT(GI_CAST) GI_EACH_FLT(GI_CAST) GI_EACH_COMPLEX(GI_CAST)
#undef GI_CAST
#elif GI_CLASS == 4
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return GA_FN(make)((GI_R)x, 0); }
GI_EACH_BOOL(GI_CAST) GI_EACH_INT(GI_CAST) GI_EACH_FLT(GI_CAST)
#undef GI_CAST
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return GA_FN(make)((GI_R)x.re, (GI_R)x.im); }
GI_EACH_COMPLEX(GI_CAST)
#undef GI_CAST
#else
#define GI_CAST(TAG, from, F, name) GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return (GA_T)x; }
GI_EACH_BOOL(GI_CAST) GI_EACH_INT(GI_CAST)
#if GI_CLASS == 3
GI_EACH_FLT(GI_CAST)
#else
#undef GI_CAST
/* Saturates; NaN gives 0. C leaves a cast of what does not fit undefined, and processors differ. */
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x)                                                                 \
    {                                                                                                                  \
        return x >= (F)GA_FN(highest) ? GA_FN(highest) : x <= (F)GA_FN(lowest) ? GA_FN(lowest) : x == x ? (GA_T)x : (GA_T)0; \
    }
GI_EACH_FLT(GI_CAST)
#endif
#undef GI_CAST
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return GI_JOIN(GA_FN(cast), GI_JOIN(_, GI_RTAG_##from))(x.re); }
GI_EACH_COMPLEX(GI_CAST)
#undef GI_CAST
#endif

/* Accumulators and results of reductions, by the words of the table. */
typedef GI_JOIN(gi_, GI_WIDE_TAG) GI_NAME(gi_acc_WIDE);
typedef GI_JOIN(gi_, GI_MEAN_TAG) GI_NAME(gi_acc_MEAN);
typedef GA_T    GI_NAME(gi_acc_SAME);
typedef bool    GI_NAME(gi_acc_BOOL);
typedef int64_t GI_NAME(gi_acc_COUNT);
typedef GI_JOIN(gi_, GI_SUM_TAG) GI_NAME(gi_end_SUM);
typedef GI_JOIN(gi_, GI_AVERAGE_TAG) GI_NAME(gi_end_AVERAGE);
typedef GA_T    GI_NAME(gi_end_SAME);
typedef bool    GI_NAME(gi_end_BOOL);
typedef int64_t GI_NAME(gi_end_COUNT);
