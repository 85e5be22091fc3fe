/* ==== >>divide: quotients and remainders, many at once ============================================================== */
#if GI_CLASS == 3
#ifdef GI_ISA_MM
/* Of |x / y|, rounded, without its fraction: is x - q y exact? */
static GI_INLINE bool GI_LOOP(gi_is_exact_rest)(GA_T q, GA_T y)
{
    const GA_T most = (GA_T)(sizeof(GA_T) == 4 ? 0x1p22 : 0x1p51);
    return (q <= most) & (GI_BUILTIN(fabs)(y) < GA_FN(infinity)());
}

/* rest[i] = fmod(x[i], y[i]) as x - q y: exact while q, the quotient without its fraction, is. Rounding may make it 1 too large. Rare operands, for
   which this does not hold, are divided one by one. */
static __attribute__((noinline)) void GI_LOOP(gi_fmods)(int64_t n, GA_T *rest, const GA_T *x, const GA_T *y)
{
    GI_FLAG rare = 0;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const GA_T a = GI_BUILTIN(fabs)(x[i]), b = GI_BUILTIN(fabs)(y[i]);
        const GA_T q = GI_BUILTIN(trunc)(a / b), r = GA_FN(fma)(-q, b, a);
        rare    = GI_LOOP(gi_is_exact_rest)(q, b) ? rare : 1;
        rest[i] = GI_BUILTIN(copysign)(r < 0 ? r + b : r, x[i]);
    }
    for (int64_t i = 0; i < n && rare; i++)
        if (!GI_LOOP(gi_is_exact_rest)(GI_BUILTIN(trunc)(GI_BUILTIN(fabs)(x[i] / y[i])), y[i]))
            rest[i] = GA_FN(fmod)(x[i], y[i]);
}
#endif

static GI_INLINE bool GI_LOOP(gi_shortcut)(ga_op op, int64_t n, void *o, const void *x_, const void *y_)
{
#ifdef GI_ISA_MM
    for (int64_t start = 0; start < n; start += GI_MEND) {
        const int64_t m   = n - start < GI_MEND ? n - start : GI_MEND;
        GA_T         *out = (GA_T *)o + start, rest[GI_MEND];
        const GA_T   *x = (const GA_T *)x_ + start, *y = (const GA_T *)y_ + start;
        GI_LOOP(gi_fmods)(m, rest, x, y);
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++)
            out[i] = op == GA_OP_fmod        ? rest[i]
                     : op == GA_OP_remainder ? GA_FN(remainder_of)(y[i], rest[i])
                                             : GA_FN(floor_divide_of)(x[i], y[i], rest[i]);
    }
    return true;
#else /* no fma */
    return (void)op, (void)n, (void)o, (void)x_, (void)y_, false;
#endif
}
#else
#define GI_W GI_JOIN(gi_wrap_, GA_TAG)
#define GI_U GI_JOIN(gi_unsigned_, GA_TAG)
#define GI_D GI_JOIN(gi_double_, GA_TAG)

/*  A product and two shifts are a division by a number that is known (Granlund and Montgomery, PLDI 1994, figure 4.1); of bytes the higher half
    of a product of 16 bits is the quotient. Rounded down, the quotient of a negative x is that of ~x, with every bit turned.   */
