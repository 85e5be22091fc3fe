/* ==== >>map: elementwise operations: settle shapes and dtypes, then run a kernel tile by tile ======================= */

/* Options of calls from inside: nothing but the user's site. */
static ga_map_options gi_map_site(const char *site)
{
    ga_map_options o = ga_map_defaults;
    o.site           = site;
    return o;
}

static ga_reduce_options gi_reduce_site(const char *site)
{
    ga_reduce_options o = ga_reduce_defaults;
    o.site              = site;
    return o;
}

/* An array as an operand. */
static ga_arg gi_operand_arg(const ga_array *a)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.array = a;
    return v;
}

/* An operand among the options: was it given, and if it is an array, is it one? */
static bool gi_is_given(ga_arg v) { return v.kind != GA_KIND_ARRAY || v.array != GA_NO_ARRAY; }
static bool gi_option_operand(const char *site, ga_arg v, const char *name)
{
    return v.kind != GA_KIND_ARRAY || v.array == GA_NO_ARRAY || gi_array_check_half_any(site, v.array, name);
}

static const char *const gi_operand_names[GI_MOST_INPUTS] = { "the first operand",   "the second operand", "the third operand",
                                                              "the fourth operand",  "the fifth operand",  "the sixth operand",
                                                              "the seventh operand", "the eighth operand" };

/* Are there n operands, and are the arrays among them alive? False with an error. */
static bool gi_operands_check_half(const char *site, int n, const ga_arg *in)
{
    if (n > 0 && !in) return gi_fail(site, GA_BAD_ARGUMENT, "the list of %d operands is NULL", n) != NULL;
    for (int i = 0; i < n; i++)
        if (in[i].kind == GA_KIND_ARRAY &&
            !gi_array_check_half_any(site, in[i].array, i < GI_MOST_INPUTS ? gi_operand_names[i] : "an operand"))
            return false;
    return true;
}

/* The same where halves have no loop. */
static bool gi_operands_check(const char *site, int n, const ga_arg *in)
{
    if (!gi_operands_check_half(site, n, in)) return false;
    for (int i = 0; i < n; i++)
        if (in[i].array && !gi_array_is_no_half(site, in[i].array, "an operand")) return false;
    return true;
}

/* ---- numbers as operands ------------------------------------------------------------------------------------------- */

/* What an array's dtype becomes beside a plain number: an int adopts it, a float makes integers float64 (NumPy 2). */
static ga_dtype gi_with_number(ga_dtype dtype, ga_arg v)
{
    switch (v.kind) {
    case GA_KIND_BOOL: return dtype;
    case GA_KIND_INT:
    case GA_KIND_UINT: return dtype == GA_BOOL ? gi_number_dtype(v) : dtype;
    case GA_KIND_REAL: return gi_dtype_kind(dtype) < 2 ? GA_F64 : dtype;
    case GA_KIND_COMPLEX: return gi_dtype_computed(dtype) == GA_F32 || dtype == GA_C64 ? GA_C64 : GA_C128;
    default: return dtype;
    }
}

static void gi_number_text(ga_arg v, char *text, size_t room)
{
    if (v.kind == GA_KIND_REAL) snprintf(text, room, "%.9g", v.re);
    else if (v.kind == GA_KIND_COMPLEX) snprintf(text, room, "(%.9g%+.9gj)", v.re, v.im);
    else if (v.kind == GA_KIND_UINT) snprintf(text, room, "%llu", (unsigned long long)v.i);
    else snprintf(text, room, "%lld", (long long)v.i);
    gi_point_text(text);
    if (v.kind == GA_KIND_COMPLEX) gi_point_text(text); /* of its second number */
}

/* The dtype that holds all operands: arrays promote by NumPy's table, the largest one first (uint16, int16 and float32 are float32), then
   numbers adapt. */
static ga_dtype gi_common_dtype(int n, const ga_arg *in)
{
    ga_dtype dtype = GA_DTYPE_DEFAULT;
    for (int k = 0; k < n; k++)
        if (in[k].array && in[k].array->dtype > dtype) dtype = in[k].array->dtype;
    for (int k = 0; k < n; k++)
        if (in[k].array) dtype = ga_promote(dtype, in[k].array->dtype);
    bool only_numbers = dtype == GA_DTYPE_DEFAULT;
    for (int k = 0; k < n; k++) {
        if (in[k].array) continue;
        if (!only_numbers) dtype = gi_with_number(dtype, in[k]);
        else dtype = dtype == GA_DTYPE_DEFAULT ? gi_number_dtype(in[k]) : ga_promote(dtype, gi_number_dtype(in[k]));
    }
    return dtype;
}

