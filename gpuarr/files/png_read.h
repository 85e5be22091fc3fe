/* ---- reading PNG (ISO/IEC 15948) ------------------------------------------------------------------------------------------- */
/*  Nothing that the bytes claim is believed: the checksum of each chunk is looked at, and the size of the picture is compared with what so
    many packed bytes can hold before memory is asked for.                                                                     */

typedef struct gi_png_picture {
    int64_t              rows, columns;
    int                  depth, colour, samples; /* bits of a sample; the type of colour; samples of a pixel in the file */
    bool                 interlaced, clear;      /* `clear`: some colours are transparent */
    int                  colours;                /* of the palette: red, green, blue, alpha */
    unsigned char        palette[256][4];
    int                  key[3]; /* the transparent colour, where there is no palette */
    int64_t              packed; /* bytes of all chunks with pixels */
    const unsigned char *end;    /* behind the chunk that is read */
} gi_png_picture;

enum { GI_PNG_GREY = 0, GI_PNG_RGB = 2, GI_PNG_PALETTE = 3, GI_PNG_GREY_ALPHA = 4, GI_PNG_RGBA = 6 };

static int64_t gi_big_endian(const unsigned char *p, int n)
{
    int64_t v = 0;
    for (int i = 0; i < n; i++) v = v << 8 | p[i];
    return v;
}

static bool gi_png_is(const unsigned char *chunk, const char *type) { return memcmp(chunk + 4, type, 4) == 0; }

/* Each of these three reads a chunk of n bytes; NULL, or what is wrong with it. */
static const char *gi_png_header(gi_png_picture *p, const unsigned char *data, int64_t n)
{
    static const unsigned char samples[7] = { 1, 0, 3, 1, 2, 0, 4 };
    if (n != 13) return "its header has another length than 13";
    p->columns       = gi_big_endian(data, 4);
    p->rows          = gi_big_endian(data + 4, 4);
    p->depth         = data[8];
    p->colour        = data[9];
    p->samples       = p->colour < 7 ? samples[p->colour] : 0;
    p->interlaced    = data[12] == 1;
    const int  d     = p->depth;
    const bool power = d == 1 || d == 2 || d == 4 || d == 8 || d == 16;
    if (!power || p->samples == 0 || (d == 16 && p->colour == GI_PNG_PALETTE) ||
        (d < 8 && p->colour != GI_PNG_GREY && p->colour != GI_PNG_PALETTE))
        return "there is no such type of colour with so many bits";
    if (p->columns < 1 || p->rows < 1 || p->columns > INT32_MAX || p->rows > INT32_MAX) return "it claims an impossible size";
    return data[10] || data[11] || data[12] > 1 ? "it is packed by a method that is not known" : NULL;
}

static const char *gi_png_colours(gi_png_picture *p, const unsigned char *data, int64_t n)
{
    if (n == 0 || n % 3 != 0 || n > 768 || p->colours > 0) return "its palette makes no sense";
    p->colours = (int)(n / 3);
    for (int i = 0; i < p->colours; i++) {
        memcpy(p->palette[i], data + 3 * i, 3);
        p->palette[i][3] = 255;
    }
    return NULL;
}

static const char *gi_png_transparency(gi_png_picture *p, const unsigned char *data, int64_t n)
{
    const int64_t most = p->colour == GI_PNG_PALETTE ? p->colours : 2 * p->samples;
    if (p->colour > GI_PNG_PALETTE || n > most || (p->colour != GI_PNG_PALETTE && n != most))
        return "its transparency makes no sense";
    p->clear = true;
    for (int i = 0; i < n && p->colour == GI_PNG_PALETTE; i++) p->palette[i][3] = data[i];
    for (int i = 0; i < n / 2 && p->colour != GI_PNG_PALETTE; i++) p->key[i] = (int)gi_big_endian(data + 2 * i, 2);
    return NULL;
}

/* Reads all chunks but the pixels, whose bytes it counts; NULL, or what is wrong. */
static const char *gi_png_chunks(gi_png_picture *p, const gi_crc_table *crc, const unsigned char *bytes, int64_t size)
{
    const unsigned char *chunk = bytes + 8, *end = bytes + size;
    if (size < 8 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0) return "it does not begin with \\x89PNG";
    for (;; chunk = p->end) {
        if (end - chunk < 12) return "it ends before its end: was it cut short?";
        const int64_t        n     = gi_big_endian(chunk, 4);
        const unsigned char *data  = chunk + 8;
        const char          *wrong = NULL;
        if (n > end - data - 4) return "it ends within a chunk: was it cut short?";
        if (gi_crc(crc, 0, chunk + 4, (size_t)n + 4) != (uint32_t)gi_big_endian(data + n, 4))
            return "the checksum of a chunk is wrong: it is damaged";
        p->end = data + n + 4;
        if (gi_png_is(chunk, "IHDR") != (chunk == bytes + 8)) return "its header is not its first chunk";
        if (gi_png_is(chunk, "IHDR")) wrong = gi_png_header(p, data, n);
        else if (gi_png_is(chunk, "PLTE")) wrong = gi_png_colours(p, data, n);
        else if (gi_png_is(chunk, "tRNS")) wrong = gi_png_transparency(p, data, n);
        else if (gi_png_is(chunk, "IDAT")) p->packed += n;
        else if (gi_png_is(chunk, "IEND")) break;
        else if (!(chunk[4] & 32)) wrong = "it has a chunk that is not known, and cannot be shown without";
        if (wrong) return wrong;
    }
    if (p->colour == GI_PNG_PALETTE && p->colours == 0) return "its palette is missing";
    return p->packed < 6 ? "it has no pixels" : NULL;
}

