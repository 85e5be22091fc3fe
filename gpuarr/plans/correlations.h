/* ---- sums of weighted neighbours, and windows ---------------------------------------------------------------------- */

/* out[i] = sum over k of weights[k] * in[i + k + offset]; see ops/correlate.h */
typedef struct gi_correlation {
    ga_dtype    dtype; /* of in, weights and out, which are packed in C order and do not overlap */
    int         ndim;  /* 1 to GPUARR_MAX_DIMS */
    const void *in;
    int64_t     shape[GPUARR_MAX_DIMS];
    const void *weights;
    int64_t     size[GPUARR_MAX_DIMS];
    void       *out;
    int64_t     result[GPUARR_MAX_DIMS]; /* the shape of out */
    int64_t     offset[GPUARR_MAX_DIMS]; /* which element of `in` out[0] multiplies by weights[0]; may be negative */
    ga_border   border;
    double      cval, cval_imag; /* outside, with GA_BORDER_CONSTANT */
} gi_correlation;

/* The element outside, with GA_BORDER_CONSTANT. */
static inline void gi_conv_constant(const gi_correlation *c, void *element)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.kind = GA_KIND_COMPLEX;
    v.re   = c->cval;
    v.im   = c->cval_imag;
    gi_number_to(v, c->dtype, element);
}

/* Is a weight the product of a and b, but for some ulp? */
GI_FORMULA bool gi_conv_is_product(double weight, double a, double b, double ulps)
{
    return gi_abs_f64(gi_fma_f64(a, b, -weight)) <= gi_mul_f64(ulps, gi_abs_f64(weight));
}

/* The job as two: along the rows into `between`, then along the columns. */
static inline void gi_conv_split(const gi_correlation *c, const void *column, const void *row, void *between,
                                 gi_correlation *along, gi_correlation *down)
{
    *along = *down   = *c;
    along->weights   = row;
    along->out       = between;
    along->size[0]   = 1;
    along->offset[0] = 0;
    along->result[0] = c->shape[0];
    down->in         = between;
    down->weights    = column;
    down->size[1]    = 1;
    down->offset[1]  = 0;
    down->shape[1]   = c->result[1];
}

/* A correlation tile by tile through Fourier transforms; see ops/fft.h */
typedef struct gi_fft {
    const gi_correlation *c;
    bool                  single, complex_;
    int64_t               length[GPUARR_MAX_DIMS], step[GPUARR_MAX_DIMS],
        tiles[GPUARR_MAX_DIMS];       /* of a tile: neighbours, results; how many */
    int     rank, n[GPUARR_MAX_DIMS]; /* the axes with weights */
    int64_t count, points, waves, parts;
    void   *forward, *back;
    size_t  x_bytes, bytes; /* of a tile's neighbours; with its waves */
    char   *weights;        /* a tile like those of the parts: the transform of the weights, conjugated and scaled */
    char   *scratch, constant[16];
} gi_fft;

/* The next length from n on without other factors than 2, 3 and 5. */
static inline int64_t gi_fast_length(int64_t n)
{
    for (;; n++) {
        int64_t rest = n;
        while (rest % 2 == 0) rest /= 2;
        while (rest % 3 == 0) rest /= 3;
        while (rest % 5 == 0) rest /= 5;
        if (rest == 1) return n;
    }
}

static inline void gi_fft_cut(gi_fft *f)
{
    static const int64_t  least[3] = { 8192, 256, 64 }; /* a tile that stays in the cache */
    const gi_correlation *c        = f->c;
    for (int d = 0; d < c->ndim; d++) f->rank += c->size[d] > 1;
    int64_t room = least[f->rank < 3 ? f->rank - 1 : 2];
    int     axis = 0;
    f->count = f->points = 1;
    for (int d = 0; d < c->ndim; d++) {
        const int64_t m = c->size[d], most = 4 * m > room ? 4 * m : room, whole = c->result[d] + m - 1;
        f->tiles[d]  = m == 1 ? c->result[d] : (c->result[d] - 1) / ((most < whole ? most : whole) - m + 1) + 1;
        f->step[d]   = (c->result[d] - 1) / f->tiles[d] + 1;
        f->length[d] = m == 1 ? 1 : gi_fast_length(f->step[d] + m - 1);
        f->count *= f->tiles[d];
        f->points *= f->length[d];
        if (m > 1) f->n[axis++] = (int)f->length[d];
    }
    int64_t last = f->n[f->rank - 1];
    f->waves     = f->complex_ ? f->points : f->points / last * (last / 2 + 1);
}

/* Can the weights be transformed? False with an error. */
static inline bool gi_fft_takes(const char *site, const gi_correlation *c)
{
    for (int d = 0; d < c->ndim; d++)
        if (c->size[d] > (int64_t)1 << 28) {
            gi_fail(site, GA_BAD_SHAPE, "weights of shape %s are too many for a Fourier transform: use GA_METHOD_DIRECT",
                    gi_shape_text(c->ndim, c->size));
            return false;
        }
    return true;
}

typedef enum gi_window_kind { GI_WINDOW_RANK, GI_WINDOW_LEAST, GI_WINDOW_GREATEST, GI_WINDOW_MEAN } gi_window_kind;

/* out[i] is made of in[i + k + offset] for all k in a window; see ops/windows.h */
typedef struct gi_window {
    gi_correlation at; /* in, its dtype, out, their shape (also as result), the window's size, offset, border, cval */
    gi_window_kind kind;
    const uint8_t *footprint; /* which elements of the box belong to it, packed; NULL: all */
    int64_t        count, rank;
    gi_keys        keys;
    ga_dtype       work, result; /* means are computed in `work`; the dtype of out */
    bool           cut;          /* means lose their fractions */
} gi_window;
