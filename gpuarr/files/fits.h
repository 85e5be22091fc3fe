/* ==== >>fits: images of astronomy, through CFITSIO ================================================================= */
/*  CFITSIO has to be linked, so it is used only when asked for: cc -DGPUARR_USE_CFITSIO main.c -lcfitsio -lm -lpthread   */

#if defined(GPUARR_USE_CFITSIO) && !defined(GPUARR_NO_CFITSIO)

#define GI_FITSIO_H <fitsio.h>
#ifdef __has_include
#if !__has_include(<fitsio.h>)
#undef GI_FITSIO_H
#define GI_FITSIO_H <cfitsio/fitsio.h>
#if !__has_include(<cfitsio/fitsio.h>)
#error "gpuarr: GPUARR_USE_CFITSIO needs fitsio.h: apt-get install libcfitsio-dev, or compile without it"
#endif
#endif
#endif
#include GI_FITSIO_H
#include <strings.h>

/*  CFITSIO is not made for several threads at once. Every use of it, also of its error messages, is inside this lock; gi_fail
    is called outside, because it may call a handler of the user, which may read another file. */
static pthread_mutex_t gi_fits_lock = PTHREAD_MUTEX_INITIALIZER;

enum { GI_FITS_COMPRESSED_AXES = 5 }; /* CFITSIO allows 6, and then gets the sixth wrong without a word (4.2.0) */

/* What went wrong, until it can be reported. Only the first one is kept. */
typedef struct gi_fits_trouble {
    ga_status status;
    char      text[700];
} gi_fits_trouble;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
gi_fits_refuse(gi_fits_trouble *t, ga_status status, const char *format, ...)
{
    if (t->status != GA_OK) return false;
    t->status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(t->text, sizeof t->text, format, args);
    va_end(args);
    return false;
}

/* The same for an error of CFITSIO: what we were doing, its name for the error and its own notes; what cannot be written, with errno's
   words. */
static bool gi_fits_failed(gi_fits_trouble *t, int error, const char *doing)
{
    const int reason            = error == WRITE_ERROR ? errno : 0;
    char      name[FLEN_STATUS] = "", note[FLEN_ERRMSG], notes[400] = "";
    size_t    used = 0;
    fits_get_errstatus(error, name);
    while (fits_read_errmsg(note))
        if (used + 1 < sizeof notes) {
            int n = snprintf(notes + used, sizeof notes - used, "; %s", note);
            used += n > 0 ? (size_t)n : 0;
        }
    bool      no_file = error == FILE_NOT_OPENED || error == FILE_NOT_CREATED || error == WRITE_ERROR;
    ga_status status  = error == MEMORY_ALLOCATION ? GA_NO_MEMORY : no_file ? GA_NO_FILE : GA_BAD_FILE;
    return gi_fits_refuse(t, status, "%s: CFITSIO error %d, %s%s%s%s", doing, error, name, notes, reason ? ": " : "",
                          reason ? strerror(reason) : "");
}

static void gi_fits_close(fitsfile *file)
{
    int error = 0;
    if (file) fits_close_file(file, &error);
    fits_clear_errmsg(); /* whatever is left there is no news */
}

/*  CFITSIO (4.2.0) divides by the lengths of the tiles of a compressed image without a look at them, and the program ends. So
    the headers are looked through first for a length of 0. What is no plain FITS file is left to CFITSIO. */
