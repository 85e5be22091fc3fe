/* ==== >>chunk files: chunked arrays from files, and into files ====================================================== */
/*  ga_open makes nodes (section >>chunks) whose elements are read when they are asked for, by pread: nothing is mapped, so a file that
    shrinks meanwhile is an error and no crash. ga_store works arrays out unit by unit into a file under another name, which gets its own
    when all of it is there.                                                                                                          */

#include <dirent.h>
#include <sys/statvfs.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

#define GI_SPAN_BYTES ((int64_t)1 << 20) /* of what is read together with the gaps in it */
#define GI_SMALL_GAP  2048               /* bytes that are read sooner than skipped by another call */

/* Opens for reading what may be anything: a pipe must not make it wait. */
static int gi_open_at(int dir, const char *name) { return openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

/* All n bytes. False with errno, which is 0 if the file ends before. */
static bool gi_pread(int fd, int64_t at, void *to, size_t n)
{
    for (char *p = (char *)to; n > 0;) {
        ssize_t got = pread(fd, p, n < (size_t)1 << 30 ? n : (size_t)1 << 30, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = 0;
        if (got <= 0) return false;
        p += got;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

/* Elements side by side in a file. */
typedef struct gi_raw {
    const char    *site, *what; /* what: the file, for messages */
    int            fd;
    int64_t        at; /* of the first one */
    ga_dtype       dtype;
    bool           swapped, fortran;
    int            ndim;
    const int64_t *shape;
} gi_raw;

/* Which of them are read: axes as they lie in the file, the last one densest; at least one. */
typedef struct gi_reading {
    int     ndim;
    int64_t itemsize, count[GPUARR_MAX_DIMS], stride[GPUARR_MAX_DIMS];
} gi_reading;

/* Packs the elements, n along the axis, that begin at `from`. Returns the end of what was written. */
static char *gi_pack_elements(const gi_reading *r, int axis, int64_t n, const char *from, char *to)
{
    int64_t size = r->itemsize, stride = r->stride[axis];
    if (axis < r->ndim - 1) {
        for (int64_t i = 0; i < n; i++) to = gi_pack_elements(r, axis + 1, r->count[axis + 1], from + i * stride, to);
        return to;
    }
    if (stride == size) memcpy(to, from, (size_t)(n * size));
    else
        for (int64_t i = 0; i < n; i++) memcpy(to + i * size, from + i * stride, (size_t)size);
    return to + n * size;
}

/* Reads what r tells, from `at` on, packed. What lies between elements is read with them where it is no more than they, or little. */
static bool gi_read_elements(const gi_raw *f, const gi_reading *r, int64_t at, char *to)
{
    int64_t span = r->itemsize, bytes = r->itemsize,
            rows; /* of the axes behind `axis`: from the first to the last, and without gaps */
    int axis = r->ndim - 1;
    for (;; axis--) {
        int64_t count = r->count[axis], stride = r->stride[axis], whole = span + (count - 1) * stride;
        bool    dense = span == bytes && stride == span, near = stride <= 2 * bytes || stride - span <= GI_SMALL_GAP;
        rows = count == 1 || dense || (near && whole <= GI_SPAN_BYTES) ? count
               : near && span < GI_SPAN_BYTES                          ? (GI_SPAN_BYTES - span) / stride + 1
                                                                       : 1;
        if (rows < count || axis == 0) break;
        span = whole;
        bytes *= count;
    }
    int64_t stride = r->stride[axis], length = (rows - 1) * stride + span, times = 1;
    bool    packed = length == rows * bytes;
    char   *room   = packed ? NULL : (char *)gi_mem_alloc(f->site, (size_t)length);
    bool    ok     = packed || room;
    for (int d = 0; d < axis; d++) times *= r->count[d];
    for (int64_t i = 0; i < times && ok; i++) {
        int64_t from = at, rest = i;
        for (int d = axis - 1; d >= 0; d--) {
            from += rest % r->count[d] * r->stride[d];
            rest /= r->count[d];
        }
        for (int64_t row = 0; row < r->count[axis] && ok; row += rows, from += rows * stride) {
            int64_t n = r->count[axis] - row < rows ? r->count[axis] - row : rows, all = (n - 1) * stride + span;
            errno = 0;
            ok    = gi_pread(f->fd, from, packed ? to : room, (size_t)all);
            if (!ok)
                gi_file_fail(f->site, errno, "cannot read bytes %lld to %lld of %s", (long long)from, (long long)(from + all),
                             f->what);
            else to = packed ? to + all : gi_pack_elements(r, axis, n, room, to);
        }
    }
    if (room) gi_mem_release(room, (size_t)length);
    return ok;
}

/* The elements in the box, of one or more: in `out` if they lie there as in the file, else in a new array. */
static ga_array *gi_read_box(const gi_raw *f, const gi_box *box, ga_array *out)
{
    gi_reading r;
    int64_t    stored[GPUARR_MAX_DIMS] = { 0 }, strides[GPUARR_MAX_DIMS], packed[GPUARR_MAX_DIMS], at = f->at;
    gi_layout  l;
    r.ndim      = f->ndim > 0 ? f->ndim : 1;
    r.itemsize  = ga_itemsize(f->dtype);
    r.count[0]  = 1;
    r.stride[0] = r.itemsize;
    for (int d = 0; d < f->ndim; d++) stored[d] = f->shape[f->fortran ? f->ndim - 1 - d : d];
    (void)gi_shape_c_strides(f->dtype, f->ndim, stored, strides);
    for (int d = 0; d < f->ndim; d++) {
        int axis    = f->fortran ? f->ndim - 1 - d : d;
        r.count[d]  = box->count[axis];
        r.stride[d] = strides[d] * box->step[axis];
        at += box->start[axis] * strides[d];
    }
    (void)gi_shape_c_strides(f->dtype, f->ndim, r.count, packed);
    l.ndim = f->ndim;
    for (int d = 0; d < f->ndim; d++) {
        l.shape[d]   = box->count[d];
        l.strides[d] = packed[f->fortran ? f->ndim - 1 - d : d];
        if (out && out->shape[d] > 1 && out->strides[d] != l.strides[d]) out = NULL;
    }
    ga_array *a = out ? gi_array_hold(f->site, out) : gi_array_new(f->site, f->dtype, GA_CPU, f->ndim, r.count);
    if (!a) return NULL;
    ga_array *view = NULL;
    if (gi_read_elements(f, &r, at, (char *)a->data)) {
        gi_repair_elements(a->data, gi_shape_size(l.ndim, l.shape), f->dtype, f->swapped);
        if (out) return a;
        l.data = (char *)a->data;
        view   = gi_view_with(f->site, a, &l);
    }
    ga_free(a);
    return view;
}
