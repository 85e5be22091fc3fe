/* ---- chance: permutations, choices, vectors of normal numbers ------------------------------------------------------------------ */

/* n uniform numbers. */
static ga_random_options gi_random_on(const gi_composition *c, ga_device device, uint64_t seed, uint64_t stream)
{
    ga_random_options o = ga_random_defaults;
    o.site              = c->site;
    o.device            = device;
    o.seed              = seed;
    o.stream            = stream;
    return o;
}

/* What places along an axis are taken from. */
typedef struct gi_population {
    const ga_array *a; /* NULL: the places themselves, 0 .. n - 1 */
    int             axis;
    int64_t         n;
    ga_device       device;
} gi_population;

/* Of an array, or of a number n. */
static bool gi_do_population(const gi_composition *c, ga_arg x, int axis, gi_population *p)
{
    const bool number = x.kind == GA_KIND_INT && x.i >= 0;
    p->a              = x.kind == GA_KIND_ARRAY ? gi_do_array(c, x, "x", GA_DEVICE_DEFAULT) : NULL;
    if (x.kind != GA_KIND_ARRAY && !number)
        gi_fail(c->site, GA_BAD_ARGUMENT, "a number that stands for 0 .. n - 1 must be an integer, and 0 or more");
    if (!p->a && !number) return false;
    p->axis   = gi_axis(c->site, axis, p->a ? p->a->ndim : 1);
    p->n      = !p->a ? x.i : p->axis >= 0 ? p->a->shape[p->axis] : 0;
    p->device = p->a ? p->a->device : gi_device_meant(GA_DEVICE_DEFAULT);
    return p->axis >= 0;
}

/* What lies at the places. */
static ga_array *gi_do_at_places(const gi_composition *c, const gi_population *p, ga_array *places)
{
    return p->a ? gi_do_take(c, p->a, places, p->axis) : places;
}

/* ---- a permutation: the order of uniform numbers --------------------------------------------------------------------------- */
/*  They are spread over so many parts of equal width that each of these is sorted in a cache. A word has as many bits of a number as there is room
    for above its place; where these are equal, the number is drawn again. */

enum {
    GI_PERMUTE_EACH  = 96,      /* words of a part */
    GI_PERMUTE_PARTS = 8192,    /* at most */
    GI_PERMUTE_FROM  = 4096,    /* words that are worth it, */
    GI_PERMUTE_MORE  = 1 << 15, /* and where there is no quicksort */
    GI_PERMUTE_TILE  = 512,
    GI_PERMUTE_AHEAD = 16, /* words */
    GI_PERMUTE_CHUNK = 1 << 16
};

typedef struct gi_permuting {
    gi_random_plan draw; /* the 53 bits of ga_random */
    gi_sort_bits   by;
    int64_t        n, parts, chunks;
    int            digits;     /* bits of a place */
    uint64_t      *words, *to; /* as drawn, and part by part */
    uint32_t      *places;     /* of the parts of each chunk: how many words are there, then where they go */
} gi_permuting;

GI_BEGIN_FAST
static GI_INLINE uint64_t gi_permute_part(uint64_t parts, uint64_t word) { return (word >> 32) * parts >> 32; }

/* Where a chunk ends; the last one is longer. */
static int64_t gi_permute_stop(const gi_permuting *p, int64_t chunk)
{
    return chunk == p->chunks - 1 ? p->n : (chunk + 1) * GI_PERMUTE_CHUNK;
}

/* Draws the words of each chunk, and counts them. */
static void gi_permute_draw(int64_t begin, int64_t end, void *job)
{
    const gi_permuting *p      = (const gi_permuting *)job;
    const uint64_t      parts  = (uint64_t)p->parts;
    const int           digits = p->digits, rest = digits - 11;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        const int64_t stop  = gi_permute_stop(p, chunk);
        uint32_t     *count = p->places + chunk * p->parts;
        memset(count, 0, (size_t)p->parts * sizeof *count);
        for (int64_t i = chunk * GI_PERMUTE_CHUNK, n; i < stop; i += n) {
            n               = stop - i < GI_PERMUTE_TILE ? stop - i : (int64_t)GI_PERMUTE_TILE;
            uint64_t *words = p->words + i;
            gi_make_random(&p->draw, i, n, words);
            for (int64_t k = 0; k < n; k++) {
                const uint64_t word = words[k] >> rest << digits | (uint64_t)(i + k);
                words[k]            = word;
                count[gi_permute_part(parts, word)]++;
            }
        }
    }
}

