/* ---- deferred arrays: the port to the layer of chunked ones -------------------------------------------------------------- */
/*  A chunked array has a node in place of elements. What lies below the layer that knows about nodes asks it through this port: a call
    with a deferred operand hands itself over, and gets a deferred result. Each entry checks what is left to check (.out), makes a node
    and returns NULL, with an error, if it cannot.                                                                               */

struct gi_row;
struct gi_map_call;
struct gi_generator;
struct gi_contraction;
struct gi_conv_call;
struct gi_filter;
struct gi_rank_rule;
struct gi_window;
struct gi_reducing;

/* What a pass of a formula makes: elementwise, of any number of arrays that broadcast to its shape. */
typedef struct gi_pass_call {
    const char            *site;
    ga_dtype               dtype;
    int                    ndim, n;
    int64_t                shape[GPUARR_MAX_DIMS];
    const ga_array *const *in;
    const void            *plan; /* is copied */
    size_t                 plan_bytes;
    bool                   over;  /* may results be written over pieces of an input? */
    uint64_t               print; /* of what the inputs do not tell: the formula and its numbers */
    /* Makes a piece in `out`, of pieces of the inputs in memory of the CPU. False with an error. */
    bool (*make)(const char *site, const void *plan, ga_array *const *in, ga_array *out);
} gi_pass_call;

typedef struct gi_deferred_port {
    /* elementwise, in any number of results: into c->out */
    bool (*map)(const struct gi_map_call *c, int ndim, const int64_t *shape);
    ga_array *(*pass)(const gi_pass_call *c);
    /* reductions, whose result is of `dtype`: a row of the table; mean, var and std; argmax and the like (of int64) */
    ga_array *(*row)(const struct gi_row *row, ga_dtype dtype, const ga_array *a, const ga_reduce_options *o);
    ga_array *(*moment)(gi_moment what, bool skip_nan, const char *name, ga_dtype dtype, const ga_array *a,
                        const ga_reduce_options *o);
    ga_array *(*place)(const struct gi_row *row, const char *name, bool skip_nan, const ga_array *a,
                       const ga_reduce_options *o);
    /* a reduction of the user's; r: its plan, whose result has that shape */
    ga_array *(*reduce)(const ga_reduction *asked, const struct gi_reducing *r, int operands, const ga_arg *in,
                        const ga_reduce_options *o, int ndim, const int64_t *shape);
    /* medians, and percentiles: those of q, as float64 */
    ga_array *(*median)(const char *name, bool skip_nan, ga_dtype dtype, const ga_array *a, const ga_order_options *o);
    ga_array *(*percentile)(const char *name, bool skip_nan, double whole, ga_dtype dtype, const ga_array *a, ga_arg q,
                            const ga_array *percent, const ga_order_options *o);
    /* along an axis; kth: partitioned there, -1: sorted */
    ga_array *(*sort)(const ga_array *a, int axis, bool indices, int64_t kth, const ga_axis_options *o);
    ga_array *(*scan)(const ga_array *a, int axis, ga_dtype dtype, ga_dtype wide, const struct gi_row *row,
                      const ga_axis_options *o);
    /* n arrays behind each other, or on top of each other */
    ga_array *(*join)(int n, const ga_array *const *arrays, ga_dtype dtype, int axis, bool stacked, int ndim,
                      const int64_t *shape, const ga_axis_options *o);
    /* products of matrices, einsum; distances of points (y: NULL for pairs) */
    ga_array *(*contraction)(const struct gi_contraction *c, const ga_array *out);
    ga_array *(*distances)(const ga_array *x, const ga_array *y, ga_dtype dtype, int ndim, const int64_t *shape,
                           const ga_distance_options *o);
    /* of neighbours: convolutions, filters that weigh, filters that choose, stencils of the user's */
    ga_array *(*correlation)(const struct gi_conv_call *q);
    ga_array *(*filter)(const struct gi_filter *f, const ga_array *a, const ga_array *out);
    ga_array *(*choice)(const ga_array *a, const struct gi_rank_rule *rule, const ga_array *footprint,
                        const struct gi_window *w, const ga_window_options *o);
    ga_array *(*stencil)(const ga_stencil_kernel *k, int n, const ga_arg *operands, const ga_stencil_options *o);
    /* made of numbers, with .chunks: ga_full, what a generator makes as `from`, ga_eye, ga_indices of these lines */
    ga_array *(*full)(int ndim, const int64_t *shape, ga_arg value, const ga_new_options *o);
    ga_array *(*generator)(const char *site, ga_dtype dtype, ga_device device, const ga_shape *shape, ga_dtype from,
                           const struct gi_generator *generator, const void *plan, size_t plan_bytes, const ga_shape *chunks);
    ga_array *(*eye)(const ga_shape *shape, int64_t k, const ga_new_options *o);
    ga_array *(*grid)(const ga_new_options *o, ga_dtype dtype, const ga_shape *shape, ga_array *const *lines);
    /* the lengths of its chunks */
    ga_shape (*chunks)(const ga_array *a);
    /* the elements of a, in memory */
    ga_array *(*compute)(const char *site, const ga_array *a);
    /* what ga_to_string says of it; free() it */
    char *(*text)(const char *site, const ga_array *a);
    /* the last array that shows a node is gone */
    void (*free_node)(gi_lazy *n);
} gi_deferred_port;

#ifdef GPUARR_STATIC
/* Set by what makes the first deferred array, so that a program that makes none need not be built with that layer. */
static const gi_deferred_port *gi_deferred_layer;
static const gi_deferred_port *gi_deferred(void) { return __atomic_load_n(&gi_deferred_layer, __ATOMIC_RELAXED); }
#else
extern const gi_deferred_port  gi_chunks_port;
static const gi_deferred_port *gi_deferred(void) { return &gi_chunks_port; }
#endif

/* Are its elements still to be computed? */
static bool gi_is_deferred(const ga_array *a) { return a->owner && a->owner->node; }

/* A call with .chunks: can it make a deferred array? False with an error. */
static bool gi_can_defer(const char *site)
{
#ifdef GPUARR_STATIC
    if (!gi_deferred())
        return gi_fail(site, GA_BAD_ARGUMENT,
                       "nothing in this program makes chunked arrays: write .chunks = ga_chunks(1000, 500)") != NULL;
#endif
    return (void)site, true;
}
