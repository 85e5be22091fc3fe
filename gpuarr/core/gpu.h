/* ---- the port to the GPU --------------------------------------------------------------------------------------------- */
/*  All that the rest asks of a GPU goes through these functions; gpuarr/cuda/port.h fills them in. Where a program was built without
    CUDA, gi_gpu is NULL, and then no array can be on a GPU: what stands behind `a->device == GA_CUDA` may call it unasked. What a
    function returns is false or NULL with an error, unless the comment says otherwise.                                        */

enum { GI_MOST_GPUS = 16 };

typedef void (*gi_gpu_kernel)(void); /* an elementwise kernel, of which only the GPU's side knows the parameters */

/* What the calls are planned as (gpuarr/plans). */
struct gi_job;
struct gi_program;
struct gi_lines;
struct gi_order;
struct gi_reducing;
struct gi_stencil;
struct gi_correlation;
struct gi_fourier_job;
struct gi_window;
struct gi_product;
struct gi_linear_job;
struct gi_solver_job;
struct gi_distances;
struct gi_indexed_from;

typedef struct gi_gpu_print {
    size_t of[16];
} gi_gpu_print;

typedef struct gi_gpu_port {
    gi_gpu_print print; /* GI_GPU_PRINT, as it was compiled there */

    /* devices */
    int (*count)(void);          /* how many can be used */
    int (*selected)(void);       /* the one of this thread's calls */
    void (*turn_to)(int device); /* from now on it is this one; it is known to exist */
    bool (*select)(const char *site, int device);
    bool (*use)(const char *site); /* the selected one becomes the runtime's current one, too */
    ga_cuda_device (*properties)(const char *site, int device);
    ga_cuda_memory (*memory_stats)(const char *site);
    void (*memory_reset_peak)(void);
    void (*memory_limit)(int64_t bytes);
    void (*memory_trim)(const char *site);
    void (*lock)(void); /* around a fork */
    void (*unlock)(void);
    void (*forked)(void); /* in the child, where CUDA does not work any more */
    void (*shutdown)(void);

    /* buffers */
    bool (*alloc_buffer)(const char *site, gi_buffer *b); /* on a GPU, or pinned */
    void (*finish_buffer)(gi_buffer *b);                  /* waits for what may still use it */
    void (*release_buffer)(gi_buffer *b);
    void (*await_buffer)(const gi_buffer *b);       /* waits for all work on its GPU; the runtime's current device stays */
    bool (*settle)(const char *site, gi_buffer *b); /* waits for a copy from or to this memory of the CPU */
    bool (*owner)(const char *site, const void *p, ga_device device, int *ordinal,
                  bool *managed);                                          /* of memory that is wrapped */
    void (*adopt)(gi_buffer *b, int ordinal, bool managed);                /* wrapped memory */
    int (*ordinal)(const ga_array *a);                                     /* where an array is */
    bool (*touch)(const char *site, int n, const ga_array *const *arrays); /* before work on them; NULLs are passed over */
    bool (*touch_on)(const char *site, const ga_array *a, ga_stream stream);
    bool (*hand_over)(const char *site, const ga_array *a,
                      ga_stream stream);                        /* what is queued there from now on finds it complete */
    void *(*managed_data)(const char *site, const ga_array *a); /* for the CPU; waits */

    /* copies */
    ga_array *(*bring)(const char *site, const ga_array *a, ga_device device,
                       const ga_to_options *o);                                           /* what is on the CPU is packed */
    bool (*upload)(const char *site, ga_array *to, const ga_array *packed);               /* of one dtype and shape */
    bool (*read)(const char *site, const ga_array *a, const void *element, void *number); /* one element, from any GPU */
    bool (*fill)(const char *site, ga_array *a, const void *element);                     /* a new array */
    bool (*clear)(const char *site, ga_array *a);
    ga_array *(*convert)(const char *site, const ga_array *a, ga_dtype dtype); /* packed, on the same GPU */

    /* streams, events and clocks */
    ga_stream (*new_stream)(const char *site);
    void (*free_stream)(const char *site, ga_stream stream);
    bool (*set_stream)(const char *site, ga_stream stream);
    ga_stream (*stream)(void); /* the current one */
    bool (*finish_stream)(const char *site, ga_stream stream);
    bool (*query_stream)(const char *site, ga_stream stream);
    bool (*wait_event)(const char *site, ga_stream stream, ga_event event);
    ga_event (*new_event)(const char *site);
    void (*free_event)(const char *site, ga_event event);
    bool (*record)(const char *site, ga_event event, ga_stream stream);
    bool (*reach)(const char *site, ga_event event);
    bool (*query_event)(const char *site, ga_event event);
    double (*elapsed)(const char *site, ga_event from, ga_event to); /* NaN with an error */
    void (*synchronize)(const char *site);                           /* every device that has been used */
    bool (*in_use)(void);                                            /* has the selected device been used? */

    /* kernels of the user's, launched by ga_launch */
    bool (*launch_begin)(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream);
    bool (*launch_end)(const char *site, const char *kernel);

    /* elementwise: kernels, NULL where there is none, and jobs whose operands are complete */
    gi_gpu_kernel (*row)(ga_op op, ga_dtype dtype);               /* of the table */
    gi_gpu_kernel (*choice)(int64_t itemsize);                    /* ga_where */
    gi_gpu_kernel (*closeness)(bool complex_, bool nan_is_close); /* ga_isclose */
    gi_gpu_kernel (*mixed_signs)(ga_op op);                       /* int64 compared with uint64 */
    gi_gpu_kernel (*next_half)(ga_op op, ga_dtype half);          /* spacing, nextafter */
    gi_gpu_kernel (*easy_power)(double exponent, ga_dtype dtype);
    gi_gpu_kernel (*whole)(void); /* of float64 */
    bool (*run)(const char *site, struct gi_job *j);
    bool (*takes_program)(const struct gi_program *p); /* can it compute all of its ops? (no error) */
    bool (*run_program)(const char *site, const struct gi_program *p);
    bool (*generate)(const char *site, ga_array *a, ga_dtype made, int generator, const void *plan,
                     const struct gi_indexed_from *from);

    /* reductions, over lines that are not empty, into new arrays */
    bool (*folds_wider)(ga_op op, ga_dtype dtype); /* is a narrower dtype converted before? (no error) */
    bool (*reduce)(const char *site, ga_op op, const struct gi_lines *p, ga_array *result);
    int64_t (*acc_bytes)(ga_op op, ga_dtype from, ga_dtype to); /* of what block_accs makes; 0: it cannot */
    bool (*block_accs)(const char *site, ga_op op, const struct gi_lines *p, char *accs); /* of one line, to the CPU */
    bool (*moment)(const char *site, int what, bool skip_nan, bool shifted, int ddof, const struct gi_lines *p,
                   ga_array *result);
    bool (*join_parts)(const char *site, int what, ga_array *re, const ga_array *im, double n, int ddof); /* moments, in re */
    bool (*find_places)(const char *site, bool largest, bool skip_nan, const struct gi_lines *p, ga_array *places,
                        bool *nothing);
    bool (*reduce_own)(const char *site, const struct gi_reducing *r, ga_array *result);
    ga_array *(*dot)(const char *site, const ga_array *x, const ga_array *y); /* vectors of one dtype */

    /* order and choice */
    bool (*sort)(const char *site, const ga_array *a, ga_array *result, int axis, bool indices);
    bool (*order)(const char *site, const struct gi_order *o);
    ga_array *(*unique)(const char *site, const ga_array *a, const ga_unique_options *o);
    ga_array *(*take)(const char *site, const ga_array *a, int axis, const ga_array *indices, ga_take_mode mode);
    bool (*scatter)(const char *site, ga_array *to, const ga_array *sorted, const ga_array *order, const ga_array *values,
                    bool add); /* at places that ascend; number order[k] of the values (or the only one) is for place k */
    bool (*bisect)(const char *site, const ga_array *sorted, const ga_array *needles, bool right, ga_array *places);
    ga_array *(*chosen)(const char *site, const ga_array *condition, const ga_array *a); /* a is NULL: the indices */
    ga_array *(*keep_between)(const char *site, const ga_array *x, double low, double high);
    bool (*between)(const char *site, const ga_array *x, double low, double high, ga_array *flags, bool inside);
    ga_array *(*count_bins)(const char *site, const ga_array *a, const ga_array *weights, int64_t bins, const double *edges);
    bool (*scan)(const char *site, const ga_array *in, ga_dtype dtype, ga_array *out, int axis, ga_dtype wide, ga_op op);

    /* products, neighbours, images */
    bool (*product)(const char *site, struct gi_product *p);
    bool (*linear)(const char *site, const ga_array *on, const struct gi_linear_job *j); /* `on` is one of its arrays */
    bool (*distances)(const char *site, const struct gi_distances *d, const ga_array *x, const ga_array *y, ga_array *result);
    bool (*squareform)(const char *site, const ga_array *from, ga_array *to);
    bool (*correlate)(const char *site, const struct gi_correlation *c);
    bool (*correlate_factored)(const char *site, const struct gi_correlation *c); /* the weights may be an outer product */
    bool (*fourier)(const char *site, const struct gi_fourier_job *j);
    bool (*correlate_fft)(const char *site, const struct gi_correlation *c); /* by cuFFT; NULL: it is not there */
    bool (*factor)(const char *site, struct gi_solver_job *j);               /* by cuSOLVER; NULL: it is not there */
    bool (*window)(const char *site, const ga_array *a, const struct gi_window *w);
    bool (*stencil_steps)(const char *site, const ga_stencil_kernel *k, struct gi_stencil *s, int64_t steps, ga_array *result,
                          ga_array *other);
    ga_array *(*label)(const ga_array *a, ga_dtype dtype, int connectivity, const ga_label_options *o);
    ga_array *(*measure)(const char *site, int what, const ga_array *a, const ga_array *labels, const ga_array *index,
                         int64_t largest);
} gi_gpu_port;

#if GI_HAS_CUDA || defined(GPUARR_WITH_CUDA)
extern GI_HIDDEN const gi_gpu_port gi_cuda_port;
#endif
#if !GI_HAS_CUDA && !defined(GPUARR_WITH_CUDA)
static const gi_gpu_port *const gi_gpu           = NULL;
static const bool               gi_gpu_is_unlike = false;
#elif GI_APART
static const gi_gpu_port *gi_gpu = &gi_cuda_port;
static bool               gi_gpu_is_unlike; /* it was compiled with other options; gi_gpu is NULL then (ops/devices.h) */
#else
static const gi_gpu_port *const gi_gpu           = &gi_cuda_port;
static const bool               gi_gpu_is_unlike = false;
#endif