static bool gi_fits_check_tiles(const char *path, gi_fits_trouble *t)
{
    enum { CARD = 80, BLOCK = 2880 };
    char  block[BLOCK + 1];
    FILE *file = fopen(path, "rb");
    bool  good = true, more = file != NULL;
    while (more && good) { /* one header and its data */
        int64_t bits = 0, axes = 0, pixels = 1, before = 0, groups = 1, bytes = 0;
        for (bool end = false; more && good && !end;) {
            more         = fread(block, 1, BLOCK, file) == BLOCK;
            block[BLOCK] = 0;
            for (char *card = block; more && card < block + BLOCK && !end; card += CARD) {
                const char *number = card + 10;
                while (*number == ' ' || *number == '\'') number++;
                int64_t value = strtoll(number, NULL, 10);
                if (strncmp(card, "END     ", 8) == 0) end = true;
                else if (strncmp(card, "BITPIX  ", 8) == 0) bits = value < 0 ? -value : value;
                else if (strncmp(card, "NAXIS   ", 8) == 0) axes = value;
                else if (strncmp(card, "NAXIS", 5) == 0) more = !__builtin_mul_overflow(pixels, value, &pixels);
                else if (strncmp(card, "PCOUNT  ", 8) == 0) before = value;
                else if (strncmp(card, "GCOUNT  ", 8) == 0) groups = value;
                else if (strncasecmp(card, "ZTILE", 5) == 0 && card[5] >= '0' && card[5] <= '9' && value < 1)
                    good = gi_fits_refuse(t, GA_BAD_FILE, "the header says that compressed tiles are %lld pixels long (%.6s)",
                                          (long long)value, card);
            }
        }
        if (axes == 0) pixels = 0;
        more = more && !__builtin_add_overflow(pixels, before, &bytes) && !__builtin_mul_overflow(bytes, groups, &bytes) &&
               !__builtin_mul_overflow(bytes, bits / 8, &bytes) && bytes >= 0 && bytes < INT64_MAX / 2;
        more = more && fseek(file, (long)((bytes + BLOCK - 1) / BLOCK * BLOCK), SEEK_CUR) == 0;
    }
    if (file) fclose(file);
    return good;
}

/* A path so that CFITSIO takes it as it is: blanks in front of it would be left out, and ~ is a home. False: it is too long. */
static bool gi_fits_name(const char *path, char name[FLEN_FILENAME], gi_fits_trouble *t)
{
    if (snprintf(name, FLEN_FILENAME, "%s%s", *path == '/' ? "" : "./", path) < FLEN_FILENAME) return true;
    return gi_fits_refuse(t, GA_NO_FILE, "CFITSIO knows no paths of more than %d bytes", FLEN_FILENAME - 3);
}

/* Opens a file that exists. The lock is held. */
static fitsfile *gi_fits_open(const char *path, int mode, gi_fits_trouble *t)
{
    fitsfile   *file  = NULL;
    int         error = 0;
    struct stat about;
    char        name[FLEN_FILENAME];
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) { /* of /dev/zero there is no end */
        gi_fits_refuse(t, GA_NO_FILE, "that is no regular file");
        return NULL;
    }
    if (!*path) { /* with "./" in front it would be the folder */
        gi_fits_refuse(t, GA_NO_FILE, "%s", strerror(ENOENT));
        return NULL;
    }
    if (!gi_fits_name(path, name, t) || !gi_fits_check_tiles(path, t)) return NULL;
    fits_clear_errmsg();
    errno = 0;
    if (!fits_open_diskfile(&file, name, mode, &error)) return file; /* diskfile: "a.fits[1]" is a name, no query */
    if (error == FILE_NOT_OPENED)                                    /* CFITSIO does not say why */
        gi_fits_refuse(t, gi_file_status(errno), "%s", errno ? strerror(errno) : "it cannot be opened");
    else gi_fits_failed(t, error, "it is no FITS file");
    return NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* An image in a file, as its header describes it. */
typedef struct gi_fits_image {
    fitsfile *file;
    int       bitpix; /* 8, 16, 32, 64: integers; -32, -64: floats */
    bool      compressed;
    int       ndim;
    int64_t   shape[GPUARR_MAX_DIMS]; /* the last FITS axis first */
    double    scale, zero;            /* value = scale * stored + zero */
    bool      has_blank;
    long long blank;         /* the stored integer that means "no value" */
    ga_dtype  stored, dtype; /* as in the file, as returned */
} gi_fits_image;

static double gi_fits_real_key(fitsfile *file, const char *key, double otherwise)
{
    int    error = 0;
    double value = otherwise;
    fits_read_key(file, TDOUBLE, key, &value, NULL, &error);
    return error == 0 ? value : otherwise;
}

