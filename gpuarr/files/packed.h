/* ---- bytes packed by zlib or gzip ------------------------------------------------------------------------------------ */

typedef enum gi_codec { GI_CODEC_NONE, GI_CODEC_ZLIB, GI_CODEC_GZIP } gi_codec;
static const char *const gi_codec_names[] = { "none", "zlib", "gzip" };

static uint32_t gi_adler(const unsigned char *p, size_t n)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n;) {
        for (size_t end = n - i < 5552 ? n : i + 5552; i < end; i++) b += a += p[i];
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

/* Where the packed bytes begin: behind the header of zlib (RFC 1950) or gzip (RFC 1952). 0: there is none. */
static size_t gi_packed_begin(gi_codec codec, const unsigned char *in, size_t n)
{
    if (codec == GI_CODEC_ZLIB) return n >= 6 && (in[0] & 15) == 8 && (in[0] << 8 | in[1]) % 31 == 0 && !(in[1] & 32) ? 2 : 0;
    if (n < 18 || in[0] != 0x1f || in[1] != 0x8b || in[2] != 8) return 0;
    size_t at    = 10;
    int    flags = in[3];
    if (flags & 4) at += 2 + (size_t)gi_little_endian(in + 10, 2);
    for (int text = 8; text <= 16; text *= 2) /* a name, a comment */
        if (flags & text) {
            while (at < n && in[at]) at++;
            at++;
        }
    if (flags & 2) at += 2;
    return at <= n - 8 ? at : 0;
}

/* Unpacks the first of what was packed into at most `room` bytes; *made: how many. Returns how many bytes were read, with the checksum; 0 if
   they are damaged, or room is too small. */
static size_t gi_unpack_bytes(gi_codec codec, gi_inflater *z, const unsigned char *in, size_t n, void *out, size_t room,
                              size_t *made)
{
    const size_t begin = gi_packed_begin(codec, in, n), ends = codec == GI_CODEC_ZLIB ? 4 : 8;
    gi_crc_table table;
    *made = 0;
    if (begin == 0 || !gi_inflate_all(z, in + begin, n - begin - ends, out, room)) return 0;
    const unsigned char *sum  = z->in - z->held / 8; /* what was taken from the input, and not used */
    const size_t         size = (size_t)(z->out - z->out_start);
    bool                 right;
    if (codec == GI_CODEC_ZLIB) {
        right = gi_adler((const unsigned char *)out, size) ==
                ((uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3]);
    } else {
        gi_make_crc_table(&table);
        right = gi_crc(&table, 0, out, size) == (uint32_t)gi_little_endian(sum, 4) &&
                (uint32_t)size == (uint32_t)gi_little_endian(sum + 4, 4);
    }
    if (!right) return 0;
    *made = size;
    return (size_t)(sum - in) + ends;
}

/* If the file begins as those of gzip do, unpacks all that it has: *s becomes its bytes, in *room bytes of memory, which the caller releases.
   False with an error. */
static bool gi_unpack_source(const char *site, const char *path, gi_source *s, size_t *room)
{
    enum { LEAST = 1 << 10, LONGEST_COPY = 258, BEST_RATIO = 1032 }; /* of deflate */
    unsigned char head[2], tail[4] = { 0 };
    const size_t  n = (size_t)s->size, most = n < SIZE_MAX / BEST_RATIO - LEAST ? n * BEST_RATIO + LEAST : SIZE_MAX / 2;
    *room = 0;
    if (n < 2 || !gi_read_at(s, 0, head, 2) || head[0] != 0x1f || head[1] != 0x8b ||
        (n >= 4 && !gi_read_at(s, s->size - 4, tail, 4)))
        return true;
    size_t at = 0, got = 0,
           space      = (size_t)gi_little_endian(tail, 4) + LEAST; /* right, if one file was packed, and it is below 4 GiB */
    gi_inflater   *z  = (gi_inflater *)gi_mem_alloc(site, sizeof *z);
    unsigned char *in = z ? (unsigned char *)gi_mem_alloc(site, n) : NULL;
    if (space > most) space = most;
    unsigned char *out = in ? (unsigned char *)gi_mem_alloc(site, space) : NULL;
    errno              = 0;
    bool ok            = out && gi_read_at(s, 0, in, n);
    if (out && !ok) gi_file_fail(site, errno, "cannot read '%s'", path);
    while (ok && at < n) {
        size_t       made;
        const size_t used = gi_unpack_bytes(GI_CODEC_GZIP, z, in + at, n - at, out + got, space - got, &made);
        at += used;
        got += made;
        while (used > 0 && at < n && in[at] == 0) at++; /* some programs fill a block with zeros */
        if (used > 0) continue;
        if (gi_packed_begin(GI_CODEC_GZIP, in + at, n - at) == 0 || z->out_end - z->out >= LONGEST_COPY || space == most) {
            ok = gi_fail(site, GA_BAD_FILE, "'%s' is damaged: it cannot be unpacked to what its checksum says", path) != NULL;
            break;
        }
        const size_t   wider  = space > most / 2 ? most : 2 * space;
        unsigned char *larger = (unsigned char *)gi_mem_alloc(site, wider);
        ok                    = larger != NULL;
        if (!ok) break;
        memcpy(larger, out, got);
        gi_mem_release(out, space);
        out   = larger;
        space = wider;
    }
    if (z) gi_mem_release(z, sizeof *z);
    if (in) gi_mem_release(in, n);
    if (!ok && out) gi_mem_release(out, space);
    if (!ok) return false;
    s->file  = NULL;
    s->bytes = out;
    s->size  = (int64_t)got;
    *room    = space;
    return true;
}

/*  Packing is zlib's, which has to be linked: cc -DGPUARR_USE_ZLIB main.c -lz -lm -lpthread                                          */
#ifdef GPUARR_USE_ZLIB
#if defined(__has_include)
#if !__has_include(<zlib.h>)
#error "gpuarr: GPUARR_USE_ZLIB needs zlib.h: apt-get install zlib1g-dev, or compile without it"
#endif
#endif
#include <zlib.h>

/* At most so many bytes come of n that are packed. */
static int64_t gi_packed_bound(int64_t n)
{
    if (n > INT64_MAX / 2) return INT64_MAX;
    return (int64_t)compressBound((uLong)n) + 12; /* a gzip header is longer by that */
}

/* Packs n bytes into `to`, which has room for them in any case. Returns how many they have become; -1 with an error. */
static int64_t gi_pack_bytes(const char *site, gi_codec codec, int level, const void *from, int64_t n, void *to)
{
    const int64_t most   = 1 << 30; /* at a time */
    const int     memory = 8;       /* zlib's own default */
    z_stream      z;
    int64_t       room = gi_packed_bound(n);
    memset(&z, 0, sizeof z);
    int state =
        deflateInit2(&z, level, Z_DEFLATED, codec == GI_CODEC_GZIP ? MAX_WBITS + 16 : MAX_WBITS, memory, Z_DEFAULT_STRATEGY);
    z.next_in  = (Bytef *)(uintptr_t)from;
    z.next_out = (Bytef *)to;
    while (state == Z_OK) {
        int64_t in = n - (int64_t)z.total_in, out = room - (int64_t)z.total_out;
        z.avail_in  = (uInt)(in > most ? most : in);
        z.avail_out = (uInt)(out > most ? most : out);
        state       = deflate(&z, in > most ? Z_NO_FLUSH : Z_FINISH);
    }
    (void)deflateEnd(&z);
    if (state == Z_STREAM_END) return (int64_t)z.total_out;
    gi_fail(site, GA_NO_MEMORY, "zlib has no memory to pack %lld bytes", (long long)n);
    return -1;
}
#else
static int64_t gi_packed_bound(int64_t n) { return n; }
static int64_t gi_pack_bytes(const char *site, gi_codec codec, int level, const void *from, int64_t n, void *to)
{
    (void)codec, (void)level, (void)from, (void)n, (void)to;
    gi_fail(site, GA_NO_LIBRARY,
            "this program was built without zlib, which packs: install it (apt-get install zlib1g-dev) and compile "
            "with -DGPUARR_USE_ZLIB -lz");
    return -1;
}
#endif
