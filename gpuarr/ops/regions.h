/* ---- more about labelled elements: where the extremes are, how far they spread, the boxes around them ------------------- */

/* False with an error. */
static bool gi_regions_check(const char *site, const ga_array *a, const ga_array *labels, const ga_array *index)
{
    return gi_labels_check(site, a, labels, index, false, true) != GA_DEVICE_DEFAULT &&
           (a->size > 0 || gi_fail(site, GA_BAD_SHAPE, "a has no elements") != NULL);
}

/* The labels that are asked for, int64, 1-D. */
static ga_array *gi_do_wanted(const gi_composition *c, const ga_array *labels, const ga_array *index)
{
    int64_t largest = 0;
    if (index) return (ga_astype)((ga_ravel)(index, c->site), GA_I64, c->site);
    return gi_largest_label(c->site, labels, &largest) ? gi_do_count(c, 1, largest, labels->device) : NULL;
}

/* Where the least and the greatest element of each label are in the flattened array, and whether there is one; of equal ones the first
   least, the last greatest (without labels: the first). */
typedef struct gi_extreme_places {
    ga_array *low, *high, *found;
} gi_extreme_places;

/* The extremes of a group so far, as keys, and where they are; low is -1: there are none. */
typedef struct gi_group_extremes {
    int64_t least, greatest, low, high;
} gi_group_extremes;

GI_BEGIN_FAST
/* Keys of n elements that are ordered as a sort orders them: NaNs are last and equal, and so are the zeros. */
static void gi_extreme_keys(const ga_array *a, int64_t first, int64_t n, int64_t *keys)
{
    const char *from = (const char *)a->data + first * ga_itemsize(a->dtype);
    GI_ARENA(double, x, GI_BLOCK);
    if (!gi_is_float(a->dtype)) {
        gi_cast(GA_I64, a->dtype, n, keys, from);
        for (int64_t i = 0; i < n && a->dtype == GA_U64; i++) keys[i] ^= INT64_MIN;
        return;
    }
    gi_cast(GA_F64, a->dtype, n, x, from);
    for (int64_t i = 0; i < n; i++) {
        const double  value = x[i] + 0.0; /* -0 becomes 0 */
        const int64_t bits  = (int64_t)gi_bits_f64(value);
        keys[i]             = value != value ? INT64_MAX : bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
    }
}

/* The extremes of the groups in a, packed, with int64 labels. */
static void gi_find_extremes(const gi_groups *g, const ga_array *a, const int64_t *labels, gi_group_extremes *found)
{
    GI_ARENA(int64_t, keys, GI_BLOCK);
    const gi_group_extremes none = { INT64_MAX, INT64_MIN, -1, -1 };
    for (int64_t group = 0; group < g->count; group++) found[group] = none;
    for (int64_t first = 0, n; first < a->size; first += n) {
        n = a->size - first < GI_BLOCK ? a->size - first : (int64_t)GI_BLOCK;
        gi_extreme_keys(a, first, n, keys);
        for (int64_t i = 0; i < n; i++) {
            const int64_t group = gi_group_of(g, labels[first + i]), key = keys[i];
            if (group < 0) continue;
            gi_group_extremes *e = &found[group];
            if (e->low < 0 || key < e->least) {
                e->least = key;
                e->low   = first + i;
            }
            if (key >= e->greatest) {
                e->greatest = key;
                e->high     = first + i;
            }
        }
    }
}
GI_END_FAST

/* On the CPU, one pass finds them. */
static gi_extreme_places gi_do_group_extremes(const gi_composition *c, const ga_array *flat, const ga_array *labels,
                                              const ga_array *index)
{
    GI_SETTLE_FLOATS;
    gi_extreme_places p, none;
    memset(&none, 0, sizeof none);
    ga_array *numbers = flat ? (ga_astype)((ga_ravel)(labels, c->site), GA_I64, c->site) : NULL;
    ga_array *wanted = numbers ? gi_do_wanted(c, labels, index) : NULL, *sorted = wanted ? (ga_copy)(wanted, c->site) : NULL;
    if (!sorted) return none;
    gi_groups g;
    memset(&g, 0, sizeof g);
    g.low = 1;
    if (index) gi_list_groups(&g, sorted);
    else g.count = sorted->size;
    const size_t       bytes = (size_t)g.count * sizeof(gi_group_extremes);
    gi_group_extremes *found = (gi_group_extremes *)gi_mem_alloc(c->site, bytes);
    p.low                    = found ? gi_array_new(c->site, GA_I64, GA_CPU, 1, wanted->shape) : NULL;
    p.high                   = p.low ? gi_array_new(c->site, GA_I64, GA_CPU, 1, wanted->shape) : NULL;
    p.found                  = p.high ? gi_array_new(c->site, GA_BOOL, GA_CPU, 1, wanted->shape) : NULL;
    if (p.found) gi_find_extremes(&g, flat, (const int64_t *)numbers->data, found);
    for (int64_t i = 0; p.found && i < wanted->size; i++) {
        const gi_group_extremes *e   = &found[gi_group_of(&g, ((const int64_t *)wanted->data)[i])];
        ((bool *)p.found->data)[i]   = e->low >= 0;
        ((int64_t *)p.low->data)[i]  = e->low >= 0 ? e->low : 0;
        ((int64_t *)p.high->data)[i] = e->low >= 0 ? e->high : 0;
    }
    gi_mem_release(found, bytes);
    return p.found ? p : none;
}