static bool gi_fits_integer_key(fitsfile *file, const char *key, long long *value)
{
    int      error = 0;
    LONGLONG v     = 0;
    fits_read_key(file, TLONGLONG, key, &v, NULL, &error);
    *value = v;
    return error == 0;
}

/* Random groups look like an image whose first axis has the length 0. */
static bool gi_fits_has_groups(fitsfile *file)
{
    int       groups = 0, error = 0;
    long long first = -1;
    return gi_fits_integer_key(file, "NAXIS1", &first) && first == 0 &&
           fits_read_key(file, TLOGICAL, "GROUPS", &groups, NULL, &error) == 0 && groups;
}

/* Is the current header-data unit an image with at least one axis? */
static bool gi_fits_is_image(fitsfile *file)
{
    int type = ANY_HDU, axes = 0, error = 0;
    fits_get_hdu_type(file, &type, &error);
    fits_get_img_dim(file, &axes, &error);
    return error == 0 && type == IMAGE_HDU && axes > 0 && !gi_fits_has_groups(file);
}

static bool gi_fits_has_name(fitsfile *file, const char *name)
{
    char found[FLEN_VALUE] = "";
    int  error = 0, number = 0;
    fits_get_hdu_num(file, &number);
    fits_read_key(file, TSTRING, "EXTNAME", found, NULL, &error);
    if (error && number == 1) strcpy(found, "PRIMARY");
    return strcasecmp(found, name) == 0; /* the standard: case does not matter */
}

/* Goes to the image that the options ask for. */
static bool gi_fits_find(fitsfile *file, const ga_fits_options *o, gi_fits_trouble *t)
{
    int error = 0, last = 0;
    for (int number = o->hdu > 0 ? o->hdu : 1; !fits_movabs_hdu(file, number, NULL, &error); number++) {
        bool image = gi_fits_is_image(file);
        if (o->hdu > 0 && !image)
            return gi_fits_refuse(
                t, GA_BAD_FILE,
                "HDU %d holds no image (a table, random groups, or a header with NAXIS = 0): .hdu = 0 takes the first "
                "image of the file",
                o->hdu);
        if (o->name && gi_fits_has_name(file, o->name)) {
            if (image) return true;
            return gi_fits_refuse(t, GA_BAD_FILE,
                                  "the extension '%s' holds no image (a table, random groups, or a header with NAXIS = 0)",
                                  o->name);
        }
        if (!o->name && image) return true;
        last = number;
    }
    if (error != END_OF_FILE) return gi_fits_failed(t, error, "cannot go to the next header");
    if (o->hdu > 0) return gi_fits_refuse(t, GA_BAD_ARGUMENT, "there is no HDU %d in the file (the primary one is 1)", o->hdu);
    if (o->name) return gi_fits_refuse(t, GA_BAD_ARGUMENT, "no extension of the file's %d HDUs is called '%s'", last, o->name);
    return gi_fits_refuse(t, GA_BAD_FILE,
                          "the file has no image: NAXIS is 0, or there are only tables or random groups, in all of its %d HDUs",
                          last);
}

/* The dtype that the pixels get: by astropy's rules. */
static void gi_fits_choose_dtype(gi_fits_image *f, bool raw)
{
    bool integer = f->bitpix > 0;
    f->stored    = f->bitpix == 8     ? GA_U8
                   : f->bitpix == 16  ? GA_I16
                   : f->bitpix == 32  ? GA_I32
                   : f->bitpix == 64  ? GA_I64
                   : f->bitpix == -32 ? GA_F32
                                      : GA_F64;
    f->dtype     = f->stored;
    if (raw) {
        f->scale     = 1;
        f->zero      = 0;
        f->has_blank = false;
    }
    if (!integer) {
        f->has_blank = false; /* for integers only */
        return;
    }
    /* The convention for the integers that FITS lacks: an offset of half the range. With no NaN, BLANK stays a number. */
    double half = f->bitpix == 8 ? -128 : ldexp(1, f->bitpix - 1);
    if (f->scale == 1 && f->zero == half) {
        f->dtype = f->bitpix == 8 ? GA_I8 : f->bitpix == 16 ? GA_U16 : f->bitpix == 32 ? GA_U32 : GA_U64;
        return;
    }
    if (f->scale != 1 || f->zero != 0 || f->has_blank) f->dtype = f->bitpix > 16 ? GA_F64 : GA_F32;
}

