/* ==== >>map: elementwise operations: settle shapes and dtypes, then run a kernel tile by tile ======================= */

/* Options of calls from inside: nothing but the user's site. */
static ga_map_options gi_map_site(const char *site)
{
    static ga_map_options none;
    ga_map_options        o = none;
    o.site                  = site;
    return o;
}

static ga_reduce_options gi_reduce_site(const char *site)
{
    static ga_reduce_options none;
    ga_reduce_options        o = none;
    o.site                     = site;
    return o;
}

/* ---- numbers as operands ------------------------------------------------------------------------------------------- */

static ga_dtype gi_number_dtype(ga_arg v)
{
    switch (v.kind) {
    case GA_KIND_BOOL: return GA_BOOL;
    case GA_KIND_INT: return GA_I64;
    case GA_KIND_UINT: return GA_U64;
    case GA_KIND_COMPLEX: return GA_C128;
    default: return GA_F64;
    }
}

/* Can the number be an element of this dtype? Only integers can fail: 300 is no uint8. */
static bool gi_number_fits(ga_arg v, ga_dtype dtype)
{
    if (!gi_is_int(dtype)) return true;
    if (v.kind == GA_KIND_UINT) return dtype == GA_U64;
    if (v.kind != GA_KIND_INT) return true;
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                      \
    case GA_##TAG: return gi_cast_##tag##_i64(v.i) == (T)v.i && (int64_t)(T)v.i == v.i && (v.i >= 0 || gi_is_signed(dtype));
        GI_EACH_INT(GI_CASE)
#undef GI_CASE
    default: return true;
    }
}

/* Writes the number as one element of the dtype. */
static void gi_number_to(ga_arg v, ga_dtype dtype, void *element)
{
    ga_c128 z;
    z.re           = v.re;
    z.im           = v.im;
    uint64_t large = (uint64_t)v.i;
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                      \
    case GA_##TAG: {                                                                                                   \
        T e = v.kind == GA_KIND_REAL      ? gi_cast_##tag##_f64(v.re)                                                  \
              : v.kind == GA_KIND_COMPLEX ? gi_cast_##tag##_c128(z)                                                    \
              : v.kind == GA_KIND_UINT    ? gi_cast_##tag##_u64(large)                                                 \
                                          : gi_cast_##tag##_i64(v.i);                                                  \
        memcpy(element, &e, sizeof e);                                                                                 \
        break;                                                                                                         \
    }
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    default: break;
    }
}

/* What an array's dtype becomes beside a plain number: an int adopts it, a float makes integers float64 (NumPy 2). */
static ga_dtype gi_with_number(ga_dtype dtype, ga_arg v)
{
    switch (v.kind) {
    case GA_KIND_BOOL: return dtype;
    case GA_KIND_INT:
    case GA_KIND_UINT: return dtype == GA_BOOL ? gi_number_dtype(v) : dtype;
    case GA_KIND_REAL: return gi_kind_of(dtype) < 2 ? GA_F64 : dtype;
    case GA_KIND_COMPLEX: return dtype == GA_F32 || dtype == GA_C64 ? GA_C64 : GA_C128;
    default: return dtype;
    }
}

static void gi_number_text(ga_arg v, char *text, size_t room)
{
    if (v.kind == GA_KIND_REAL)
        snprintf(text, room, "%.9g", v.re);
    else if (v.kind == GA_KIND_COMPLEX)
        snprintf(text, room, "(%.9g%+.9gj)", v.re, v.im);
    else if (v.kind == GA_KIND_UINT)
        snprintf(text, room, "%llu", (unsigned long long)v.i);
    else
        snprintf(text, room, "%lld", (long long)v.i);
}

/* The dtype that holds all operands: arrays promote by NumPy's table, then numbers adapt. */
static ga_dtype gi_common_dtype(int n, const ga_arg *in)
{
    ga_dtype dtype = GA_DTYPE_DEFAULT;
    for (int k = 0; k < n; k++)
        if (in[k].array) dtype = dtype == GA_DTYPE_DEFAULT ? in[k].array->dtype : ga_promote(dtype, in[k].array->dtype);
    bool only_numbers = dtype == GA_DTYPE_DEFAULT;
    for (int k = 0; k < n; k++) {
        if (in[k].array) continue;
        if (!only_numbers)
            dtype = gi_with_number(dtype, in[k]);
        else
            dtype = dtype == GA_DTYPE_DEFAULT ? gi_number_dtype(in[k]) : ga_promote(dtype, gi_number_dtype(in[k]));
    }
    return dtype;
}

/* ---- moving elements ------------------------------------------------------------------------------------------------ */

/* Packs n elements that lie `stride` bytes apart. */
static void gi_gather(int itemsize, int64_t n, void *out, const void *in, int64_t stride)
{
    const char *from = (const char *)in;
    if (stride == itemsize) {
        memcpy(out, in, (size_t)(n * itemsize));
        return;
    }
#define GI_MOVE(U)                                                                                                      \
    for (int64_t i = 0; i < n; i++) ((U *)out)[i] = *(const U *)(const void *)(from + i * stride);                       \
    break
    switch (itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(uint64_t);
    default:
        for (int64_t i = 0; i < n; i++) memcpy((char *)out + i * itemsize, from + i * stride, (size_t)itemsize);
    }
#undef GI_MOVE
}