static gi_extreme_places gi_do_extreme_places(const gi_composition *c, const ga_array *a, const ga_array *labels,
                                              const ga_array *index)
{
    gi_extreme_places p, none;
    const int64_t     one[1] = { 1 };
    ga_array         *flat   = (ga_ravel)(a, c->site);
    memset(&none, 0, sizeof none);
    if (!labels) {
        p.low   = gi_do_reshape(c, gi_do_fold(c, (ga_argmin), flat, GA_AXIS_DEFAULT, false), 1, one);
        p.high  = gi_do_reshape(c, gi_do_fold(c, (ga_argmax), flat, GA_AXIS_DEFAULT, false), 1, one);
        p.found = p.low && p.high ? GI_DO_2(c, greater_equal, p.high, 0) : NULL;
        return p.found ? p : none;
    }
    if (a->device == GA_CPU) return gi_do_group_extremes(c, flat, labels, index);
    ga_searchsorted_options side    = ga_searchsorted_defaults;
    ga_array               *numbers = (ga_astype)((ga_ravel)(labels, c->site), GA_I64, c->site);
    const ga_array         *keys[2] = { flat, numbers };
    ga_array               *order = (ga_lexsort_n)(2, keys, c->site), *sorted = order ? gi_do_take(c, numbers, order, 0) : NULL;
    ga_array               *wanted = sorted ? gi_do_wanted(c, labels, index) : NULL;
    side.site                      = c->site;
    ga_array *first                = wanted ? (ga_searchsorted)(sorted, GA_ARG(wanted), side) : NULL;
    side.side                      = GA_RIGHT;
    ga_array *behind               = first ? (ga_searchsorted)(sorted, GA_ARG(wanted), side) : NULL;
    if (!behind) return none;
    p.found = GI_DO_2(c, less, first, behind);
    p.low   = gi_do_take(c, order, GI_DO_WHERE(c, p.found, first, 0), 0);
    p.high  = gi_do_take(c, order, GI_DO_WHERE(c, p.found, GI_DO_2(c, subtract, behind, 1), 0), 0);
    p.low   = GI_DO_WHERE(c, p.found, p.low, 0);
    p.high  = GI_DO_WHERE(c, p.found, p.high, 0);
    return p.low && p.high ? p : none;
}

/* (n, ndim) of places in the flattened array. */
static ga_array *gi_do_rows_of(const gi_composition *c, const ga_array *places, const ga_array *a)
{
    ga_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.ndim = a->ndim;
    memcpy(shape.n, a->shape, sizeof shape.n);
    return places ? (ga_matrix_transpose)((ga_unravel_index)(GA_ARG(places), shape, c->site), c->site) : NULL;
}

ga_array *(ga_minimum_position)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    gi_composition c;
    if (!gi_regions_check(site, a, labels, index)) return NULL;
    gi_compose_begin(&c, site);
    return gi_compose_end(&c, gi_do_rows_of(&c, gi_do_extreme_places(&c, a, labels, index).low, a));
}
ga_array *(ga_maximum_position)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    gi_composition c;
    if (!gi_regions_check(site, a, labels, index)) return NULL;
    gi_compose_begin(&c, site);
    return gi_compose_end(&c, gi_do_rows_of(&c, gi_do_extreme_places(&c, a, labels, index).high, a));
}

