/* ---- weights that are an outer product -------------------------------------------------------------------------------- */

enum { GI_LEAST_FACTORED = 42 }; /* weights: as many cost as much as two passes over memory */

static double gi_weight_at(const ga_array *w, int64_t i)
{
    return w->dtype == GA_F32 ? (double)((const float *)w->data)[i] : ((const double *)w->data)[i];
}

/* Fills column and row with what gives the weights (packed, on the CPU) as products: to 16 ulp, which is less than what the rounding of
   that many terms may sum up to; those of whole numbers exactly. */
static bool gi_factor_weights(const ga_array *w, ga_array *column, ga_array *row)
{
    const int64_t width = w->shape[1];
    const double  ulp   = w->dtype == GA_F32 ? FLT_EPSILON : DBL_EPSILON;
    int64_t       top   = 0;
    bool          whole = true;
    for (int64_t i = 0; i < w->size; i++) {
        double x = fabs(gi_weight_at(w, i));
        if (!(x <= DBL_MAX)) return false;
        if (x > fabs(gi_weight_at(w, top))) top = i;
        whole = whole && x == floor(x);
    }
    ga_arg number;
    memset(&number, 0, sizeof number);
    number.kind = GA_KIND_REAL;
    for (int64_t i = 0; i < column->size; i++) {
        number.re = gi_weight_at(w, i * width + top % width);
        gi_number_to(number, w->dtype, (char *)column->data + i * ga_itemsize(w->dtype));
    }
    for (int64_t i = 0; i < row->size; i++) {
        number.re = gi_weight_at(w, top / width * width + i) / gi_weight_at(w, top);
        gi_number_to(number, w->dtype, (char *)row->data + i * ga_itemsize(w->dtype));
    }
    for (int64_t i = 0; i < w->size; i++)
        if (!gi_conv_is_product(gi_weight_at(w, i), gi_weight_at(column, i / width), gi_weight_at(row, i % width),
                                whole ? 0 : 16 * ulp))
            return false;
    return true;
}

typedef struct
    gi_factors { /* weights as the outer product of a column and a row, and the sum over a row of what is .cval everywhere */
    ga_array *column, *row;
    double    outside;
} gi_factors;

/* Finds the factors, as arrays on the device of the weights: 1 found, 0 there are none, -1 an error. */
static int gi_find_factors(const char *site, const ga_array *weights, double cval, gi_factors *f)
{
    const int64_t down[2] = { weights->shape[0], 1 }, across[2] = { 1, weights->shape[1] };
    ga_array     *w = gi_copy_on_cpu(site, weights), *c = w ? gi_array_new(site, w->dtype, GA_CPU, 2, down) : NULL;
    ga_array     *r     = c ? gi_array_new(site, w->dtype, GA_CPU, 2, across) : NULL;
    int           found = !r ? -1 : gi_factor_weights(w, c, r);
    if (found == 1) {
        f->outside = -0.0;
        for (int64_t i = 0; i < r->size; i++)
            f->outside = w->dtype == GA_F32 ? (double)gi_fma_f32((float)gi_weight_at(r, i), (float)cval, (float)f->outside)
                                            : gi_fma_f64(gi_weight_at(r, i), cval, f->outside);
        f->column = gi_copy_to(site, c, weights->device);
        f->row    = f->column ? gi_copy_to(site, r, weights->device) : NULL;
        if (!f->row) {
            ga_free(f->column);
            found = -1;
        }
    }
    ga_free(w);
    ga_free(c);
    ga_free(r);
    return found;
}

/* The job by two jobs, if the weights are an outer product; on the CPU f are its factors, which are freed. False with an error. */
static bool gi_conv_factored(const char *site, ga_device device, const gi_correlation *c, gi_factors *f)
{
    if (device == GA_CUDA) return gi_gpu->correlate_factored(site, c);
    const int64_t  between[2] = { c->shape[0], c->result[1] };
    ga_array      *sums       = gi_array_new(site, c->dtype, device, 2, between);
    gi_correlation along, down;
    bool           done = sums != NULL;
    if (done) {
        gi_conv_split(c, f->column->data, f->row->data, sums->data, &along, &down);
        down.cval = f->outside;
        done      = gi_conv_direct(site, device, &along) && gi_conv_direct(site, device, &down);
    }
    ga_free(sums);
    ga_free(f->column);
    ga_free(f->row);
    return done;
}
