/* ---- Fourier transforms along an axis ------------------------------------------------------------------------------------ */
/*  Threads take groups of lines. Lines that do not lie packed are copied into buffers, a group at a time. A line that is long and has few
    beside it is itself cut into blocks for the threads.                                                                      */

enum {
    GI_FOURIER_LONG     = 1 << 15, /* elements of a line that is worth sharing */
    GI_FOURIER_SOME     = 1 << 11, /* numbers of lines that a thread finds at once */
    GI_FOURIER_TOGETHER = 1 << 16  /* bytes of the numbers that a thread takes at a time, where lines are short */
};

/* Some lines of complex numbers, each of them packed; out may be x. side: -1 for conjugates of x, and of the result. */
typedef struct gi_fourier_line {
    const gi_fourier *f;
    int64_t           lines;
    const char       *x;
    int64_t           pitch; /* bytes from one to the next */
    char             *out;
    int64_t           out_pitch;
    char             *room;
    double            scale, side;
    int64_t           parts; /* how many share the blocks of a line */
    gi_fourier_flow   flow;
} gi_fourier_line;

static const gi_fourier_loops *gi_fourier_loops_of(bool single) { return GI_LOOP_OF(fourier)(single ? GA_F32 : GA_F64); }

static size_t gi_fourier_elements(int64_t n) { return (size_t)n * 2 * GI_FOURIER_BYTES; }
static size_t gi_fourier_between(const gi_fourier *f)
{
    return gi_fourier_elements(gi_fourier_blocks(f->n1, f->width) * f->n2);
}
static size_t gi_fourier_block_room(const gi_fourier *f)
{
    return gi_fourier_elements((2 * f->n1 > f->n2 ? 2 * f->n1 : f->n2) + f->prime);
}
static size_t gi_fourier_numbers(const gi_fourier *f, int64_t n) /* bytes of so many complex numbers */
{
    return ((size_t)n * (f->single ? sizeof(ga_c64) : sizeof(ga_c128)) + GI_FOURIER_BYTES - 1) / GI_FOURIER_BYTES *
           GI_FOURIER_BYTES;
}

/* Lines that are transformed together: those that can be computed in lanes. */
static int64_t gi_fourier_group_of(const gi_fourier *f)
{
    const gi_fourier *smooth = f->inner ? f->inner : f;
    return smooth->n2 == 1 || smooth->n <= GI_FOURIER_BESIDE ? smooth->width : 1;
}

/* Can lines of such numbers be computed in lanes, real ones too? */
static bool gi_fourier_in_lanes(const gi_fourier *f) { return !f->inner && gi_fourier_group_of(f) > 1; }

/* Bytes that a transform needs beside its line, shared by so many parts. */
static size_t gi_fourier_room(const gi_fourier *f, int64_t parts)
{
    if (f->real) {
        const size_t room = gi_fourier_room(f->inner, parts), reals = gi_fourier_elements(3 * f->inner->n + 1);
        return gi_fourier_in_lanes(f->inner) && reals > room ? reals : room;
    }
    if (f->inner) return (size_t)gi_fourier_group_of(f) * gi_fourier_numbers(f, f->inner->n) + gi_fourier_room(f->inner, parts);
    const size_t lanes  = gi_fourier_elements(2 * f->n + f->prime),
                 blocks = gi_fourier_between(f) + (size_t)parts * gi_fourier_block_room(f);
    return gi_fourier_group_of(f) == 1 ? blocks : f->n2 == 1 || lanes > blocks ? lanes : blocks;
}

static void gi_fourier_first_parts(int64_t begin, int64_t end, void *job)
{
    const gi_fourier_line *l      = (const gi_fourier_line *)job;
    const int64_t          blocks = gi_fourier_blocks(gi_fourier_columns(l->f, l->flow), l->f->width);
    for (int64_t part = begin; part < end; part++)
        for (int64_t b = blocks * part / l->parts; b < blocks * (part + 1) / l->parts; b++)
            gi_fourier_loops_of(l->f->single)
                ->first(l->f, l->flow, b, l->x, l->side, l->room,
                        l->room + gi_fourier_between(l->f) + (size_t)part * gi_fourier_block_room(l->f));
}