/* The reverse: n packed elements to places `stride` bytes apart. */
static void gi_scatter(int itemsize, int64_t n, void *out, int64_t stride, const void *in)
{
    char *to = (char *)out;
    if (stride == itemsize) {
        memcpy(out, in, (size_t)(n * itemsize));
        return;
    }
#define GI_MOVE(U)                                                                                                      \
    for (int64_t i = 0; i < n; i++) *(U *)(void *)(to + i * stride) = ((const U *)in)[i];                                \
    break
    switch (itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(uint64_t);
    default:
        for (int64_t i = 0; i < n; i++) memcpy(to + i * stride, (const char *)in + i * itemsize, (size_t)itemsize);
    }
#undef GI_MOVE
}

/* The reverse where mask is true; elsewhere the target keeps its value. */
static void gi_scatter_where(int itemsize, int64_t n, void *out, int64_t stride, const void *in, const bool *mask)
{
    char *to = (char *)out;
#define GI_MOVE(U)                                                                                                      \
    for (int64_t i = 0; i < n; i++)                                                                                    \
        if (mask[i]) *(U *)(void *)(to + i * stride) = ((const U *)in)[i];                                              \
    break
    switch (itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(uint64_t);
    default:
        for (int64_t i = 0; i < n; i++)
            if (mask[i]) memcpy(to + i * stride, (const char *)in + i * itemsize, (size_t)itemsize);
    }
#undef GI_MOVE
}

/* Converts n packed elements; in and out must not overlap unless the dtypes are equal. */
static void gi_cast(ga_dtype to, ga_dtype from, int64_t n, void *out, const void *in)
{
    if (to == from)
        memmove(out, in, (size_t)(n * ga_itemsize(to)));
    else
        gi_cpu_cast(to, from)(n, out, in);
}

/* ---- the walk -------------------------------------------------------------------------------------------------------- */
/*  A job has up to four inputs and one output over one shape. Each operand is seen by the kernel as packed elements of the dtype
    that the kernel wants: directly where it lies so, else through a tile: gathered, cast, and for the output cast back and
    scattered. With a short innermost dimension the tile runs over several rows.                                             */

#define GI_TILE        512 /* elements */
#define GI_TILE_BYTES  (GI_TILE * 16)
#define GI_MOST_INPUTS 4
#define GI_SHORT_ROW   64

typedef struct gi_operand {
    char    *data;
    ga_dtype dtype;  /* as it lies in memory */
    ga_dtype wanted; /* as the kernel takes it */
    bool     number; /* one element for all: `data` is a packed tile of copies in `wanted` */
    int64_t  strides[GPUARR_MAX_DIMS];
} gi_operand;

typedef struct gi_job {
    gi_kernel  kernel; /* NULL: copy input 0 */
    int        inputs;
    int        ndim;
    int64_t    shape[GPUARR_MAX_DIMS];
    gi_operand in[GI_MOST_INPUTS], out, mask;
    bool       masked;  /* write only where mask is true */
    bool       flat;    /* tiles run over the rows */
    int64_t    columns; /* the length of the innermost dimension */
    int64_t    chunk;   /* elements of a unit of work */
    int64_t    chunks;  /* units in a row (not flat) */
} gi_job;

/* Where element `index` (in C order of the shape) of an operand lies. */
static char *gi_locate(const gi_job *j, const gi_operand *v, int64_t index, int dims)
{
    char *p = v->data;
    for (int d = dims - 1; d >= 0; d--) {
        p += index % j->shape[d] * v->strides[d];
        index /= j->shape[d];
    }
    return p;
}

/* The elements start .. start + n of an operand, packed, in the dtype that the kernel wants. `raw` and `cast` are tiles. */
static const void *gi_read_tile(const gi_job *j, const gi_operand *v, int64_t start, int64_t n, void *raw, void *cast)
{
    if (v->number) return v->data;
    int         size = (int)ga_itemsize(v->dtype), inner = j->ndim - 1;
    int64_t     stride = v->strides[inner];
    const void *packed = raw;
    if (!j->flat && stride == size) {
        packed = gi_locate(j, v, start, j->ndim);
    } else if (!j->flat) {
        gi_gather(size, n, raw, gi_locate(j, v, start, j->ndim), stride);
    } else {
        for (int64_t done = 0; done < n;) {
            int64_t column = (start + done) % j->columns, run = j->columns - column;
            if (run > n - done) run = n - done;
            gi_gather(size, run, (char *)raw + done * size, gi_locate(j, v, start + done, j->ndim), stride);
            done += run;
        }
    }
    if (v->wanted == v->dtype) return packed;
    gi_cast(v->wanted, v->dtype, n, cast, packed);
    return cast;
}

static void gi_write_tile(const gi_job *j, int64_t start, int64_t n, const void *packed, const bool *mask)
{
    const gi_operand *v    = &j->out;
    int               size = (int)ga_itemsize(v->dtype), inner = j->ndim - 1;
    for (int64_t done = 0; done < n;) {
        int64_t column = (start + done) % j->columns, run = j->columns - column;
        if (run > n - done) run = n - done;
        char       *to   = gi_locate(j, v, start + done, j->ndim);
        const char *from = (const char *)packed + done * size;
        if (mask)
            gi_scatter_where(size, run, to, v->strides[inner], from, mask + done);
        else
            gi_scatter(size, run, to, v->strides[inner], from);
        done += run;
    }
}