/* What is written soon is fetched: the ends of so many parts do not stay in a cache. */
static void gi_permute_spread(int64_t begin, int64_t end, void *job)
{
    const gi_permuting *p     = (const gi_permuting *)job;
    const uint64_t      parts = (uint64_t)p->parts, *words = p->words;
    uint64_t           *to = p->to;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        const int64_t stop  = gi_permute_stop(p, chunk);
        uint32_t     *place = p->places + chunk * p->parts;
        for (int64_t i = chunk * GI_PERMUTE_CHUNK; i < stop; i++) {
            const uint64_t soon = words[i + GI_PERMUTE_AHEAD < stop ? i + GI_PERMUTE_AHEAD : i];
            __builtin_prefetch(to + place[gi_permute_part(parts, soon)], 1);
            to[place[gi_permute_part(parts, words[i])]++] = words[i];
        }
    }
}

/* Words whose bits of numbers are equal, by the numbers; they are few, unless there are billions. */
static void gi_permute_equal(const gi_permuting *p, int64_t n, uint64_t *word)
{
    const uint64_t mask = ((uint64_t)1 << p->digits) - 1;
    for (int64_t i = 1; i < n; i++)
        for (int64_t k = i; k > 0 && (word[k] ^ word[k - 1]) <= mask; k--) {
            int64_t one, before;
            gi_make_random_one(&p->draw, (int64_t)(word[k] & mask), &one);
            gi_make_random_one(&p->draw, (int64_t)(word[k - 1] & mask), &before);
            if (one >= before) break; /* equal ones are in their order */
            const uint64_t moved = word[k];
            word[k]              = word[k - 1];
            word[k - 1]          = moved;
        }
}

static void gi_permute_sort(int64_t begin, int64_t end, void *job)
{
    const gi_permuting *p    = (const gi_permuting *)job;
    const uint64_t      mask = ((uint64_t)1 << p->digits) - 1;
    const uint32_t     *stop = p->places + (p->chunks - 1) * p->parts; /* of the last chunk: where the next part begins */
    for (int64_t part = begin; part < end; part++) {
        const int64_t first = part > 0 ? stop[part - 1] : 0, n = stop[part] - first;
        uint64_t     *word = p->to + first;
        gi_sort_part(&p->by, (char *)word, (char *)(p->words + first), (char *)word, n);
        uint64_t equal = 0;
        for (int64_t i = 1; i < n; i++) equal |= (uint64_t)((word[i] ^ word[i - 1]) <= mask);
        if (equal) gi_permute_equal(p, n, word);
        for (int64_t i = 0; i < n; i++) word[i] &= mask;
    }
}
GI_END_FAST