static void gi_fourier_second_parts(int64_t begin, int64_t end, void *job)
{
    const gi_fourier_line *l      = (const gi_fourier_line *)job;
    const int64_t          blocks = gi_fourier_blocks(gi_fourier_rows(l->f, l->flow), l->f->width);
    for (int64_t part = begin; part < end; part++)
        for (int64_t b = blocks * part / l->parts; b < blocks * (part + 1) / l->parts; b++)
            gi_fourier_loops_of(l->f->single)
                ->second(l->f, l->flow, b, l->room, l->out, l->scale, l->side,
                         l->room + gi_fourier_between(l->f) + (size_t)part * gi_fourier_block_room(l->f));
}

/* Of a length without large prime factors: up to gi_fourier_group_of lines. */
static void gi_fourier_smooth(const gi_fourier_line *l)
{
    const gi_fourier *f    = l->f;
    const int64_t     real = f->single ? sizeof(float) : sizeof(double);
    if (f->n2 == 1 || 2 * l->lines >= f->width) {
        gi_fourier_loops_of(f->single)->few(f, l->lines, false, l->x, l->pitch / real, l->out, l->out_pitch / real, l->scale,
                                            l->side, l->room);
        return;
    }
    for (int64_t k = 0; k < l->lines; k++) {
        gi_fourier_line job = *l;
        job.x               = l->x + k * l->pitch;
        job.out             = l->out + k * l->out_pitch;
        if (l->parts == 1) {
            gi_fourier_first_parts(0, 1, &job);
            gi_fourier_second_parts(0, 1, &job);
        } else {
            gi_parallel(l->parts, 1, gi_fourier_first_parts, &job);
            gi_parallel(l->parts, 1, gi_fourier_second_parts, &job);
        }
    }
}

/* Up to gi_fourier_group_of lines. */
static void gi_fourier_transform(const gi_fourier_line *l)
{
    const gi_fourier *f = l->f;
    if (!f->inner) {
        gi_fourier_smooth(l);
        return;
    }
    const gi_fourier_loops *loops = gi_fourier_loops_of(f->single);
    const int64_t           m = f->inner->n, bytes = (int64_t)gi_fourier_numbers(f, m);
    const size_t            real = f->single ? sizeof(float) : sizeof(double);
    if (f->inner->n2 == 1 || 2 * l->lines >= f->width) {
        loops->convolve(f, l->lines, l->x, l->pitch / (int64_t)real, l->out, l->out_pitch / (int64_t)real, l->scale, l->side,
                        l->room);
        return;
    }
    const char     *table = (const char *)f->table;
    char           *z = l->room, *room = z + gi_fourier_group_of(f) * bytes;
    gi_fourier_line job = { f->inner, l->lines, z, bytes, z, bytes, room, 1, 1, l->parts, GI_FOURIER_FULL };
    for (int64_t k = 0; k < l->lines; k++) {
        loops->multiply(f->n, l->x + k * l->pitch, l->side, table + (size_t)f->chirp * real, z + k * bytes, 1, 1);
        memset(z + k * bytes + (size_t)f->n * 2 * real, 0, (size_t)bytes - (size_t)f->n * 2 * real);
    }
    gi_fourier_smooth(&job);
    for (int64_t k = 0; k < l->lines; k++) /* back: of conjugates, of which it gives the conjugates */
        loops->multiply(m, z + k * bytes, 1, table + (size_t)f->filter * real, z + k * bytes, 1, -1);
    gi_fourier_smooth(&job);
    for (int64_t k = 0; k < l->lines; k++)
        loops->multiply(f->n, z + k * bytes, -1, table + (size_t)f->chirp * real, l->out + k * l->out_pitch, l->scale, l->side);
}

/* ---- many lines ----------------------------------------------------------------------------------------------------------- */

typedef struct gi_fourier_work {
    const gi_fourier_job *job;
    size_t                buffer;                    /* bytes of that of a line */
    int64_t               group, row_groups, groups; /* lines of a group; groups of a row of lines; of all */
    int64_t               together;                  /* groups that a thread takes at a time */
    int64_t               parts, line_parts, next;   /* next: atomic */
    char                 *room;
    size_t                room_bytes;
} gi_fourier_work;