/* Refuses a header that claims more pixels than its file can hold, before memory is asked for. */
static bool gi_fits_check_size(const gi_fits_image *f, gi_fits_trouble *t)
{
    int64_t claimed[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS], file_bytes = f->file->Fptr->filesize;
    for (int d = 0; d < f->ndim; d++) {
        char      key[16];
        long long tile = 0;
        claimed[d]     = f->shape[d];
        snprintf(key, sizeof key, "ZTILE%d", f->ndim - d);
        if (f->compressed && gi_fits_integer_key(f->file, key, &tile) && tile > claimed[d]) claimed[d] = tile;
    }
    int64_t bytes = gi_shape_c_strides(f->stored, f->ndim, claimed, strides);
    if (bytes < 0)
        return gi_fits_refuse(t, GA_BAD_FILE, "the header's shape %s is more bytes than can be counted",
                              gi_shape_text(f->ndim, claimed));
    if (f->compressed) {
        /* The best codecs reach some 10000 : 1 on an empty sky; the tiles are claims as well, CFITSIO allocates them. */
        const int64_t plausible = (int64_t)1 << 30, best_ratio = 1 << 16;
        if (bytes > plausible && bytes / best_ratio > file_bytes)
            return gi_fits_refuse(
                t, GA_BAD_FILE, "the header claims %s %s pixels, %lld bytes, compressed into a file of %lld: it is damaged",
                gi_shape_text(f->ndim, claimed), ga_dtype_name(f->stored), (long long)bytes, (long long)file_bytes);
        return true;
    }
    LONGLONG header = 0, data = 0, after = 0;
    int      error = 0;
    if (fits_get_hduaddrll(f->file, &header, &data, &after, &error)) return gi_fits_failed(t, error, "cannot find the pixels");
    int64_t end;
    if (__builtin_add_overflow((int64_t)data, bytes, &end) || end > file_bytes)
        return gi_fits_refuse(t, GA_BAD_FILE,
                              "the header claims %s %s pixels, %lld bytes from byte %lld on, but the file ends at byte %lld: "
                              "it is cut short or damaged",
                              gi_shape_text(f->ndim, f->shape), ga_dtype_name(f->stored), (long long)bytes, (long long)data,
                              (long long)file_bytes);
    return true;
}

/* Reads the header of the image that the options ask for. */
static bool gi_fits_describe(gi_fits_image *f, const ga_fits_options *o, gi_fits_trouble *t)
{
    if (!gi_fits_find(f->file, o, t)) return false;
    int error = 0;
    fits_get_img_type(f->file, &f->bitpix, &error);
    fits_get_img_dim(f->file, &f->ndim, &error);
    if (error) return gi_fits_failed(t, error, "cannot read the header");
    if (f->ndim > GPUARR_MAX_DIMS)
        return gi_fits_refuse(t, GA_BAD_SHAPE,
                              "the image has %d axes; at most %d are possible (#define GPUARR_MAX_DIMS for more)", f->ndim,
                              GPUARR_MAX_DIMS);
    LONGLONG lengths[GPUARR_MAX_DIMS];
    if (fits_get_img_sizell(f->file, f->ndim, lengths, &error))
        return gi_fits_failed(t, error, "cannot read the lengths of the axes");
    for (int d = 0; d < f->ndim; d++) {
        f->shape[d] = lengths[f->ndim - 1 - d];
        if (f->shape[d] < 0) return gi_fits_refuse(t, GA_BAD_FILE, "the length of an axis is %lld", (long long)f->shape[d]);
    }
    f->compressed = fits_is_compressed_image(f->file, &error) != 0;
    if (f->compressed && f->ndim > GI_FITS_COMPRESSED_AXES)
        return gi_fits_refuse(t, GA_BAD_SHAPE,
                              "the compressed image has %d axes; CFITSIO reads at most %d: uncompress the file with "
                              "funpack",
                              f->ndim, GI_FITS_COMPRESSED_AXES);
    f->scale     = gi_fits_real_key(f->file, "BSCALE", 1);
    f->zero      = gi_fits_real_key(f->file, "BZERO", 0);
    f->has_blank = gi_fits_integer_key(f->file, "BLANK", &f->blank) ||
                   (f->compressed && gi_fits_integer_key(f->file, "ZBLANK", &f->blank));
    gi_fits_choose_dtype(f, o->raw);
    return gi_fits_check_size(f, t);
}

