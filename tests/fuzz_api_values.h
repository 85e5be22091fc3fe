/* A part of fuzz_api.c: random values of each type that public functions take, draw_TYPE(NAME) for the parameter or option of that name, and
   what they are written as. */

/* ---- memory, and what is freed ---------------------------------------------------------------------------------------------- */

/*  The library's memory comes from here. The handle of an array that a call has freed stays for a while, and nobody else gets its
    memory: calls are given it as if it were an array. They may read whether it is one (`alive`) and nothing else of it. So does what
    a graph of tasks was made of. */
enum { BURIED = 32, KEPT = 256 };
static struct grave {
    ga_array *a;
    size_t    bytes;
} graves[BURIED];
static int       next_grave;
static ga_array *dying;      /* this thread frees it */
static bool      dead_given; /* to this call */
static void     *kept[KEPT]; /* of graphs */
static int       next_kept;
static bool      graph_dies;

static void *fuzz_alloc(size_t bytes, void *user)
{
    (void)user;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void empty_grave(struct grave *g)
{
    if (g->a) __asan_unpoison_memory_region(g->a, g->bytes);
    free(g->a);
    g->a = NULL;
}
static void fuzz_free(void *p, size_t bytes, void *user)
{
    (void)user;
    if (graph_dies) {
        free(kept[next_kept]);
        kept[next_kept] = p;
        next_kept       = (next_kept + 1) % KEPT;
        return;
    }
    if (p != (void *)dying) {
        free(p);
        return;
    }
    dying           = NULL;
    struct grave *g = &graves[next_grave];
    next_grave      = (next_grave + 1) % BURIED;
    empty_grave(g);
    g->a     = (ga_array *)p;
    g->bytes = bytes;
    __asan_poison_memory_region(p, bytes);
    __asan_unpoison_memory_region((const char *)p + offsetof(ga_array, alive) / 8 * 8, 8);
}

static void empty_graves(void)
{
    for (int i = 0; i < BURIED; i++) empty_grave(&graves[i]);
    for (int i = 0; i < KEPT; i++) {
        free(kept[i]);
        kept[i] = NULL;
    }
    next_grave = next_kept = 0;
}

static void bury(ga_array *a)
{
    dying = a;
    ga_free(a);
    dying = NULL;
}

/* ---- arrays --------------------------------------------------------------------------------------------------------------- */

static ga_array *pool[SLOTS];
static bool      in_use[SLOTS]; /* by the call */
static int       turn;          /* the next slot */
static ga_shape  like;          /* the shape of the call's first array; ndim -1: none yet */
static ga_dtype  like_dtype;
static bool      out_given; /* in this call */

static bool known(const ga_array *a)
{
    for (int i = 0; i < SLOTS; i++)
        if (pool[i] == a) return true;
    return false;
}

static void read_elements(const ga_array *a, int axis, const char *p)
{
    static volatile char sum;
    if (axis == a->ndim)
        for (int64_t i = 0; i < ga_itemsize(a->dtype); i++) sum = (char)(sum + p[i]);
    else
        for (int64_t i = 0; i < a->shape[axis]; i++) read_elements(a, axis + 1, p + i * a->strides[axis]);
}

/* Is it an array, whose elements are there? */
static bool sound(const ga_array *a)
{
    int64_t size = 1;
    if (a->dtype <= GA_DTYPE_DEFAULT || a->dtype >= GA_DTYPE_COUNT || a->ndim < 0 || a->ndim > GPUARR_MAX_DIMS ||
        a->device != GA_CPU)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] < 0 || __builtin_mul_overflow(size, a->shape[d], &size)) size = -1;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] == 0) size = 0;
    if (size != a->size) return false;
    if (!ga_is_chunked(a) && a->size > 0 && a->size <= SMALL) read_elements(a, 0, (const char *)a->data);
    return true;
}