/* Lines that are transformed together: they begin at x, then at out, `pitch` bytes apart. */
typedef struct gi_fourier_group {
    int64_t     lines;
    const char *x;
    char       *out, *buffers, *room;
    int64_t     pitch, out_pitch, line_parts;
    size_t      buffer; /* bytes of that of a line */
} gi_fourier_group;

#define GI_FOURIER_COPY(T)                                                                                                     \
    for (int64_t l = 0; l < lines; l += 8)                                                                                     \
        for (int64_t j = 0; j < n; j++)                                                                                        \
            for (int64_t i = l; i < lines && i < l + 8; i++)                                                                   \
    memcpy(to + i * to_pitch + j * to_step, from + i * pitch + j * step, sizeof(T))

/* n elements of each of some lines. */
static void gi_fourier_copy(size_t size, int64_t lines, int64_t n, char *to, int64_t to_pitch, int64_t to_step,
                            const char *from, int64_t pitch, int64_t step)
{
    if (step == (int64_t)size && to_step == step)
        for (int64_t l = 0; l < lines; l++) memcpy(to + l * to_pitch, from + l * pitch, (size_t)n * size);
    else if (size == 4) GI_FOURIER_COPY(float);
    else if (size == 8) GI_FOURIER_COPY(double);
    else GI_FOURIER_COPY(ga_c128);
}
#undef GI_FOURIER_COPY

/* Can these lines be read or written where they lie? */
static bool gi_fourier_in_place(const gi_fourier *f, const void *p, int64_t pitch)
{
    const int64_t real = f->single ? sizeof(float) : sizeof(double);
    return (intptr_t)p % real == 0 && pitch % real == 0;
}

GI_BEGIN_FAST
/* n real numbers become complex ones, and back; both may be done in place. */
static void gi_fourier_widen(bool single, int64_t n, const void *x, void *z)
{
    const float  *f    = (const float *)x;
    const double *d    = (const double *)x;
    float        *to_f = (float *)z;
    double       *to_d = (double *)z;
    if (x == z) {
        for (int64_t k = n - 1; k >= 0; k--) {
            if (single) ((ga_c64 *)z)[k] = gi_make_c64(f[k], 0);
            else ((ga_c128 *)z)[k] = gi_make_c128(d[k], 0);
        }
    } else if (single) {
        for (int64_t k = 0; k < n; k++) to_f[2 * k] = f[k], to_f[2 * k + 1] = 0;
    } else {
        for (int64_t k = 0; k < n; k++) to_d[2 * k] = d[k], to_d[2 * k + 1] = 0;
    }
}
static void gi_fourier_narrow(bool single, int64_t n, const void *z, void *x)
{
    if (single)
        for (int64_t k = 0; k < n; k++) ((float *)x)[k] = ((const float *)z)[2 * k];
    else
        for (int64_t k = 0; k < n; k++) ((double *)x)[k] = ((const double *)z)[2 * k];
}

static void gi_fourier_conjugate(bool single, int64_t n, char *x)
{
    float  *f = (float *)(void *)x;
    double *d = (double *)(void *)x;
    if (single)
        for (int64_t k = 0; k < n; k++) f[2 * k + 1] = -f[2 * k + 1];
    else
        for (int64_t k = 0; k < n; k++) d[2 * k + 1] = -d[2 * k + 1];
}

/* Elements n - k become the conjugates of those k <= n / 2. */
static void gi_fourier_mirror(bool single, int64_t n, char *x)
{
    ga_c64       *f    = (ga_c64 *)(void *)x;
    ga_c128      *d    = (ga_c128 *)(void *)x;
    const int64_t half = (n - 1) / 2;
    if (single) f[0].im = 0;
    else d[0].im = 0;
    if (single)
        for (int64_t k = 1; k <= half; k++) f[n - k] = gi_conj_c64(f[k]);
    else
        for (int64_t k = 1; k <= half; k++) d[n - k] = gi_conj_c128(d[k]);
}
GI_END_FAST

