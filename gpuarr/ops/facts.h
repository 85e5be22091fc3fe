/* ---- facts about dtypes, and bits in bytes ------------------------------------------------------------------------------------ */

ga_float_info(ga_finfo)(ga_dtype dtype, const char *site)
{
    ga_float_info f;
    memset(&f, 0, sizeof f);
    if (!gi_dtype_check(site, dtype)) return f;
    const ga_dtype real = gi_dtype_real(dtype);
    if (gi_dtype_kind(real) != 2)
        return (void)gi_fail(site, GA_BAD_DTYPE, "%s has no fractions: ga_iinfo", ga_dtype_name(dtype)), f;
    f.bits               = 8 * (int)ga_itemsize(real);
    f.nmant              = real == GA_F16 ? 10 : real == GA_BF16 ? 7 : real == GA_F32 ? 23 : 52;
    f.maxexp             = real == GA_F16 ? 16 : real == GA_F64 ? 1024 : 128;
    f.minexp             = 2 - f.maxexp;
    f.precision          = real == GA_F16 ? 3 : real == GA_BF16 ? 2 : real == GA_F32 ? 6 : 15;
    f.eps                = ldexp(1, -f.nmant);
    f.epsneg             = f.eps / 2;
    f.max                = ldexp(2 - f.eps, f.maxexp - 1);
    f.min                = -f.max;
    f.tiny               = ldexp(1, f.minexp);
    f.smallest_subnormal = ldexp(1, f.minexp - f.nmant);
    f.resolution         = gi_float_as(real == GA_F16 ? 1e-3 : real == GA_BF16 ? 1e-2 : real == GA_F32 ? 1e-6 : 1e-15, real);
    return f;
}

ga_int_info(ga_iinfo)(ga_dtype dtype, const char *site)
{
    ga_int_info i;
    memset(&i, 0, sizeof i);
    if (!gi_dtype_check(site, dtype)) return i;
    if (gi_dtype_kind(dtype) != 1)
        return (void)gi_fail(site, GA_BAD_DTYPE, "%s is no integer%s", ga_dtype_name(dtype),
                             dtype == GA_BOOL ? "" : ": ga_finfo"),
               i;
    i.bits = 8 * (int)ga_itemsize(dtype);
    i.max  = UINT64_MAX >> (64 - i.bits + gi_is_signed(dtype));
    i.min  = gi_is_signed(dtype) ? -(int64_t)i.max - 1 : 0;
    return i;
}

ga_dtype ga_result_type_n(int n, const ga_arg *operands, const char *site)
{
    if (!gi_operands_check_half(site, n, operands)) return GA_DTYPE_DEFAULT;
    if (n > 0) return gi_common_dtype(n, operands);
    gi_fail(site, GA_BAD_ARGUMENT, "there is no operand");
    return GA_DTYPE_DEFAULT;
}

bool(ga_isdtype)(ga_dtype dtype, const char *kind, const char *site)
{
    static const struct {
        const char *name;
        ga_dtype    first, last;
        int         sign; /* 1: signed integers alone, 0: unsigned ones, -1: all */
    } kinds[] = { { "bool", GA_BOOL, GA_BOOL, -1 },         { "signed integer", GA_I8, GA_U64, 1 },
                  { "unsigned integer", GA_I8, GA_U64, 0 }, { "integral", GA_I8, GA_U64, -1 },
                  { "real floating", GA_F32, GA_F64, -1 },  { "complex floating", GA_C64, GA_C128, -1 },
                  { "numeric", GA_I8, GA_C128, -1 } };
    if (!gi_dtype_check(site, dtype)) return false;
    for (size_t k = 0; kind && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kind, kinds[k].name) == 0)
            return gi_dtype_computed(dtype) >= kinds[k].first && gi_dtype_computed(dtype) <= kinds[k].last &&
                   (kinds[k].sign < 0 || gi_is_signed(dtype) == (kinds[k].sign > 0));
    return gi_fail(site, GA_BAD_ARGUMENT,
                   "kind is \"%s\": it must be \"bool\", \"signed integer\", \"unsigned integer\", \"integral\", \"real "
                   "floating\", "
                   "\"complex floating\" or \"numeric\"",
                   kind ? kind : "NULL") != NULL;
}