/* A new array of a call becomes one of those at hand. */
static void adopt(ga_array *a)
{
    if (!a || known(a)) return;
    if (!sound(a)) {
        fault("an array is not sound: dtype %d, device %d, ndim %d, size %lld", (int)a->dtype, (int)a->device, a->ndim,
              (long long)a->size);
        return;
    }
    if (a->size > SMALL && !(ga_is_chunked(a) && chance(5))) {
        ga_free(a);
        return;
    }
    for (int k = 0; k < SLOTS && in_use[turn]; k++) turn = (turn + 1) % SLOTS;
    if (in_use[turn]) {
        ga_free(a);
        return;
    }
    bury(pool[turn]);
    pool[turn] = a;
    turn       = (turn + 1) % SLOTS;
}

static ga_dtype some_dtype(void) { return (ga_dtype)(GA_BOOL + below(GA_DTYPE_COUNT - GA_BOOL)); }

static ga_shape some_shape(void)
{
    ga_shape s;
    memset(&s, 0, sizeof s);
    s.ndim         = chance(5) ? below(GPUARR_MAX_DIMS + 1) : (int)ONE_OF(0, 1, 1, 2, 2, 2, 3);
    int     kind   = below(20);
    int64_t length = 1 + below(5);
    for (int d = 0; d < s.ndim; d++)
        s.n[d] = s.ndim > 4 ? 1 + below(2) : kind == 0 ? below(3) : kind < 10 ? length : 1 + below(6);
    if (kind == 1 && s.ndim > 0 && s.ndim < 3) { /* more than a block of 1024 */
        s.n[0]          = 60 + below(3) * 530;
        s.n[s.ndim - 1] = s.ndim == 2 ? 1 + below(2) : s.n[0];
    }
    return s;
}

/* Elements: small whole numbers, or of every kind. */
static void fill(ga_array *a)
{
    static const double special[] = { 0,      -0.0,  1,        -1,        0.5, 1e300,  -1e300, DBL_MAX,
                                      5e-324, 1e-40, INFINITY, -INFINITY, NAN, 9.2e18, 1e10,   3.7 };
    int                 kind      = below(3);
    int                 parts     = a->dtype == GA_C64 || a->dtype == GA_C128 ? 2 : 1;
    int64_t             width     = ga_itemsize(a->dtype) / parts;
    bool                real      = a->dtype >= GA_F32;
    for (int64_t i = 0; i < a->size * parts; i++) {
        char    *p     = (char *)a->data + i * width;
        uint64_t whole = kind == 0 ? (uint64_t)below(7) : kind == 1 && chance(30) ? 0 : bits();
        double   d     = kind == 0 ? below(9) - 2 : kind == 1 ? special[below(16)] : (double)(int64_t)bits() * 0x1p-60;
        float    f     = (float)d;
        if (a->dtype == GA_BOOL) whole &= 1;
        if (!real) memcpy(p, &whole, (size_t)width);
        else if (width == 2) memcpy(p, (char *)&f + 2, 2); /* as a bfloat16; another number as a float16 */
        else if (width == 4) memcpy(p, &f, 4);
        else memcpy(p, &d, 8);
    }
}

static ga_shape chunks_for(const ga_array *a)
{
    ga_shape c;
    memset(&c, 0, sizeof c);
    c.ndim = a->ndim;
    for (int d = 0; d < a->ndim; d++)
        c.n[d] = below(3) ? 1 + below((int)(a->shape[d] < 100 ? a->shape[d] + 1 : 100)) : a->shape[d];
    return c;
}

/* A new array of that shape, or a view of another kind of one, or chunked. */
static ga_array *make_array(ga_dtype dtype, ga_shape s)
{
    ga_array *a = ga_empty_n(s.ndim, s.n, .dtype = dtype), *v = NULL;
    if (!a) return NULL;
    fill(a);
    switch (below(8)) {
    case 0:
        if (s.ndim > 0) v = chance(50) ? ga_index(a, "::-1") : ga_index(a, "..., 1:");
        break;
    case 1: v = ga_transpose(a); break;
    case 2: v = (ga_chunked)(a, chunks_for(a), "fuzz\ta new array"); break;
    case 3:
        for (int d = 0; d < s.ndim; d++) s.n[d] = a->shape[d] == 1 ? 3 : a->shape[d];
        v = (ga_broadcast_to)(a, s, "fuzz\ta new array");
        break;
    default: return a;
    }
    ga_clear_error();
    if (!v) return a;
    ga_free(a);
    return v;
}