/* ---- moving elements ------------------------------------------------------------------------------------------------ */

GI_BEGIN_FAST
/* n copies of so many bytes, side by side. */
static void gi_repeat_bytes(int64_t bytes, int64_t n, void *out, const void *from)
{
    if (n < 1) return;
    memcpy(out, from, (size_t)bytes);
    for (int64_t done = 1; done < n; done *= 2)
        memcpy((char *)out + done * bytes, out, (size_t)((done < n - done ? done : n - done) * bytes));
}

/* n copies of an element, side by side. */
static void gi_repeat(int itemsize, int64_t n, void *out, const void *element)
{
#define GI_MOVE(U)                                                                                                             \
    {                                                                                                                          \
        const U x = *(const U *)element;                                                                                       \
        for (int64_t i = 0; i < n; i++) ((U *)out)[i] = x;                                                                     \
        return;                                                                                                                \
    }
    if (n < 1) return;
    switch (itemsize) {
    case 1: memset(out, *(const uint8_t *)element, (size_t)n); return;
    case 2: GI_MOVE(uint16_t)
    case 4: GI_MOVE(uint32_t)
    case 8: GI_MOVE(gi_loose_u64)
    default: gi_repeat_bytes(itemsize, n, out, element);
    }
#undef GI_MOVE
}

/* Packs n elements that lie `stride` bytes apart. */
static void gi_gather(int itemsize, int64_t n, void *out, const void *in, int64_t stride)
{
    const char *from = (const char *)in;
    int64_t     i    = 0;
    if (stride == itemsize) {
        memcpy(out, in, (size_t)(n * itemsize));
        return;
    }
    if (stride == 0) {
        gi_repeat(itemsize, n, out, in);
        return;
    }
    if (itemsize <= 8 && (stride == 2 * itemsize || stride == -itemsize)) {
        GI_LOOP_OF(gather)(itemsize, stride < 0)(n, out, in);
        return;
    }
#define GI_MOVE(U)                                                                                                             \
    for (; i + 4 <= n; i += 4, from += 4 * stride) {                                                                           \
        const U a = *(const U *)(const void *)from, b = *(const U *)(const void *)(from + stride),                             \
                c = *(const U *)(const void *)(from + 2 * stride), d = *(const U *)(const void *)(from + 3 * stride);          \
        U *to = (U *)out + i;                                                                                                  \
        to[0] = a, to[1] = b, to[2] = c, to[3] = d;                                                                            \
    }                                                                                                                          \
    for (; i < n; i++, from += stride) ((U *)out)[i] = *(const U *)(const void *)from;                                         \
    break
    switch (itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(gi_loose_u64);
    default:
        for (; i < n; i++) memcpy((char *)out + i * itemsize, from + i * stride, (size_t)itemsize);
    }
#undef GI_MOVE
}

/* The reverse: n packed elements to places `stride` bytes apart. */
static void gi_scatter(int itemsize, int64_t n, void *out, int64_t stride, const void *in)
{
    char   *to = (char *)out;
    int64_t i  = 0;
    if (stride == itemsize) {
        memcpy(out, in, (size_t)(n * itemsize));
        return;
    }
#define GI_MOVE(U)                                                                                                             \
    for (; i + 4 <= n; i += 4, to += 4 * stride) {                                                                             \
        const U *x = (const U *)in + i;                                                                                        \
        const U  a = x[0], b = x[1], c = x[2], d = x[3];                                                                       \
        *(U *)(void *)to = a, *(U *)(void *)(to + stride) = b;                                                                 \
        *(U *)(void *)(to + 2 * stride) = c, *(U *)(void *)(to + 3 * stride) = d;                                              \
    }                                                                                                                          \
    for (; i < n; i++, to += stride) *(U *)(void *)to = ((const U *)in)[i];                                                    \
    break
    switch (itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(gi_loose_u64);
    default:
        for (; i < n; i++) memcpy(to + i * stride, (const char *)in + i * itemsize, (size_t)itemsize);
    }
#undef GI_MOVE
}

