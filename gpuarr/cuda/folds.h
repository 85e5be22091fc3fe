/* ==== >>cuda folds: reductions along the documented tree =============================================================== */

/* Lines whose elements lie in memory as they are folded: in their dtype, with at most two strides. Or those that a program makes in pieces:
   then the dtype, the lines and their length alone are known. */
typedef struct gi_cuda_lines {
    const gi_fed_program *fed; /* NULL: they lie in memory */
    gi_cuda_cut           cut;
    const char           *data;
    int                   kept;
    int64_t               kept_shape[GPUARR_MAX_DIMS], kept_strides[GPUARR_MAX_DIMS];
    int64_t lines, length, stride, outer, inner; /* inner: elements that lie `stride` apart, the next ones begin `outer` away */
    int64_t size;                                /* bytes of an element */
} gi_cuda_lines;

/* Packed lines one after the other. */
static gi_cuda_lines gi_cuda_packed_lines(const void *data, int64_t lines, int64_t length, int64_t size)
{
    gi_cuda_lines p;
    memset(&p, 0, sizeof p);
    p.data            = (const char *)data;
    p.kept            = 1;
    p.kept_shape[0]   = lines;
    p.kept_strides[0] = length * size;
    p.lines           = lines;
    p.length = p.inner = length;
    p.stride           = size;
    p.size             = size;
    return p;
}

/* Does each line lie packed, and the lines one after the other? */
static bool gi_cuda_lie_packed(const gi_lines *p)
{
    int64_t size = ga_itemsize(p->a->dtype), next = p->length * size;
    if (p->reduced > 1 || (p->length > 1 && p->strides[0] != size)) return false;
    for (int d = p->kept - 1; d >= 0; d--) {
        if (p->kept_shape[d] > 1 && p->kept_strides[d] != next) return false;
        next *= p->kept_shape[d];
    }
    return true;
}

/* The lines of a plan as elements of `dtype`, copied where they cannot be folded as they lie, or are to be packed and are not. *copy is to be freed. False with an error. */
static bool gi_cuda_lines_of(const char *site, const gi_lines *p, ga_dtype dtype, bool packed, gi_cuda_lines *q,
                             ga_array **copy)
{
    *copy = NULL;
    if (p->maker) {
        const gi_fed_program *fed  = (const gi_fed_program *)p->maker->program;
        const int64_t         size = ga_itemsize(dtype), cache = gi_gpus.gpu[gi_cuda_ordinal(p->a)].cache_bytes;
        memset(q, 0, sizeof *q);
        if (dtype == p->a->dtype && !packed && gi_cuda_cut_program(fed, size, cache, &q->cut)) {
            q->fed    = fed;
            q->lines  = p->lines;
            q->length = p->length;
            q->size   = size;
            return true;
        }
        gi_lines  whole = *p;
        ga_array *made  = gi_cuda_make_whole(site, p->a);
        whole.a         = made;
        whole.maker     = NULL;
        if (!made || !gi_cuda_lines_of(site, &whole, dtype, packed, q, copy)) {
            ga_free(made);
            return false;
        }
        if (*copy) ga_free(made);
        else *copy = made;
        return true;
    }
    if (dtype != p->a->dtype || (packed && !gi_cuda_lie_packed(p)) || p->reduced > 2 ||
        (p->reduced == 2 && p->length >= (int64_t)1 << 30)) {
        int64_t shape[2 * GPUARR_MAX_DIMS], strides[2 * GPUARR_MAX_DIMS];
        for (int d = 0; d < p->kept; d++) {
            shape[d]   = p->kept_shape[d];
            strides[d] = p->kept_strides[d];
        }
        for (int d = 0; d < p->reduced; d++) {
            shape[p->kept + d]   = p->shape[d];
            strides[p->kept + d] = p->strides[d];
        }
        int       ndim = p->kept + p->reduced;
        ga_array *view = ndim <= GPUARR_MAX_DIMS /* one element a line: an axis too many */
                             ? gi_array_new_view(site, p->a, p->a->data, p->a->dtype, ndim, shape, strides)
                             : gi_array_new_view(site, p->a, p->a->data, p->a->dtype, p->kept, shape, strides);
        *copy          = view ? gi_cuda_convert(site, view, dtype) : NULL;
        ga_free(view);
        if (!*copy) return false;
        *q = gi_cuda_packed_lines((*copy)->data, p->lines, p->length, ga_itemsize(dtype));
        return true;
    }
    memset(q, 0, sizeof *q);
    q->data = (const char *)p->a->data;
    for (int d = 0; d < p->kept; d++) {
        int last = q->kept - 1;
        if (p->kept_shape[d] == 1) continue;
        if (last >= 0 && q->kept_strides[last] == p->kept_strides[d] * p->kept_shape[d]) {
            q->kept_shape[last] *= p->kept_shape[d];
            q->kept_strides[last] = p->kept_strides[d];
        } else {
            q->kept_shape[q->kept]     = p->kept_shape[d];
            q->kept_strides[q->kept++] = p->kept_strides[d];
        }
    }
    q->lines  = p->lines;
    q->length = p->length;
    q->inner  = p->shape[p->reduced - 1];
    q->stride = p->strides[p->reduced - 1];
    q->outer  = p->reduced == 2 ? p->strides[0] : 0;
    q->size   = ga_itemsize(dtype);
    return true;
}