/* Computes the elements start .. start + n, at most a tile. */
static void gi_run_tile(const gi_job *j, int64_t start, int64_t n)
{
    __attribute__((aligned(64))) char raw[GI_MOST_INPUTS][GI_TILE_BYTES], cast[GI_MOST_INPUTS][GI_TILE_BYTES], result[GI_TILE_BYTES],
        back[GI_TILE_BYTES];
    const void *x[GI_MOST_INPUTS] = { NULL, NULL, NULL, NULL };
    for (int k = 0; k < j->inputs; k++) x[k] = gi_read_tile(j, &j->in[k], start, n, raw[k], cast[k]);
    const bool *mask = NULL;
    char        mask_raw[GI_TILE_BYTES];
    bool        mask_cast[GI_TILE];
    if (j->masked) mask = (const bool *)gi_read_tile(j, &j->mask, start, n, mask_raw, mask_cast);

    int  size   = (int)ga_itemsize(j->out.dtype);
    bool direct = !j->flat && !mask && j->out.strides[j->ndim - 1] == size;
    if (!j->kernel) { /* a copy: input 0 already has the dtype of out */
        if (direct)
            memmove(gi_locate(j, &j->out, start, j->ndim), x[0], (size_t)(n * size));
        else
            gi_write_tile(j, start, n, x[0], mask);
    } else if (direct && j->out.wanted == j->out.dtype) {
        j->kernel(n, gi_locate(j, &j->out, start, j->ndim), x[0], x[1], x[2]);
    } else {
        j->kernel(n, result, x[0], x[1], x[2]);
        const void *packed = result;
        if (j->out.wanted != j->out.dtype) {
            gi_cast(j->out.dtype, j->out.wanted, n, back, result);
            packed = back;
        }
        gi_write_tile(j, start, n, packed, mask);
    }
}

/* Can the kernel run over a whole row where the operand lies? */
static bool gi_runs_directly(const gi_job *j, const gi_operand *v)
{
    return !v->number && v->wanted == v->dtype && v->strides[j->ndim - 1] == ga_itemsize(v->dtype);
}

/* A unit of work is a chunk of a row, or in flat jobs a chunk of the elements. */
static void gi_run_units(int64_t begin, int64_t end, void *job)
{
    const gi_job *j     = (const gi_job *)job;
    int64_t       total = 1;
    for (int d = 0; d < j->ndim; d++) total *= j->shape[d];
    bool direct = !j->flat && !j->masked && j->kernel && gi_runs_directly(j, &j->out);
    for (int k = 0; k < j->inputs; k++) direct = direct && gi_runs_directly(j, &j->in[k]);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t start, stop;
        if (j->flat) {
            start = unit * j->chunk;
            stop  = start + j->chunk < total ? start + j->chunk : total;
        } else {
            int64_t row = unit / j->chunks, part = unit % j->chunks;
            start = row * j->columns + part * j->chunk;
            stop  = part == j->chunks - 1 ? (row + 1) * j->columns : start + j->chunk;
        }
        if (direct) {
            const void *x[GI_MOST_INPUTS] = { NULL, NULL, NULL, NULL };
            for (int k = 0; k < j->inputs; k++) x[k] = gi_locate(j, &j->in[k], start, j->ndim);
            j->kernel(stop - start, gi_locate(j, &j->out, start, j->ndim), x[0], x[1], x[2]);
            continue;
        }
        for (; start < stop; start += GI_TILE) gi_run_tile(j, start, stop - start < GI_TILE ? stop - start : GI_TILE);
    }
}

/* Leaves out dimensions of length 1 and joins those that lie in memory as one, for every operand. */
static void gi_coalesce(gi_job *j)
{
    gi_operand *all[GI_MOST_INPUTS + 2];
    int         operands = 0, n = 0;
    for (int k = 0; k < j->inputs; k++)
        if (!j->in[k].number) all[operands++] = &j->in[k];
    all[operands++] = &j->out;
    if (j->masked) all[operands++] = &j->mask;
    for (int d = 0; d < j->ndim; d++) {
        if (j->shape[d] == 1) continue;
        bool joins = n > 0;
        for (int k = 0; k < operands; k++) joins = joins && all[k]->strides[n - 1] == all[k]->strides[d] * j->shape[d];
        if (!joins) n++;
        j->shape[n - 1] = joins ? j->shape[n - 1] * j->shape[d] : j->shape[d];
        for (int k = 0; k < operands; k++) all[k]->strides[n - 1] = all[k]->strides[d];
    }
    if (n == 0) { /* one element */
        j->shape[n] = 1;
        for (int k = 0; k < operands; k++) all[k]->strides[n] = ga_itemsize(all[k]->dtype);
        n = 1;
    }
    j->ndim = n;
}