static const char *looks_of(const ga_array *a)
{
    static char out[200];
    int         n = snprintf(out, sizeof out, "%s (", ga_dtype_name(a->dtype));
    for (int d = 0; d < a->ndim; d++)
        n += snprintf(out + n, sizeof out - (size_t)n, "%s%lld", d ? ", " : "", (long long)a->shape[d]);
    snprintf(out + n, sizeof out - (size_t)n, ")%s", ga_is_chunked(a) ? " chunked" : ga_is_contiguous(a) ? "" : " view");
    return out;
}

static void write_array(const ga_array *a)
{
    for (int i = 0; i < BURIED; i++)
        if (a && graves[i].a == a) {
            write_text("freed");
            return;
        }
    for (int i = 0; i < SLOTS; i++)
        if (a && pool[i] == a) {
            write_text("v%d /* %s */", i, looks_of(a));
            return;
        }
    write_text("NULL");
}

static bool named(const char *name, const char *names) /* names: " a b c " */
{
    size_t n = strlen(name);
    for (const char *p = n > 0 ? names : ""; (p = strstr(p, name)) != NULL; p++)
        if (p[-1] == ' ' && p[n] == ' ') return true;
    return false;
}

static ga_array *freed_array(void)
{
    ga_array *a = make_array(some_dtype(), some_shape());
    bury(a);
    dead_given = dead_given || a;
    return a;
}

static ga_array *pick_array(const char *name)
{
    if (hostile()) return chance(50) ? freed_array() : NULL;
    ga_dtype dtype = some_dtype();
    ga_shape s     = some_shape();
    int      i     = below(SLOTS);
    if (like_dtype && chance(50)) dtype = like_dtype;
    if (named(name, " indices index labels ")) dtype = chance(80) ? GA_I64 : GA_I32;
    if (named(name, " where condition conditions footprint ")) dtype = GA_BOOL;
    if (like.ndim >= 0 && chance(60)) s = like;
    if (named(name, " index ") || (named(name, " v weights condition q indices ") && chance(50)))
        s.ndim = 1, s.n[0] = 1 + below(3);
    ga_array *a = NULL;
    if (chance(named(name, " indices conditions ") ? 15 : 60)) a = pool[i];
    if (named(name, " v weights ") || strcmp(functions_name(), "ga_roots") == 0) { /* a large one takes long */
        if (a && a->size > 200) a = NULL;
        for (int d = 0; d < s.ndim; d++) s.n[d] = s.n[d] > 10 ? 10 : s.n[d];
    }
    if (!a && (a = make_array(dtype, s)) != NULL) {
        adopt(a);
        if (!known(a)) a = NULL;
    }
    for (int k = 0; k < SLOTS; k++)
        if (pool[k] == a) in_use[k] = true;
    if (a && like.ndim < 0) {
        like.ndim = a->ndim;
        memcpy(like.n, a->shape, sizeof like.n);
        like_dtype = a->dtype;
    }
    return a;
}

/* ---- values of each type ----------------------------------------------------------------------------------------------------- */

/* What a long run, and not the library, takes: these are always given, and small. */
static bool limited(const char *name, int *value)
{
    if (named(name, " steps repeat warmup ")) *value = 1 + below(3);
    else return false;
    return true;
}

static bool option; /* the next value is one */

static bool given(const char *name)
{
    option = strcmp(name, "max_seconds") == 0 || chance(hostile_call ? 30 : 15);
    if (option) ARGUMENT(".%s = ", name);
    if (option && strcmp(name, "out") == 0) out_given = true;
    return option;
}

/* In front of a value: the comma, unless the option's name stands there. */
#define VALUE(...) (option ? (void)(option = false) : (void)ARGUMENT("%s", ""), write_text(__VA_ARGS__))