static int gi_cuda_ordinal_in_use(void)
{
    int ordinal = 0;
    (void)cudaGetDevice(&ordinal);
    return ordinal;
}

/* How a level of the tree is folded: the kernel, and how many elements each of its lanes takes (in a pass). */
typedef struct gi_cuda_level {
    gi_cuda_fold_kernel kernel;
    int                 lane_elements;
} gi_cuda_level;

static gi_cuda_level gi_cuda_tree(gi_cuda_fold_kernel kernel)
{
    gi_cuda_level level = { kernel, GI_LANE_ELEMENTS };
    return level;
}

/* Launches one level of the tree: each block of each line becomes an accumulator in j->accs, or the result of the line. */
static bool gi_cuda_fold_level(const char *site, gi_cuda_level level, gi_cuda_folding j, gi_cuda_lines p, int64_t acc_bytes,
                               int64_t result_bytes)
{
    const int64_t most = (int64_t)1 << 30, blocks = (p.length + GI_BLOCK - 1) / GI_BLOCK;
    if (p.lines > 1 && (p.lines > most || blocks > most / p.lines)) { /* in two halves along the first axis */
        gi_cuda_lines half = p;
        int64_t       lines;
        while (p.kept_shape[0] == 1) {
            p.kept--;
            memmove(p.kept_shape, p.kept_shape + 1, (size_t)p.kept * sizeof *p.kept_shape);
            memmove(p.kept_strides, p.kept_strides + 1, (size_t)p.kept * sizeof *p.kept_strides);
        }
        half               = p;
        half.kept_shape[0] = p.kept_shape[0] / 2;
        half.lines = lines = p.lines / p.kept_shape[0] * half.kept_shape[0];
        if (!gi_cuda_fold_level(site, level, j, half, acc_bytes, result_bytes)) return false;
        p.data += half.kept_shape[0] * p.kept_strides[0];
        p.kept_shape[0] -= half.kept_shape[0];
        p.lines -= lines;
        j.lines_before += lines;
        if (j.accs) j.accs += lines * j.blocks * acc_bytes;
        else j.result += lines * result_bytes;
        return gi_cuda_fold_level(site, level, j, p, acc_bytes, result_bytes);
    }
    if (blocks > most) { /* one line of 2^40 elements and more */
        gi_cuda_lines part = p;
        part.length = part.inner = most * GI_BLOCK;
        if (!gi_cuda_fold_level(site, level, j, part, acc_bytes, result_bytes)) return false;
        p.data += part.length * p.stride;
        p.inner = p.length -= part.length;
        j.before += part.length;
        j.accs += most * acc_bytes;
        return gi_cuda_fold_level(site, level, j, p, acc_bytes, result_bytes);
    }
    int64_t block = p.length < GI_BLOCK ? p.length : GI_BLOCK, near = p.kept > 0 ? llabs(p.kept_strides[p.kept - 1]) : 0;
    j.data   = p.data;
    j.stride = p.stride;
    j.outer  = p.outer;
    j.length = p.length;
    j.two    = p.inner < p.length;
    if (j.two) j.inner = gi_divisor_of(p.inner);
    j.columns = p.lines > 1 && near < llabs(p.stride);
    j.units   = (uint32_t)(p.lines * blocks);
    j.per     = gi_divisor_of(j.columns ? p.lines : blocks);
    j.kept    = p.kept;
    j.packed  = !j.two && !j.columns && p.stride == p.size && p.length >= GI_BLOCK && (uintptr_t)p.data % 16 == 0;
    for (int d = 0; d < p.kept; d++) {
        j.kept_shape[d]   = gi_divisor_of(p.kept_shape[d]);
        j.kept_strides[d] = p.kept_strides[d];
        j.packed          = j.packed && p.kept_strides[d] % 16 == 0;
    }
    while (level.lane_elements << j.lanes < block) j.lanes++;
    j.step_log = j.lanes;
    j.step     = 1u << j.lanes;
    if (j.columns) { /* fewer lanes, in more passes, for more neighbours: as long as all of the GPU has work */
        int64_t enough = 2 * gi_gpus.gpu[gi_cuda_ordinal_in_use()].processors;
        while (j.lanes > 0 && j.step >> j.lanes < GI_MOST_PASSES(acc_bytes) &&
               ((int64_t)j.units << (j.lanes - 1)) / GI_CUDA_THREADS >= enough)
            j.lanes--;
    }
    int64_t runs     = j.two ? j.step / p.inner : 0;
    j.columns_jumped = (uint32_t)(j.two ? j.step % p.inner : 0);
    j.jump           = runs * p.outer + (j.two ? j.columns_jumped : j.step) * p.stride;
    j.carry          = p.outer - p.inner * p.stride;
    GI_LAUNCH(level.kernel, gi_cuda_blocks((int64_t)j.units << j.lanes), GI_CUDA_THREADS, gi_cuda_current_stream(), j);
    return gi_cuda_launched(site, "a reduction");
}