/* Hands out n results of a composition, or none; false with an error. */
static bool gi_compose_end_all(gi_composition *c, int n, ga_array *const *results, ga_array **const *outs)
{
    bool all = true;
    for (int k = 0; k < n; k++) all = all && results[k];
    for (int k = 0; k < n; k++)
        if (outs[k]) *outs[k] = all ? gi_compose_keep(c, results[k]) : NULL;
    gi_compose_end(c, NULL);
    return all;
}

bool(ga_extrema)(const ga_array *a, const ga_array *labels, const ga_array *index, ga_array **minimum, ga_array **maximum,
                 ga_array **minimum_position, ga_array **maximum_position, const char *site)
{
    ga_array **const outs[4]    = { minimum, maximum, minimum_position, maximum_position };
    ga_array        *results[4] = { NULL, NULL, NULL, NULL };
    for (int k = 0; k < 4; k++)
        if (outs[k]) *outs[k] = NULL;
    gi_composition c;
    if (!gi_regions_check(site, a, labels, index)) return false;
    gi_compose_begin(&c, site);
    const gi_extreme_places p    = gi_do_extreme_places(&c, a, labels, index);
    ga_array               *flat = p.high ? (ga_ravel)(a, site) : NULL,
             *none               = flat ? (ga_scalar)(GA_ARG(0), gi_new_on(site, a->dtype, a->device)) : NULL;
    if (none) {
        results[0] = GI_DO_WHERE(&c, p.found, gi_do_take(&c, flat, p.low, 0), none);
        results[1] = GI_DO_WHERE(&c, p.found, gi_do_take(&c, flat, p.high, 0), none);
        results[2] = gi_do_rows_of(&c, p.low, a);
        results[3] = gi_do_rows_of(&c, p.high, a);
    }
    return gi_compose_end_all(&c, 4, results, outs);
}

/* The mean square of the distances from the mean of the label. */
static ga_array *gi_do_variance(const gi_composition *c, const ga_array *a, const ga_array *labels, const ga_array *index)
{
    const int64_t one[1] = { 1 };
    if (labels && a->device == GA_CPU) return gi_measure_labels(c->site, GI_VARIANCE_OF, a, labels, index, NULL);
    ga_array *wide = (ga_astype)(a, GA_F64, c->site);
    if (!labels) return wide ? gi_do_reshape(c, gi_do_fold(c, (ga_var), wide, GA_AXIS_DEFAULT, false), 1, one) : NULL;
    ga_array *wanted = gi_do_wanted(c, labels, index), *sorted = wanted ? (ga_unique_values)(wanted, c->site) : NULL;
    if (!sorted || sorted->size == 0) return sorted ? (ga_astype)(sorted, GA_F64, c->site) : NULL;
    ga_searchsorted_options side = ga_searchsorted_defaults;
    side.site                    = c->site;
    ga_array *means              = (ga_mean_labels)(wide, labels, sorted, c->site);
    ga_array *place              = means ? (ga_searchsorted)(sorted, GA_ARG((ga_astype)(labels, GA_I64, c->site)), side) : NULL;
    ga_array *known              = place ? GI_DO_2(c, minimum, place, sorted->size - 1) : NULL;
    ga_array *mean               = known ? gi_do_take(c, means, known, 0) : NULL;
    ga_array *away               = mean ? GI_DO_2(c, subtract, wide, mean) : NULL;
    ga_array *square             = away ? GI_DO_1(c, square, away) : NULL;
    return square ? (ga_mean_labels)(square, labels, index ? index : wanted, c->site) : NULL;
}

ga_array *(ga_variance)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    gi_composition c;
    if (!gi_regions_check(site, a, labels, index)) return NULL;
    gi_compose_begin(&c, site);
    return gi_compose_end(&c, gi_do_variance(&c, a, labels, index));
}
ga_array *(ga_standard_deviation)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    gi_composition c;
    if (!gi_regions_check(site, a, labels, index)) return NULL;
    gi_compose_begin(&c, site);
    return gi_compose_end(&c, GI_DO_1(&c, sqrt, gi_do_variance(&c, a, labels, index)));
}

static bool gi_check_whole(const char *site, const ga_array *a, const char *name)
{
    if (!gi_array_check(site, a, name)) return false;
    if (gi_dtype_kind(a->dtype) < 2 && a->dtype != GA_BOOL) return true;
    gi_fail(site, GA_BAD_DTYPE, "%s is %s: use integers", name, ga_dtype_name(a->dtype));
    return false;
}