static bool draw_bool(const char *name)
{
    (void)name;
    bool v = chance(50);
    VALUE(v ? "true" : "false");
    return v;
}

static int64_t some_integer(const char *name, bool wide)
{
    static const int64_t hard[] = { INT_MAX,
                                    INT_MIN,
                                    -1,
                                    1000,
                                    100000,
                                    -1000,
                                    1 << 30,
                                    INT64_MAX,
                                    INT64_MIN,
                                    (int64_t)1 << 31,
                                    (int64_t)1 << 32,
                                    (int64_t)1 << 40,
                                    (int64_t)1 << 62,
                                    -((int64_t)1 << 31) - 1,
                                    INT64_MIN + 1,
                                    3000000000 };
    int                  small;
    if (limited(name, &small)) return small;
    if (named(name, " axis axis1 axis2 source destination ")) {
        if (!hostile()) return below(7) - 3;
    } else if (named(name, " size bins num rows cols repeats connectivity ") && !hostile()) return 1 + below(4);
    if (!hostile()) return below(10) - 2;
    if (named(name, " size scale ")) return hard[5 + below(11)]; /* 100000 x 100000 of them take their time */
    return hard[below(wide ? 16 : 7)];
}

static int draw_int(const char *name)
{
    static const int counts[] = { 1, 2, 3, 0, -1, 1 << 20 };
    int              v        = strcmp(name, "n") == 0 ? counts[below(hostile() ? 6 : 4)] : (int)some_integer(name, false);
    VALUE("%d", v);
    return v;
}
static int64_t draw_int64(const char *name)
{
    int64_t v = some_integer(name, true);
    VALUE("%lld", (long long)v);
    return v;
}
static uint64_t draw_uint64(const char *name)
{
    uint64_t v = (uint64_t)some_integer(name, true);
    VALUE("%llu", (unsigned long long)v);
    return v;
}

static double some_double(void)
{
    return hostile() ? ONE_OF(NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e18, 5e-324, -0.0, DBL_MAX, 3e9, -1)
                     : ONE_OF(0, 1, 2, 0.5, 3, 50, -1.5, 10);
}
static double draw_double(const char *name)
{
    double v = strcmp(name, "max_seconds") == 0 ? 1e-4 : some_double();
    VALUE("%.17g", v);
    return v;
}

static int draw_enum(const char *name, int count)
{
    (void)name;
    int v = hostile() ? (int)ONE_OF(-1, count, 100, INT_MAX, INT_MIN) : below(count);
    VALUE("%d", v);
    return v;
}
static ga_device draw_device(const char *name)
{
    (void)name;
    ga_device v = hostile() ? (ga_device)(int)ONE_OF(GA_CUDA, -1, 3, 100, INT_MAX) : (ga_device)below(2);
    VALUE("%d", (int)v);
    return v;
}

static void write_shape(ga_shape s)
{
    VALUE("(");
    for (int d = 0; d < s.ndim && d < GPUARR_MAX_DIMS; d++) write_text(d ? ", %lld" : "%lld", (long long)s.n[d]);
    write_text(s.ndim < 0 || s.ndim > GPUARR_MAX_DIMS ? ") with ndim %d" : ")", s.ndim);
}
static ga_shape draw_shape(const char *name)
{
    ga_shape s = some_shape();
    if (like.ndim >= 0 && chance(50)) s.ndim = like.ndim;
    if (like.ndim >= 0 && chance(10)) s = like;
    if (strcmp(name, "chunks") == 0) /* -1, 0 or a length */
        for (int d = 0; d < s.ndim; d++) s.n[d] = below(6) - 1;
    if (named(name, " axes axes_a axes_b "))
        for (int d = 0, from = below(3) - 1; d < s.ndim; d++) s.n[d] = from + d;
    if (named(name, " index before after origin order radius depth "))
        for (int d = 0; d < s.ndim; d++) s.n[d] = below(3);
    if (chance(10)) s.ndim = 1;
    if (hostile() && s.ndim > 0) s.n[below(s.ndim)] = some_integer("number", true);
    if (hostile()) s.n[0] = (int64_t)1 << (20 + below(43));
    if (hostile()) s.ndim = (int)ONE_OF(-1, GPUARR_MAX_DIMS, GPUARR_MAX_DIMS + 1, 1000, INT_MAX, INT_MIN);
    write_shape(s);
    return s;
}