/* Of an interlaced picture the pixels come in seven parts: each its first column and row, and its steps. */
typedef struct gi_png_part {
    int     x, y, dx, dy;
    int64_t rows, columns, bytes; /* bytes of a row, without the number of its filter */
} gi_png_part;

/* Part k, or false: there is none. An empty one has no rows. */
static bool gi_png_part_of(const gi_png_picture *p, int k, gi_png_part *part)
{
    static const unsigned char steps[8][4] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 },
                                               { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 }, { 0, 0, 1, 1 } };
    const unsigned char       *s           = steps[p->interlaced ? k : 7];
    if (k >= (p->interlaced ? 7 : 1)) return false;
    part->x       = s[0];
    part->y       = s[1];
    part->dx      = s[2];
    part->dy      = s[3];
    part->columns = (p->columns - s[0] + s[2] - 1) / s[2];
    part->rows    = part->columns > 0 ? (p->rows - s[1] + s[3] - 1) / s[3] : 0;
    part->bytes   = (part->columns * p->depth * p->samples + 7) / 8;
    return true;
}

/* Undoes the filter of a row: each byte is the difference to one that is guessed of its neighbours. False: there is no such filter. */
static bool gi_png_unfilter(int filter, unsigned char *row, const unsigned char *above, int64_t n, int64_t step)
{
    for (int64_t i = 0; i < n; i++) {
        const int left = i >= step ? row[i - step] : 0, up = above ? above[i] : 0,
                  corner = i >= step && above ? above[i - step] : 0;
        int guess        = filter == 0 ? 0 : filter == 1 ? left : filter == 2 ? up : (left + up) / 2;
        if (filter == 4) { /* Paeth: which of them is nearest to left + up - corner */
            const int a = abs(up - corner), b = abs(left - corner), c = abs(left + up - 2 * corner);
            guess = a <= b && a <= c ? left : b <= c ? up : corner;
        }
        row[i] = (unsigned char)(row[i] + guess);
    }
    return filter <= 4;
}

static int gi_png_sample(const unsigned char *row, int64_t i, int depth)
{
    if (depth == 16) return row[2 * i] << 8 | row[2 * i + 1];
    if (depth == 8) return row[i];
    const int64_t bit = i * depth;
    return row[bit / 8] >> (8 - depth - bit % 8) & ((1 << depth) - 1);
}

/* Pixel x of a row into `channels` numbers. A colour that the palette does not have is black, as libpng has it. */
static void gi_png_pixel(const gi_png_picture *p, const unsigned char *row, int64_t x, int channels, int *to)
{
    const int most  = (1 << p->depth) - 1;
    bool      clear = p->clear;
    if (p->colour == GI_PNG_PALETTE) {
        const int i = gi_png_sample(row, x, p->depth);
        for (int c = 0; c < channels; c++) to[c] = i < p->colours ? p->palette[i][c] : c == 3 ? 255 : 0;
        return;
    }
    for (int c = 0; c < p->samples; c++) {
        const int v = gi_png_sample(row, x * p->samples + c, p->depth);
        clear       = clear && v == p->key[c];
        to[c]       = p->depth < 8 ? v * 255 / most : v;
    }
    if (channels > p->samples) to[channels - 1] = clear ? 0 : p->depth == 16 ? most : 255;
}

/* The pixels of all parts, one behind the other in `raw`, into `a`; NULL, or what is wrong. */
static const char *gi_png_pixels(const gi_png_picture *p, unsigned char *raw, ga_array *a)
{
    const int     channels = a->ndim == 3 ? (int)a->shape[2] : 1;
    const int64_t step     = p->depth * p->samples < 8 ? 1 : p->depth * p->samples / 8;
    gi_png_part   part;
    for (int k = 0; gi_png_part_of(p, k, &part); k++) {
        const unsigned char *above = NULL;
        for (int64_t r = 0; r < part.rows; r++, above = raw + 1, raw += part.bytes + 1) {
            if (!gi_png_unfilter(raw[0], raw + 1, above, part.bytes, step)) return "its pixels make no sense";
            for (int64_t c = 0; c < part.columns; c++) {
                int           v[4];
                const int64_t at = ((part.y + r * part.dy) * p->columns + part.x + c * part.dx) * channels;
                gi_png_pixel(p, raw + 1, c, channels, v);
                for (int i = 0; i < channels; i++)
                    if (p->depth == 16) ((uint16_t *)a->data)[at + i] = (uint16_t)v[i];
                    else ((uint8_t *)a->data)[at + i] = (uint8_t)v[i];
            }
        }
    }
    return NULL;
}

