/* ---- CRC-32 ------------------------------------------------------------------------------------------------------ */

typedef struct gi_crc_table { /* row k: what a byte does to the remainder k bytes later */
    uint32_t row[8][256];
} gi_crc_table;

static void gi_make_crc_table(gi_crc_table *t)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? 0xEDB88320u : 0);
        t->row[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++) t->row[k][i] = t->row[k - 1][i] >> 8 ^ t->row[0][t->row[k - 1][i] & 255];
}

/* The CRC of what gave `crc` (0 at the start) followed by n more bytes. */
static uint32_t gi_crc(const gi_crc_table *t, uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    crc                    = ~crc;
    for (; n >= 8; n -= 8, p += 8) { /* eight bytes at once: their effects are independent */
        uint32_t low = crc ^ (uint32_t)gi_little_endian(p, 4);
        crc          = t->row[7][low & 255] ^ t->row[6][low >> 8 & 255] ^ t->row[5][low >> 16 & 255] ^ t->row[4][low >> 24] ^
              t->row[3][p[4]] ^ t->row[2][p[5]] ^ t->row[1][p[6]] ^ t->row[0][p[7]];
    }
    for (; n > 0; n--, p++) crc = crc >> 8 ^ t->row[0][(crc ^ *p) & 255];
    return ~crc;
}

/* ---- inflate: the packed entries of numpy.savez_compressed (RFC 1951) -------------------------------------------- */

enum { GI_LONGEST_CODE = 15, GI_SHORT_CODE = 10, GI_MOST_SYMBOLS = 288 };

/* A prefix code. Most codes are short and found in a small table, which is quick to make: a file may have a new code every few bytes. */
typedef struct gi_prefix_code {
    uint16_t quick[1 << GI_SHORT_CODE];  /* by the next bits: symbol * 16 + length of its code, if that is short; else 0 */
    uint16_t symbols[GI_MOST_SYMBOLS];   /* in the order of their codes */
    uint16_t count[GI_LONGEST_CODE + 1]; /* by length: how many codes have it */
} gi_prefix_code;

typedef struct gi_inflater {
    const unsigned char *in, *in_end;
    unsigned char       *out, *out_start, *out_end;
    uint64_t             bits; /* read and not yet used, the next one lowest */
    int                  held; /* how many; negative: more were used than there are */
    gi_prefix_code       literals, distances;
    bool                 fixed; /* are these the fixed ones? */
} gi_inflater;

static unsigned gi_peek_bits(gi_inflater *z, int n)
{
    for (; z->held >= 0 && z->held < n && z->in < z->in_end; z->held += 8) z->bits |= (uint64_t)*z->in++ << z->held;
    return (unsigned)(z->bits & ((1u << n) - 1));
}

static unsigned gi_take_bits(gi_inflater *z, int n)
{
    unsigned v = gi_peek_bits(z, n);
    z->bits >>= n;
    z->held -= n;
    return v;
}

/* The symbol of a code that is longer than short ones, * 16 + its length; 0 if there is none. Codes of a length are consecutive numbers, which
   begin at twice the end of those one bit shorter. */
static unsigned gi_long_code(const gi_prefix_code *c, unsigned next)
{
    unsigned code = 0, first = 0, before = 0;
    for (unsigned bits = 1; bits <= GI_LONGEST_CODE; bits++, next >>= 1) {
        code = code << 1 | (next & 1); /* codes are read from their highest bit on */
        if (code - first < c->count[bits]) return (unsigned)c->symbols[before + code - first] << 4 | bits;
        before += c->count[bits];
        first = (first + c->count[bits]) << 1;
    }
    return 0;
}

/* The next symbol, or -1 if there is no such code. */
static int gi_take_symbol(gi_inflater *z, const gi_prefix_code *c)
{
    unsigned next = gi_peek_bits(z, GI_LONGEST_CODE), entry = c->quick[next & ((1 << GI_SHORT_CODE) - 1)];
    if (entry == 0) entry = gi_long_code(c, next);
    (void)gi_take_bits(z, (int)(entry & 15));
    return entry == 0 || z->held < 0 ? -1 : (int)(entry >> 4);
}

/* The code whose symbol i has length[i] bits; false if the lengths ask for more codes than there are, or do not use all of them. (As in zlib,
   there may be no code at all, or a single one of one bit where that may be alone.) */
static bool gi_make_code(gi_prefix_code *c, const unsigned char *length, int n, bool may_be_alone)
{
    unsigned next[GI_LONGEST_CODE + 1], place[GI_LONGEST_CODE + 1], first = 0, before = 0;
    memset(c->quick, 0, sizeof c->quick);
    memset(c->count, 0, sizeof c->count);
    for (int i = 0; i < n; i++) c->count[length[i]]++;
    c->count[0] = 0;
    for (unsigned bits = 1; bits <= GI_LONGEST_CODE; bits++) {
        next[bits]  = first;
        place[bits] = before;
        if (first + c->count[bits] > 1u << bits) return false;
        before += c->count[bits];
        first = (first + c->count[bits]) << 1;
    }
    if (first < 2u << GI_LONGEST_CODE && before > 0 && !(may_be_alone && before == 1 && c->count[1] == 1)) return false;
    for (int i = 0; i < n; i++) {
        unsigned bits = length[i], reversed = 0;
        if (bits == 0) continue;
        c->symbols[place[bits]++] = (uint16_t)i;
        unsigned code             = next[bits]++;
        if (bits > GI_SHORT_CODE) continue;
        for (unsigned b = 0; b < bits; b++) reversed |= (code >> b & 1) << (bits - 1 - b);
        for (unsigned k = reversed; k < 1u << GI_SHORT_CODE; k += 1u << bits) c->quick[k] = (uint16_t)((unsigned)i << 4 | bits);
    }
    return true;
}

