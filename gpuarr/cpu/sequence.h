/* ---- a sequence of operations, each on what the one before made: it stays in registers ---------------------------------- */
/*  A few vectors of elements go through all steps before the next ones are read. (Of one vector, choosing what to do next would take longer
    than doing it, and each step would wait for the one before.) Each step rounds as the row of the table does; which of two
    NaNs a result is may differ.                                                                                            */

enum {
    GI_LOOP(gi_sequence_vectors) =
        GI_ISA_BYTES == 64 ? 8 : 4, /* those of a result, of a saved one and of truths fit the registers, */
    GI_LOOP(gi_sequence_wide)  = 2 * GI_LOOP(gi_sequence_vectors), /* or so many of a result alone */
    GI_LOOP(gi_sequence_block) = GI_LOOP(gi_sequence_vectors) * GI_LANES
};

/* What is true of each lane. */
#if GI_ISA_BYTES == 64
#define GI_TRUTHS_f32              __mmask16
#define GI_TRUTHS_f64              __mmask8
#define GI_TRUTHS                  GI_JOIN(GI_TRUTHS_, GA_TAG)
#define GI_TRUTHS_LESS(a, b)       (GI_TRUTHS) GI_JOIN(GI_MM(cmp), _mask)(a, b, _CMP_LT_OQ)
#define GI_TRUTHS_LESS_EQUAL(a, b) (GI_TRUTHS) GI_JOIN(GI_MM(cmp), _mask)(a, b, _CMP_LE_OQ)
#define GI_TRUTHS_CHOOSE(t, a, b)  GI_MM(mask_blend)(t, b, a)
#define GI_TRUTHS_ANY(t)           ((t) != 0)
#else
#define GI_TRUTHS                  GI_V_BITS
#define GI_TRUTHS_LESS(a, b)       (GI_V_BITS)((a) < (b))
#define GI_TRUTHS_LESS_EQUAL(a, b) (GI_V_BITS)((a) <= (b))
#define GI_TRUTHS_CHOOSE(t, a, b)  (GI_V)(((t) & (GI_V_BITS)(a)) | (~(t) & (GI_V_BITS)(b)))
#define GI_TRUTHS_ANY(t)           (GI_MM(movemask)((GI_V)(t)) != 0)
#endif

/* A step whose other operand are elements, a number or what was saved; the formula is of the result so far, a[k], and of b. */
#define GI_SEQUENCE_EACH GI_UNROLL for (int k = 0; k < vectors; k++)
#define GI_SEQUENCE_STEP(WHAT, to, ...)                                                                                        \
    GI_SEQUENCE_BY_VECTORS(WHAT, to, __VA_ARGS__)                                                                              \
    case 4 * GI_SEQUENCE_##WHAT + GI_OF_NUMBER: {                                                                              \
        if (alone && GI_SEQUENCE_##WHAT >= GI_SEQUENCE_LESS) break;                                                            \
        const GI_V       b     = GI_VFN(pin)(GI_VFN(all)(*x));                                                                 \
        GI_SEQUENCE_EACH to[k] = __VA_ARGS__;                                                                                  \
        break;                                                                                                                 \
    }