static GI_INLINE void GI_LOOP(gi_divide_loop)(bool rest, int64_t n, GA_T *out, const GA_T *x, GA_T by)
{
    enum { BITS = GA_FN(bits) };
    const bool    negative = GI_CLASS == 1 && by < (GA_T)1; /* it is not 0 */
    const GI_U    size     = (GI_U)(negative ? (GI_U)0 - (GI_U)by : (GI_U)by);
    const int     length   = size > 1 ? 64 - __builtin_clzll((unsigned long long)size - 1) : 0;
    const GI_U    factor   = (GI_U)((GI_D)((((GI_D)1 << length) - size) << BITS) / size + 1);
    const int     one = length > 0, more = length > 1 ? length - 1 : 0;
    const GI_U    turned = (GI_U)(negative ? -1 : 0);
    GA_T          below  = (GA_T)negative; /* not const: nvcc warns of unsigned numbers below a constant 0 */
    int64_t       begin  = 0;
#if GI_JOIN(GI_WIDEST_, GA_TAG) && defined(GI_ISA_MM) /* 64 bits */
#define GI_ALL(x)       _mm256_set1_epi64x((long long)(x))
#define GI_HALVES(a, b) _mm256_mul_epu32(a, b)
#define GI_UPPER(a)     _mm256_srli_epi64(a, 32)
#define GI_PLUS(a, b)   _mm256_add_epi64(a, b)
    const __m256i f = GI_ALL(factor), f1 = GI_UPPER(f), lower = GI_ALL(0xFFFFFFFF), b = GI_ALL(by), b1 = GI_UPPER(b);
    for (; begin + 4 <= n; begin += 4) {
        const __m256i v    = _mm256_loadu_si256((const __m256i *)(const void *)(x + begin));
        const __m256i sign = GI_CLASS == 1 ? _mm256_cmpgt_epi64(GI_ALL(below), v) : GI_ALL(0);
        const __m256i u = _mm256_xor_si256(_mm256_sub_epi64(v, GI_ALL(below)), sign), u1 = GI_UPPER(u);
        const __m256i a    = GI_PLUS(GI_HALVES(u1, f), GI_UPPER(GI_HALVES(u, f)));
        const __m256i c    = GI_PLUS(GI_HALVES(u, f1), _mm256_and_si256(a, lower));
        const __m256i high = GI_PLUS(GI_PLUS(GI_HALVES(u1, f1), GI_UPPER(a)), GI_UPPER(c));
        const __m256i sum  = GI_PLUS(_mm256_srl_epi64(_mm256_sub_epi64(u, high), _mm_cvtsi32_si128(one)), high);
        __m256i       q    = _mm256_xor_si256(_mm256_srl_epi64(sum, _mm_cvtsi32_si128(more)), sign);
        q                  = _mm256_xor_si256(q, GI_ALL(turned));
        if (rest) {
            const __m256i cross = GI_PLUS(GI_HALVES(GI_UPPER(q), b), GI_HALVES(q, b1));
            q                   = _mm256_sub_epi64(v, GI_PLUS(GI_HALVES(q, b), _mm256_slli_epi64(cross, 32)));
        }
        _mm256_storeu_si256((__m256i *)(void *)(out + begin), q);
    }
#undef GI_ALL
#undef GI_HALVES
#undef GI_UPPER
#undef GI_PLUS
#elif defined(GI_ISA_MM)
    const __m256i f = _mm256_set1_epi32((int)factor), b = _mm256_set1_epi32((int)by), low = _mm256_set1_epi32((int)below);
    const __m256i turn = _mm256_set1_epi32((int)turned);
    for (; BITS == 32 && begin + 8 <= n; begin += 8) { /* products of the even ones, and of the odd ones */
        const __m256i v    = _mm256_loadu_si256((const __m256i *)(const void *)(x + begin));
        const __m256i sign = GI_CLASS == 1 ? _mm256_cmpgt_epi32(low, v) : _mm256_setzero_si256();
        const __m256i u    = _mm256_xor_si256(_mm256_sub_epi32(v, low), sign);
        const __m256i even = _mm256_mul_epu32(u, f), odd = _mm256_mul_epu32(_mm256_srli_epi64(u, 32), f);
        const __m256i high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
        const __m256i sum  = _mm256_add_epi32(_mm256_srl_epi32(_mm256_sub_epi32(u, high), _mm_cvtsi32_si128(one)), high);
        __m256i       q    = _mm256_xor_si256(_mm256_srl_epi32(sum, _mm_cvtsi32_si128(more)), sign);
        q                  = _mm256_xor_si256(q, turn);
        if (rest) q = _mm256_sub_epi32(v, _mm256_mullo_epi32(q, b));
        _mm256_storeu_si256((__m256i *)(void *)(out + begin), q);
    }
#endif
    const uint16_t scale = (uint16_t)(65535 / size + 1); /* of bytes; 0, if they are divided by 1 */
    const GI_U     whole = (GI_U)(size == 1 ? -1 : 0);
#if defined(GI_ISA_MM)
    const __m256i  of = _mm256_set1_epi16((short)scale), odd = _mm256_set1_epi16((short)0xFF00),
                  bys    = _mm256_set1_epi8((char)by);
    const __m256i below8 = _mm256_set1_epi8((char)below), turned8 = _mm256_set1_epi8((char)turned);
    const __m256i all = _mm256_set1_epi8((char)whole);
    for (; BITS == 8 && begin + 32 <= n; begin += 32) { /* words of even ones, and of odd ones */
        const __m256i v    = _mm256_loadu_si256((const __m256i *)(const void *)(x + begin));
        const __m256i sign = GI_CLASS == 1 ? _mm256_cmpgt_epi8(below8, v) : _mm256_setzero_si256();
        const __m256i u    = GI_CLASS == 1 ? _mm256_xor_si256(_mm256_sub_epi8(v, below8), sign) : v;
        const __m256i even = _mm256_mulhi_epu16(_mm256_andnot_si256(odd, u), of);
        const __m256i next = _mm256_slli_epi16(_mm256_mulhi_epu16(_mm256_srli_epi16(u, 8), of), 8);
        __m256i       q    = _mm256_or_si256(_mm256_or_si256(even, next), _mm256_and_si256(u, all));
        if (GI_CLASS == 1) q = _mm256_xor_si256(_mm256_xor_si256(q, sign), turned8);
        if (rest) {
            const __m256i product = _mm256_andnot_si256(odd, _mm256_mullo_epi16(q, bys));
            const __m256i behind  = _mm256_mullo_epi16(_mm256_and_si256(q, odd), _mm256_andnot_si256(odd, bys));
            q                     = _mm256_sub_epi8(v, _mm256_or_si256(product, behind));
        }
        _mm256_storeu_si256((__m256i *)(void *)(out + begin), q);
    }
#endif
    GI_VECTORIZE
    for (int64_t i = begin; i < n; i++) {
        const GI_U sign = (GI_U)(x[i] < below ? -1 : 0), u = (GI_U)(((GI_U)x[i] - (GI_U)below) ^ sign);
        GI_U       q;
        if (BITS == 8) {
            q = (GI_U)((uint16_t)(((uint32_t)(uint16_t)u * scale) >> 16) + (u & whole));
        } else {
            const GI_U high = (GI_U)((GI_D)((GI_D)u * factor) >> BITS), sum = (GI_U)((GI_U)((GI_U)(u - high) >> one) + high);
            q = (GI_U)(sum >> more);
        }
        q      = (GI_U)(q ^ sign ^ turned);
        out[i] = rest ? (GA_T)(GI_U)((GI_U)x[i] - (GI_U)((GI_W)q * (GI_U)by)) : (GA_T)q;
    }
}