/* ---- packbits, unpackbits ---------------------------------------------------------------------------------------------------------- */

static bool gi_bits_order(const char *site, ga_bit_order order)
{
    return order == GA_BITS_BIG || order == GA_BITS_LITTLE ||
           gi_fail(site, GA_BAD_ARGUMENT, ".bitorder = %d: it is GA_BITS_BIG or GA_BITS_LITTLE", (int)order) != NULL;
}

/* The elements along an axis as (those before it, n, each, those behind it). */
static ga_array *gi_do_bits(const gi_composition *c, const ga_array *a, int axis, int64_t n, int64_t each)
{
    int64_t shape[4] = { 1, n, each, 1 };
    for (int d = 0; d < a->ndim; d++)
        if (d != axis) shape[d < axis ? 0 : 3] *= a->shape[d];
    return gi_do_reshape(c, a, 4, shape);
}

/* Back, with n elements along the axis. */
static ga_array *gi_do_bits_joined(const gi_composition *c, const ga_array *bits, const ga_array *a, int axis, int64_t n)
{
    int64_t shape[GPUARR_MAX_DIMS];
    memcpy(shape, a->shape, sizeof shape);
    shape[axis] = n;
    return bits ? gi_do_reshape(c, bits, a->ndim, shape) : NULL;
}

/* The numbers 7 to 0, or 0 to 7, for each of these elements. */
static ga_array *gi_do_bit_numbers(const gi_composition *c, ga_bit_order order, ga_device device)
{
    ga_array *up = gi_do_count(c, 0, 8, device), *line = up && order == GA_BITS_BIG ? (ga_flipud)(up, c->site) : up;
    ga_array *u8 = line ? (ga_astype)(line, GA_U8, c->site) : NULL;
    return u8 ? gi_do_turn(c, u8, 2, 4) : NULL;
}

/* With zeros behind, or cut off, n elements along the axis. */
static ga_array *gi_do_length(const gi_composition *c, const ga_array *a, int axis, int64_t n)
{
    if (!a || n <= a->shape[axis]) return gi_do_part(c, a, axis, 0, n);
    ga_shape s;
    memset(&s, 0, sizeof s);
    s.ndim = a->ndim;
    memcpy(s.n, a->shape, sizeof s.n);
    s.n[axis]       = n - a->shape[axis];
    ga_array *zeros = (ga_zeros)(s, gi_new_on(c->site, a->dtype, a->device));
    return zeros ? gi_do_join(c, a, zeros, axis) : NULL;
}

GI_BEGIN_FAST
/* The bits of each byte of n words in the other order. */
static void gi_turn_bits(int64_t n, uint64_t *words)
{
    for (int64_t k = 0; k < n; k++) {
        uint64_t w = words[k];
        w          = (w >> 1 & 0x5555555555555555u) | (w & 0x5555555555555555u) << 1;
        w          = (w >> 2 & 0x3333333333333333u) | (w & 0x3333333333333333u) << 2;
        words[k]   = (w >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (w & 0x0F0F0F0F0F0F0F0Fu) << 4;
    }
}
GI_END_FAST

enum { GI_BITS_PIECE = 4096 }; /* bytes that a unit makes, at most */

/* Lines of n packed bools as bits, so many bytes each. A unit is a piece of a line. */
typedef struct gi_bits_packing {
    const uint8_t *from;
    uint8_t       *to;
    int64_t        n, bytes, pieces;
    ga_bit_order   order;
} gi_bits_packing;

static void gi_pack_pieces(int64_t begin, int64_t end, void *job)
{
    const gi_bits_packing *b = (const gi_bits_packing *)job;
    uint64_t               words[64];
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t line = unit / b->pieces, first = unit % b->pieces * GI_BITS_PIECE;
        const int64_t stop = b->bytes - first < GI_BITS_PIECE ? b->bytes : first + GI_BITS_PIECE;
        for (int64_t at = first; at < stop; at += (int64_t)sizeof words) {
            const int64_t now = stop - at < (int64_t)sizeof words ? stop - at : (int64_t)sizeof words, left = b->n - 8 * at;
            GI_LOOP_OF(bits)()->pack(left < 8 * now ? left : 8 * now, words, b->from + line * b->n + 8 * at);
            if (b->order == GA_BITS_BIG) gi_turn_bits((now + 7) / 8, words);
            memcpy(b->to + line * b->bytes + at, words,
                   (size_t)now); /* in the order of the bytes of a word: little-endian, as everywhere */
        }
    }
}