/* A box, begin and end along each axis, grows to hold places at[d], and of the last axis begin to end; where its ends are 0 it holds none. */
static inline void gi_extend_box(int ndim, int64_t *box, const int64_t *at, int64_t begin, int64_t end)
{
    for (int d = 0; d < ndim; d++, box += 2) {
        const int64_t low = d < ndim - 1 ? at[d] : begin, high = d < ndim - 1 ? at[d] + 1 : end;
        if (box[1] == 0 || low < box[0]) box[0] = low;
        if (high > box[1]) box[1] = high;
    }
}

/* Each part of the rows has boxes of its own; they are joined at the end. */
typedef struct gi_boxing {
    const ga_array *labels;
    int64_t         largest, parts, rows;
    int64_t        *boxes, *more; /* of the labels 1 to largest: those of part 0, which are 0 at first; of each other part */
} gi_boxing;

static int64_t *gi_boxes_of(const gi_boxing *j, int64_t part)
{
    return part == 0 ? j->boxes : j->more + (part - 1) * j->largest * j->labels->ndim * 2;
}

GI_BEGIN_FAST
/* A unit is a part: its boxes, row by row. */
static void gi_extend_boxes(int64_t begin, int64_t end, void *job)
{
    const gi_boxing *j    = (const gi_boxing *)job;
    const int        ndim = j->labels->ndim;
    const int64_t    n = j->labels->shape[ndim - 1], size = ga_itemsize(j->labels->dtype), largest = j->largest;
    int64_t          at[GPUARR_MAX_DIMS], row[GI_BLOCK];
    for (int64_t part = begin; part < end; part++) {
        int64_t *boxes = gi_boxes_of(j, part);
        if (part > 0) memset(boxes, 0, (size_t)(largest * ndim * 2) * sizeof *boxes);
        for (int64_t line = part * j->rows / j->parts; line < (part + 1) * j->rows / j->parts; line++) {
            gi_unravel(line * n, ndim, j->labels->shape, at);
            for (int64_t x = 0, m; x < n; x += m) {
                m = n - x < GI_BLOCK ? n - x : GI_BLOCK;
                gi_cast(GA_I64, j->labels->dtype, m, row, (const char *)j->labels->data + (line * n + x) * size);
                for (int64_t i = 0, first; i < m;) {
                    const int64_t label = row[first = i];
                    while (++i < m && row[i] == label) continue;
                    if (label >= 1 && label <= largest)
                        gi_extend_box(ndim, boxes + (label - 1) * ndim * 2, at, x + first, x + i);
                }
            }
        }
    }
}

/* The boxes of part 0 grow to hold those of all parts. */
static void gi_join_boxes(const gi_boxing *j)
{
    for (int64_t part = 1; part < j->parts; part++)
        for (int64_t i = 0; i < j->largest * j->labels->ndim; i++) {
            int64_t       *box  = j->boxes + 2 * i;
            const int64_t *more = gi_boxes_of(j, part) + 2 * i;
            if (more[1] == 0) continue;
            if (box[1] == 0 || more[0] < box[0]) box[0] = more[0];
            if (more[1] > box[1]) box[1] = more[1];
        }
}
GI_END_FAST

/* Fills the boxes of the labels 1 to largest, which are 0. False: no memory. */
static bool gi_find_boxes(const char *site, const ga_array *labels, int64_t largest, int64_t *boxes)
{
    gi_boxing j = { labels, largest, 1 + labels->size / (65536 + 32 * largest), 0, boxes, NULL };
    if (labels->size == 0 || largest == 0) return true;
    if (j.parts > ga_get_num_threads()) j.parts = ga_get_num_threads();
    j.rows             = labels->size / labels->shape[labels->ndim - 1];
    const size_t bytes = (size_t)((j.parts - 1) * largest * labels->ndim * 2) * sizeof *j.more;
    if (bytes > 0 && !(j.more = (int64_t *)gi_mem_alloc(site, bytes))) return false;
    gi_parallel(j.parts, 1, gi_extend_boxes, &j);
    gi_join_boxes(&j);
    gi_mem_release(j.more, bytes);
    return true;
}

ga_array *(ga_find_objects)(const ga_array *labels, int64_t max_label, const char *site)
{
    if (!gi_check_whole(site, labels, "labels")) return NULL;
    if (labels->ndim == 0) return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "labels has no dimensions");
    int64_t        largest = max_label;
    ga_to_options  there   = ga_to_defaults;
    gi_composition c;
    there.site = site;
    gi_compose_begin(&c, site);
    ga_array     *host     = gi_copy_on_cpu(site, labels);
    const bool    known    = host && (max_label > 0 || gi_largest_label(site, host, &largest));
    const int64_t shape[3] = { largest, labels->ndim, 2 };
    ga_array     *r        = known ? (ga_zeros_n)(3, shape, gi_new_on(site, GA_I64, GA_CPU)) : NULL;
    if (r && !gi_find_boxes(site, host, largest, (int64_t *)r->data)) r = NULL;
    return gi_compose_end(&c, r ? (ga_to)(r, labels->device, there) : NULL);
}

