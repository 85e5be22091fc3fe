/* ---- random numbers: what a counter gives ---------------------------------------------------------------------------- */
/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011) turns a counter and a
   key into four random words. The key is the seed; the counter is the stream and the number of a block of elements, so that
   every element can be computed alone. */

typedef struct gi_philox_words {
    uint32_t w[4];
} gi_philox_words;

GI_FORMULA gi_philox_words gi_philox_round(gi_philox_words x, uint64_t key, uint32_t round)
{
    uint32_t        key0 = (uint32_t)key + round * 0x9E3779B9u, key1 = (uint32_t)(key >> 32) + round * 0xBB67AE85u;
    uint64_t        left = (uint64_t)0xD2511F53u * x.w[0], right = (uint64_t)0xCD9E8D57u * x.w[2];
    gi_philox_words y = { { (uint32_t)(right >> 32) ^ x.w[1] ^ key0, (uint32_t)right, (uint32_t)(left >> 32) ^ x.w[3] ^ key1,
                            (uint32_t)left } };
    return y;
}

GI_FORMULA gi_philox_words gi_philox(uint64_t counter, uint64_t stream, uint64_t key)
{
    gi_philox_words x = { { (uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream, (uint32_t)(stream >> 32) } };
    x                 = gi_philox_round(x, key, 0); /* ten rounds; no loop, so that compilers vectorise over counters */
    x                 = gi_philox_round(x, key, 1);
    x                 = gi_philox_round(x, key, 2);
    x                 = gi_philox_round(x, key, 3);
    x                 = gi_philox_round(x, key, 4);
    x                 = gi_philox_round(x, key, 5);
    x                 = gi_philox_round(x, key, 6);
    x                 = gi_philox_round(x, key, 7);
    x                 = gi_philox_round(x, key, 8);
    return gi_philox_round(x, key, 9);
}

typedef enum gi_random_kind { GI_UNIFORM_F32, GI_UNIFORM_F64, GI_INTEGERS, GI_NORMAL, GI_EXPONENTIAL } gi_random_kind;

typedef struct gi_random_plan {
    gi_random_kind kind;
    uint64_t       seed, stream;
    uint64_t       low, span;   /* integers: low <= x < low + span, modulo 2**64 */
    double         mean, sigma; /* normal numbers; exponential ones: sigma is their scale */
} gi_random_plan;

/* Numbers in [0, 1): 24 bits of a word; 53 bits of two, of which both parts and their sum are exact (so gi_unit_of_u64, of both
   words, may go about it otherwise). */
GI_FORMULA float  gi_unit_f32(uint32_t w) { return (float)(int32_t)(w >> 8) * 0x1p-24f; }
GI_FORMULA double gi_unit_f64(uint32_t low, uint32_t high)
{
    return gi_mul_f64((double)(int32_t)(high >> 6), 0x1p-26) +
           gi_mul_f64((double)(int32_t)((high & 63) << 21 | low >> 11), 0x1p-53);
}

GI_FORMULA double gi_unit_of_u64(uint64_t words)
{
    double high = gi_from_bits_f64(words >> 38 | 0x4330000000000000u) - 0x1p52;
    double low  = gi_from_bits_f64((words >> 11 & 0x7ffffff) | 0x4330000000000000u) - 0x1p52;
    return gi_mul_f64(high, 0x1p-26) + gi_mul_f64(low, 0x1p-53);
}

/* The upper half of the 128 bits of a * b. */
GI_FORMULA uint64_t gi_multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    return a_high * b_high + (middle >> 32) + ((a_low * b_high + (uint32_t)middle) >> 32);
}

/* low + bits * span / 2**64 would be slightly biased. Lemire (2019): draw again when the lower half of the product is below
   2**64 modulo span. Elements are fewer than 2**48, so the counters from attempt * 2**48 on are free for element i's next
   attempts. */
GI_FORMULA int64_t gi_random_integer(const gi_random_plan *p, uint64_t bits, int64_t i)
{
    if (bits * p->span < p->span) {
        uint64_t least = (0 - p->span) % p->span;
        for (uint64_t attempt = 1; bits * p->span < least; attempt++) {
            gi_philox_words x = gi_philox((attempt << 48) + (uint64_t)i, p->stream, p->seed);
            bits              = (uint64_t)x.w[1] << 32 | x.w[0];
        }
    }
    return (int64_t)(p->low + gi_multiply_high(bits, p->span));
}

/* Box and Muller (1958): a point at a random angle whose squared distance is exponentially distributed has two independent
   normal coordinates. */
GI_FORMULA double gi_normal_two(double u, double v, double *second)
{
    double distance = gi_root_f64(gi_mul_f64(-2.0, gi_log_core_f64(u + 0x1p-53))); /* in (0, 1]: it has a logarithm */
    double angle    = gi_mul_f64(0x1.921fb54442d18p+2, v);
    *second         = gi_mul_f64(distance, gi_sin_core_f64(angle));
    return gi_mul_f64(distance, gi_cos_core_f64(angle));
}

GI_FORMULA double gi_normal_pair(const gi_random_plan *p, double u, double v, double *second)
{
    double sine, cosine = gi_normal_two(u, v, &sine);
    *second = p->mean + gi_mul_f64(p->sigma, sine);
    return p->mean + gi_mul_f64(p->sigma, cosine);
}

GI_FORMULA double gi_exponential(const gi_random_plan *p, double u)
{
    return gi_mul_f64(-p->sigma, gi_log_core_f64(u + 0x1p-53));
}