/* Of packed lines on the CPU. */
static ga_array *gi_pack_flags(const char *site, const ga_array *flags, ga_bit_order order, int64_t bytes)
{
    int64_t shape[GPUARR_MAX_DIMS];
    memcpy(shape, flags->shape, sizeof shape);
    const int64_t n        = shape[flags->ndim - 1];
    shape[flags->ndim - 1] = bytes;
    ga_array *r            = gi_array_new(site, GA_U8, GA_CPU, flags->ndim, shape);
    if (!r || r->size == 0) return r;
    const int64_t   pieces = (bytes + GI_BITS_PIECE - 1) / GI_BITS_PIECE;
    gi_bits_packing b      = { (const uint8_t *)flags->data, (uint8_t *)r->data, n, bytes, pieces, order };
    gi_parallel_bytes((double)(flags->size + r->size), r->size / bytes * pieces, 1 + GI_BITS_PIECE / bytes, gi_pack_pieces, &b);
    return r;
}

/* Bits along an axis whose elements lie `inner` bytes apart. A unit is a piece of a row that is made. */
typedef struct gi_bits_across {
    const uint8_t *from;
    uint8_t       *to;
    int64_t        n, made, inner, pieces; /* rows of bytes of a block, and those made of them; bytes and pieces of a row */
    ga_bit_order   order;
} gi_bits_across;

static uint8_t gi_bit_number(ga_bit_order order, int64_t k) { return (uint8_t)(order == GA_BITS_BIG ? 0x80 >> k : 1 << k); }

/* The bytes of a unit; *at: where in its row they begin. */
static int64_t gi_bits_piece(const gi_bits_across *b, int64_t unit, int64_t *at)
{
    *at = unit % b->pieces * GI_BITS_PIECE;
    return b->inner - *at < GI_BITS_PIECE ? b->inner - *at : (int64_t)GI_BITS_PIECE;
}

GI_BEGIN_FAST
/* Of eight rows of truths, */
static void gi_pack_across(int64_t begin, int64_t end, void *job)
{
    const gi_bits_across *b = (const gi_bits_across *)job;
    for (int64_t unit = begin, at; unit < end; unit++) {
        const int64_t n = gi_bits_piece(b, unit, &at), row = unit / b->pieces, first = row % b->made * 8;
        const int64_t rows = b->n - first < 8 ? b->n - first : 8;
        uint8_t      *to   = b->to + row * b->inner + at;
        memset(to, 0, (size_t)n);
        for (int64_t k = 0; k < rows; k++) {
            const uint8_t *from = b->from + (row / b->made * b->n + first + k) * b->inner + at,
                          bit   = gi_bit_number(b->order, k);
            GI_VECTORIZE
            for (int64_t i = 0; i < n; i++) to[i] = (uint8_t)(to[i] | (from[i] ? bit : 0));
        }
    }
}

/* or of one row of bytes; zeros are behind those that there are. */
static void gi_unpack_across(int64_t begin, int64_t end, void *job)
{
    const gi_bits_across *b = (const gi_bits_across *)job;
    for (int64_t unit = begin, at; unit < end; unit++) {
        const int64_t n = gi_bits_piece(b, unit, &at), all = unit / b->pieces, row = all % b->made;
        const uint8_t bit = gi_bit_number(b->order, row % 8);
        uint8_t      *to  = b->to + all * b->inner + at;
        if (row / 8 >= b->n) {
            memset(to, 0, (size_t)n);
            continue;
        }
        const uint8_t *from = b->from + (all / b->made * b->n + row / 8) * b->inner + at;
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) to[i] = (from[i] & bit) != 0;
    }
}
GI_END_FAST

