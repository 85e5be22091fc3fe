/* ---- .npy ---- */

typedef struct gi_npy_plan {
    int           fd;
    int64_t       at;
    gi_npy_header h;
    char          what[GI_NAME_ROOM];
} gi_npy_plan;

static ga_array *gi_eval_npy(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    const gi_npy_plan *p = (const gi_npy_plan *)n->plan;
    gi_raw             f = { n->site, p->what, p->fd, p->at, n->dtype, p->h.swapped, p->h.fortran, n->ndim, n->shape };
    (void)w;
    return gi_read_box(&f, box, out);
}
GI_TABLE(gi_lazy_kind, gi_kind_npy, { "file", gi_eval_npy, GI_LOCAL, NULL })

static void gi_close_npy(gi_lazy *n) { (void)close(((gi_npy_plan *)n->plan)->fd); }

/* Which file, and as it was when? */
static uint64_t gi_file_seed(const struct stat *about)
{
    int64_t now[5] = { (int64_t)about->st_dev, (int64_t)about->st_ino, (int64_t)about->st_size, (int64_t)about->st_mtime, 0 };
    return gi_print_hash(1, now, sizeof now);
}

/* Chunks for a node of a file; takes it over. NULL with an error. */
static ga_array *gi_opened(const char *site, ga_array *a, void (*close_file)(gi_lazy *), uint64_t seed, const ga_shape *chunks,
                           const int64_t *natural)
{
    gi_lazy *n     = a->owner->node;
    ga_shape given = *chunks;
    gi_chunk_begin();
    n->close = close_file;
    n->far   = true;
    n->seed  = seed;
    if (given.ndim == 0 && natural) {
        given.ndim = n->ndim;
        for (int d = 0; d < n->ndim; d++) given.n[d] = natural[d];
    }
    if (gi_chunk_set_lengths(site, n, &given)) return a;
    ga_free(a);
    return NULL;
}

/* Takes over the file. */
static ga_array *gi_open_npy(const char *site, const char *path, int fd, const struct stat *about, const ga_shape *chunks)
{
    enum { MOST = 12 + 10000 }; /* as gi_read_header */
    unsigned char start[MOST];
    gi_npy_plan   p;
    memset(&p, 0, sizeof p);
    p.fd = fd;
    gi_show_path(p.what, path);
    size_t    n = about->st_size < MOST ? (size_t)about->st_size : (size_t)MOST;
    gi_source s = { NULL, start, (int64_t)n };
    ga_array *a = NULL;
    errno       = 0;
    if (!gi_pread(fd, 0, start, n)) gi_file_fail(site, errno, "cannot read %s", p.what);
    else if (gi_read_header(site, p.what, &s, &p.at, &p.h)) {
        int64_t strides[GPUARR_MAX_DIMS], there = (int64_t)about->st_size - p.at, bytes = -1;
        bool    negative = false;
        for (int d = 0; d < p.h.ndim; d++) negative = negative || p.h.shape[d] < 0;
        if (!negative) bytes = gi_shape_c_strides(p.h.dtype, p.h.ndim, p.h.shape, strides);
        if (negative)
            gi_fail(site, GA_BAD_FILE, "%s claims the shape %s: is it damaged?", p.what, gi_shape_text(p.h.ndim, p.h.shape));
        else if (bytes < 0 || bytes > there)
            gi_fail(site, GA_BAD_FILE, "%s claims %s of %s, but only %lld bytes of data are there: was it cut short?", p.what,
                    gi_shape_text(p.h.ndim, p.h.shape), ga_dtype_name(p.h.dtype), (long long)there);
        else a = gi_lazy_new(site, gi_kind_npy(), p.h.dtype, p.h.ndim, p.h.shape, 0, NULL, &p, sizeof p);
    }
    if (!a) {
        (void)close(fd);
        return NULL;
    }
    int64_t natural[GPUARR_MAX_DIMS];
    memset(natural, 0, sizeof natural);
    a->owner->node->rows = !p.h.fortran;
    if (p.h.fortran) { /* chosen as for the array that lies in the file in C order */
        int64_t stored[GPUARR_MAX_DIMS] = { 0 }, length[GPUARR_MAX_DIMS];
        memset(length, 0, sizeof length);
        for (int d = 0; d < p.h.ndim; d++) stored[d] = p.h.shape[p.h.ndim - 1 - d];
        gi_chunk_fill_lengths(p.h.ndim, stored, ga_itemsize(p.h.dtype), length);
        for (int d = 0; d < p.h.ndim; d++) natural[d] = length[p.h.ndim - 1 - d];
    }
    return gi_opened(site, a, gi_close_npy, gi_file_seed(about), chunks, natural);
}