/* Are all n elements of y one number, and enough to make that worth while? */
static bool GI_LOOP(gi_is_number)(int64_t n, const GA_T *y)
{
    GA_T differ = 0;
    if (n < 32) return false;
    for (int64_t start = 0; start < n && differ == 0; start += GI_MEND) {
        const int64_t end = n - start < GI_MEND ? n : start + GI_MEND;
        GI_VECTORIZE
        for (int64_t i = start; i < end; i++) differ |= (GA_T)(y[i] ^ y[0]);
    }
    return differ == 0;
}

#if !GI_JOIN(GI_WIDEST_, GA_TAG)
/* Floats that hold every x and y hold the quotient without its fraction, too. rest: the remainder instead; down: of the quotient rounded down. */
static void GI_LOOP(gi_divide_as_floats)(bool rest, bool down, int64_t n, GA_T *out, const GA_T *x, const GA_T *y)
{
    typedef GI_JOIN(gi_quotient_, GA_TAG) wide;
    const GA_T zero = 0, none = (GA_T)(zero - 1); /* of unsigned integers the largest one, which is no exception */
    const GI_U rests = (GI_U)(rest ? -1 : 0), downs = (GI_U)(down ? -1 : 0);
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const bool turns = GI_CLASS == 1 && y[i] == none;
        const GA_T by = y[i] == 0 || turns ? (GA_T)1 : y[i], q = (GA_T)((wide)x[i] / (wide)by);
        const GI_U r        = (GI_U)((GI_U)x[i] - (GI_U)((GI_W)q * (GI_W)by));
        const bool apart    = GI_CLASS == 1 && (GI_U)(r ^ (GI_U)by) >> (GA_FN(bits) - 1); /* of different signs */
        const GI_U less     = (GI_U)(r != 0 && apart ? downs : 0);
        const GI_U quotient = (GI_U)(y[i] == 0 ? 0 : turns ? (GI_U)0 - (GI_U)q : (GI_U)((GI_U)q + less));
        out[i]              = (GA_T)(GI_U)(((GI_U)(r + (less & (GI_U)by)) & rests) | (quotient & (GI_U)~rests));
    }
}
#endif

#if !GI_JOIN(GI_WIDEST_, GA_TAG)
/* Shifts words of several elements by a number; what comes from their neighbours is taken out. */
static GI_INLINE void GI_LOOP(gi_shift_words)(bool left, int64_t n, GA_T *out, const GA_T *x, int by)
{
    enum { BITS = GA_FN(bits), EACH = 64 / BITS };
    const uint64_t ones = UINT64_MAX / (GI_U)-1, keep = ones * (GI_U)(left ? (GI_U)-1 << by : (GI_U)-1 >> by);
    const int64_t  words = n / EACH;
    GI_VECTORIZE
    for (int64_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, x + i * EACH, sizeof word);
        const uint64_t below = GI_CLASS == 1 && !left ? word >> (BITS - 1) & ones : 0, turned = (below << BITS) - below;
        word = ((left ? word << by : (word ^ turned) >> by) & keep) ^ turned; /* -1 - x, and back */
        memcpy(out + i * EACH, &word, sizeof word);
    }
    for (int64_t i = words * EACH; i < n; i++)
        out[i] = left ? GA_FN(left_shift)(x[i], (GA_T)by) : GA_FN(right_shift)(x[i], (GA_T)by);
}
#endif