/* Of packed bytes on the CPU. */
static ga_array *gi_bits_across_axis(const char *site, const ga_array *a, int axis, int64_t made, ga_bit_order order,
                                     void (*run)(int64_t begin, int64_t end, void *job))
{
    int64_t shape[GPUARR_MAX_DIMS];
    memcpy(shape, a->shape, sizeof shape);
    shape[axis] = made;
    ga_array *r = gi_array_new(site, GA_U8, GA_CPU, a->ndim, shape);
    if (!r || r->size == 0) return r;
    const int64_t inner  = gi_shape_size(a->ndim - axis - 1, a->shape + axis + 1),
                  pieces = (inner + GI_BITS_PIECE - 1) / GI_BITS_PIECE;
    gi_bits_across b     = { (const uint8_t *)a->data, (uint8_t *)r->data, a->shape[axis], made, inner, pieces, order };
    gi_parallel_bytes((double)(a->size + r->size), r->size / inner * pieces, 1 + 4096 / inner, run, &b);
    return r;
}

ga_array *(ga_packbits)(const ga_array *a, ga_bits_options o)
{
    if (!gi_array_check_any(o.site, a, "a") || !gi_bits_order(o.site, o.bitorder)) return NULL;
    if (o.count != GA_LENGTH_DEFAULT) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_packbits takes no .count");
    if (gi_dtype_kind(a->dtype) > 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "a is %s: bits are packed of bool and integers",
                                   ga_dtype_name(a->dtype));
    gi_composition c;
    gi_compose_begin(&c, o.site);
    int       axis  = o.axis;
    ga_array *along = gi_along(o.site, a, &axis);
    if (along && along->shape[axis] > INT64_MAX - 7)
        along = (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s is too long to be packed", axis, gi_shape_of(along));
    ga_array *flags = along ? gi_copy_contiguous(o.site, along, GA_BOOL) : NULL;
    int64_t   bytes = along ? (along->shape[axis] + 7) / 8 : 0;
    if (flags && flags->device == GA_CPU && !gi_is_deferred(flags) && axis == flags->ndim - 1)
        return gi_compose_end(&c, gi_pack_flags(o.site, flags, o.bitorder, bytes));
    if (flags && flags->device == GA_CPU && !gi_is_deferred(flags))
        return gi_compose_end(&c, gi_bits_across_axis(o.site, flags, axis, bytes, o.bitorder, gi_pack_across));
    ga_array         *whole   = flags ? gi_do_length(&c, flags, axis, 8 * bytes) : NULL;
    ga_array         *eight   = whole ? gi_do_bits(&c, whole, axis, bytes, 8) : NULL;
    ga_array         *numbers = eight ? gi_do_bit_numbers(&c, o.bitorder, a->device) : NULL;
    ga_array         *placed = numbers ? GI_DO_2(&c, left_shift, eight, numbers) : NULL, *r = NULL;
    ga_reduce_options sum = gi_reduce_site(o.site);
    sum.axis              = 2;
    sum.dtype             = GA_U8;
    if (placed) r = (ga_sum)(placed, sum);
    return gi_compose_end(&c, r ? gi_do_bits_joined(&c, r, along, axis, bytes) : NULL);
}

/* Lines of bytes on the CPU become lines of so many bits; zeros are behind those that there are. */
typedef struct gi_unpacking {
    const uint8_t *from;
    uint8_t       *to;
    int64_t        bytes, count, pieces; /* of a line */
    uint64_t       spread[256];          /* the eight bytes of each byte */
} gi_unpacking;

enum { GI_UNPACK_PIECE = 4096 }; /* bytes that are unpacked at a time */

GI_BEGIN_FAST
/* Words are little-endian everywhere here. */
static void gi_spread_all(ga_bit_order order, uint64_t *spread)
{
    const uint64_t bits = order == GA_BITS_BIG ? 0x0102040810204080 : 0x8040201008040201;
    for (uint64_t byte = 0; byte < 256; byte++)
        spread[byte] = ((byte * 0x0101010101010101 & bits) + 0x7F7F7F7F7F7F7F7F) >> 7 & 0x0101010101010101;
}

static void gi_spread_bytes(int64_t n, uint8_t *to, const uint8_t *from, const uint64_t *spread)
{
    for (int64_t i = 0; i < n; i++) memcpy(to + 8 * i, &spread[from[i]], 8);
}
GI_END_FAST

/* A unit is a piece of a line. */
static void gi_unpack_pieces(int64_t begin, int64_t end, void *job)
{
    const gi_unpacking *u = (const gi_unpacking *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t  line = unit / u->pieces, at = unit % u->pieces * GI_UNPACK_PIECE, left = u->count - 8 * at;
        const int64_t  bits  = left < 8 * GI_UNPACK_PIECE ? left : 8 * GI_UNPACK_PIECE;
        const int64_t  there = u->bytes < at ? 0 : u->bytes - at, whole = bits / 8 < there ? bits / 8 : there;
        const uint8_t *from = u->from + line * u->bytes + at;
        uint8_t       *to = u->to + line * u->count + 8 * at, last[8] = { 0 };
        gi_spread_bytes(whole, to, from, u->spread);
        if (whole == bits / 8 && whole < there) gi_spread_bytes(1, last, from + whole, u->spread);
        if (whole == bits / 8) memcpy(to + 8 * whole, last, (size_t)(bits % 8));
        else memset(to + 8 * whole, 0, (size_t)(bits - 8 * whole));
    }
}

/* The same for an array of uint8 whose last axis is unpacked, packed. */
static ga_array *gi_unpack_lines(const char *site, const ga_array *a, ga_bit_order order, int64_t count)
{
    int64_t      shape[GPUARR_MAX_DIMS];
    const int    last = a->ndim - 1;
    gi_unpacking u;
    memcpy(shape, a->shape, sizeof shape);
    shape[last] = count;
    ga_array *r = gi_array_new(site, GA_U8, GA_CPU, a->ndim, shape);
    if (!r || r->size == 0) return r;
    u.from   = (const uint8_t *)a->data;
    u.to     = (uint8_t *)r->data;
    u.bytes  = a->shape[last];
    u.count  = count;
    u.pieces = (count + 8 * GI_UNPACK_PIECE - 1) / (8 * GI_UNPACK_PIECE);
    gi_spread_all(order, u.spread);
    gi_parallel_bytes((double)r->size, r->size / count * u.pieces, 1 + GI_UNPACK_PIECE / count, gi_unpack_pieces, &u);
    return r;
}

ga_array *(ga_unpackbits)(const ga_array *a, ga_bits_options o)
{
    if (!gi_array_check_any(o.site, a, "a") || !gi_bits_order(o.site, o.bitorder)) return NULL;
    if (a->dtype != GA_U8)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "a is %s: bits are unpacked of uint8", ga_dtype_name(a->dtype));
    gi_composition c;
    gi_compose_begin(&c, o.site);
    int       axis  = o.axis;
    ga_array *along = gi_along(o.site, a, &axis);
    int64_t   bits  = 0;
    if (along && __builtin_mul_overflow(along->shape[axis], (int64_t)8, &bits))
        along = (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s has more bits than can be counted", axis,
                                    gi_shape_of(along));
    const int64_t count = o.count == GA_LENGTH_DEFAULT ? bits : o.count < 0 ? bits + o.count : o.count;
    if (along && count < 0)
        along = (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".count = %lld: there are %lld bits", (long long)o.count,
                                    (long long)bits);
    if (along && along->device == GA_CPU && !gi_is_deferred(along)) {
        ga_array *lines = gi_copy_contiguous(o.site, along, GA_U8), *r = NULL;
        if (lines && axis == along->ndim - 1) r = gi_unpack_lines(o.site, lines, o.bitorder, count);
        else if (lines) r = gi_bits_across_axis(o.site, lines, axis, count, o.bitorder, gi_unpack_across);
        return gi_compose_end(&c, r);
    }
    ga_array *each    = along ? gi_do_bits(&c, along, axis, along->shape[axis], 1) : NULL;
    ga_array *numbers = each ? gi_do_bit_numbers(&c, o.bitorder, a->device) : NULL;
    ga_array *r       = numbers ? GI_DO_2(&c, bitwise_and, GI_DO_2(&c, right_shift, each, numbers), 1) : NULL;
    r                 = r ? gi_do_bits_joined(&c, r, along, axis, bits) : NULL;
    r                 = r ? gi_do_length(&c, r, axis, count) : NULL;
    return gi_compose_end(&c, r && count < bits ? (ga_copy)(r, o.site) : r);
}