static ga_array *draw_array(const char *name)
{
    ga_array *a = pick_array(name);
    VALUE("%s", "");
    write_array(a);
    return a;
}

static ga_arg some_operand(const char *name)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    bool number = named(name, " start stop step "), array = chance(number ? 5 : named(name, " further ") ? 40 : 70);
    v.kind = hostile() ? (ga_kind)(int)ONE_OF(-1, 6, 100, INT_MAX)
             : array   ? GA_KIND_ARRAY
             : number  ? (ga_kind)(int)ONE_OF(GA_KIND_INT, GA_KIND_REAL)
                       : (ga_kind)below(6);
    if (v.kind == GA_KIND_ARRAY) v.array = pick_array("operand");
    v.i  = v.kind == GA_KIND_BOOL ? below(2) : some_integer("number", true);
    v.re = some_double();
    v.im = some_double();
    if (v.kind == GA_KIND_ARRAY) write_array(v.array);
    else if (v.kind == GA_KIND_REAL) write_text("%.17g", v.re);
    else if (v.kind == GA_KIND_COMPLEX) write_text("%.17g + %.17gi", v.re, v.im);
    else if (v.kind <= GA_KIND_UINT) write_text("%lld%s", (long long)v.i, v.kind == GA_KIND_UINT ? "u" : "");
    else write_text("a number of kind %d", (int)v.kind);
    return v;
}
static ga_arg draw_operand(const char *name)
{
    VALUE("%s", "");
    return some_operand(name);
}