/* A piece of lines. */
typedef struct gi_cuda_slab {
    int64_t n[GPUARR_MAX_DIMS]; /* indices along each dimension */
    int64_t line;               /* the first one */
    int64_t begin, end;         /* elements of the lines: from a block on to another, or to their end */
    int64_t skip;               /* elements of the piece before them */
} gi_cuda_slab;

/* The piece from index `at` on. */
static gi_cuda_slab gi_cuda_slab_at(const gi_cuda_lines *p, const int64_t *at)
{
    const gi_fed_program *f    = p->fed;
    gi_cuda_slab          part = { { 0 }, 0, 0, p->length, 0 };
    for (int d = 0; d < f->program.ndim; d++) {
        const int64_t left = f->program.shape[d] - at[d], step = p->cut.step[d], place = f->place[d];
        part.n[d] = left < step ? left : step;
        part.line += at[d] * f->line[d];
        if (place == 0 || step == f->program.shape[d]) continue;
        part.begin = (at[d] * place + GI_BLOCK - 1) / GI_BLOCK * GI_BLOCK;
        part.skip  = part.begin - at[d] * place;
        part.end   = ((at[d] + step) * place + GI_BLOCK - 1) / GI_BLOCK * GI_BLOCK;
        if (part.end > p->length) part.end = p->length;
        part.n[d] = (part.end + place - 1) / place - at[d];
    }
    return part;
}

/* The lines of a piece that is packed at `data`. */
static gi_cuda_lines gi_cuda_lines_of_slab(const gi_fed_program *f, const gi_cuda_slab *part, int64_t size, const char *data)
{
    int64_t       shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS], stride[GPUARR_MAX_DIMS], next = size;
    int           reduced = 0;
    gi_cuda_lines q;
    memset(&q, 0, sizeof q);
    q.data  = data + part->skip * size;
    q.size  = size;
    q.lines = q.length = 1;
    for (int d = f->program.ndim - 1; d >= 0; d--) {
        stride[d] = next;
        next *= part->n[d];
    }
    for (int d = 0; d < f->program.ndim; d++) {
        if (f->place[d] > 0) {
            gi_join_axis(&reduced, shape, strides, part->n[d], stride[d]);
            q.length *= part->n[d];
        } else {
            gi_join_axis(&q.kept, q.kept_shape, q.kept_strides, part->n[d], stride[d]);
            q.lines *= part->n[d];
        }
    }
    q.inner  = reduced > 0 ? shape[reduced - 1] : 1;
    q.stride = reduced > 0 ? strides[reduced - 1] : size;
    q.outer  = reduced > 1 ? strides[0] : 0;
    if (q.length > part->end - part->begin) q.length = q.inner = part->end - part->begin; /* one line */
    return q;
}