ga_array *(ga_value_indices)(const ga_array *a, ga_array **values, ga_array **counts, const char *site)
{
    ga_array        *r = NULL, *results[3] = { NULL, NULL, NULL };
    ga_array **const outs[3] = { &r, values, counts };
    if (values) *values = NULL;
    if (counts) *counts = NULL;
    if (!gi_check_whole(site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *flat = (ga_ravel)(a, site), *order = flat ? gi_do_along(&c, (ga_argsort), flat, 0) : NULL;
    ga_array *rows = order ? gi_do_rows_of(&c, order, a) : NULL;
    results[0]     = rows ? (ga_matrix_transpose)(rows, site) : NULL;
    results[1]     = rows ? (ga_unique_counts)(flat, &results[2], site) : NULL;
    return gi_compose_end_all(&c, 3, results, outs) ? r : NULL;
}

/* ---- watershed: the image foresting transform (Falcao, Stolfi, Lotufo 2004) -------------------------------------------------- */
/*  An element costs the greatest step on the best way to it from a marker. What costs as much is a ring that begins and ends at a head, and is
    taken in the order last in, first out; of negative labels later, the first in first.                                       */

typedef struct gi_flood_links {
    struct gi_flood_links *next, *prev; /* in the ring; itself, if it is in none */
} gi_flood_links;

typedef struct gi_flood {
    gi_flood_links links; /* the first member */
    int64_t        label;
    int32_t        cost; /* -1 when it is final */
    uint16_t       value;
    bool           edge; /* of the image: not all of its neighbours are there */
} gi_flood;

typedef struct gi_flooding {
    const ga_array *image;
    gi_flood_links *heads;
    gi_flood       *elements;
    int64_t         costs, count; /* of heads, and of neighbours: */
    int64_t        *cells, *away; /* their numbers in a box of three along each axis, and how far they are */
} gi_flooding;

GI_BEGIN_FAST
/* Moves an element to the ring of a cost. */
static inline void gi_flood_move(gi_flood *p, gi_flood_links *head, int32_t cost, int64_t label)
{
    gi_flood_links *own = &p->links, *before = label < 0 ? head->prev : head;
    p->label        = label;
    p->cost         = cost;
    own->prev->next = own->next;
    own->next->prev = own->prev;
    own->next       = before->next;
    own->prev       = before;
    own->next->prev = own;
    before->next    = own;
}

/* Is the neighbour of an element in the image? */
static bool gi_flood_reaches(const ga_array *image, int64_t element, int64_t cell)
{
    for (int d = image->ndim - 1; d >= 0; d--) {
        const int64_t x = element % image->shape[d] + cell % 3 - 1;
        if (x < 0 || x >= image->shape[d]) return false;
        element /= image->shape[d];
        cell /= 3;
    }
    return true;
}

static void gi_flood_run(const gi_flooding *f)
{
    for (int32_t cost = 0; cost < f->costs; cost++)
        for (gi_flood_links *head = f->heads + cost, *first = head->next; first != head; first = head->next) {
            gi_flood *v       = (gi_flood *)(void *)first;
            head->next        = first->next;
            first->next->prev = head;
            v->cost           = -1;
            for (int64_t k = 0; k < f->count; k++) {
                if (v->edge && !gi_flood_reaches(f->image, v - f->elements, f->cells[k])) continue;
                gi_flood     *p    = v + f->away[k];
                const int32_t rise = abs(p->value - v->value), most = rise < cost ? cost : rise;
                if (most < p->cost) gi_flood_move(p, f->heads + most, most, v->label);
            }
        }
}
GI_END_FAST

/* Neighbours other than the element itself, in the order of the structure. */
static void gi_flood_neighbours(gi_flooding *f, const uint8_t *structure, int64_t cells)
{
    f->count = 0;
    for (int64_t k = 0; k < cells; k++) {
        int64_t away = 0, apart = 1, left = k;
        for (int d = f->image->ndim - 1; d >= 0; d--, left /= 3) {
            away += (left % 3 - 1) * apart;
            apart *= f->image->shape[d];
        }
        if (!structure[k] || k == cells / 2) continue;
        f->cells[f->count]  = k;
        f->away[f->count++] = away;
    }
}

/* Every element and every head alone; then the markers at no cost. */
static void gi_flood_begin(const gi_flooding *f, const int64_t *markers)
{
    const int64_t size = f->image->size;
    for (gi_flood_links *p = f->heads; p < f->heads + f->costs; p++) p->next = p->prev = p;
    for (int64_t i = 0; i < size; i++) {
        const gi_flood alone = {
            { &f->elements[i].links, &f->elements[i].links }, 0, (int32_t)f->costs, (uint16_t)gi_label_at(f->image, i), false
        };
        f->elements[i] = alone;
    }
    for (int64_t d = f->image->ndim - 1, apart = 1; d >= 0 && size > 0;
         d--) { /* the first ones along an axis, and the last ones */
        const int64_t all = apart * f->image->shape[d];
        for (int64_t i = 0; i < size; i += all)
            for (int64_t k = 0; k < apart; k++) f->elements[i + k].edge = f->elements[i + all - apart + k].edge = true;
        apart = all;
    }
    for (int64_t i = 0; i < size; i++)
        if (markers[i] != 0) gi_flood_move(f->elements + i, f->heads, 0, markers[i]);
}

/* Labels on the CPU become those of the whole image. False with an error: no memory. */
static bool gi_flood_labels(const char *site, const ga_array *image, const ga_array *structure, int64_t *labels)
{
    gi_flooding f;
    int64_t     least = INT64_MAX, most = 0;
    for (int64_t i = 0; i < image->size; i++) {
        const int64_t x = gi_label_at(image, i);
        least           = x < least ? x : least;
        most            = x > most ? x : most;
    }
    f.image            = image;
    f.costs            = image->size > 0 ? most - least + 1 : 0;
    const size_t bytes = (size_t)f.costs * sizeof *f.heads + (size_t)image->size * sizeof *f.elements +
                         (size_t)structure->size * 2 * sizeof *f.cells;
    f.heads = (gi_flood_links *)gi_mem_alloc(site, bytes);
    if (!f.heads) return false;
    f.elements = (gi_flood *)(void *)(f.heads + f.costs);
    f.cells    = (int64_t *)(void *)(f.elements + image->size);
    f.away     = f.cells + structure->size;
    gi_flood_neighbours(&f, (const uint8_t *)structure->data, structure->size);
    gi_flood_begin(&f, labels);
    gi_flood_run(&f);
    for (int64_t i = 0; i < image->size; i++) labels[i] = f.elements[i].label;
    gi_mem_release(f.heads, bytes);
    return true;
}

ga_array *(ga_watershed_ift)(const ga_array *a, const ga_array *markers, ga_binary_options o)
{
    if (!gi_options_binary(&o) || !gi_check_on_cpu(o.site, a, "a") || !gi_check_on_cpu(o.site, markers, "markers") ||
        (o.structure && !gi_check_on_cpu(o.site, o.structure, ".structure")) || !gi_check_whole(o.site, markers, "markers"))
        return NULL;
    if (a->dtype != GA_U8 && a->dtype != GA_U16)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "a is %s: use uint8 or uint16", ga_dtype_name(a->dtype));
    if (!ga_same_shape(a, markers))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has shape %s, markers %s", gi_shape_of(a), gi_shape_of(markers));
    if (o.iterations != 1 || o.mask || o.border_value || o.origin.ndim > 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_watershed_ift takes .structure and .out alone");
    bool threes = !o.structure || o.structure->ndim == a->ndim;
    for (int d = 0; threes && o.structure && d < a->ndim; d++) threes = o.structure->shape[d] == 3;
    if (!threes)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, ".structure has shape %s: use 3 along each axis of a",
                                   gi_shape_of(o.structure));
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *image = gi_copy_contiguous(o.site, a, a->dtype), *r = image ? gi_copy_convert(o.site, markers, GA_I64) : NULL;
    ga_array *cells = !r            ? NULL
                      : o.structure ? gi_copy_contiguous(o.site, o.structure, GA_BOOL)
                                    : (ga_generate_binary_structure)(a->ndim, 1, o.site);
    if (!cells || !gi_flood_labels(o.site, image, cells, (int64_t *)r->data)) return gi_compose_end(&c, NULL);
    return gi_compose_end(&c, gi_copy_finish(o.site, r, markers->dtype, o.out));
}