/* The order of the first n numbers of ga_random on the CPU, GI_PERMUTE_FROM to UINT32_MAX of them. */
static ga_array *gi_permute(const char *site, int64_t n, uint64_t seed, uint64_t stream)
{
    const gi_random_plan draw = { GI_INTEGERS, seed, stream, 0, (uint64_t)1 << 53, 0, 0 };
    ga_array            *r    = gi_array_new(site, GA_I64, GA_CPU, 1, &n);
    gi_permuting         p;
    p.draw              = draw;
    p.by                = gi_sort_bits_of(8, 0, 8);
    p.n                 = n;
    p.digits            = 64 - __builtin_clzll((uint64_t)(n - 1));
    p.chunks            = ga_get_num_threads() > 1 && n > GI_PERMUTE_CHUNK ? n / GI_PERMUTE_CHUNK : 1;
    p.parts             = n / GI_PERMUTE_EACH < GI_PERMUTE_PARTS ? n / GI_PERMUTE_EACH : (int64_t)GI_PERMUTE_PARTS;
    const size_t places = (size_t)gi_mem_padded(p.chunks * p.parts * (int64_t)sizeof *p.places), bytes = places + (size_t)n * 8;
    char *const  room = r ? (char *)gi_mem_alloc(site, bytes) : NULL;
    if (!room) return NULL;
    p.places    = (uint32_t *)(void *)room;
    p.words     = (uint64_t *)(void *)(room + places);
    p.to        = (uint64_t *)r->data;
    uint32_t at = 0;
    gi_parallel(p.chunks, 1, gi_permute_draw, &p);
    for (int64_t part = 0; part < p.parts; part++)
        for (int64_t chunk = 0; chunk < p.chunks; chunk++) {
            uint32_t      *place = p.places + chunk * p.parts + part;
            const uint32_t count = *place;
            *place               = at;
            at += count;
        }
    gi_parallel(p.chunks, 1, gi_permute_spread, &p);
    gi_parallel(p.parts, 1 + 16384 / (n / p.parts), gi_permute_sort, &p);
    gi_mem_release(room, bytes);
    return r;
}

/* All of it, in random order. */
static ga_array *gi_do_permute(const gi_composition *c, const gi_population *p, const ga_permutation_options *o)
{
    const ga_shape line = gi_line(p->n);
    if (p->device == GA_CPU && p->n >= (GI_LOOP_OF(quick)(8) ? GI_PERMUTE_FROM : GI_PERMUTE_MORE) && p->n <= UINT32_MAX)
        return gi_do_at_places(c, p, gi_permute(c->site, p->n, o->seed, o->stream));
    ga_array *keys = (ga_random)(line, gi_random_on(c, p->device, o->seed, o->stream));
    return gi_do_at_places(c, p, gi_do_along(c, (ga_argsort), keys, 0));
}

ga_array *(ga_random_permutation)(ga_arg x, ga_permutation_options o)
{
    gi_composition c;
    gi_population  p;
    gi_compose_begin(&c, o.site);
    return gi_compose_end(&c, gi_do_population(&c, x, o.axis, &p) ? gi_do_permute(&c, &p, &o) : NULL);
}

ga_array *(ga_random_shuffle)(ga_array *a, ga_permutation_options o)
{
    gi_composition c;
    gi_population  p;
    gi_compose_begin(&c, o.site);
    ga_copyto_options to     = ga_copyto_defaults;
    to.site                  = o.site;
    const bool      known    = gi_do_population(&c, gi_operand_arg(a), o.axis, &p);
    const ga_array *permuted = known ? gi_do_permute(&c, &p, &o) : NULL;
    ga_array       *r        = permuted ? (ga_copyto)(a, GA_ARG(permuted), to) : NULL;
    (void)gi_compose_end(&c, NULL);
    return r;
}

/* The probabilities as float64; NULL with an error if they are none. */
static ga_array *gi_do_probabilities(const gi_composition *c, const ga_array *p, int64_t n, int64_t least)
{
    double    sum = 0, smallest = 0, some = 0;
    ga_array *wide = gi_array_check(c->site, p, "p") ? (ga_astype)(p, GA_F64, c->site) : NULL;
    if (wide && (wide->ndim != 1 || wide->size != n))
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "p has shape %s: it must be one probability for each of %lld",
                                   gi_shape_of(p), (long long)n);
    if (!wide || n == 0) return wide;
    const ga_array *facts[3] = { gi_do_fold(c, (ga_sum), wide, 0, false), gi_do_fold(c, (ga_min), wide, 0, false),
                                 gi_do_fold(c, (ga_count_nonzero), wide, 0, false) };
    if (!facts[0] || !facts[1] || !facts[2] || !gi_item_as(c->site, facts[0], NULL, GA_F64, &sum) ||
        !gi_item_as(c->site, facts[1], NULL, GA_F64, &smallest) || !gi_item_as(c->site, facts[2], NULL, GA_F64, &some))
        return NULL;
    const double tolerance = p->dtype == GA_F32 ? 3.45e-4 : 1.49e-8; /* as NumPy's: the square root of the dtype's precision */
    if (smallest >= 0 && fabs(sum - 1) <= tolerance && some >= (double)least) return wide;
    if (smallest >= 0 && fabs(sum - 1) <= tolerance)
        return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT,
                                   "only %lld probabilities are not 0, and %lld different ones are to be chosen",
                                   (long long)some, (long long)least);
    return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT, "the probabilities must be 0 or more, and their sum 1: it is %g", sum);
}