/* Makes the pieces of lines one after the other, and folds the blocks of each. */
static bool gi_cuda_fold_pieces(const char *site, const ga_array *on, gi_cuda_level level, const gi_cuda_folding *whole,
                                const gi_cuda_lines *p, int64_t acc_bytes, int64_t result_bytes)
{
    const gi_fed_program *f                   = p->fed;
    int64_t               at[GPUARR_MAX_DIMS] = { 0 };
    gi_scratch            room;
    if (!gi_scratch_get(site, &room, on, (size_t)(p->cut.elements * p->size))) return false;
    bool ok = true, more = true;
    while (ok && more) {
        const gi_cuda_slab part = gi_cuda_slab_at(p, at);
        if (part.begin < part.end) {
            const gi_program piece = gi_cuda_piece(f, at, part.n, on->dtype, (char *)room.p);
            gi_cuda_folding  j     = *whole;
            j.before               = part.begin;
            j.lines_before += part.line;
            if (j.accs) j.accs += (part.line * j.blocks + part.begin / GI_BLOCK) * acc_bytes;
            else j.result += part.line * result_bytes;
            ok = gi_cuda_run_program(site, &piece) &&
                 gi_cuda_fold_level(site, level, j, gi_cuda_lines_of_slab(f, &part, p->size, (const char *)room.p), acc_bytes,
                                    result_bytes);
        }
        more = false;
        for (int d = f->program.ndim - 1; d >= 0 && !more; d--) {
            at[d] += p->cut.step[d];
            more = at[d] < f->program.shape[d];
            if (!more) at[d] = 0;
        }
    }
    gi_scratch_free(&room);
    return ok;
}

/* Folds lines that are not empty by `level`, then the accumulators by `again`, until one is left for each line: `j` says what becomes
   of it. `on` is an array on the device, touched before. */
static bool gi_cuda_fold_lines(const char *site, const ga_array *on, gi_cuda_level level, gi_cuda_level again,
                               gi_cuda_folding j, gi_cuda_lines p, int64_t acc_bytes, int64_t result_bytes)
{
    gi_scratch from = { NULL, 0, 0, NULL }, to = { NULL, 0, 0, NULL };
    bool       ok = true;
    j.count       = p.length;
    while (ok) {
        int64_t blocks = (p.length + GI_BLOCK - 1) / GI_BLOCK;
        j.blocks       = blocks;
        j.accs         = NULL;
        if (blocks > 1) {
            ok = gi_scratch_get(site, &to, on, (size_t)(p.lines * blocks * acc_bytes));
            if (!ok) break;
            j.accs = (char *)to.p;
        }
        ok = p.fed ? gi_cuda_fold_pieces(site, on, level, &j, &p, acc_bytes, result_bytes)
                   : gi_cuda_fold_level(site, level, j, p, acc_bytes, result_bytes);
        if (from.p) gi_scratch_free(&from);
        if (blocks == 1) break;
        from    = to;
        to.p    = NULL;
        p       = gi_cuda_packed_lines(from.p, p.lines, blocks, acc_bytes);
        level   = again;
        j.again = true;
    }
    if (from.p) gi_scratch_free(&from);
    return ok;
}

/* The bits that make an element of a dtype true: all but the sign of zero. */
static uint64_t gi_cuda_truth_mask(ga_dtype dtype)
{
    return dtype == GA_F32   ? 0x7fffffffu
           : dtype == GA_C64 ? 0x7fffffff7fffffffu
           : dtype == GA_F64 ? (uint64_t)INT64_MAX
                             : UINT64_MAX;
}

/* Are elements of this dtype converted to the accumulator's before they are folded, because a kernel of their own would be rarely used? */
static bool gi_cuda_folds_wider(ga_op op, ga_dtype dtype)
{
    gi_cuda_row_folds f;
    return gi_cuda_find_fold(op, dtype, &f) && !f.truth && !f.kernel;
}

