/* ---- ga_eval --------------------------------------------------------------------------------------------------------------- */

static bool gi_options_eval(ga_eval_options *o)
{
    return GI_TAKE(eval, o, out) && GI_TAKE(eval, o, where) && gi_option_dtype_half(o->site, o->dtype);
}

/* The device of passes, or GA_DEVICE_DEFAULT: there are none, because arrays lie on several. */
static ga_device gi_eval_device(int n, const ga_arg *operands)
{
    ga_device device = GA_DEVICE_DEFAULT;
    for (int k = 0; k < n; k++) {
        const ga_array *a = operands[k].array;
        if (a && device != GA_DEVICE_DEFAULT && a->device != device) return GA_DEVICE_DEFAULT;
        if (a) device = a->device;
    }
    return device;
}

/* Computes the steps, in passes if there are any, and tells an error with the formula and the place in it. */
static ga_array *gi_eval_steps(gi_formula_text *f, const gi_steps *steps, const gi_passes *passes, const ga_eval_options *o)
{
    gi_eval_run         r        = { f, steps, *o, NULL, NULL, false, false, gi_eval_device(f->n, f->operands) };
    int                 failed   = -1;
    bool                declined = true;
    ga_array           *result   = NULL;
    const gi_error_held held     = gi_error_hold();
    const int           last     = steps->count - 1;
    gi_pass_arrays      arrays;
    const bool          plain = passes && gi_pass_is_plain(&r, passes, &arrays);
    if (plain) {
        declined = false;
        result   = passes->pass[0].root == last ? gi_pass_make_plain(&r, passes, &arrays)
                                                : gi_pass_fold_few(&r, passes, &arrays, &declined);
        if (!result && !declined) failed = last;
    }
    if (passes && declined && r.device != GA_DEVICE_DEFAULT) {
        const bool adapt = passes->folds || !gi_operands_alike(f);
        result           = (adapt ? gi_run_adapted : gi_run_passes)(&r, passes, &failed, &declined);
    }
    if (declined) result = gi_run_steps(&r, &failed);
    char picture[500];
    picture[0] = 0;
    if (failed >= 0 && !gi_error_has("\n")) {
        const gi_step *step = &steps->step[failed];
        if (step->kind == GI_STEP_OPERATOR && f->text[step->at] == '^')
            gi_text_add(picture, sizeof picture, " (a power is x**y)");
        gi_formula_picture(f, step->at, step->length, picture, sizeof picture);
    }
    gi_error_let_go(held, picture);
    return result;
}

/* Reads and plans a formula, and computes it. */
static ga_array *gi_eval_new(gi_formula_text *f, const gi_formula_key *key, const ga_eval_options *o)
{
    GI_ARENA(gi_steps, steps, 1);
    GI_ARENA(gi_passes, passes, 1);
    if (!gi_parse(f, steps)) return NULL;
    gi_passes_plan(steps, f->operands, o->dtype, passes);
    gi_formula_keep(key, steps, passes);
    return gi_eval_steps(f, steps, passes->any ? passes : NULL, o);
}

ga_array *(ga_eval_n)(const char *formula, int n, const ga_arg *operands, ga_eval_options o)
{
    GI_SETTLE_FLOATS;
    if (!formula) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the formula is NULL; it is a text such as \"2*x + y\"");
    if (n < 0 || n > GI_FORMULA_OPERANDS)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%d operands; at most %d are possible", n, GI_FORMULA_OPERANDS);
    const size_t letters = strlen(formula);
    if (letters > GI_FORMULA_LETTERS)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the formula is longer than %d characters", GI_FORMULA_LETTERS);
    if (!gi_operands_check_half(o.site, n, operands) || !gi_options_eval(&o) || !gi_arena_check(o.site)) return NULL;
#ifdef GPUARR_STATIC
    for (int i = 0; i < n; i++)
        if (operands[i].array && !(GI_FORMULA_DTYPES >> (int)gi_dtype_computed(operands[i].array->dtype) & 1))
            return (ga_array *)gi_formula_lacks(o.site, gi_dtype_computed(operands[i].array->dtype));
#endif
    if (o.out && !gi_array_check_half(o.site, o.out, ".out")) return NULL;
    if (o.where && !gi_array_check_half_any(o.site, o.where, ".where")) return NULL;
    gi_formula_text f;
    gi_formula_key  key;
    f.site     = o.site;
    f.text     = formula;
    f.list     = o.names;
    f.n        = n;
    f.operands = operands;
    f.named    = false;
    gi_formula_key_of(&key, &f, letters, o.dtype);
    gi_kept_formula *kept = gi_formula_find(&key);
    if (!kept) return gi_eval_new(&f, &key, &o);
    ga_array *result = gi_eval_steps(&f, kept->steps, kept->passes, &o);
    gi_formula_leave(gi_formula_place_of(kept->hash));
    return result;
}
