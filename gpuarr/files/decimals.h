/* ==== >>decimals: text and floats, exactly rounded ================================================================== */
/*  10 ** q is 5 ** q times a power of two, and a table has the first 128 bits of 5 ** q. What is computed with them lies between two
    bounds. Where both round to the same float, or to the same digits, that is the result; where they do not, which is rare, the C
    library decides, which is exact and slow.                                                                                   */

enum { GI_LOWEST_POWER = -342, GI_HIGHEST_POWER = 342, GI_EXACT_POWER = 55 }; /* 5 ** 55 is the last one below 2 ** 128 */

__extension__ typedef unsigned __int128 gi_u128;

typedef struct gi_powers {
    struct {
        uint64_t high, low; /* the first bit is set */
    } five[GI_HIGHEST_POWER - GI_LOWEST_POWER + 1];
} gi_powers;

/* From one power to the next with 256 bits: what is cut off never gets into the first 128. */
static void gi_make_powers(gi_powers *t)
{
    enum { WORDS = 8 };
    for (int up = 0; up < 2; up++) {
        uint32_t v[WORDS + 1] = { 0x80000000u, 0 }; /* the highest word first, and 0 behind the lowest */
        for (int q = 0; q >= GI_LOWEST_POWER && q <= GI_HIGHEST_POWER; q += up ? 1 : -1) {
            t->five[q - GI_LOWEST_POWER].high = (uint64_t)v[0] << 32 | v[1];
            t->five[q - GI_LOWEST_POWER].low  = (uint64_t)v[2] << 32 | v[3];
            if (up) {
                uint32_t carry = 0;
                for (int i = WORDS - 1; i >= 0; i--) {
                    const uint64_t product = (uint64_t)v[i] * 5 + carry;
                    v[i]                   = (uint32_t)product;
                    carry                  = (uint32_t)(product >> 32);
                }
                const int shift = carry < 4 ? 2 : 3;
                for (int i = WORDS - 1; i > 0; i--) v[i] = v[i] >> shift | v[i - 1] << (32 - shift);
                v[0] = v[0] >> shift | carry << (32 - shift);
            } else {
                const int shift = v[0] >= 0xA0000000u ? 2 : 3; /* so that the quotient begins with a 1 */
                uint64_t  rest  = v[0] >> (32 - shift);
                for (int i = 0; i < WORDS; i++) {
                    rest = rest << 32 | (uint32_t)(v[i] << shift | v[i + 1] >> (32 - shift));
                    v[i] = (uint32_t)(rest / 5);
                    rest %= 5;
                }
            }
        }
    }
}

/* w * 5 ** q, its first bit the highest of three words, the first of them highest. `above`: with the bound above 5 ** q, if it is inexact. Sets the
   exponent of two of the first bit, of w * 10 ** q. */
typedef struct gi_scaled {
    uint64_t high, middle, low;
    int      exponent;
} gi_scaled;

static inline gi_scaled gi_decimal_scale(const gi_powers *t, uint64_t w, int q, bool above)
{
    const int      zeros = __builtin_clzll(w);
    const uint64_t high = t->five[q - GI_LOWEST_POWER].high, more = above && (q < 0 || q > GI_EXACT_POWER);
    const uint64_t low = t->five[q - GI_LOWEST_POWER].low + more;
    w <<= zeros;
    const gi_u128 small = (gi_u128)w * low, large = (gi_u128)w * (high + (low < more)) + (uint64_t)(small >> 64);
    gi_scaled     s = { (uint64_t)(large >> 64), (uint64_t)large, (uint64_t)small, ((q * 217706) >> 16) + 64 - zeros };
    if (s.high >> 63) return s;
    s.high   = s.high << 1 | s.middle >> 63;
    s.middle = s.middle << 1 | s.low >> 63;
    s.low <<= 1;
    s.exponent--;
    return s;
}

/* The bits of the float64 nearest to it, halves to even. */
static inline uint64_t gi_scaled_bits(gi_scaled s)
{
    const bool normal = s.exponent >= -1022;
    const int  drop   = normal ? 11 : -1022 - s.exponent + 11;
    if (s.exponent > 1023) return (uint64_t)0x7FF << 52;
    if (drop > 64) return 0;
    const uint64_t half = (uint64_t)1 << (drop - 1), kept = drop == 64 ? 0 : s.high >> drop, rest = s.high & (2 * half - 1);
    const bool     up = rest > half || (rest == half && ((s.middle | s.low) != 0 || (kept & 1) != 0));
    return ((uint64_t)(normal ? s.exponent + 1022 : 0) << 52) + kept + up;
}

