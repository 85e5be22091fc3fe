/* ---- fingerprints ----------------------------------------------------------------------------------------------------------- */
/*  What is computed, in a number: ranks compare whether they compute the same, and ga_store whether a rerun goes on with the same array.  */

static uint64_t gi_print_hash(uint64_t hash, const void *bytes, size_t n) /* FNV-1a */
{
    for (const unsigned char *p = (const unsigned char *)bytes; n > 0; n--, p++) hash = (hash ^ *p) * 0x100000001b3u;
    return hash;
}

static uint64_t gi_print_hash_text(uint64_t hash, const char *text) { return gi_print_hash(hash, text, strlen(text) + 1); }

/* Shape, dtype and elements; of many elements some. Of a deferred array: what it shows of its node, whose fingerprint that is. */
static uint64_t gi_print_view(uint64_t hash, const ga_array *a, uint64_t node)
{
    enum { MOST = 1 << 16 };
    hash = gi_print_hash(hash, a->shape, (size_t)a->ndim * sizeof *a->shape);
    hash = gi_print_hash_text(hash, ga_dtype_name(a->dtype));
    if (gi_is_deferred(a)) {
        int64_t offset = (char *)a->data - GI_NOWHERE;
        hash           = gi_print_hash(hash, &node, sizeof node);
        hash           = gi_print_hash(hash, &offset, sizeof offset);
        return gi_print_hash(hash, a->strides, (size_t)a->ndim * sizeof *a->strides);
    }
    if (a->device != GA_CPU) return hash;
    for (int64_t i = 0, step = a->size > MOST ? a->size / MOST : 1; i < a->size; i += step) {
        const char *p    = (const char *)a->data;
        int64_t     rest = i;
        for (int d = a->ndim - 1; d >= 0; d--) {
            p += rest % a->shape[d] * a->strides[d];
            rest /= a->shape[d];
        }
        hash = gi_print_hash(hash, p, (size_t)ga_itemsize(a->dtype));
    }
    return hash;
}

/* The operation, by the text of its call (its line may move), its numbers and what it works on. */
static uint64_t gi_print_node(gi_lazy *n)
{
    if (n->mark == gi_computing.mark) return n->print;
    const char *call = n->site ? strchr(n->site, '\t') : NULL;
    uint64_t    seed = gi_computing.of_ranks ? 0 : n->seed;
    uint64_t    hash = gi_print_hash_text(gi_print_hash(0xcbf29ce484222325u, &seed, sizeof seed), n->kind->name);
    hash             = gi_print_hash_text(gi_print_hash_text(hash, call ? call : ""), ga_dtype_name(n->dtype));
    hash             = gi_print_hash(hash, n->shape, (size_t)n->ndim * sizeof *n->shape);
    if (n->value) hash = gi_print_view(hash, n->value, 0);
    if (n->kind == gi_kind_map()) {
        const gi_map_plan *p = (const gi_map_plan *)n->plan;
        for (int k = 0; k < p->inputs; k++) {
            if (p->in[k].array) continue;
            hash = gi_print_hash(hash, &p->in[k].kind, sizeof p->in[k].kind);
            hash = gi_print_hash(hash, &p->in[k].i, sizeof p->in[k].i);
            hash = gi_print_hash(hash, &p->in[k].re, sizeof p->in[k].re);
            hash = gi_print_hash(hash, &p->in[k].im, sizeof p->in[k].im);
        }
    } else if (n->kind == gi_kind_pass()) {
        hash = gi_print_hash(hash, &((const gi_pass_plan *)n->plan)->print, sizeof(uint64_t));
    } else if (n->kind == gi_kind_generator()) {
        char    element[8 * 16]; /* by the first, some middle, and the last elements */
        int64_t size = gi_shape_size(n->ndim, n->shape), some = size < 8 ? size : 8;
        for (int k = 0; k < 3; k++) {
            gi_generate_some((const gi_generator_plan *)n->plan, n->dtype, (size - some) / 2 * k, some, 1, element);
            hash = gi_print_hash(hash, element, (size_t)(some * ga_itemsize(n->dtype)));
        }
    } else if (n->kind == gi_kind_fold()) {
        const gi_fold_plan *p = (const gi_fold_plan *)n->plan;
        hash                  = gi_print_hash(hash, p->marked, sizeof p->marked);
        hash                  = gi_print_hash(gi_print_hash_text(hash, p->name ? p->name : ""), &p->o.ddof, sizeof p->o.ddof);
    }
    for (int k = 0; k < n->inputs; k++) {
        const ga_array *in = n->in[k];
        hash               = gi_print_view(hash, in, gi_is_deferred(in) ? gi_print_node(in->owner->node) : 0);
    }
    n->mark         = gi_computing.mark;
    return n->print = hash;
}

static uint64_t gi_print_array(uint64_t hash, const ga_array *a)
{
    return gi_print_view(hash, a, gi_is_deferred(a) ? gi_print_node(a->owner->node) : 0);
}

/* Of what a call computes, for other ranks to compare. */
static uint64_t gi_print_arrays(int n, const ga_array *const *arrays)
{
    uint64_t hash = 0xcbf29ce484222325u;
    gi_computing.mark++;
    gi_computing.of_ranks = true;
    for (int k = 0; k < n; k++) hash = gi_print_array(hash, arrays[k]);
    gi_computing.of_ranks = false;
    gi_computing.mark++;
    return hash;
}