/* Puts the dimension in which the output moves least last, so that a transposed output is written in its own order. */
static void gi_order_dimensions(gi_job *j)
{
    for (int i = 1; i < j->ndim; i++)
        for (int d = i; d > 0; d--) {
            int64_t before = j->out.strides[d - 1], here = j->out.strides[d];
            if ((before < 0 ? -before : before) >= (here < 0 ? -here : here)) break;
            gi_operand *all[GI_MOST_INPUTS + 2] = { &j->in[0], &j->in[1], &j->in[2], &j->in[3], &j->out, &j->mask };
            for (int k = 0; k < GI_MOST_INPUTS + 2; k++) {
                int64_t s              = all[k]->strides[d];
                all[k]->strides[d]     = all[k]->strides[d - 1];
                all[k]->strides[d - 1] = s;
            }
            int64_t s       = j->shape[d];
            j->shape[d]     = j->shape[d - 1];
            j->shape[d - 1] = s;
        }
}

/* Runs a job whose operands are complete. `cost`: how many simple operations one element is worth. */
static void gi_run(gi_job *j, int cost)
{
    for (int d = 0; d < j->ndim; d++)
        if (j->shape[d] == 0) return;
    gi_order_dimensions(j);
    gi_coalesce(j);
    j->columns    = j->shape[j->ndim - 1];
    int64_t total = 1;
    for (int d = 0; d < j->ndim; d++) total *= j->shape[d];
    j->flat  = j->columns < GI_SHORT_ROW && j->ndim > 1;
    j->chunk = 32768 / cost;
    if (j->flat) {
        gi_parallel((total + j->chunk - 1) / j->chunk, 1, gi_run_units, j);
        return;
    }
    if (j->chunk > j->columns) { /* several rows make a unit's worth of work */
        int64_t rows = j->chunk / j->columns;
        j->chunk     = j->columns;
        j->chunks    = 1;
        gi_parallel(total / j->columns, rows, gi_run_units, j);
        return;
    }
    j->chunks = (j->columns + j->chunk - 1) / j->chunk;
    gi_parallel(total / j->columns * j->chunks, 1, gi_run_units, j);
}

/* ---- planning -------------------------------------------------------------------------------------------------------- */

static void gi_operand_of(gi_operand *v, const ga_array *a, ga_dtype wanted, int ndim, const int64_t *shape)
{
    v->data   = (char *)a->data;
    v->dtype  = a->dtype;
    v->wanted = wanted;
    v->number = false;
    gi_broadcast_strides(a, ndim, shape, v->strides);
}

/* Do two views show the same elements in the same places, so that reading one while writing the other is safe? */
static bool gi_same_layout(const ga_array *a, int ndim, const int64_t *shape, const ga_array *out)
{
    int64_t strides[GPUARR_MAX_DIMS];
    if (a->data != out->data || a->dtype != out->dtype) return false;
    gi_broadcast_strides(a, ndim, shape, strides);
    for (int d = 0; d < ndim; d++)
        if (shape[d] > 1 && strides[d] != out->strides[d]) return false;
    return true;
}

/* The whole of an elementwise call: shapes, devices, the output (made here unless out is given), overlap, the run.
   wanted[k]: the dtype in which the kernel takes input k; result: what it makes. NULL kernel: a copy of input 0. */