/* The pixels as they are stored, in the machine's byte order. */
static bool gi_fits_read_stored(const gi_fits_image *f, int64_t n, void *pixels, gi_fits_trouble *t)
{
    int    error = 0, type = 0;
    float  nan32 = (float)NAN;
    double nan64 = NAN;
    void  *null  = NULL;
    switch (f->bitpix) {
    case 8: type = TBYTE; break;
    case 16: type = TSHORT; break;
    case 32: type = TINT; break;
    case 64: type = TLONGLONG; break;
    case -32: type = TFLOAT, null = &nan32; break;
    case -64: type = TDOUBLE, null = &nan64; break;
    default: return gi_fits_refuse(t, GA_BAD_FILE, "BITPIX is %d: it must be 8, 16, 32, 64, -32 or -64", f->bitpix);
    }
    fits_set_bscale(f->file, 1, 0, &error);
    if (f->compressed) { /* as the whole subset of it: otherwise at most 3 axes are possible */
        long first[GPUARR_MAX_DIMS], last[GPUARR_MAX_DIMS], step[GPUARR_MAX_DIMS];
        for (int d = 0; d < f->ndim; d++) {
            first[d] = step[d] = 1;
            last[d]            = (long)f->shape[f->ndim - 1 - d];
        }
        fits_read_subset(f->file, type, first, last, step, null, pixels, NULL, &error);
    } else { /* not asking for NaN, because denormal numbers would then become 0 */
        fits_read_img(f->file, type, 1, n, NULL, pixels, NULL, &error);
    }
    return error == 0 || gi_fits_failed(t, error, "cannot read the pixels");
}

/* Stored numbers to values, in the dtype of the result as astropy does: multiply, round, add, round. */
typedef struct gi_fits_job {
    const gi_fits_image *image;
    const char          *stored;
    char                *out;
} gi_fits_job;

static void gi_fits_scale_f32(int64_t n, float *x, float scale, float zero)
{
    if (scale != 1) /* two loops, so that no compiler makes one fused operation of the two */
        for (int64_t i = 0; i < n; i++) x[i] *= scale;
    if (zero != 0)
        for (int64_t i = 0; i < n; i++) x[i] += zero;
}

static void gi_fits_scale_f64(int64_t n, double *x, double scale, double zero)
{
    if (scale != 1)
        for (int64_t i = 0; i < n; i++) x[i] *= scale;
    if (zero != 0)
        for (int64_t i = 0; i < n; i++) x[i] += zero;
}

static bool gi_fits_is_blank(const gi_fits_image *f, const char *stored, int64_t i)
{
    switch (f->stored) {
    case GA_U8: return ((const uint8_t *)(const void *)stored)[i] == f->blank;
    case GA_I16: return ((const int16_t *)(const void *)stored)[i] == f->blank;
    case GA_I32: return ((const int32_t *)(const void *)stored)[i] == f->blank;
    case GA_I64: return ((const int64_t *)(const void *)stored)[i] == f->blank;
    default: return false;
    }
}