/* The lines as the transform wants them: complex numbers, or pairs of real ones. */
static void gi_fourier_prepare(const gi_fourier_job *j, gi_fourier_group *g)
{
    const gi_fourier_loops *loops   = gi_fourier_loops_of(j->f->single);
    const bool              real_in = j->kind == GI_FOURIER_HALF || j->kind == GI_FOURIER_WHOLE;
    const int64_t           need    = j->kind == GI_FOURIER_REAL ? j->n / 2 + 1 : j->n;
    const bool whole  = j->n_in == need && j->in_step == (int64_t)j->in_size && gi_fourier_in_place(j->f, g->x, g->pitch);
    const bool widens = real_in && j->f->inner && !j->f->real;
    if (whole && j->kind != GI_FOURIER_REAL && !widens) return;
    const char *from  = g->x;
    int64_t     pitch = g->pitch;
    if (!whole || !widens) {
        gi_fourier_copy(j->in_size, g->lines, j->n_in, g->buffers, (int64_t)g->buffer, (int64_t)j->in_size, g->x, g->pitch,
                        j->in_step);
        from  = g->buffers;
        pitch = (int64_t)g->buffer;
    }
    g->x     = g->buffers;
    g->pitch = (int64_t)g->buffer;
    for (int64_t l = 0; l < g->lines; l++) {
        char *x = g->buffers + l * g->pitch;
        if (from == g->buffers) memset(x + (size_t)j->n_in * j->in_size, 0, (size_t)(need - j->n_in) * j->in_size);
        if (widens) gi_fourier_widen(j->f->single, j->n, from + l * pitch, x);
        if (j->kind == GI_FOURIER_REAL && !j->inverse) gi_fourier_conjugate(j->f->single, need, x);
        if (j->kind == GI_FOURIER_REAL && j->f->real) loops->pairs(j->f, x);
        else if (j->kind == GI_FOURIER_REAL) gi_fourier_mirror(j->f->single, j->n, x);
    }
}

/* Elements up to n / 2 of those k1 that were not computed. */
static void gi_fourier_unfold(const gi_fourier *f, char *x)
{
    ga_c64  *single = (ga_c64 *)(void *)x;
    ga_c128 *twice  = (ga_c128 *)(void *)x;
    for (int64_t k2 = 0; k2 < f->n2 / 2; k2++)
        for (int64_t k1 = f->n1 / 2 + 1; k1 < f->n1; k1++) {
            const int64_t k = k1 + f->n1 * k2;
            if (f->single) single[k] = gi_conj_c64(single[f->n - k]);
            else twice[k] = gi_conj_c128(twice[f->n - k]);
        }
}

/* From the transforms at `z` to the results where they belong. */
static void gi_fourier_finish(const gi_fourier_job *j, const gi_fourier_group *g, char *z, int64_t pitch)
{
    const bool real_in = j->kind == GI_FOURIER_HALF || j->kind == GI_FOURIER_WHOLE;
    const bool narrows = j->kind == GI_FOURIER_REAL && j->f->inner && !j->f->real,
               direct  = narrows && j->out_step == (int64_t)j->out_size && gi_fourier_in_place(j->f, g->out, g->out_pitch);
    for (int64_t l = 0; l < g->lines; l++) {
        char *line = z + l * pitch;
        if (narrows) gi_fourier_narrow(j->f->single, j->n, line, direct ? g->out + l * g->out_pitch : line);
        if (real_in && j->f->real) gi_fourier_loops_of(j->f->single)->halves(j->f, line);
        if (gi_fourier_flow_of(j->f, j->kind) == GI_FOURIER_FROM_REALS) gi_fourier_unfold(j->f, line);
        if (real_in && !j->f->real) memset(line + j->out_size / 2, 0, j->out_size / 2); /* the sum has no imaginary part */
        if (real_in && j->inverse) gi_fourier_conjugate(j->f->single, j->n / 2 + 1, line);
        if (j->kind == GI_FOURIER_WHOLE) gi_fourier_mirror(j->f->single, j->n, line);
    }
    if (z == g->out || direct) return;
    gi_fourier_copy(j->out_size, g->lines, j->n_out, g->out, g->out_pitch, j->out_step, z, pitch, (int64_t)j->out_size);
}