static ga_array *gi_map(const char *site, gi_kernel kernel, int cost, int n, const ga_arg *in, const ga_dtype *wanted, ga_dtype result,
                        ga_array *out, const ga_array *where)
{
    static const char *const names[GI_MOST_INPUTS] = { "the first operand", "the second operand", "the third operand", "the fourth operand" };
    gi_job                   j;
    memset(&j, 0, sizeof j);
    j.kernel = kernel;
    j.inputs = n;
    j.masked = where != NULL;
    for (int k = 0; k < n; k++)
        if ((in[k].array || in[k].kind == GA_KIND_ARRAY) && !gi_check(site, in[k].array, names[k])) return NULL;
    if (out && !gi_check(site, out, ".out")) return NULL;
    if (where && !gi_check(site, where, ".where")) return NULL;
    for (int k = 0; k <= n; k++) {
        const ga_array *a = k < n ? in[k].array : where;
        if (a && !gi_broadcast_into(&j.ndim, j.shape, a->ndim, a->shape)) {
            const ga_array *first = in[0].array && in[0].array != a ? in[0].array : in[1 % n].array ? in[1 % n].array : a;
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                       "shapes %s and %s do not broadcast: lengths must be equal or 1, counted from the last axis",
                                       gi_shape_of(first), gi_shape_of(a));
        }
    }
    if (out) {
        int     ndim = j.ndim;
        int64_t shape[GPUARR_MAX_DIMS];
        memcpy(shape, j.shape, sizeof shape);
        if (!gi_broadcast_into(&ndim, shape, out->ndim, out->shape) || !gi_equal_shapes(ndim, shape, out->ndim, out->shape))
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, ".out has shape %s, the result %s", gi_shape_of(out), gi_shape_text(j.ndim, j.shape));
        j.ndim = ndim;
        memcpy(j.shape, shape, sizeof shape);
        if (!gi_same_kind(result, out->dtype))
            return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "the result is %s and does not go into .out of %s: use a dtype of the same kind or ga_astype",
                                       ga_dtype_name(result), ga_dtype_name(out->dtype));
        for (int d = 0; d < out->ndim; d++)
            if (out->shape[d] > 1 && out->strides[d] == 0)
                return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".out repeats its elements (ga_broadcast_to): copy it first");
    }
    for (int k = 0; k < n; k++) {
        char text[64];
        if (in[k].array || gi_number_fits(in[k], wanted[k])) continue;
        gi_number_text(in[k], text, sizeof text);
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the number %s does not fit %s: convert the array with ga_astype first", text,
                                   ga_dtype_name(wanted[k]));
    }

    ga_array *target = out ? out : gi_new(site, result, GA_CPU, j.ndim, j.shape);
    if (!target) return NULL;
    if (!out && where) memset(target->data, 0, (size_t)(target->size * ga_itemsize(result)));
    ga_array *copies[GI_MOST_INPUTS + 1] = { NULL, NULL, NULL, NULL, NULL };
    bool      ok                         = true;
    __attribute__((aligned(64))) char tiles[GI_MOST_INPUTS][GI_TILE_BYTES];
    for (int k = 0; k <= n && ok; k++) {
        const ga_array *a = k < n ? in[k].array : where;
        gi_operand     *v = k < n ? &j.in[k] : &j.mask;
        if (k == n && !where) break;
        if (!a) { /* a tile of copies of the number */
            int size  = (int)ga_itemsize(wanted[k]);
            v->data   = tiles[k];
            v->number = true;
            v->dtype = v->wanted = wanted[k];
            gi_number_to(in[k], wanted[k], tiles[k]);
            int64_t copy = target->size < GI_TILE ? target->size : GI_TILE;
            for (int64_t i = 1; i < copy; i++) memcpy(tiles[k] + i * size, tiles[k], (size_t)size);
            continue;
        }
        if (out && ga_may_share_memory(a, out) && !gi_same_layout(a, j.ndim, j.shape, out)) {
            copies[k] = (ga_copy)(a, site); /* as if the sources had been copied before */
            ok        = copies[k] != NULL;
            a         = copies[k];
        }
        if (ok) gi_operand_of(v, a, k < n ? wanted[k] : GA_BOOL, j.ndim, j.shape);
    }
    if (ok) {
        gi_operand_of(&j.out, target, result, j.ndim, j.shape);
        gi_run(&j, cost);
    }
    for (int k = 0; k <= n; k++) ga_free(copies[k]);
    if (ok) return target;
    if (!out) ga_free(target);
    return NULL;
}

/* ---- the rows -------------------------------------------------------------------------------------------------------- */

typedef enum gi_result { GI_RETURNS_SAME, GI_RETURNS_BOOL, GI_RETURNS_PART } gi_result;

/* The dtype in which an operation computes: the first one of its row that holds `dtype`. */
static ga_dtype gi_loop_dtype(ga_op op, ga_dtype dtype)
{
    if (op == GA_OP_divide && gi_kind_of(dtype) < 2) return GA_F64; /* true division, as Python's */
    for (int d = (int)dtype; d < (int)GA_DTYPE_COUNT; d++)
        if (ga_can_cast(dtype, (ga_dtype)d) && gi_cpu_kernel(op, (ga_dtype)d)) return (ga_dtype)d;
    return GA_DTYPE_DEFAULT;
}

static bool gi_is_comparison(ga_op op)
{
    return op == GA_OP_equal || op == GA_OP_not_equal || op == GA_OP_less || op == GA_OP_less_equal || op == GA_OP_greater ||
           op == GA_OP_greater_equal;
}

/* Is there a negative element? (integer powers) */
static bool gi_any_negative(const char *site, ga_arg v, bool *failed)
{
    if (!v.array) return v.kind == GA_KIND_INT && v.i < 0;
    if (!gi_is_signed(v.array->dtype) || v.array->size == 0) return false;
    ga_array *min = (ga_min)(v.array, gi_reduce_site(site));
    *failed       = min == NULL;
    if (!min) return false;
    int64_t least = 0;
    gi_cast(GA_I64, min->dtype, 1, &least, min->data);
    ga_free(min);
    return least < 0;
}

/* int64 against uint64: their common dtype, float64, would round them. */
static int gi_compare_signs(int64_t a, uint64_t b) { return a < 0 || (uint64_t)a < b ? -1 : (uint64_t)a > b; }
#define GI_MIXED(name, relation)                                                                                        \
    static void gi_mixed_##name(int64_t n, void *out, const void *x, const void *y, const void *z)                      \
    {                                                                                                                  \
        (void)z;                                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                                                \
            ((bool *)out)[i] = gi_compare_signs(((const int64_t *)x)[i], ((const uint64_t *)y)[i]) relation 0;          \
    }
GI_MIXED(equal, ==)
GI_MIXED(not_equal, !=)
GI_MIXED(less, <)
GI_MIXED(less_equal, <=)
GI_MIXED(greater, >)
GI_MIXED(greater_equal, >=)
#undef GI_MIXED

static bool gi_mixes_signs(ga_op op, int n, const ga_arg *in)
{
    if (!gi_is_comparison(op) || n != 2) return false;
    ga_dtype x = in[0].array ? in[0].array->dtype : gi_number_dtype(in[0]), y = in[1].array ? in[1].array->dtype : gi_number_dtype(in[1]);
    return gi_is_int(x) && gi_is_int(y) && ga_promote(x, y) == GA_F64;
}

