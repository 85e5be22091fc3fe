/* Which groups of dtypes the current GA_TAG belongs to: GI_IF_INT(code) is code or nothing. */
#undef GI_IF_ALL
#undef GI_IF_ARITH
#undef GI_IF_REAL
#undef GI_IF_ORDER
#undef GI_IF_INT
#undef GI_IF_BITS
#undef GI_IF_FLT
#undef GI_IF_FLTC
#define GI_IF_ALL(...) __VA_ARGS__
#if GI_CLASS != 0
#define GI_IF_ARITH(...) __VA_ARGS__
#else
#define GI_IF_ARITH(...)
#endif
#if GI_CLASS != 0 && GI_CLASS != 4
#define GI_IF_REAL(...) __VA_ARGS__
#else
#define GI_IF_REAL(...)
#endif
#if GI_CLASS != 4
#define GI_IF_ORDER(...) __VA_ARGS__
#else
#define GI_IF_ORDER(...)
#endif
#if GI_CLASS == 1 || GI_CLASS == 2
#define GI_IF_INT(...) __VA_ARGS__
#else
#define GI_IF_INT(...)
#endif
#if GI_CLASS <= 2
#define GI_IF_BITS(...) __VA_ARGS__
#else
#define GI_IF_BITS(...)
#endif
#if GI_CLASS == 3
#define GI_IF_FLT(...) __VA_ARGS__
#else
#define GI_IF_FLT(...)
#endif
#if GI_CLASS >= 3
#define GI_IF_FLTC(...) __VA_ARGS__
#else
#define GI_IF_FLTC(...)
#endif
#undef GI_IF_TRUTH
#if GI_CLASS == 0
#define GI_IF_TRUTH(...) __VA_ARGS__
#else
#define GI_IF_TRUTH(...)
#endif
/* Is the current type the accumulator of its own sums? */
#undef GI_OWN_WIDE
#undef GI_OWN_MEAN
#undef GI_OWN_SAME
#undef GI_OWN_BOOL
#undef GI_OWN_COUNT
#if GI_JOIN(GI_WIDEST_, GA_TAG)
#define GI_OWN_WIDE(...) __VA_ARGS__
#else
#define GI_OWN_WIDE(...)
#endif
#if GI_JOIN(GI_WIDEST_, GA_TAG) && GI_CLASS >= 3
#define GI_OWN_MEAN(...) __VA_ARGS__
#else
#define GI_OWN_MEAN(...)
#endif
#define GI_OWN_SAME(...)  __VA_ARGS__
#define GI_OWN_BOOL(...)  __VA_ARGS__
#define GI_OWN_COUNT(...) __VA_ARGS__
