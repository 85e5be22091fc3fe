/* ---- >>own kernels: of GA_ELEMENTWISE -------------------------------------------------------------------------------- */

static bool gi_is_word_part(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Does the formula contain the word (or, if `open`, one that begins so)? */
static bool gi_says(const char *formula, const char *word, bool open)
{
    size_t length = strlen(word);
    for (const char *p = formula; (p = strstr(p, word)) != NULL; p += length)
        if ((p == formula || !gi_is_word_part(p[-1])) && (open || !gi_is_word_part(p[length]))) return true;
    return false;
}

static bool gi_has_loop(const ga_kernel *k)
{
    return gi_says(k->formula, "for", false) || gi_says(k->formula, "while", false) || gi_says(k->formula, "goto", false);
}

/* How long an element takes, in simple operations: a guess, by which work is divided. */
static int gi_own_cost(const ga_kernel *k)
{
    return gi_has_loop(k) ? 256 : gi_says(k->formula, "GA_", true) ? GI_COSTLY : GI_CHEAP;
}

/* The stamp for the dtype of what the parameters of type T get: the first that holds it. */
static const gi_stamp *gi_own_stamp(const ga_kernel *k, int n, const ga_arg *generic)
{
    if (k->stamps == 1) return k->stamp;
    ga_dtype common = gi_common_dtype(n, generic);
    for (int s = 0; s < k->stamps; s++)
        if (k->stamp[s].dtype == common) return &k->stamp[s];
    for (int s = 0; s < k->stamps; s++)
        if (ga_can_cast(common, k->stamp[s].dtype)) return &k->stamp[s];
    return NULL;
}

/* May the operand be given for a parameter of the dtype? Floats are rounded, as for an .out, but no integer of an array may wrap: so
   NumPy's same_kind, and safe for integers. In C `true` is the int 1. */
static bool gi_own_takes(ga_arg operand, ga_dtype dtype)
{
    if (operand.array && gi_is_int(dtype)) return ga_can_cast(operand.array->dtype, dtype);
    const bool truth = !operand.array && operand.kind == GA_KIND_INT && (operand.i == 0 || operand.i == 1);
    return gi_may_compute(operand, dtype) || (dtype == GA_BOOL && truth);
}

static gi_own_kernel gi_own_loop(const gi_stamp *s)
{
    int isa = (int)gi_cpu_isa() - GI_ISA_BASELINE;
    while (!s->cpu[isa]) isa--;
    return s->cpu[isa];
}

/* Fills in the function of a kernel for its operands, and the dtypes in which it takes and makes elements. False with an error. */
static bool gi_own_function(const char *site, const ga_kernel *k, int n, const ga_arg *in, gi_function *f, ga_dtype *wanted,
                            int *outputs, ga_dtype *result)
{
    ga_arg generic[GPUARR_MAX_INPUTS];
    int    inputs = 0, generics = 0;
    *outputs = 0;
    for (int p = 0; p < k->parameters; p++) inputs += !k->parameter[p].output;
    if (inputs > GPUARR_MAX_INPUTS || k->parameters - inputs + k->result.output > GPUARR_MAX_OUTPUTS)
        return gi_fail(site, GA_BAD_ARGUMENT, "%s (%s) has more than %d operands or %d results", k->name, k->site,
                       GPUARR_MAX_INPUTS, GPUARR_MAX_OUTPUTS),
               false;
    if (n != inputs)
        return gi_fail(site, GA_BAD_ARGUMENT, "%s (%s) takes %d operand%s, not %d", k->name, k->site, inputs,
                       inputs == 1 ? "" : "s", n),
               false;
    for (int p = 0, i = 0; p < k->parameters; p++) {
        if (k->parameter[p].output) continue;
        if (k->parameter[p].dtype == GA_DTYPE_DEFAULT) generic[generics++] = in[i];
        i++;
    }
    const gi_stamp *stamp = gi_own_stamp(k, generics, generic);
    if (!stamp)
        return gi_fail(site, GA_BAD_DTYPE, "%s (%s) does not exist for %s", k->name, k->site,
                       ga_dtype_name(gi_common_dtype(generics, generic))),
               false;
    if (k->result.output) result[(*outputs)++] = k->result.dtype ? k->result.dtype : stamp->dtype;
    for (int p = 0, i = 0; p < k->parameters; p++) {
        ga_dtype dtype = k->parameter[p].dtype ? k->parameter[p].dtype : stamp->dtype;
        if (!gi_dtype_is_stamped(site, dtype)) return false;
        if (k->parameter[p].output) {
            result[(*outputs)++] = dtype;
            continue;
        }
        if (!gi_own_takes(in[i], dtype))
            return gi_fail(site, GA_BAD_DTYPE, "operand %d is %s and %s (%s) takes %s as %s: use ga_astype first", i + 1,
                           ga_dtype_name(in[i].array ? in[i].array->dtype : gi_number_dtype(in[i])), k->name, k->site,
                           ga_dtype_name(dtype), k->parameter[p].name),
                   false;
        wanted[i++] = dtype;
    }
    f->cpu        = NULL;
    f->gpu        = NULL;
    f->own.cpu    = gi_own_loop(stamp);
    f->own.gpu    = stamp->cuda;
    f->own.kernel = k;
    f->own.exact  = gi_has_loop(k);
    return true;
}

ga_array *(ga_apply_n)(const ga_kernel *k, int n, const ga_arg *in, ga_apply_options o)
{
    static const char *const none = "a kernel is NULL: give the name that GA_ELEMENTWISE was given";
    if (!k) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s", none);
    if (!gi_operands_check_half(o.site, n, in)) return NULL;
    if (!gi_options_apply(&o)) return NULL;
    gi_map_call c;
    ga_dtype    wanted[GI_MOST_INPUTS], result[GPUARR_MAX_OUTPUTS];
    ga_array   *out[GPUARR_MAX_OUTPUTS] = { NULL };
    memset(&c, 0, sizeof c);
    if (!gi_own_function(o.site, k, n, in, &c.function, wanted, &c.outputs, result)) return NULL;
    if (o.out && o.outs) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".out and .outs: give one of them");
    if (c.outputs > 1 && !o.outs)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   "%s (%s) has %d results: give .outs = an array of %d ga_array *, NULL or to be written into",
                                   k->name, k->site, c.outputs, c.outputs);
    for (int i = 0; i < c.outputs; i++) out[i] = o.outs ? o.outs[i] : o.out;
    c.site   = o.site;
    c.cost   = gi_own_cost(k);
    c.inputs = n;
    c.in     = in;
    c.wanted = wanted;
    c.result = c.made = result;
    c.out             = out;
    c.where           = o.where;
    if (!gi_map_run(&c)) return NULL;
    for (int i = 0; i < c.outputs && o.outs; i++) o.outs[i] = out[i];
    return out[0];
}