static ga_array *gi_compare_mixed(ga_op op, const ga_arg *in, ga_map_options o)
{
    ga_dtype first   = in[0].array ? in[0].array->dtype : gi_number_dtype(in[0]);
    bool     swapped = first == GA_U64;
    ga_arg   both[2] = { in[swapped ? 1 : 0], in[swapped ? 0 : 1] };
    ga_dtype wanted[GI_MOST_INPUTS] = { GA_I64, GA_U64, GA_U64, GA_U64 };
    gi_kernel kernel = op == GA_OP_equal                                             ? gi_mixed_equal
                       : op == GA_OP_not_equal                                       ? gi_mixed_not_equal
                       : op == (swapped ? GA_OP_greater : GA_OP_less)                ? gi_mixed_less
                       : op == (swapped ? GA_OP_greater_equal : GA_OP_less_equal)    ? gi_mixed_less_equal
                       : op == (swapped ? GA_OP_less : GA_OP_greater)                ? gi_mixed_greater
                                                                                     : gi_mixed_greater_equal;
    return gi_map(o.site, kernel, 1, 2, both, wanted, GA_BOOL, o.out, o.where);
}

static ga_array *gi_call(ga_op op, const char *name, gi_result returns, int cost, int n, const ga_arg *in, ga_map_options o)
{
    for (int k = 0; k < n; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_check(o.site, in[k].array, n == 1 ? "the operand" : k == 0 ? "the first operand" : "an operand"))
            return NULL;
    ga_dtype common = gi_common_dtype(n, in);
    if (gi_is_comparison(op) && gi_is_int(common)) /* 300 is more than any uint8: compare in a dtype that holds both */
        for (int k = 0; k < n; k++)
            if (!in[k].array && !gi_number_fits(in[k], common)) common = ga_promote(common, gi_number_dtype(in[k]));
    if (o.dtype != GA_DTYPE_DEFAULT) {
        if (!gi_is_dtype(o.dtype)) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o.dtype);
        if (!gi_same_kind(common, o.dtype))
            return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s cannot be computed in %s without losing its kind: use ga_astype first", ga_dtype_name(common),
                                       ga_dtype_name(o.dtype));
        common = o.dtype;
    }
    ga_dtype loop = gi_loop_dtype(op, common);
    if (loop == GA_DTYPE_DEFAULT) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s does not exist for %s", name, ga_dtype_name(common));
    if (op == GA_OP_power && gi_is_int(loop)) {
        bool failed = false;
        if (gi_any_negative(o.site, in[1], &failed))
            return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "integers to negative integer powers are not integers: use float operands");
        if (failed) return NULL;
    }
    ga_dtype wanted[GI_MOST_INPUTS] = { loop, loop, loop, loop };
    ga_dtype result                 = returns == GI_RETURNS_BOOL ? GA_BOOL : returns == GI_RETURNS_PART ? gi_real_dtype(loop) : loop;
    if (gi_mixes_signs(op, n, in)) return gi_compare_mixed(op, in, o);
    return gi_map(o.site, gi_cpu_kernel(op, loop), cost, n, in, wanted, result, o.out, o.where);
}

/* A unary operation takes an array. */
static ga_array *gi_call1(ga_op op, const char *name, gi_result returns, int cost, const ga_array *x, ga_map_options o)
{
    ga_arg in;
    memset(&in, 0, sizeof in);
    in.array = x;
    return gi_call(op, name, returns, cost, 1, &in, o);
}

enum { GI_CHEAP = 1, GI_COSTLY = 8 }; /* elements of elementary functions take about as long as eight sums */