enum { GI_FEW_OF = 4 }; /* a share of a population from which on its order is made as a whole */

/* The places of the least `count` of n keys, in the order that a stable sort gives them. */
static ga_array *gi_do_least_places(const gi_composition *c, ga_array *keys, int64_t n, int64_t count)
{
    ga_axis_options o = ga_axis_defaults;
    o.site            = c->site;
    if (count < 1 || count > n / GI_FEW_OF) return gi_do_part(c, gi_do_along(c, (ga_argsort), keys, 0), 0, 0, count);
    const ga_array *places = gi_do_part(c, keys ? (ga_argpartition)(keys, count - 1, o) : NULL, 0, 0, count);
    return gi_do_take(c, places, gi_do_along(c, (ga_argsort), gi_do_take(c, keys, places, 0), 0), 0);
}

/* Puts the first `count` different ones of n numbers to `found`; seen: room of a power of two, at least twice as many. False: there are
   fewer. */
static bool gi_first_different(int64_t n, const int64_t *drawn, const ga_array *seen, int64_t count, int64_t *found)
{
    int64_t *const table = (int64_t *)(void *)seen->data, mask = seen->size - 1, have = 0;
    for (int64_t i = 0; i <= mask; i++) table[i] = -1;
    for (int64_t i = 0; i < n && have < count; i++) {
        const uint64_t hash = (uint64_t)drawn[i] * 0x9e3779b97f4a7c15U;
        int64_t        at   = (int64_t)(hash >> 16) & mask;
        while (table[at] >= 0 && table[at] != drawn[i]) at = (at + 1) & mask;
        if (table[at] < 0) table[at] = found[have++] = drawn[i];
    }
    return have == count;
}

/* Few of n places, all different: numbers are drawn until there are as many. */
static ga_array *gi_do_choose_few(const gi_composition *c, int64_t n, int64_t count, ga_device device,
                                  const ga_choice_options *o)
{
    ga_to_options to   = ga_to_defaults;
    int64_t       room = 16;
    while (room < 2 * count) room *= 2;
    to.site          = c->site;
    ga_array *places = gi_array_new(c->site, GA_I64, GA_CPU, 1, &count);
    ga_array *seen   = gi_array_new(c->site, GA_I64, GA_CPU, 1, &room);
    if (!places || !seen) return NULL;
    for (int64_t most = count + count / 4 + 16;; most *= 2) {
        const ga_array *drawn = (ga_random_integers)(0, n, gi_line(most), gi_random_on(c, GA_CPU, o->seed, o->stream));
        if (!drawn) return NULL;
        if (gi_first_different(most, (const int64_t *)(const void *)drawn->data, seen, count, (int64_t *)(void *)places->data))
            return device == GA_CPU ? places : (ga_to)(places, device, to);
    }
}

/* Places in a population of n: without replacement those whose exponentially distributed waiting times, of rates p, end first (Efraimidis
   and Spirakis, 2006). */