static const uint64_t gi_tens[] = { 1u,
                                    10u,
                                    100u,
                                    1000u,
                                    10000u,
                                    100000u,
                                    1000000u,
                                    10000000u,
                                    100000000u,
                                    1000000000u,
                                    10000000000u,
                                    100000000000u,
                                    1000000000000u,
                                    10000000000000u,
                                    100000000000000u,
                                    1000000000000000u,
                                    10000000000000000u,
                                    100000000000000000u,
                                    1000000000000000000u };

/* ---- from text --------------------------------------------------------------------------------------------------- */

/* The digits from p on, a point among them, times 10 ** exponent of the last one: by strtod, without a point, whose look depends on the locale. */
static double gi_decimal_by_library(const char *p, const char *end, int64_t exponent)
{
    GI_SETTLE_ROUNDING;
    enum { MOST = 780 }; /* no two floats need more digits to be told apart, but for whether anything follows */
    char text[MOST + 32];
    int  n    = 0;
    bool more = false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9' || (n == 0 && *p == '0')) continue;
        if (n < MOST) text[n++] = *p;
        else exponent++, more |= *p != '0';
    }
    if (more) text[n++] = '1', exponent--;
    snprintf(text + n, sizeof text - (size_t)n, "e%lld", (long long)exponent);
    return strtod(text, NULL);
}