#define GA_UNARY(name, dtypes, result, ...)                                                                             \
    ga_array *(ga_##name)(const ga_array *x, ga_map_options o)                                                         \
    {                                                                                                                  \
        return gi_call1(GA_OP_##name, "ga_" #name, GI_RETURNS_##result, GI_CHEAP, x, o);                               \
    }
#define GA_ELEMENTARY(name, ...)                                                                                        \
    ga_array *(ga_##name)(const ga_array *x, ga_map_options o)                                                         \
    {                                                                                                                  \
        return gi_call1(GA_OP_##name, "ga_" #name, GI_RETURNS_SAME, GI_COSTLY, x, o);                                  \
    }
#define GA_BINARY(name, dtypes, result, ...)                                                                            \
    ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o)                                                        \
    {                                                                                                                  \
        const ga_arg in[] = { x, y };                                                                                  \
        return gi_call(GA_OP_##name, "ga_" #name, GI_RETURNS_##result, GI_CHEAP, 2, in, o);                            \
    }
#define GA_ELEMENTARY2(name, ...)                                                                                       \
    ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o)                                                        \
    {                                                                                                                  \
        const ga_arg in[] = { x, y };                                                                                  \
        return gi_call(GA_OP_##name, "ga_" #name, GI_RETURNS_SAME, GI_COSTLY, 2, in, o);                               \
    }
#define GA_TERNARY(name, dtypes, result, ...)                                                                           \
    ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_arg z, ga_map_options o)                                              \
    {                                                                                                                  \
        const ga_arg in[] = { x, y, z };                                                                               \
        return gi_call(GA_OP_##name, "ga_" #name, GI_RETURNS_##result, GI_CHEAP, 3, in, o);                            \
    }
#define GA_TABLE
#include "gpuarr.h"

/* ---- copies, casts, choices ------------------------------------------------------------------------------------------ */

static ga_arg gi_operand_arg(const ga_array *a)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.array = a;
    return v;
}

/* dst[...] = src where mask, whatever the dtypes. */
static bool gi_assign_where(const char *site, ga_array *dst, ga_arg src, const ga_array *mask)
{
    ga_dtype wanted[GI_MOST_INPUTS] = { dst->dtype, dst->dtype, dst->dtype, dst->dtype };
    return gi_map(site, NULL, GI_CHEAP, 1, &src, wanted, dst->dtype, dst, mask) != NULL;
}

static bool gi_assign(const char *site, ga_array *dst, const ga_array *src) { return gi_assign_where(site, dst, gi_operand_arg(src), NULL); }

/* A new C-ordered array with the elements of a, cast to dtype. */
static ga_array *gi_convert(const char *site, const ga_array *a, ga_dtype dtype)
{
    ga_array *copy = gi_new(site, dtype, a->device, a->ndim, a->shape);
    if (copy && !gi_assign(site, copy, a)) {
        ga_free(copy);
        return NULL;
    }
    return copy;
}

/* A C-contiguous array of that dtype: another view of a if it is one already, else a converted copy. */
static ga_array *gi_contiguous(const char *site, const ga_array *a, ga_dtype dtype)
{
    if (a->dtype == dtype && ga_is_contiguous(a)) return gi_new_view(site, a, a->data, a->dtype, a->ndim, a->shape, a->strides);
    return gi_convert(site, a, dtype);
}

ga_array *(ga_copy)(const ga_array *a, const char *site)
{
    return gi_check(site, a, "a") ? gi_convert(site, a, a->dtype) : NULL;
}

ga_array *(ga_astype)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (!gi_is_dtype(dtype)) return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype);
    return gi_convert(site, a, dtype);
}

ga_array *(ga_ascontiguous)(const ga_array *a, const char *site)
{
    return gi_check(site, a, "a") ? gi_contiguous(site, a, a->dtype) : NULL;
}

ga_array *(ga_to)(const ga_array *a, ga_device device, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (device != GA_CPU && device != GA_DEVICE_DEFAULT)
        return (ga_array *)gi_fail(site, GA_BAD_DEVICE, "this program was built without CUDA: build the implementation file with nvcc");
    return gi_convert(site, a, a->dtype);
}

ga_array *(ga_copyto)(ga_array *dst, ga_arg src, ga_copyto_options o)
{
    if (!gi_check(o.site, dst, "dst") || (src.kind == GA_KIND_ARRAY && !gi_check(o.site, src.array, "src"))) return NULL;
    if (o.where == NULL && gi_option_given(o.site, "where"))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".where is NULL: the call that should have made it failed");
    ga_dtype from = src.array ? src.array->dtype : gi_number_dtype(src);
    if (!src.array && src.kind == GA_KIND_INT) from = gi_kind_of(dst->dtype) >= 1 ? dst->dtype : GA_I64;
    if (!src.array && src.kind == GA_KIND_UINT && gi_kind_of(dst->dtype) >= 1) from = dst->dtype;
    if (!gi_same_kind(from, dst->dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s does not go into an array of %s without losing its kind: use ga_astype first", ga_dtype_name(from),
                                   ga_dtype_name(dst->dtype));
    int     ndim = dst->ndim;
    int64_t shape[GPUARR_MAX_DIMS];
    memcpy(shape, dst->shape, sizeof shape);
    const ga_array *both[2] = { src.array, o.where };
    for (int k = 0; k < 2; k++)
        if (both[k] && (!gi_broadcast_into(&ndim, shape, both[k]->ndim, both[k]->shape) || !gi_equal_shapes(ndim, shape, dst->ndim, dst->shape)))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%s has shape %s and does not broadcast to dst's %s", k ? ".where" : "src", gi_shape_of(both[k]),
                                       gi_shape_of(dst));
    return gi_assign_where(o.site, dst, src, o.where) ? dst : NULL;
}

GI_BEGIN_FAST
#define GI_SELECT(U, bytes)                                                                                             \
    static void gi_select_##bytes(int64_t n, void *out, const void *c, const void *x, const void *y)                    \
    {                                                                                                                  \
        const bool *chosen = (const bool *)c;                                                                          \
        const U    *a = (const U *)x, *b = (const U *)y;                                                               \
        GI_VECTORIZE                                                                                                   \
        for (int64_t i = 0; i < n; i++) ((U *)out)[i] = chosen[i] ? a[i] : b[i];                                        \
    }
GI_SELECT(uint8_t, 1)
GI_SELECT(uint16_t, 2)
GI_SELECT(uint32_t, 4)
GI_SELECT(uint64_t, 8)
GI_SELECT(ga_c128, 16)
#undef GI_SELECT
GI_END_FAST