static ga_array *gi_do_choose(const gi_composition *c, int64_t n, const ga_shape *shape, ga_device device,
                              const ga_choice_options *o)
{
    const int64_t  count = gi_shape_count(c->site, GA_I64, shape);
    const ga_shape line  = gi_line(o->replace ? count : n);
    if (count < 0) return NULL;
    if (n == 0 && count > 0) return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT, "there is nothing to choose from");
    if (!o->replace && count > n)
        return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT, "%lld of %lld cannot be chosen without replacement",
                                   (long long)count, (long long)n);
    ga_array *p = o->p ? gi_do_probabilities(c, o->p, n, o->replace ? 0 : count) : NULL;
    if (o->p && !p) return NULL;
    if (o->replace && !p) return (ga_random_integers)(0, n > 0 ? n : 1, *shape, gi_random_on(c, device, o->seed, o->stream));
    if (!o->replace && !p && count > 0 && count <= n / GI_FEW_OF)
        return gi_do_reshape(c, gi_do_choose_few(c, n, count, device, o), shape->ndim, shape->n);
    ga_array *u = (ga_random)(line, gi_random_on(c, device, o->seed, o->stream)), *places;
    if (o->replace) {
        ga_searchsorted_options s = ga_searchsorted_defaults;
        s.site                    = c->site;
        s.side                    = GA_RIGHT;
        ga_array *sums = gi_do_along(c, (ga_cumsum), p, 0), *all = n > 0 ? gi_do_part(c, sums, 0, n - 1, 1) : sums;
        ga_array *shares = GI_DO_2(c, divide, sums, all);
        places           = shares && u ? (ga_searchsorted)(shares, GA_ARG(u), s) : NULL;
    } else {
        ga_array *times = p && u ? GI_DO_2(c, divide, GI_DO_1(c, log1p, GI_DO_1(c, negative, u)), GI_DO_1(c, negative, p)) : u;
        places          = gi_do_least_places(c, times, n, count);
    }
    return gi_do_reshape(c, places, shape->ndim, shape->n);
}

ga_array *(ga_random_choice)(ga_arg x, ga_shape shape, ga_choice_options o)
{
    if (!gi_options_choice(&o)) return NULL;
    gi_composition c;
    gi_population  p;
    gi_compose_begin(&c, o.site);
    const bool known = gi_do_population(&c, x, o.axis, &p);
    return gi_compose_end(&c, known ? gi_do_at_places(&c, &p, gi_do_choose(&c, p.n, &shape, p.device, &o)) : NULL);
}

ga_array *(ga_random_multivariate_normal)(const ga_array *mean, const ga_array *cov, ga_shape shape, ga_random_options o)
{
    if (!gi_array_check(o.site, mean, "mean") || !gi_are_matrices(o.site, cov, "cov", true)) return NULL;
    if (shape.ndim + 1 > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "shape has %d dimensions, and the vectors one more: an array has at most %d", shape.ndim,
                                   GPUARR_MAX_DIMS);
    if (mean->ndim != 1 || cov->ndim != 2 || cov->shape[0] != mean->size || gi_is_complex(cov->dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "shapes %s and %s do not fit: a vector, and a real matrix of as many rows and columns",
                                   gi_shape_of(mean), gi_shape_of(cov));
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array          *w = NULL, *v = NULL, *r = NULL;
    ga_eigh_options    e  = ga_eigh_defaults;
    ga_to_options      to = ga_to_defaults;
    ga_product_options p  = ga_product_defaults;
    e.site = to.site = p.site = o.site;
    shape.n[shape.ndim++]     = mean->size;
    const ga_array *z = (ga_random_normal)(0, 1, shape, o), *wide = (ga_astype)(cov, GA_F64, o.site);
    if (z && wide && (ga_eigh)(wide, &w, &v, e)) {
        const ga_array *known = gi_copy_on_cpu(o.site, w);
        const double   *value = known && mean->size > 0 ? (const double *)known->data : NULL;
        if (value && !(value[0] >= -1e-8 * fabs(value[mean->size - 1])))
            gi_fail(o.site, GA_BAD_ARGUMENT, "cov has the eigenvalue %g: it must be symmetric without eigenvalues below 0",
                    value[0]);
        else if (known) {
            ga_array *roots = GI_DO_2(&c, multiply, v, GI_DO_1(&c, sqrt, GI_DO_2(&c, maximum, w, 0.0)));
            ga_array *by    = roots ? (ga_to)((ga_matrix_transpose)(roots, o.site), z->device, to) : NULL,
                     *from  = by ? (ga_to)(mean, z->device, to) : NULL;
            r               = from ? (ga_astype)(GI_DO_2(&c, add, (ga_matmul)(z, by, p), from), z->dtype, o.site) : NULL;
        }
    }
    return gi_compose_end(&c, r);
}