/* By squaring, the same bit of all exponents at a time. */
static void GI_LOOP(gi_powers)(int64_t n, GA_T *out, const GA_T *x, const GA_T *y)
{
    for (int64_t start = 0; start < n; start += GI_MEND) {
        const int64_t m = n - start < GI_MEND ? n - start : GI_MEND, lanes = (m + 7) / 8 * 8; /* whole vectors */
        GI_U          base[GI_MEND], left[GI_MEND], power[GI_MEND], any = 0;
        for (int64_t i = m; i < lanes; i++) base[i] = left[i] = 0;
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) {
            base[i] = (GI_U)x[start + i];
            left[i] = (GI_U)(y[start + i] > 0 ? y[start + i] : 0);
            any |= left[i];
        }
        GI_VECTORIZE
        for (int64_t i = 0; i < lanes; i++) power[i] = left[i] & 1 ? base[i] : (GI_U)1;
        while ((any = (GI_U)(any >> 1)) != 0) {
            GI_VECTORIZE
            for (int64_t i = 0; i < lanes; i++) {
                base[i]  = (GI_U)((GI_W)base[i] * base[i]);
                left[i]  = (GI_U)(left[i] >> 1);
                power[i] = (GI_U)((GI_W)power[i] * (left[i] & 1 ? base[i] : (GI_U)1));
            }
        }
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) out[start + i] = (GA_T)power[i];
    }
}

/* The same where all exponents are one number. */
static void GI_LOOP(gi_powers_number)(int64_t n, GA_T *out, const GA_T *x, GA_T exponent)
{
    for (int64_t start = 0; start < n; start += GI_MEND) {
        const int64_t m = n - start < GI_MEND ? n - start : GI_MEND;
        GI_U          base[GI_MEND], power[GI_MEND], left = (GI_U)(exponent > 0 ? exponent : 0);
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) {
            base[i]  = (GI_U)x[start + i];
            power[i] = left & 1 ? base[i] : (GI_U)1;
        }
        while ((left = (GI_U)(left >> 1)) != 0) {
            GI_VECTORIZE
            for (int64_t i = 0; i < m; i++) base[i] = (GI_U)((GI_W)base[i] * base[i]);
            if (!(left & 1)) continue;
            GI_VECTORIZE
            for (int64_t i = 0; i < m; i++) power[i] = (GI_U)((GI_W)power[i] * base[i]);
        }
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) out[start + i] = (GA_T)power[i];
    }
}

/* Rows that may be computed otherwise than by their formulas. False: they must be. */
static GI_INLINE bool GI_LOOP(gi_shortcut)(ga_op op, int64_t n, void *o, const void *x_, const void *y_)
{
    GA_T       *out = (GA_T *)o;
    const GA_T *x = (const GA_T *)x_, *y = (const GA_T *)y_;
    const bool  number = op != GA_OP_fmod && GI_LOOP(gi_is_number)(n, y);
    if (op == GA_OP_power) {
        if (number) GI_LOOP(gi_powers_number)(n, out, x, y[0]);
        else GI_LOOP(gi_powers)(n, out, x, y);
        return true;
    }
    const bool shifts = op == GA_OP_left_shift || op == GA_OP_right_shift;
    if (!shifts && number && y[0] != 0) {
        GI_LOOP(gi_divide_loop)(op == GA_OP_remainder, n, out, x, y[0]);
        return true;
    }
#if GI_JOIN(GI_WIDEST_, GA_TAG)
    return false;
#else
    if (shifts) {
        const bool fits =
            number && (GI_U)y[0] < GA_FN(bits) && sizeof(GA_T) <= 2; /* vectors of larger ones are shifted as they are */
        if (fits) GI_LOOP(gi_shift_words)(op == GA_OP_left_shift, n, out, x, (int)y[0]);
        return fits;
    }
    GI_LOOP(gi_divide_as_floats)(op != GA_OP_floor_divide, op != GA_OP_fmod, n, out, x, y);
    return true;
#endif
}
#undef GI_W
#undef GI_U
#undef GI_D
#endif