/* The reverse where mask is true; elsewhere the target keeps its value. */
static void gi_scatter_where(int itemsize, int64_t n, void *out, int64_t stride, const void *in, const uint8_t *mask)
{
    char *to = (char *)out;
    if (stride == itemsize && itemsize <= 8) {
        GI_LOOP_OF(replace)(itemsize)(n, out, in, mask, NULL);
        return;
    }
#define GI_MOVE(U)                                                                                                             \
    for (int64_t i = 0; i < n; i++)                                                                                            \
        if (mask[i]) *(U *)(void *)(to + i * stride) = ((const U *)in)[i];                                                     \
    break
    switch (itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(gi_loose_u64);
    default:
        for (int64_t i = 0; i < n; i++)
            if (mask[i]) memcpy(to + i * stride, (const char *)in + i * itemsize, (size_t)itemsize);
    }
#undef GI_MOVE
}

GI_END_FAST

#ifdef GPUARR_FEW_DTYPES
static bool gi_has_loops(ga_dtype dtype)
{
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name) case GA_##TAG:
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
        return true;
    default: return false;
    }
}

/* Conversions without a loop: element by element. (Files may hold dtypes of which this build has no arrays.) */
static void gi_cast_slowly(ga_dtype to, ga_dtype from, int64_t n, void *out, const void *in)
{
    for (int64_t i = 0; i < n; i++) {
        const char *p = (const char *)in + i * ga_itemsize(from);
        ga_c128     z = { 0, 0 };
        ga_arg      v = GA_ARG(0);
        switch (from) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: {                                                                                                           \
        gi_stored_##tag x;                                                                                                     \
        memcpy(&x, p, sizeof x);                                                                                               \
        if (GA_##TAG < GA_F32) v.i = (int64_t)gi_cast_u64_##tag(x);                                                            \
        else z = gi_cast_c128_##tag(x);                                                                                        \
        break;                                                                                                                 \
    }
            GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
        default: break;
        }
        v.kind = gi_is_complex(from) ? GA_KIND_COMPLEX
                 : gi_is_float(from) ? GA_KIND_REAL
                 : from == GA_U64    ? GA_KIND_UINT
                                     : GA_KIND_INT;
        v.re   = z.re;
        v.im   = z.im;
        gi_number_to(v, to, (char *)out + i * ga_itemsize(to));
    }
}
#endif

static void gi_cast_plain(ga_dtype to, ga_dtype from, int64_t n, void *out, const void *in)
{
    if (to == from) memmove(out, in, (size_t)(n * ga_itemsize(to)));
#ifdef GPUARR_FEW_DTYPES
    else if (!gi_has_loops(to) || !gi_has_loops(from)) gi_cast_slowly(to, from, n, out, in);
#endif
    else gi_cpu_cast(to, from, n, out, in);
}

/* To or from halves: at once, or in two steps. */
static __attribute__((noinline)) void gi_cast_half(ga_dtype to, ga_dtype from, int64_t n, void *out, const void *in)
{
    const ga_dtype       way  = gi_half_way(from);
    const gi_cast_kernel loop = GI_LOOP_OF(half)(to, from), first = GI_LOOP_OF(half)(way, from),
                         second = GI_LOOP_OF(half)(to, way);
    const int64_t size = ga_itemsize(from), width = ga_itemsize(to);
    double        part[GI_CAST_PART];
    if (loop) loop(n, out, in);
    for (int64_t i = 0; i < n && !loop; i += GI_CAST_PART) {
        const int64_t m = n - i < GI_CAST_PART ? n - i : GI_CAST_PART;
        if (first) first(m, part, (const char *)in + i * size);
        else gi_cast_plain(way, from, m, part, (const char *)in + i * size);
        if (second) second(m, (char *)out + i * width, part);
        else gi_cast_plain(to, way, m, (char *)out + i * width, part);
    }
}

/* Converts n packed elements; in and out must not overlap unless the dtypes are equal. */
static void gi_cast(ga_dtype to, ga_dtype from, int64_t n, void *out, const void *in)
{
    if (to != from && (gi_is_half(to) || gi_is_half(from))) gi_cast_half(to, from, n, out, in);
    else gi_cast_plain(to, from, n, out, in);
}

/* x rounded to a dtype of floats. */
static double gi_float_as(double x, ga_dtype dtype)
{
    double element, rounded;
    gi_cast(dtype, GA_F64, 1, &element, &x);
    gi_cast(GA_F64, dtype, 1, &rounded, &element);
    return rounded;
}