/* Lines that lie side by side, in lanes as they are. False: they do not. */
static bool gi_fourier_across(const gi_fourier_job *j, const gi_fourier_group *g)
{
    const gi_fourier *f    = j->f;
    const int64_t     real = f->single ? sizeof(float) : sizeof(double);
    if (j->kind != GI_FOURIER_COMPLEX || !gi_fourier_in_lanes(f) || g->lines != f->width || j->n_in != j->n ||
        g->pitch != 2 * real || g->out_pitch != 2 * real || !gi_fourier_in_place(f, g->x, j->in_step) || j->in_step == 0 ||
        !gi_fourier_in_place(f, g->out, j->out_step) || j->out_step == 0)
        return false;
    gi_fourier_loops_of(f->single)->few(f, g->lines, true, g->x, j->in_step / real, g->out, j->out_step / real, j->scale,
                                        j->inverse ? -1 : 1, g->room);
    return true;
}

/* Lines that are real before or after, from where they lie packed, or copies, into lanes and back. False: they are none, or too few. */
static bool gi_fourier_reals(const gi_fourier_job *j, const gi_fourier_group *g)
{
    const gi_fourier *f    = j->f->real ? j->f->inner : j->f;
    const int64_t     real = f->single ? sizeof(float) : sizeof(double), buffer = (int64_t)g->buffer,
                  need = j->kind == GI_FOURIER_REAL ? j->n / 2 + 1 : j->n;
    if (j->kind == GI_FOURIER_COMPLEX || !gi_fourier_in_lanes(f)) return false;
    if (2 * g->lines < f->width && (j->f->real || f->n2 > 1)) return false;
    const bool read     = j->n_in == need && j->in_step == (int64_t)j->in_size && gi_fourier_in_place(f, g->x, g->pitch),
               write    = j->out_step == (int64_t)j->out_size && gi_fourier_in_place(f, g->out, g->out_pitch);
    const char   *x     = read ? g->x : g->buffers;
    char         *to    = write ? g->out : g->buffers;
    const int64_t pitch = read ? g->pitch : buffer, out_pitch = write ? g->out_pitch : buffer;
    if (!read) {
        gi_fourier_copy(j->in_size, g->lines, j->n_in, g->buffers, buffer, (int64_t)j->in_size, g->x, g->pitch, j->in_step);
        for (int64_t l = 0; l < g->lines; l++)
            memset(g->buffers + l * buffer + (size_t)j->n_in * j->in_size, 0, (size_t)(need - j->n_in) * j->in_size);
    }
    for (int64_t l = 0; l < g->lines; l += f->width)
        gi_fourier_loops_of(f->single)->few_reals(j->f, j->kind, g->lines - l < f->width ? g->lines - l : f->width,
                                                  x + l * pitch, pitch / real, to + l * out_pitch, out_pitch / real, j->scale,
                                                  j->inverse, g->room);
    if (!write)
        gi_fourier_copy(j->out_size, g->lines, j->n_out, g->out, g->out_pitch, j->out_step, to, buffer, (int64_t)j->out_size);
    return true;
}

static void gi_fourier_group_run(const gi_fourier_job *j, gi_fourier_group *g)
{
    const gi_fourier *f = j->f->real ? j->f->inner : j->f;
    if (gi_fourier_across(j, g) || gi_fourier_reals(j, g)) return;
    const bool direct = j->out_step == (int64_t)j->out_size && gi_fourier_in_place(f, g->out, g->out_pitch) &&
                        (j->f->real || j->kind == GI_FOURIER_COMPLEX || j->kind == GI_FOURIER_WHOLE ||
                         gi_fourier_flow_of(j->f, j->kind) == GI_FOURIER_TO_REALS);
    char         *z     = direct ? g->out : g->buffers;
    const int64_t pitch = direct ? g->out_pitch : (int64_t)g->buffer;
    const bool    conj  = j->kind == GI_FOURIER_REAL || (j->kind == GI_FOURIER_COMPLEX && j->inverse);
    gi_fourier_prepare(j, g);
    for (int64_t l = 0; l < g->lines; l += gi_fourier_group_of(f)) {
        const int64_t         left = g->lines - l, n = left < gi_fourier_group_of(f) ? left : gi_fourier_group_of(f);
        const gi_fourier_line line = { f,
                                       n,
                                       g->x + l * g->pitch,
                                       g->pitch,
                                       z + l * pitch,
                                       pitch,
                                       g->room,
                                       j->scale,
                                       conj ? -1.0 : 1.0,
                                       g->line_parts,
                                       gi_fourier_flow_of(j->f, j->kind) };
        gi_fourier_transform(&line);
    }
    gi_fourier_finish(j, g, z, pitch);
}