/* The float64 nearest to the text of p, which are the digits w and, if `more`, others behind them, times 10 ** q. */
static inline double gi_decimal_value(const gi_powers *t, const char *p, const char *end, uint64_t w, int64_t more, int64_t q)
{
    double x = 0;
    if (w == 0 || q < GI_LOWEST_POWER) return 0; /* below half of the least one: w < 10 ** 19 */
    if (q > GI_HIGHEST_POWER) return INFINITY;
    const gi_scaled s    = gi_decimal_scale(t, w, (int)q, false);
    const uint64_t  bits = gi_scaled_bits(s);
    /* The bound above adds less than 3 to the middle word: mostly that can be no other float. */
    if ((more > 0 || s.middle + 3 < 4) && bits != gi_scaled_bits(gi_decimal_scale(t, w + (more > 0), (int)q, true)))
        return gi_decimal_by_library(p, end, q - more);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const char *gi_after_word(const char *p, const char *end, const char *word)
{
    for (; *word; p++, word++)
        if (p == end || (*p | 32) != *word) return NULL;
    return p;
}

/* Reads digits from p on, a point among them, as w * 10 ** *q; those that do not fit 64 bits are *more. Returns their end. */
static const char *gi_read_long_digits(const char *p, const char *end, uint64_t *w, int64_t *q, int64_t *more)
{
    enum { MOST = 19 };
    int n = 0;
    *w    = 0;
    *q    = 0;
    for (bool point = false; p < end; p++) {
        const unsigned digit = (unsigned)(unsigned char)*p - '0';
        if (digit > 9 && (*p != '.' || point)) break;
        if (digit > 9) {
            point = true;
        } else if (n < MOST) {
            *w = 10 * *w + digit;
            n += *w != 0;
            *q -= point;
        } else {
            *q += !point;
            ++*more;
        }
    }
    return p;
}

/* The digits from p on behind those of w; returns their end. Eight bytes at once, as their number is different each time, which no processor
   guesses. */
static inline const char *gi_read_digits(const char *p, const char *end, uint64_t *w)
{
    const uint64_t ones = UINT64_MAX / 255;
    for (uint64_t v; __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && end - p >= 8;) {
        memcpy(&v, p, sizeof v);
        v ^= ones * '0';
        const uint64_t others = ((v + ones * 0x76) | v) & ones * 0x80; /* the lowest bit is that of the first byte above 9 */
        const int      n      = others ? __builtin_ctzll(others) >> 3 : 8;
        if (n == 0) return p;
        v <<= 64 - 8 * n;
        v  = 10 * v + (v >> 8); /* pairs of digits, then fours, then all */
        v  = ((v & 0x000000FF000000FFu) * 0x000F424000000064u + (v >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
        *w = *w * gi_tens[n] + v;
        p += n;
        if (n < 8) return p;
    }
    for (unsigned digit; p < end && (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++) *w = 10 * *w + digit;
    return p;
}

/* Reads the number that begins at p as Python's float does; returns what follows, or NULL if there is none. */
static const char *gi_read_decimal(const gi_powers *t, const char *p, const char *end, double *x)
{
    enum { MOST = 19 }; /* digits that fit 64 bits */
    const bool negative = p < end && *p == '-';
    p += p < end && ((*p == '-') | (*p == '+')) != 0; /* no jumps: the signs of numbers are not to be guessed */
    const char *const first = p;
    const char       *after, *stop;
    uint64_t          bits, w = 0;
    int64_t           q    = 0;
    int64_t           more = 0; /* digits behind those of w */
    for (unsigned digit; p < end && (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++) w = 10 * w + digit;
    int64_t digits = p - first;
    if (p < end && *p == '.') {
        after = p + 1;
        p     = gi_read_digits(after, end, &w);
        q     = after - p;
        digits -= q;
    }
    if (digits > MOST) p = gi_read_long_digits(first, end, &w, &q, &more);
    stop = p;
    if (digits == 0) {
        after = gi_after_word(first, end, "infinity");
        if (!after) after = gi_after_word(first, end, "inf");
        *x = after ? INFINITY : NAN;
        if (!after) after = gi_after_word(first, end, "nan");
        if (after && negative) *x = -*x;
        return after;
    }
    if (p < end && (*p | 32) == 'e') {
        const char *e    = p + 1;
        const bool  down = e < end && *e == '-';
        int64_t     much = 0;
        if (e < end && (*e == '-' || *e == '+')) e++;
        for (after = e; e < end && *e >= '0' && *e <= '9'; e++)
            if (much < INT64_MAX / 100) much = 10 * much + (*e - '0');
        if (e > after) p = e, q += down ? -much : much;
    }
    *x = gi_decimal_value(t, first, stop, w, more, q);
    memcpy(&bits, x, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(x, &bits, sizeof bits);
    return p;
}

/* ---- to text ----------------------------------------------------------------------------------------------------- */

/* x * 10 ** q rounded to an integer, for x > 0; UINT64_MAX for what is larger. False where the table cannot tell how to round. */
static inline bool gi_decimal_integer(const gi_powers *t, double x, int q, uint64_t *n)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int      power    = (int)(bits >> 52);
    const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1), w = power ? fraction | (uint64_t)1 << 52 : fraction;
    *n = 0;
    if (q < GI_LOWEST_POWER || q > GI_HIGHEST_POWER) return false;
    const gi_scaled s      = gi_decimal_scale(t, w, q, false);
    const int       behind = 63 - (s.exponent + (power ? power : 1) - 1075); /* bits of its fraction in the highest word */
    if (behind < 0) *n = UINT64_MAX;
    if (behind < 0 || behind > 64) return true;
    const uint64_t whole = behind == 64 ? 0 : s.high >> behind, half = (uint64_t)1 << 63;
    const uint64_t rest = behind == 0 ? s.middle : behind == 64 ? s.high : s.high << (64 - behind) | s.middle >> behind;
    *n                  = whole + (rest > half);
    return rest - (half - 4) > 8; /* the table is right to 2 of these */
}

/* The first n digits (1 to 19) of x > 0, rounded, and the exponent of ten of the first. False as above. */
static inline bool gi_decimal_digits(const gi_powers *t, double x, int n, uint64_t *digits, int *exponent)
{
    int power;
    (void)frexp(x, &power);
    *exponent = ((power - 1) * 78913) >> 18; /* floor(log10(2 ** (power - 1))): this one, or one more */
    if (!gi_decimal_integer(t, x, n - 1 - *exponent, digits)) return false;
    if (*digits / 10 < gi_tens[n - 1]) return true;
    ++*exponent;
    return gi_decimal_integer(t, x, n - 1 - *exponent, digits);
}

/* Writes the n last digits of a number. */
static inline void gi_write_digits(char *to, uint64_t number, int n)
{
    while (n > 9) { /* in parts of 32 bits, which are divided faster */
        uint32_t part = (uint32_t)(number % 1000000000u);
        number /= 1000000000u;
        for (int i = 0; i < 9; i++, part /= 10) to[--n] = (char)('0' + part % 10);
    }
    for (uint32_t part = (uint32_t)number; n > 0; part /= 10) to[--n] = (char)('0' + part % 10);
}