/* Unpacks what the chunks of pixels hold, `packed` and `raw` being room for it; NULL, or what is wrong. */
static const char *gi_png_unpack(const gi_png_picture *p, const unsigned char *bytes, gi_inflater *z, unsigned char *packed,
                                 unsigned char *raw, int64_t size)
{
    unsigned char *to = packed;
    for (const unsigned char *chunk = bytes + 8; chunk < p->end; chunk += gi_big_endian(chunk, 4) + 12)
        if (gi_png_is(chunk, "IDAT")) {
            const size_t n = (size_t)gi_big_endian(chunk, 4);
            if (n > 0) memcpy(to, chunk + 8, n);
            to += n;
        }
    size_t made;
    if (gi_unpack_bytes(GI_CODEC_ZLIB, z, packed, (size_t)p->packed, raw, (size_t)size, &made) && made == (size_t)size)
        return NULL;
    return "its pixels cannot be unpacked, or their checksum is wrong: it is damaged";
}

typedef struct gi_png_room { /* too much for a stack */
    gi_crc_table   crc;
    gi_png_picture picture;
    gi_inflater    inflater;
} gi_png_room;

/* The picture in so many bytes; `what` names them in messages. */
static ga_array *gi_read_png(const char *site, const char *what, const unsigned char *bytes, int64_t size)
{
    const double best_ratio = 1032; /* of deflate */
    gi_png_room *m          = (gi_png_room *)gi_mem_alloc(site, sizeof *m);
    if (!m) return NULL;
    gi_png_picture *p   = &m->picture;
    ga_array       *a   = NULL;
    double          raw = 0;
    gi_png_part     part;
    memset(p, 0, sizeof *p);
    gi_make_crc_table(&m->crc);
    const char *wrong = gi_png_chunks(p, &m->crc, bytes, size);
    for (int k = 0; !wrong && gi_png_part_of(p, k, &part); k++) raw += (double)part.rows * (double)(part.bytes + 1);
    if (!wrong && raw > best_ratio * (double)p->packed) wrong = "it claims more pixels than its bytes can hold";
    if (!wrong) {
        const int      colours = p->colour == GI_PNG_PALETTE ? 3 : p->samples, channels = colours + p->clear;
        const int64_t  shape[3] = { p->rows, p->columns, channels };
        const size_t   packed = (size_t)p->packed, room = packed + (size_t)raw;
        unsigned char *in = (unsigned char *)gi_mem_alloc(site, room);
        a = in ? gi_array_new(site, p->depth == 16 ? GA_U16 : GA_U8, GA_CPU, channels > 1 ? 3 : 2, shape) : NULL;
        if (a) wrong = gi_png_unpack(p, bytes, &m->inflater, in, in + packed, (int64_t)raw);
        if (a && !wrong) wrong = gi_png_pixels(p, in + packed, a);
        gi_mem_release(in, room);
    }
    gi_mem_release(m, sizeof *m);
    if (!wrong) return a;
    ga_free(a);
    return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is no PNG picture that can be read: %s", what, wrong);
}

ga_array *(ga_imdecode)(const ga_array *bytes, const char *site)
{
    if (!gi_array_check(site, bytes, "bytes")) return NULL;
    if (bytes->dtype != GA_U8)
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "bytes is %s: use the bytes of a PNG file, uint8",
                                   ga_dtype_name(bytes->dtype));
    ga_array *c = gi_copy_on_cpu(site, bytes),
             *a = c ? gi_read_png(site, "bytes", (const unsigned char *)c->data, c->size) : NULL;
    ga_free(c);
    return gi_copy_to_default_device(site, a);
}

ga_array *(ga_imread)(const char *path, const char *site)
{
    gi_source s;
    char      what[GI_NAME_ROOM];
    if (!gi_open_source(site, path, &s)) return NULL;
    ga_array *a = NULL, *c = gi_array_new(site, GA_U8, GA_CPU, 1, &s.size);
    gi_show_path(what, path);
    errno = 0;
    if (c && !gi_read_at(&s, 0, c->data, (size_t)s.size)) gi_file_fail(site, errno, "cannot read %s", what);
    else if (c) a = gi_read_png(site, what, (const unsigned char *)c->data, s.size);
    ga_free(c);
    (void)fclose(s.file);
    return gi_copy_to_default_device(site, a);
}