/* Group number n. */
static void gi_fourier_nth(const gi_fourier_work *w, int64_t n, char *room)
{
    const gi_fourier_job *j     = w->job;
    const int             last  = j->ndim - 1;
    const int64_t         first = n % w->row_groups * w->group, left = j->shape[last] - first;
    int64_t               rest = n / w->row_groups, in = first * j->in_strides[last], out = first * j->out_strides[last];
    for (int d = last - 1; d >= 0; d--) {
        in += rest % j->shape[d] * j->in_strides[d];
        out += rest % j->shape[d] * j->out_strides[d];
        rest /= j->shape[d];
    }
    gi_fourier_group g = { left < w->group ? left : w->group,
                           j->in + in,
                           j->out + out,
                           room,
                           room + (size_t)w->group * w->buffer,
                           j->in_strides[last],
                           j->out_strides[last],
                           w->line_parts,
                           w->buffer };
    gi_fourier_group_run(j, &g);
}

/* Each part takes some groups at a time until none is left. */
static void gi_fourier_parts(int64_t begin, int64_t end, void *work)
{
    gi_fourier_work *w = (gi_fourier_work *)work;
    for (int64_t part = begin; part < end; part++)
        for (int64_t n; (n = __atomic_fetch_add(&w->next, w->together, __ATOMIC_RELAXED)) < w->groups;)
            for (int64_t k = n; k < n + w->together && k < w->groups; k++)
                gi_fourier_nth(w, k, w->room + (size_t)part * w->room_bytes);
}

/* Lines that a thread takes at a time: so many that their buffers stay in a cache. */
static int64_t gi_fourier_lines_of_group(const gi_fourier_job *j, const gi_fourier *f, int64_t threads)
{
    const int64_t most = (int64_t)(((size_t)4 << 20) / (gi_fourier_numbers(f, j->n) + 1)), all = j->shape[j->ndim - 1];
    const bool    packed = j->in_step == (int64_t)j->in_size && j->out_step == (int64_t)j->out_size;
    int64_t       group  = most < f->width ? most : f->width;
    if (packed && gi_fourier_group_of(f) == 1) group = most / 64 < all / (4 * threads) ? most / 64 : all / (4 * threads);
    else if (packed && group == f->width && all > 4 * threads * group) /* short ones: to find them takes time, too */
        group += f->width * (GI_FOURIER_SOME / (f->width * j->n));
    return group > 0 ? group : 1;
}

/* Does a job, of lines that are not empty. False with an error. */
static bool gi_fourier_do(const char *site, const gi_fourier_job *j)
{
    const gi_fourier *f       = j->f->real ? j->f->inner : j->f;
    const int64_t     threads = ga_get_num_threads();
    gi_fourier_work   w;
    memset(&w, 0, sizeof w);
    w.job        = j;
    w.buffer     = gi_fourier_numbers(f, j->n + 2);
    w.group      = gi_fourier_lines_of_group(j, f, threads);
    w.row_groups = (j->shape[j->ndim - 1] + w.group - 1) / w.group;
    w.groups     = w.row_groups;
    for (int d = 0; d < j->ndim - 1; d++) w.groups *= j->shape[d];
    w.together = 1 + (GI_FOURIER_TOGETHER - 1) / (w.group * (int64_t)gi_fourier_numbers(f, j->n));
    if (w.together > w.groups / (4 * threads)) w.together = w.groups < 4 * threads ? 1 : w.groups / (4 * threads);
    const bool share = w.groups < 2 * threads && f->n >= GI_FOURIER_LONG;
    w.parts          = share ? 1 : threads < w.groups ? threads : w.groups;
    w.line_parts     = share ? threads : 1;
    w.room_bytes     = (size_t)w.group * w.buffer + gi_fourier_room(j->f, w.line_parts);
    w.room           = (char *)gi_mem_alloc(site, (size_t)w.parts * w.room_bytes);
    if (!w.room) return false;
    const double bytes = 8 * (double)w.groups * (double)w.group * (double)gi_fourier_numbers(f, j->n);
    if (share) gi_fourier_parts(0, 1, &w);
    else gi_parallel_bytes(bytes, w.parts, 1, gi_fourier_parts, &w);
    gi_mem_release(w.room, (size_t)w.parts * w.room_bytes);
    return true;
}