static const char *some_text(const char *name)
{
#define TEXTS(...)                                                                                                             \
    do {                                                                                                                       \
        static const char *const all[] = { __VA_ARGS__ };                                                                      \
        return all[below((int)(sizeof all / sizeof *all))];                                                                    \
    } while (0)
    static char longest[6000];
    memset(longest, 'x', sizeof longest - 1);
    if (hostile()) TEXTS(NULL, "", "%s%n", "\xff\xfe", longest, "'\"\n\t", "../..", ":", "\v");
    if (named(name, " path paths ") && chance(60)) { /* one that fits the function, as far as its name tells */
        const char *f = functions_name();
        if (strstr(f, "visualize")) TEXTS("a.svg", "a.dot");
        if (strstr(f, "fits")) TEXTS("a.fits", "b.fits");
        if (strstr(f, "load_from") || strstr(f, "savez")) TEXTS("a.npz", "b.npz");
        if (strstr(f, "open") || strstr(f, "store")) TEXTS("a.npy", "b.npy", "a.zarr", "b.zarr");
        if (strstr(f, "txt")) TEXTS("a.txt", "a.txt", "b.txt");
        if (strstr(f, "file")) TEXTS("a.bin", "a.txt");
        if (strstr(f, "im")) TEXTS("a.png", "b.png");
        TEXTS("a.npy", "b.npy");
    }
    if (named(name, " path paths "))
        TEXTS("a.npy", "a.npy", "b.npy", "a.npz", "a.npz", "a.zarr", "b.zarr", "a.fits", "b.fits", "a.png", "b.png", "a.svg",
              "a.dot", "none.npy", "none/a.npy", ".", "/dev/null", "/dev/full", "/dev/zero", "text");
    if (strcmp(name, "formula") == 0)
        TEXTS("$1", "$1 + 1", "2*$1 - sqrt(abs($1))", "sum($1, axis=0)", "d = $1*$1; d[..., ::-1] + d", "where($1 > 0, $1, 0)",
              "x + y", "x**2", "$1 + $2*$3", "$1 +", "max($1, axis=(0, 1), keepdims=True)", "7", "uint8($1)");
    if (strstr(functions_name(), "formula_c") && strcmp(name, "name") == 0) TEXTS("f", "axpy", "_1", "1f", "int");
    if (strcmp(name, "parameters") == 0) TEXTS("float x, float y", "double x, int y", "uint8_t x, bool y", "float x,", "x");
    if (strcmp(name, "kind") == 0) TEXTS("bool", "signed integer", "integral", "numeric", "complex floating", "float");
    if (strcmp(name, "fmt") == 0) TEXTS("%g", "%.3f", "%d", "%5.1e|%d", "%s", "%n");
    if (named(name, " delimiter quotechar ")) TEXTS(",", ";", "\"", " ");
    if (named(name, " comments missing_values newline ")) TEXTS("#", "//", "NA,1", "\r\n");
    if (strcmp(name, "format") == 0) TEXTS("npy", "zarr", "zip");
    if (strcmp(name, "compressor") == 0) TEXTS("zlib", "gzip", "none");
    if (strcmp(name, "names") == 0 && strstr(functions_name(), "eval")) TEXTS("x", "x, y", "y, x, d", ",,", "(");
    if (named(name, " name names ")) TEXTS("x", "y", "arr_0", "EXTRA", "a/b");
    if (strcmp(name, "slices") == 0)
        TEXTS("0:3", "0:3, 0:4:2", "0:1:5j", "-1:1:3j, 2:0:-1", "0:1", "::", "0:9223372036854775807", "0:1:1e300j", "a:b",
              "1:2:0");
    if (strcmp(name, "index") == 0)
        TEXTS("0", ":", "::-1", "..., 0", "newaxis", "1:, ...", "::2, ::-1", "%d", "%d:%d", "-1", "5", "1:2:0", "...,...",
              "99999999999999999999", "%", "%d%", "[", ",,");
    if (strcmp(name, "subscripts") == 0)
        TEXTS("i->i", "i,i", "ij,jk", "ij->ji", "ii", "ii->i", "i,j->ij", "...i,...i", "...", "ij,jk,kl", "i->ii", "->", "i.j",
              "1");
    if (strcmp(name, "cmap") == 0) TEXTS("viridis", "gray", "gray_r", "inferno", "RdBu_r", "jet");
    TEXTS("x", "a text", "", "%d");
#undef TEXTS
}
static void write_string(const char *s) { write_text(s ? "\"%.60s\"" : "NULL", s); }
static void write_files(void);

static const char *draw_text(const char *name)
{
    const char *s = some_text(name);
    if (strcmp(name, "path") == 0) write_files();
    VALUE("%s", "");
    write_string(s);
    return s;
}

/* ---- lists and places ---------------------------------------------------------------------------------------------------------- */

/* How many there are in the lists, each of which has room for more. */
static int draw_count(const char *name)
{
    (void)name;
    int n = hostile() ? (int)ONE_OF(-1, 0, INT_MIN, LISTED, 9, 8) : 1 + below(3);
    VALUE("%d", n);
    return n;
}