static void gi_fits_task(int64_t begin, int64_t end, void *job)
{
    const gi_fits_job   *j      = (const gi_fits_job *)job;
    const gi_fits_image *f      = j->image;
    const int64_t        n      = end - begin;
    const char          *stored = j->stored + begin * ga_itemsize(f->stored);
    char                *out    = j->out + begin * ga_itemsize(f->dtype);
    if (gi_is_int(f->dtype)) { /* an offset of half the range turns the highest bit */
        int top = (int)ga_itemsize(f->dtype) - 1;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        top = 0;
#endif
        for (int64_t i = 0; i < n; i++) out[i * ga_itemsize(f->dtype) + top] ^= (char)0x80;
        return;
    }
    if (f->stored != f->dtype) gi_cast(f->dtype, f->stored, n, out, stored);
    if (f->dtype == GA_F32) gi_fits_scale_f32(n, (float *)(void *)out, (float)f->scale, (float)f->zero);
    else gi_fits_scale_f64(n, (double *)(void *)out, f->scale, f->zero);
    if (!f->has_blank) return;
    for (int64_t i = 0; i < n; i++) {
        if (!gi_fits_is_blank(f, stored, i)) continue;
        if (f->dtype == GA_F32) ((float *)(void *)out)[i] = (float)NAN;
        else ((double *)(void *)out)[i] = NAN;
    }
}

/* The image of an open file (or the trouble that there is already); the file is closed in any case. */
static ga_array *gi_fits_read_open(const char *site, const char *path, fitsfile *file, const ga_fits_options *o,
                                   gi_fits_trouble *t)
{
    gi_fits_image f;
    memset(&f, 0, sizeof f);
    f.file         = file;
    ga_array *a    = NULL;
    bool      good = false;
    if (t->status == GA_OK) {
        pthread_mutex_lock(&gi_fits_lock);
        good = gi_fits_describe(&f, o, t);
        pthread_mutex_unlock(&gi_fits_lock);
    }
    if (good) a = gi_array_new(site, f.dtype, GA_CPU, f.ndim, f.shape);
    /* Pixels of the same kind are read in place, others beside. */
    size_t bytes  = a ? (size_t)(a->size * ga_itemsize(f.stored)) : 0;
    bool   beside = good && gi_is_int(f.stored) && gi_is_float(f.dtype);
    void  *stored = !a ? NULL : beside ? gi_mem_alloc(site, bytes) : a->data;
    good          = stored != NULL;
    pthread_mutex_lock(&gi_fits_lock);
    if (good && a->size > 0) good = gi_fits_read_stored(&f, a->size, stored, t);
    gi_fits_close(file);
    pthread_mutex_unlock(&gi_fits_lock);
    if (good && (f.stored != f.dtype || f.scale != 1 || f.zero != 0)) {
        gi_fits_job job = { &f, (const char *)stored, (char *)a->data };
        gi_parallel(a->size, (int64_t)1 << 16, gi_fits_task, &job);
    }
    if (beside && stored) gi_mem_release(stored, bytes);
    if (good) return a;
    ga_free(a);
    if (t->status != GA_OK) gi_fail(site, t->status, "cannot read '%s': %s", path, t->text);
    return NULL;
}

