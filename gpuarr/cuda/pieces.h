/* ==== >>cuda pieces: what a formula makes for a fold ==================================================================== */
/*  The array that a fold reads is made piece by piece: a program writes a piece into memory that stays in the GPU's second cache, and the
    fold reads it there, so that no array of all of them is needed. A piece is a box of indices. It is folded in whole blocks of the tree:
    those that begin in it, so that two pieces may have indices in common.                                                  */

typedef struct gi_cuda_cut {
    int64_t step[GPUARR_MAX_DIMS]; /* indices of each dimension that a piece has */
    int64_t elements;              /* of a piece, at most */
    bool    within;                /* are lines cut? */
} gi_cuda_cut;

/* How many indices of a reduced dimension end with a block, when `below` elements of the line lie between them? */
static int64_t gi_cuda_whole_blocks(int64_t below)
{
    int64_t n = GI_BLOCK;
    while (n > 1 && below % 2 == 0) {
        n /= 2;
        below /= 2;
    }
    return n;
}

/* Cuts a program into pieces of about half of the cache. False: they would be much larger. */
static bool gi_cuda_cut_program(const gi_fed_program *f, int64_t size, int64_t cache_bytes, gi_cuda_cut *c)
{
    const gi_program *p    = &f->program;
    const int64_t     most = cache_bytes / 2 / size > GI_BLOCK ? cache_bytes / 2 / size : GI_BLOCK;
    int               runs = 0;     /* of reduced dimensions */
    bool              seen = false; /* a reduced dimension: lines are cut along the first one */
    c->elements            = 1;
    c->within              = false;
    for (int d = 0; d < p->ndim; d++) {
        c->elements *= c->step[d] = p->shape[d];
        runs += f->place[d] > 0 && (d == 0 || f->place[d - 1] == 0);
    }
    for (int d = 0; d < p->ndim && c->elements > most; d++) {
        const int64_t below = c->elements / p->shape[d], fit = most / below, place = f->place[d];
        if (place == 0) {
            c->step[d]  = fit > 1 ? fit : 1;
            c->elements = below * c->step[d];
        } else if (!seen) {
            const bool    last  = below == place; /* of a line all lies together: it is cut anywhere */
            const int64_t least = last ? 1 : gi_cuda_whole_blocks(place), step = fit < least ? least : fit / least * least;
            seen        = true;
            c->within   = step < p->shape[d];
            c->step[d]  = c->within ? step : p->shape[d];
            c->elements = below * (c->step[d] + (last && c->within ? GI_BLOCK / place + 2 : 0));
        }
    }
    if (runs > 2 || (runs == 2 && c->elements >= (int64_t)1 << 30)) return false; /* too many strides for the kernel */
    return c->elements / 4 <= most;
}

/* The program for the box of indices from `at` on, `n` along each dimension, whose results are packed at `to`. */
static gi_program gi_cuda_piece(const gi_fed_program *f, const int64_t *at, const int64_t *n, ga_dtype dtype, char *to)
{
    gi_program p    = f->program;
    int64_t    next = p.out.size = (int)ga_itemsize(dtype);
    p.out.dtype                  = dtype;
    p.out.data                   = to;
    for (int d = p.ndim - 1; d >= 0; d--) {
        p.shape[d]       = n[d];
        p.out.strides[d] = next;
        next *= n[d];
        for (int k = 0; k < p.leaves; k++) p.leaf[k].data += at[d] * p.leaf[k].strides[d];
    }
    return p;
}

/* All of what is folded, as an array. NULL with an error. */
static ga_array *gi_cuda_make_whole(const char *site, const ga_array *imagined)
{
    const gi_fed_program *f                   = (const gi_fed_program *)imagined->owner->maker->program;
    const int64_t         at[GPUARR_MAX_DIMS] = { 0 };
    ga_array             *a                   = gi_array_new(site, imagined->dtype, GA_CUDA, imagined->ndim, imagined->shape);
    if (!a) return NULL;
    const gi_program p = gi_cuda_piece(f, at, f->program.shape, a->dtype, (char *)a->data);
    if (gi_cuda_touch(site, a) && gi_cuda_run_program(site, &p)) return a;
    ga_free(a);
    return NULL;
}

/* The first element of each line, packed at `to`. */
static bool gi_cuda_make_first(const char *site, const gi_fed_program *f, ga_dtype dtype, char *to)
{
    const int64_t at[GPUARR_MAX_DIMS] = { 0 };
    int64_t       n[GPUARR_MAX_DIMS];
    for (int d = 0; d < f->program.ndim; d++) n[d] = f->place[d] > 0 ? 1 : f->program.shape[d];
    const gi_program p = gi_cuda_piece(f, at, n, dtype, to);
    return gi_cuda_run_program(site, &p);
}