static const ga_array *const *draw_arrays(const char *name, int n)
{
    static const ga_array *list[LISTED];
    memset(list, 0, sizeof list);
    VALUE("{ ");
    for (int i = 0; i < n && i < LISTED; i++) {
        list[i] = pick_array(name);
        write_array(list[i]);
        write_text(i + 1 < n ? ", " : "");
    }
    write_text(" }");
    return hostile() ? (write_text(" = NULL"), NULL) : list;
}
static const ga_arg *draw_operands(const char *name, int n)
{
    static ga_arg list[LISTED];
    memset(list, 0, sizeof list);
    VALUE("{ ");
    for (int i = 0; i < n && i < LISTED; i++) {
        list[i] = some_operand(i == 0 ? name : "further");
        write_text(i + 1 < n ? ", " : "");
    }
    write_text(" }");
    return hostile() ? (write_text(" = NULL"), NULL) : list;
}
static const char *const *draw_texts(const char *name, int n)
{
    static const char *list[LISTED];
    VALUE("{ ");
    if (strcmp(name, "paths") == 0) write_files();
    for (int i = 0; i < n && i < LISTED; i++) {
        list[i] = some_text(name);
        write_string(list[i]);
        write_text(i + 1 < n ? ", " : "");
    }
    write_text(" }");
    return hostile() ? (write_text(" = NULL"), NULL) : list;
}
static const int64_t *draw_integers(const char *name)
{
    static int64_t list[LISTED];
    VALUE("{ ");
    for (int i = 0; i < LISTED; i++) {
        list[i] = strcmp(name, "shape") == 0 && !hostile() ? 1 + below(4) : some_integer(name, true);
        if (i < GPUARR_MAX_DIMS) write_text("%lld, ", (long long)list[i]);
    }
    write_text("... }");
    return hostile() ? (write_text(" = NULL"), NULL) : list;
}
static const ga_dtype *draw_dtypes(const char *name)
{
    static ga_dtype list[LISTED];
    (void)name;
    VALUE("{ ");
    for (int i = 0; i < LISTED; i++) {
        list[i] = (ga_dtype)(hostile() ? below(100) : 1 + below(GA_DTYPE_COUNT - 1));
        if (i < GPUARR_MAX_DIMS) write_text("%d, ", (int)list[i]);
    }
    write_text("... }");
    return hostile() ? (write_text(" = NULL"), NULL) : list;
}
static const double *draw_doubles(const char *name)
{
    static double list[LISTED];
    (void)name;
    VALUE("{ ");
    for (int i = 0; i < LISTED; i++) {
        list[i] = some_double();
        if (i < GPUARR_MAX_DIMS) write_text("%.17g, ", list[i]);
    }
    write_text("... }");
    return list;
}

/* Where a call puts a number. */
static void *draw_place(const char *name)
{
    static int64_t places[4];
    (void)name;
    if (hostile()) {
        VALUE("NULL");
        return NULL;
    }
    int i = below(4);
    VALUE("&place[%d]", i);
    return &places[i];
}

/* Where a call puts arrays. `.outs` are NULL, or arrays that are written into; in any other the call reads nothing. */
static ga_array *rooms[4][LISTED], *rooms_before[4][LISTED];
static int       room_count;
#define NOTHING_YET ((ga_array *)(intptr_t)-16)
static ga_array **draw_room(const char *name)
{
    if (hostile() || room_count == 4) {
        VALUE("NULL");
        return NULL;
    }
    ga_array **room = rooms[room_count];
    bool       dead = dead_given;
    VALUE("room[%d]", room_count);
    for (int i = 0; i < LISTED; i++)
        room[i] = strcmp(name, "outs") == 0 ? (i < 4 && hostile() ? pick_array("out") : NULL) : NOTHING_YET;
    dead_given = dead; /* a call may need fewer */
    memcpy(rooms_before[room_count++], room, sizeof *rooms);
    return room;
}

static FILE *draw_file(const char *name)
{
    static FILE *nowhere;
    (void)name;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    FILE *f = chance(30) ? NULL : nowhere;
    VALUE(f ? "f" : "NULL");
    return f;
}
static ga_stream draw_stream(const char *name)
{
    (void)name;
    VALUE("NULL");
    return NULL;
}
static ga_event draw_event(const char *name)
{
    (void)name;
    VALUE("NULL");
    return NULL;
}

/* ---- functions and kernels of the caller's ---------------------------------------------------------------------------------------- */

GA_ELEMENTWISE(axpy, float, (float a, float x, float y), a *x + y)
GA_ELEMENTWISE(polar, void, (double x, double y, double *r, double *phi), {
    *r   = GA_HYPOT(x, y);
    *phi = GA_ARCTAN2(y, x);
})
GA_ELEMENTWISE(place_of, int64_t, (bool x), GA_INDEX * 2 + x)
GA_ELEMENTWISE_T(clamp, REAL, T, (T x, T low, T high), x<low ? low : x> high ? high : x)
GA_REDUCTION(dot, double, (double x, double y), double, 0, x *y, a + b, a)
GA_REDUCTION(norm, float, (float x), double, 0, (double)x *x, a + b, (float)GA_SQRT(a))
GA_STENCIL(heat, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))
GA_STENCIL(slope, (2), float, (void), GA_AT(2) - GA_AT(-2))