ga_array *(ga_fits_read)(const char *path, ga_fits_options o)
{
    gi_fits_trouble t = { GA_OK, "" };
    if (!path) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the file name is NULL");
    if (o.hdu < 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".hdu = %d: use 0 (the first image) or a number from 1 on", o.hdu);
    if (o.hdu > 0 && o.name)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".hdu = %d and .name = \"%s\": give one of them", o.hdu, o.name);
    pthread_mutex_lock(&gi_fits_lock);
    fitsfile *file = gi_fits_open(path, READONLY, &t);
    pthread_mutex_unlock(&gi_fits_lock);
    return gi_copy_to_default_device(o.site, gi_fits_read_open(o.site, path, file, &o, &t));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The image type (BITPIX, with CFITSIO's codes for the unsigned conventions) and the type in memory of a dtype. */
static bool gi_fits_types(ga_dtype dtype, int *image, int *memory)
{
    switch (dtype) {
    case GA_BOOL:
    case GA_U8: *image = BYTE_IMG, *memory = TBYTE; return true;
    case GA_I8: *image = SBYTE_IMG, *memory = TSBYTE; return true;
    case GA_I16: *image = SHORT_IMG, *memory = TSHORT; return true;
    case GA_U16: *image = USHORT_IMG, *memory = TUSHORT; return true;
    case GA_I32: *image = LONG_IMG, *memory = TINT; return true;
    case GA_U32: *image = ULONG_IMG, *memory = TUINT; return true;
    case GA_I64: *image = LONGLONG_IMG, *memory = TLONGLONG; return true;
    case GA_U64: *image = ULONGLONG_IMG, *memory = TULONGLONG; return true;
    case GA_F32: *image = FLOAT_IMG, *memory = TFLOAT; return true;
    case GA_F64: *image = DOUBLE_IMG, *memory = TDOUBLE; return true;
    default: return false;
    }
}

/* CFITSIO has not made the part, which was removed for it. */
static bool gi_fits_not_made(gi_new_file *to, int error, gi_fits_trouble *t)
{
    const int   reason = errno;
    struct stat about;
    if (error != FILE_NOT_CREATED) return gi_fits_failed(t, error, "cannot make the file");
    fits_clear_errmsg();
    if (lstat(to->part, &about) == 0) (void)gi_file_busy(to); /* another program was faster */
    else if (reason) (void)gi_file_failed(to, reason);
    else return gi_fits_failed(t, error, "cannot make the file");
    return gi_fits_refuse(t, gi_file_status(to->error), "%s", to->why);
}

/* Adds the array as an image to the part of a new file: to its end, or as its first. */
static bool gi_fits_add_image(gi_new_file *to, bool append, const ga_array *a, const ga_fits_options *o, gi_fits_trouble *t)
{
    fitsfile *file  = NULL;
    int       error = 0, image = 0, memory = 0;
    LONGLONG  lengths[GPUARR_MAX_DIMS];
    long      first[GPUARR_MAX_DIMS], last[GPUARR_MAX_DIMS];
    gi_fits_types(a->dtype, &image, &memory);
    for (int d = 0; d < a->ndim; d++) {
        lengths[d] = a->shape[a->ndim - 1 - d];
        last[d]    = (long)lengths[d];
        first[d]   = 1;
    }
    errno = 0;
    if (append) {
        file = gi_fits_open(to->part, READWRITE, t);
        if (!file) return false;
    } else {
        char name[FLEN_FILENAME];
        if (!gi_fits_name(to->part, name, t)) return false;
        (void)unlink(to->part); /* CFITSIO makes its files itself */
        if (fits_create_diskfile(&file, name, &error)) return gi_fits_not_made(to, error, t);
        if (!gi_file_made_again(to)) {
            gi_fits_close(file);
            return gi_fits_refuse(t, gi_file_status(to->error), "%s", to->why);
        }
    }
    bool compress = o->compress && a->size > 0;
    errno         = 0;
    if (compress) { /* without loss: Rice for integers, gzip with shuffled bytes for floats */
        fits_set_compression_type(file, gi_is_float(a->dtype) ? GZIP_2 : RICE_1, &error);
        fits_set_quantize_level(file, 0, &error);
    }
    fits_create_imgll(file, image, a->ndim, lengths, &error);
    if (o->name) fits_write_key_str(file, "EXTNAME", o->name, "name of this image", &error);
    if (compress) /* as a subset, for the same reason as above */
        fits_write_subset(file, memory, first, last, a->data, &error);
    else if (a->size > 0) fits_write_img(file, memory, 1, a->size, a->data, &error);
    if (error) {
        gi_fits_failed(t, error, "cannot write the image");
        gi_fits_close(file);
        return false;
    }
    if (fits_close_file(file, &error)) return gi_fits_failed(t, error, "cannot finish the file");
    return true;
}

static bool gi_copy_file(const char *from, FILE *out, gi_fits_trouble *t)
{
    enum { PIECE = 1 << 14 };
    GI_ARENA(char, piece, PIECE);
    size_t n;
    FILE  *in = fopen(from, "rb");
    if (!in) return gi_fits_refuse(t, gi_file_status(errno), "%s", strerror(errno));
    bool good = true;
    while (good && (n = fread(piece, 1, PIECE, in)) > 0) good = fwrite(piece, 1, n, out) == n;
    good = good && !ferror(in) && fflush(out) == 0;
    if (!good) gi_fits_refuse(t, gi_file_status(errno), "cannot copy it before appending: %s", strerror(errno));
    fclose(in);
    return good;
}

static bool gi_fits_write_to(gi_new_file *to, const ga_array *a, const ga_fits_options *o, gi_fits_trouble *t)
{
    struct stat about;
    if (to->direct) return gi_fits_refuse(t, GA_NO_FILE, "that is no regular file");
    bool append = o->append && stat(to->path, &about) == 0;
    if (append && !gi_copy_file(to->path, to->file, t)) return false;
    pthread_mutex_lock(&gi_fits_lock);
    bool good = gi_fits_add_image(to, append, a, o, t);
    pthread_mutex_unlock(&gi_fits_lock);
    return good;
}

bool(ga_fits_write)(const char *path, const ga_array *a, ga_fits_options o)
{
    gi_fits_trouble t = { GA_OK, "" };
    gi_new_file     to;
    struct stat     about;
    int             image, memory;
    if (!gi_array_check(o.site, a, "a")) return false;
    if (!path) return gi_fail(o.site, GA_BAD_ARGUMENT, "the file name is NULL") != NULL;
    if (!gi_fits_types(a->dtype, &image, &memory))
        return gi_fail(o.site, GA_BAD_DTYPE,
                       "FITS has no images of %s: write ga_real(a) and ga_imag(a), the second with .append = true",
                       ga_dtype_name(a->dtype)) != NULL;
    if (a->ndim == 0) return gi_fail(o.site, GA_BAD_SHAPE, "FITS has no 0-d images: ga_reshape(a, (1))") != NULL;
    if (o.compress && (a->dtype == GA_I64 || a->dtype == GA_U64))
        return gi_fail(o.site, GA_BAD_DTYPE, "CFITSIO cannot compress %s: leave .compress out, or write ga_astype(a, GA_I32)",
                       ga_dtype_name(a->dtype)) != NULL;
    if (o.compress && a->ndim > GI_FITS_COMPRESSED_AXES)
        return gi_fail(o.site, GA_BAD_SHAPE,
                       "shape %s has more than the %d dimensions that CFITSIO compresses: leave .compress out", gi_shape_of(a),
                       GI_FITS_COMPRESSED_AXES) != NULL;
    if (gi_name_misleads(o.site, path, "FITS", " .fits .fit .fts ")) return false;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return gi_fail(o.site, GA_NO_FILE, "cannot write '%s': that is no regular file", path) != NULL;
    if (!gi_file_begin(&to, path))
        return gi_fail(o.site, gi_file_status(to.error), "cannot write '%s': %s", path, to.why) != NULL;
    ga_array *c    = gi_copy_on_cpu(o.site, a);
    bool      good = c && gi_fits_write_to(&to, c, &o, &t);
    ga_free(c);
    if (!gi_file_end(&to, good) && good) good = gi_fits_refuse(&t, gi_file_status(to.error), "%s", to.why);
    if (t.status != GA_OK) gi_fail(o.site, t.status, "cannot write '%s': %s", path, t.text);
    return good;
}

#else /* without CFITSIO */

static void *gi_fits_missing(const char *site, const char *path)
{
    return gi_fail(site, GA_NO_LIBRARY,
                   "'%s': this program was built without CFITSIO, which reads and writes FITS; compile with "
                   "-DGPUARR_USE_CFITSIO -lcfitsio (and, if fitsio.h is missing, apt-get install libcfitsio-dev)",
                   path ? path : "NULL");
}

ga_array *(ga_fits_read)(const char *path, ga_fits_options o) { return (ga_array *)gi_fits_missing(o.site, path); }

bool(ga_fits_write)(const char *path, const ga_array *a, ga_fits_options o)
{
    (void)a;
    return gi_fits_missing(o.site, path) != NULL;
}

#endif