/* Reads the codes of a block: fixed ones, or their lengths, which are packed themselves. */
static bool gi_read_codes(gi_inflater *z, bool fixed)
{
    unsigned char length[288 + 32] = { 0 };
    int           literals = 288, distances = 32; /* of the fixed codes some mean nothing */
    if (fixed && z->fixed) return true;           /* many blocks that are short are read quickly */
    z->fixed = fixed;
    if (fixed) {
        for (int i = 0; i < 288; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        memset(length + 288, 5, 32);
    } else {
        static const unsigned char order[] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
        literals                           = (int)gi_take_bits(z, 5) + 257;
        distances                          = (int)gi_take_bits(z, 5) + 1;
        int n                              = (int)gi_take_bits(z, 4) + 4;
        for (int i = 0; i < n; i++) length[order[i]] = (unsigned char)gi_take_bits(z, 3);
        if (literals > 286 || distances > 30 || !gi_make_code(&z->literals, length, 19, false)) return false;
        memset(length, 0, sizeof length);
        for (int i = 0; i < literals + distances;) {
            int           symbol = gi_take_symbol(z, &z->literals), repeat = 1;
            unsigned char value = (unsigned char)symbol;
            if (symbol < 0 || (symbol == 16 && i == 0)) return false;
            if (symbol >= 16) value = symbol == 16 ? length[i - 1] : 0;
            if (symbol == 16) repeat = 3 + (int)gi_take_bits(z, 2);
            if (symbol == 17) repeat = 3 + (int)gi_take_bits(z, 3);
            if (symbol == 18) repeat = 11 + (int)gi_take_bits(z, 7);
            if (i + repeat > literals + distances) return false;
            while (repeat-- > 0) length[i++] = value;
        }
    }
    return length[256] > 0 && gi_make_code(&z->literals, length, literals, true) &&
           gi_make_code(&z->distances, length + literals, distances, true);
}

/* Literals and copies of what came before, up to the end of the block. */
static bool gi_inflate_block(gi_inflater *z)
{
    for (;;) {
        int symbol = gi_take_symbol(z, &z->literals);
        if (symbol == 256) return true;
        if (symbol < 0 || symbol > 285 || z->out == z->out_end) return false;
        if (symbol < 256) {
            *z->out++ = (unsigned char)symbol;
            continue;
        }
        /* Lengths 3 to 10 have symbols of their own; then four symbols to each number of extra bits. 258 has one as well. */
        int     k = symbol - 257, extra = k < 8 || k == 28 ? 0 : (k - 4) / 4;
        int64_t length = k < 8 ? 3 + k : k == 28 ? 258 : 3 + ((4 + k % 4) << extra) + (int)gi_take_bits(z, extra);
        int     far    = gi_take_symbol(z, &z->distances);
        if (far < 0 || far > 29) return false;
        extra            = far < 4 ? 0 : (far - 2) / 2;
        int64_t distance = far < 4 ? 1 + far : 1 + ((2 + far % 2) << extra) + (int)gi_take_bits(z, extra);
        if (distance > z->out - z->out_start || length > z->out_end - z->out) return false;
        for (; length > 0; length--, z->out++) *z->out = *(z->out - distance);
    }
}

/* Unpacks `n` bytes, or fewer that end by themselves, into at most `room` ones; false if the input is damaged, not all is there, or
   the room is too small. */
static bool gi_inflate_all(gi_inflater *z, const void *in, size_t n, void *out, size_t room)
{
    z->in        = (const unsigned char *)in;
    z->in_end    = z->in + n;
    z->out_start = z->out = (unsigned char *)out;
    z->out_end            = z->out + room;
    z->bits               = 0;
    z->held               = 0;
    z->fixed              = false;
    for (bool last = false; !last;) {
        last          = gi_take_bits(z, 1) != 0;
        unsigned kind = gi_take_bits(z, 2);
        if (kind == 0) { /* stored: from the next whole byte on, length and its complement first */
            (void)gi_take_bits(z, z->held & 7);
            unsigned length = gi_take_bits(z, 16), complement = gi_take_bits(z, 16);
            if (z->held < 0 || (length ^ complement) != 0xFFFF) return false;
            z->in -= z->held / 8;
            z->bits     = 0;
            z->held     = 0;
            size_t fits = length, given = (size_t)(z->in_end - z->in), left = (size_t)(z->out_end - z->out);
            fits = fits < given ? fits : given;
            fits = fits < left ? fits : left;
            if (fits > 0) memcpy(z->out, z->in, fits);
            z->in += fits;
            z->out += fits;
            if (fits < length) return false;
        } else if (kind == 3 || !gi_read_codes(z, kind == 1) || !gi_inflate_block(z)) {
            return false;
        }
        if (z->held < 0) return false;
    }
    return true;
}

/* The same into exactly `room` bytes. */
static bool gi_inflate(gi_inflater *z, const void *in, size_t n, void *out, size_t room)
{
    return gi_inflate_all(z, in, n, out, room) && z->out == z->out_end;
}

/* Unpacks the start of what is longer than `n` bytes, or than `room` ones; how many there are then. */
static size_t gi_inflate_start(gi_inflater *z, const void *in, size_t n, void *out, size_t room)
{
    (void)gi_inflate(z, in, n, out, room);
    return (size_t)(z->out - z->out_start);
}