#define GI_SEQUENCE_BY_VECTORS(WHAT, to, ...)                                                                                  \
    case 4 * GI_SEQUENCE_##WHAT + GI_OF_ELEMENTS:                                                                              \
        if (alone && GI_SEQUENCE_##WHAT >= GI_SEQUENCE_LESS) break;                                                            \
        x = GI_LOOP(gi_sequence_at)(x, done);                                                                                  \
        GI_SEQUENCE_EACH                                                                                                       \
        {                                                                                                                      \
            const GI_V b = GI_VFN(load)(x + k * GI_LANES);                                                                     \
            to[k]        = __VA_ARGS__;                                                                                        \
        }                                                                                                                      \
        break;                                                                                                                 \
    case 4 * GI_SEQUENCE_##WHAT + GI_OF_SAVED:                                                                                 \
        if (alone) break;                                                                                                      \
        GI_SEQUENCE_EACH                                                                                                       \
        {                                                                                                                      \
            const GI_V b = saved[k];                                                                                           \
            to[k]        = __VA_ARGS__;                                                                                        \
        }                                                                                                                      \
        break;
#define GI_SEQUENCE_ALONE(WHAT, to, ...)                                                                                       \
    case 4 * GI_SEQUENCE_##WHAT: GI_SEQUENCE_EACH to[k] = __VA_ARGS__; break;

/* Elements from `done` on. (Each step adds for itself: of all sums, made before, there are more than registers.) */
static GI_INLINE const GA_T *GI_LOOP(gi_sequence_at)(const GA_T *x, int64_t done)
{
    x += done;
    __asm__("" : "+r"(x));
    return x;
}

/* Divides vectors by a number c, several times as fast as by divisions: with r = 1 / c, rounded, and q = x r, rounded, the quotient, rounded,
   is q + (x - q c) r, rounded once, if nothing on the way is too large or too small (Brisebarre, Muller and Raina, IEEE Transactions on
   Computers 53, 2004); else all are divided. The sign is that of q, where x is 0 too. */
static GI_INLINE void GI_LOOP(gi_sequence_divide)(const int vectors, GI_V *a, const GA_T c)
{
#ifdef GI_ISA_MM
    const GA_T size = GI_NAME(gi_abs)(c);
    if (size >= GI_NAME(gi_divisor_least)() && size <= 1 / GI_NAME(gi_divisor_least)()) {
        const GI_V_BITS sign = (GI_V_BITS)GI_VFN(all)((GA_T)-0.0), one = sign - sign + 1;
        GI_V            least = GI_VFN(all)(1), most = least;
        GI_SEQUENCE_EACH
        {
            const GI_V_BITS x = (GI_V_BITS)a[k] & ~sign;
            least             = GI_MM(min)((GI_V)(x - one), least); /* the second one if the first is NaN: x was 0 */
            most              = GI_MM(max)((GI_V)x, most);          /* or x is */
        }
        const GI_V low = GI_VFN(all)(GI_NAME(gi_dividend_least)()), high = GI_VFN(all)(GI_NAME(gi_dividend_most)());
        if (!GI_TRUTHS_ANY(GI_TRUTHS_LESS(least, low)) && !GI_TRUTHS_ANY(GI_TRUTHS_LESS(high, most))) {
            const GI_V b = GI_VFN(pin)(GI_VFN(all)(-c)), r = GI_VFN(pin)(GI_VFN(all)(1 / c));
            GI_SEQUENCE_EACH
            {
                const GI_V q = a[k] * r, made = GI_VFN(fma)(GI_VFN(fma)(q, b, a[k]), r, q);
                a[k] = (GI_V)(((GI_V_BITS)q & sign) | ((GI_V_BITS)made & ~sign));
            }
            return;
        }
    }
#endif
    const GI_V       by   = GI_VFN(pin)(GI_VFN(all)(c));
    GI_SEQUENCE_EACH a[k] = a[k] / by;
}

/* Brings near what lies ahead of n elements of each operand. */
static GI_INLINE void GI_LOOP(gi_sequence_bring)(const gi_sequence *q, const void *const *from, int64_t done, int64_t n)
{
    for (int k = 0; k < q->operands; k++)
        for (int64_t b = 0; b < n * (int64_t)sizeof(GA_T) && q->size[k] > 0; b += GI_LINE)
            __builtin_prefetch((const char *)((const GA_T *)from[k] + done) + q->ahead + b);
}

/* Of n elements, so many vectors at a time, and at least those; what is left behind the last ones is computed with some of theirs,
   once more. alone: nothing is saved or compared. */
static GI_INLINE void GI_LOOP(gi_sequence_of)(const int vectors, const bool alone, const gi_sequence *q, int64_t n, GA_T *out,
                                              const void *const *from)
{
    GI_V      a[GI_LOOP(gi_sequence_wide)], saved[GI_LOOP(gi_sequence_wide)];
    GI_TRUTHS truths[GI_LOOP(gi_sequence_wide)];
    GI_SEQUENCE_EACH
    {
        memset(&truths[k], 0, sizeof truths[k]);
        a[k] = saved[k] = GI_VFN(all)(0);
    }
    for (int64_t done = 0; done < n; done += vectors * GI_LANES) {
        if (done > n - vectors * GI_LANES) done = n - vectors * GI_LANES;
        const gi_sequence_step *s = q->step;
        if (q->ahead) GI_LOOP(gi_sequence_bring)(q, from, done, vectors * GI_LANES);
        if (s->what == 4 * GI_SEQUENCE_LOAD + GI_OF_ELEMENTS) { /* mostly */
            const GA_T      *x    = GI_LOOP(gi_sequence_at)((const GA_T *)from[s->x], done);
            GI_SEQUENCE_EACH a[k] = GI_VFN(load)(x + k * GI_LANES);
            s++;
        }
        for (const gi_sequence_step *end = q->step + q->steps; s < end; s++) {
            const GA_T *x = (const GA_T *)from[s->x], *y = (const GA_T *)from[s->y];
            switch (s->what) {
                GI_SEQUENCE_STEP(LOAD, a, b)
                GI_SEQUENCE_STEP(ADD, a, a[k] + b)
                GI_SEQUENCE_STEP(SUBTRACT, a, a[k] - b)
                GI_SEQUENCE_STEP(SUBTRACT_FROM, a, b - a[k])
                GI_SEQUENCE_STEP(MULTIPLY, a, a[k] * b)
                GI_SEQUENCE_BY_VECTORS(DIVIDE, a, a[k] / b)
            case 4 * GI_SEQUENCE_DIVIDE + GI_OF_NUMBER:
                GI_LOOP(gi_sequence_divide)(vectors, a, *x);
                break;
                GI_SEQUENCE_STEP(DIVIDE_INTO, a, b / a[k])
                GI_SEQUENCE_STEP(LESS, truths, GI_TRUTHS_LESS(a[k], b))
                GI_SEQUENCE_STEP(LESS_EQUAL, truths, GI_TRUTHS_LESS_EQUAL(a[k], b))
                GI_SEQUENCE_STEP(GREATER, truths, GI_TRUTHS_LESS(b, a[k]))
                GI_SEQUENCE_STEP(GREATER_EQUAL, truths, GI_TRUTHS_LESS_EQUAL(b, a[k]))
                GI_SEQUENCE_STEP(CHOOSE, a, GI_TRUTHS_CHOOSE(truths[k], a[k], b))
                GI_SEQUENCE_STEP(CHOOSE_OTHER, a, GI_TRUTHS_CHOOSE(truths[k], b, a[k]))
            case 4 * GI_SEQUENCE_SAVE:
                GI_SEQUENCE_EACH saved[k] = alone ? saved[k] : a[k];
                break;
                GI_SEQUENCE_ALONE(NEGATIVE, a, -a[k])
                GI_SEQUENCE_ALONE(SQUARE, a, a[k] * a[k])
                GI_SEQUENCE_ALONE(SQRT, a, GI_VFN(sqrt)(a[k]))
                GI_SEQUENCE_ALONE(ABSOLUTE, a, GI_VFN(abs)(a[k]))
            case 4 * GI_SEQUENCE_ADD_SQUARE:
                x = GI_LOOP(gi_sequence_at)(x, done);
                GI_SEQUENCE_EACH
                {
                    const GI_V b = GI_VFN(load)(x + k * GI_LANES);
                    a[k]         = b * b + a[k];
                }
                break;
            case 4 * GI_SEQUENCE_ADD_PRODUCT:
                x                     = GI_LOOP(gi_sequence_at)(x, done);
                y                     = GI_LOOP(gi_sequence_at)(y, done);
                GI_SEQUENCE_EACH a[k] = GI_VFN(load)(x + k * GI_LANES) * GI_VFN(load)(y + k * GI_LANES) + a[k];
                break;
            case 4 * GI_SEQUENCE_ADD_MULTIPLE: {
                x                     = GI_LOOP(gi_sequence_at)(x, done);
                const GI_V       b    = GI_VFN(pin)(GI_VFN(all)(*y));
                GI_SEQUENCE_EACH a[k] = GI_VFN(load)(x + k * GI_LANES) * b + a[k];
                break;
            }
            case 4 * GI_SEQUENCE_MULTIPLY_ADD: {
                x                     = GI_LOOP(gi_sequence_at)(x, done);
                const GI_V       b    = GI_VFN(pin)(GI_VFN(all)(*y));
                GI_SEQUENCE_EACH a[k] = a[k] * GI_VFN(load)(x + k * GI_LANES) + b;
                break;
            }
            default: break;
            }
        }
        GA_T            *to = (GA_T *)(uintptr_t)GI_LOOP(gi_sequence_at)(out, done);
        GI_SEQUENCE_EACH GI_VFN(store)(to + k * GI_LANES, a[k]);
    }
}
#undef GI_SEQUENCE_STEP
#undef GI_SEQUENCE_BY_VECTORS
#undef GI_SEQUENCE_ALONE
#undef GI_SEQUENCE_EACH
#undef GI_TRUTHS
#undef GI_TRUTHS_f32
#undef GI_TRUTHS_f64
#undef GI_TRUTHS_LESS
#undef GI_TRUTHS_LESS_EQUAL
#undef GI_TRUTHS_CHOOSE
#undef GI_TRUTHS_ANY

static __attribute__((noinline)) void GI_LOOP(gi_sequence_narrow)(const gi_sequence *q, int64_t n, GA_T *out,
                                                                  const void *const *from)
{
    GI_LOOP(gi_sequence_of)(GI_LOOP(gi_sequence_vectors), false, q, n, out, from);
}

static __attribute__((noinline)) void GI_LOOP(gi_sequence_alone)(const gi_sequence *q, int64_t n, GA_T *out,
                                                                 const void *const *from)
{
#ifdef GI_ISA_MM
    GI_LOOP(gi_sequence_of)(GI_LOOP(gi_sequence_wide), true, q, n, out, from);
#else /* where nobody waits for it, it is compiled once */
    GI_LOOP(gi_sequence_narrow)(q, n, out, from);
#endif
}

/* The operands from an element on. */
static void GI_LOOP(gi_sequence_behind)(const gi_sequence *q, const void *const *from, int64_t at, const void **behind)
{
    for (int k = 0; k < q->operands; k++) behind[k] = q->size[k] == 0 ? from[k] : (const GA_T *)from[k] + at;
}

/* The same where no block may overlap another one: out is one of the operands, or there are fewer elements than a block has. */
static __attribute__((noinline)) void GI_LOOP(gi_sequence_apart)(const gi_sequence *q, int64_t n, GA_T *out,
                                                                 const void *const *from)
{
    const int64_t block = GI_LOOP(gi_sequence_block), rest = n % block, whole = n - rest;
    const int64_t wide                         = q->alone ? whole - whole % (2 * block) : 0;
    const void   *behind[GI_SEQUENCE_OPERANDS] = { NULL };
    GA_T          made[GI_LOOP(gi_sequence_block)];
    if (rest > 0 && whole > 0) { /* the last ones before out overwrites some of what they are made of */
        GI_LOOP(gi_sequence_behind)(q, from, n - block, behind);
        GI_LOOP(gi_sequence_narrow)(q, block, made, behind);
    } else if (rest > 0) {
        GA_T copy[GI_SEQUENCE_OPERANDS][GI_LOOP(gi_sequence_block)];
        for (int k = 0; k < q->operands; k++) {
            behind[k] = from[k];
            if (q->size[k] == 0) continue;
            memset(copy[k], 0, sizeof copy[k]);
            behind[k] = memcpy(copy[k], from[k], (size_t)rest * sizeof(GA_T));
        }
        GI_LOOP(gi_sequence_narrow)(q, block, made, behind);
    }
    if (wide > 0) GI_LOOP(gi_sequence_alone)(q, wide, out, from);
    if (wide < whole) {
        GI_LOOP(gi_sequence_behind)(q, from, wide, behind);
        GI_LOOP(gi_sequence_narrow)(q, whole - wide, out + wide, behind);
    }
    if (rest > 0) memcpy(out + whole, whole > 0 ? made + block - rest : made, (size_t)rest * sizeof(GA_T));
}

/* from: of each operand n elements, or one number. out may be one of them. */
static void GI_LOOP(gi_sequence)(const gi_sequence *q, int64_t n, void *out, const void *const *from)
{
    const int64_t block = GI_LOOP(gi_sequence_block);
    const bool    wide = q->alone && n >= 2 * block, even = n % (wide ? 2 * block : block) == 0;
    bool          apart = n < block;
    for (int k = 0; k < q->operands && !even; k++) apart = apart || from[k] == out;
    (apart  ? GI_LOOP(gi_sequence_apart)
     : wide ? GI_LOOP(gi_sequence_alone)
            : GI_LOOP(gi_sequence_narrow))(q, n, (GA_T *)out, from);
}