static const ga_kernel *draw_kernel(const char *name)
{
    const ga_kernel *const all[] = { axpy, polar, place_of, clamp, NULL };
    int                    i     = hostile() ? 4 : below(4);
    (void)name;
    VALUE("%s", all[i] ? all[i]->name : "NULL");
    return all[i];
}
static const ga_reduction *draw_reduction(const char *name)
{
    const ga_reduction *const all[] = { dot, norm, NULL };
    int                       i     = hostile() ? 2 : below(2);
    (void)name;
    VALUE("%s", all[i] ? all[i]->map.name : "NULL");
    return all[i];
}
static const ga_stencil_kernel *draw_stencil(const char *name)
{
    const ga_stencil_kernel *const all[] = { heat, slope, NULL };
    int                            i     = hostile() ? 2 : below(2);
    (void)name;
    VALUE("%s", all[i] ? all[i]->kernel.name : "NULL");
    return all[i];
}

/* Which of the functions, by number; the last is NULL. */
static int draw_which(int count)
{
    int i = hostile() ? count - 1 : below(count - 1);
    VALUE(i == count - 1 ? "NULL" : "function %d", i);
    return i;
}

static void listen(ga_status status, const char *sentence, void *user) { (void)status, (void)user, (void)strlen(sentence); }
static ga_error_handler draw_error_handler(const char *name)
{
    static const ga_error_handler all[] = { ga_ignore_error, listen, NULL };
    (void)name;
    return all[draw_which(3)];
}

static bool copy_block(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)where, (void)user;
    return n > 0 && ga_copyto(out, GA_ARG(in[0])) != NULL;
}
static bool fill_block(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)in, (void)n, (void)user;
    ga_array *made = ga_zeros((3, 4));
    return made && ga_copyto(out, where->number) != NULL;
}
static bool no_block(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)out, (void)in, (void)n, (void)where, (void)user;
    return false;
}
static ga_block_function draw_block_function(const char *name)
{
    static const ga_block_function all[] = { copy_block, fill_block, no_block, NULL };
    (void)name;
    return all[draw_which(4)];
}

static double first_value(const double *values, int64_t n, void *user) { return (void)user, n > 0 ? values[0] : 0; }
static double infinity_of(const double *values, int64_t n, void *user) { return (void)values, (void)n, (void)user, INFINITY; }
static ga_window_function draw_window_function(const char *name)
{
    static const ga_window_function all[] = { first_value, infinity_of, NULL };
    (void)name;
    return all[draw_which(3)];
}

static double       call_begin;
static const double LONG_ENOUGH = 0.5; /* seconds that chunked arrays may take: a call with too many of them is stopped */
static bool stop_late(const ga_progress *p, void *user) { return (void)p, (void)user, ga_now() - call_begin < LONG_ENOUGH; }
static bool stop_now(const ga_progress *p, void *user) { return (void)p, (void)user, false; }
static ga_progress_function draw_progress_function(const char *name)
{
    static const ga_progress_function all[] = { stop_late, stop_now, NULL };
    (void)name;
    return all[draw_which(3)];
}
static const ga_progress *draw_progress(const char *name)
{
    static ga_progress p;
    (void)name;
    memset(&p, 0, sizeof p);
    p.what       = some_text("title");
    p.done       = some_double();
    p.seconds    = some_double();
    p.left       = some_double();
    p.used_bytes = some_integer("number", true);
    bool none    = hostile();
    VALUE(none ? "NULL" : "{ %.20s, %g, %g, %g, %lld }", p.what ? p.what : "NULL", p.done, p.seconds, p.left,
          (long long)p.used_bytes);
    return none ? NULL : &p;
}

static void do_little(void *user) { (void)user, ga_free(ga_zeros((3))); }
static void (*draw_function(const char *name))(void *user)
{
    static void (*const all[])(void *user) = { do_little, NULL };
    (void)name;
    return all[draw_which(2)];
}