/* The kernels of a row for elements of `from` that are folded as `to`, and the dtype in which they are given to it. False: there are none. */
static bool gi_cuda_plan_fold(ga_op op, ga_dtype from, ga_dtype to, gi_cuda_row_folds *f, ga_dtype *dtype)
{
    gi_cuda_row_folds of_accs;
    *dtype = to;
    if (!gi_cuda_find_fold(op, to, f)) return false;
    if (f->truth && f->truth(ga_itemsize(from))) *dtype = from;
    if (f->truth) f->kernel = f->truth(ga_itemsize(*dtype));
    if (!f->kernel) {
        *dtype = f->accs;
        if (!gi_cuda_find_fold(op, *dtype, f)) return false;
    }
    if (!f->again && gi_cuda_find_fold(op, f->accs, &of_accs)) f->again = of_accs.kernel;
    return true;
}

/* A row of the table over planned lines that are not empty. */
static bool gi_cuda_reduce(const char *site, ga_op op, const gi_lines *p, ga_array *result)
{
    gi_cuda_row_folds f;
    gi_cuda_folding   j;
    gi_cuda_lines     lines;
    ga_array         *copy;
    ga_dtype          dtype;
    memset(&j, 0, sizeof j);
    if (p->lines == 0) return true;
    if (!gi_cuda_plan_fold(op, p->a->dtype, p->dtype, &f, &dtype)) return false;
    const ga_array *both[2] = { p->a, result };
    if (!gi_cuda_touch_all(site, 2, both) || !gi_cuda_lines_of(site, p, dtype, false, &lines, &copy)) return false;
    j.mask   = gi_cuda_truth_mask(dtype);
    j.truth  = dtype == GA_BOOL;
    j.narrow = ga_itemsize(result->dtype) < ga_itemsize(f.accs);
    j.result = (char *)result->data;
    bool ok  = gi_cuda_fold_lines(site, p->a, gi_cuda_tree(f.kernel), gi_cuda_tree(f.again), j, lines, ga_itemsize(f.accs),
                                  ga_itemsize(result->dtype));
    ga_free(copy);
    return ok;
}

/* The size of the accumulators that gi_cuda_block_accs makes; 0: it cannot. */
static int64_t gi_cuda_acc_bytes(ga_op op, ga_dtype from, ga_dtype to)
{
    gi_cuda_row_folds f;
    ga_dtype          dtype;
    if (from != to && gi_cuda_folds_wider(op, to)) return 0; /* to be rounded to `to` before */
    return gi_cuda_plan_fold(op, from, to, &f, &dtype) ? ga_itemsize(f.accs) : 0;
}

/* The accumulators of the blocks of one line, as the CPU makes them, to memory of the host. */
static bool gi_cuda_block_accs(const char *site, ga_op op, const gi_lines *p, char *accs)
{
    gi_cuda_row_folds f;
    gi_cuda_folding   j;
    gi_cuda_lines     lines;
    ga_array         *copy;
    ga_dtype          dtype;
    gi_scratch        room;
    memset(&j, 0, sizeof j);
    if (!gi_cuda_plan_fold(op, p->a->dtype, p->dtype, &f, &dtype)) return false;
    if (!gi_cuda_touch(site, p->a) || !gi_cuda_lines_of(site, p, dtype, false, &lines, &copy)) return false;
    const int64_t size = ga_itemsize(f.accs);
    j.mask             = gi_cuda_truth_mask(dtype);
    j.truth            = dtype == GA_BOOL;
    j.count            = p->length;
    j.blocks           = (p->length + GI_BLOCK - 1) / GI_BLOCK;
    bool ok            = gi_scratch_get(site, &room, p->a, (size_t)(j.blocks * size));
    if (ok) {
        j.accs = (char *)room.p;
        ok     = gi_cuda_fold_level(site, gi_cuda_tree(f.kernel), j, lines, size, size) &&
             gi_cuda_read(site, p->a, accs, room.p, (size_t)(j.blocks * size));
        gi_scratch_free(&room);
    }
    ga_free(copy);
    return ok;
}