ga_array *(ga_where)(const ga_array *condition, ga_arg x, ga_arg y, ga_map_options o)
{
    if (!gi_check(o.site, condition, "condition")) return NULL;
    const ga_arg in[3] = { gi_operand_arg(condition), x, y };
    for (int k = 1; k < 3; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_check(o.site, in[k].array, k == 1 ? "x" : "y")) return NULL;
    ga_dtype  dtype  = o.dtype != GA_DTYPE_DEFAULT ? o.dtype : gi_common_dtype(2, in + 1);
    if (!gi_is_dtype(dtype)) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o.dtype);
    gi_kernel select = NULL;
    switch (ga_itemsize(dtype)) {
    case 1: select = gi_select_1; break;
    case 2: select = gi_select_2; break;
    case 4: select = gi_select_4; break;
    case 8: select = gi_select_8; break;
    default: select = gi_select_16;
    }
    ga_dtype wanted[GI_MOST_INPUTS] = { GA_BOOL, dtype, dtype, dtype };
    return gi_map(o.site, select, GI_CHEAP, 3, in, wanted, dtype, o.out, o.where);
}

/* ---- comparing whole arrays -------------------------------------------------------------------------------------------- */
/* |a - b| <= atol + rtol * |b|; infinities are close to themselves only. z holds (rtol, atol). */
static bool gi_close(double distance, double size, bool equal, ga_c128 z)
{
    return equal || (distance <= z.im + z.re * size && size < gi_infinity_f64());
}

#define GI_CLOSE(name, T, abs, sub, equal, isnan, nan_is_close)                                                         \
    static void gi_isclose_##name(int64_t n, void *out, const void *x, const void *y, const void *z)                    \
    {                                                                                                                  \
        const T       *a = (const T *)x, *b = (const T *)y;                                                            \
        const ga_c128 *tolerance = (const ga_c128 *)z;                                                                 \
        for (int64_t i = 0; i < n; i++)                                                                                \
            ((bool *)out)[i] = gi_close(abs(sub(a[i], b[i])), abs(b[i]), equal(a[i], b[i]) || (nan_is_close && isnan(a[i]) && isnan(b[i])), \
                                        tolerance[i]);                                                                 \
    }
GI_CLOSE(f64, double, gi_abs_f64, gi_sub_f64, gi_equal_f64, gi_isnan_f64, false)
GI_CLOSE(c128, ga_c128, gi_abs_c128, gi_sub_c128, gi_equal_c128, gi_isnan_c128, false)
GI_CLOSE(f64_nan, double, gi_abs_f64, gi_sub_f64, gi_equal_f64, gi_isnan_f64, true)
GI_CLOSE(c128_nan, ga_c128, gi_abs_c128, gi_sub_c128, gi_equal_c128, gi_isnan_c128, true)
#undef GI_CLOSE

static double gi_tolerance(double given, double standard) { return given == GA_EXACTLY ? 0 : given == 0 ? standard : given; }

ga_array *(ga_isclose)(ga_arg a, ga_arg b, ga_close_options o)
{
    const ga_arg numbers[2] = { a, b };
    ga_arg       in[3]      = { a, b, a };
    for (int k = 0; k < 2; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_check(o.site, in[k].array, k == 0 ? "a" : "b")) return NULL;
    memset(&in[2], 0, sizeof in[2]);
    in[2].kind      = GA_KIND_COMPLEX;
    in[2].re        = gi_tolerance(o.rtol, 1e-5);
    in[2].im        = gi_tolerance(o.atol, 1e-8);
    if (in[2].re < 0 || in[2].im < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "a tolerance is negative");
    bool      complex = gi_is_complex(gi_common_dtype(2, numbers));
    ga_dtype  dtype = complex ? GA_C128 : GA_F64, wanted[GI_MOST_INPUTS] = { dtype, dtype, GA_C128, dtype };
    gi_kernel kernel = complex ? o.equal_nan ? gi_isclose_c128_nan : gi_isclose_c128 : o.equal_nan ? gi_isclose_f64_nan : gi_isclose_f64;
    return gi_map(o.site, kernel, GI_CHEAP, 3, in, wanted, GA_BOOL, NULL, NULL);
}

/* Are all elements of a bool array true? Frees it. */
static bool gi_all_true(const char *site, ga_array *a)
{
    if (!a) return false;
    ga_array *all = (ga_all)(a, gi_reduce_site(site));
    bool      yes = all && *(const bool *)all->data;
    ga_free(all);
    ga_free(a);
    return yes;
}

bool (ga_allclose)(ga_arg a, ga_arg b, ga_close_options o) { return gi_all_true(o.site, (ga_isclose)(a, b, o)); }

bool (ga_array_equal)(ga_arg a, ga_arg b, ga_close_options o)
{
    const ga_arg in[2] = { a, b };
    for (int k = 0; k < 2; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_check(o.site, in[k].array, k == 0 ? "a" : "b")) return false;
    if (a.array && b.array ? !ga_same_shape(a.array, b.array) : (a.array && a.array->ndim > 0) || (b.array && b.array->ndim > 0)) return false;
    if (o.equal_nan) { /* exactly equal, or both NaN */
        o.rtol = o.atol = GA_EXACTLY;
        if (!gi_is_int(gi_common_dtype(2, in))) return gi_all_true(o.site, (ga_isclose)(a, b, o));
    }
    return gi_all_true(o.site, (ga_equal)(a, b, gi_map_site(o.site)));
}
