/* ---- ga_eval --------------------------------------------------------------------------------------------------------------- */

static bool gi_options_eval(ga_eval_options *o)
{
    return GI_TAKE(o, out) && GI_TAKE(o, where) && gi_option_dtype(o->site, o->dtype);
}

/* Computes the steps, and tells an error with the formula and the place in it. */
static ga_array *gi_eval_steps(const gi_formula_text *f, const gi_steps *steps, const ga_eval_options *o)
{
    gi_eval_run         r = { f, steps, *o, NULL, NULL };
    int                 failed;
    const gi_error_held held         = gi_error_hold();
    ga_array           *result       = gi_run_steps(&r, &failed);
    char                picture[700] = "";
    if (failed >= 0 && !gi_error_has("\n"))
        gi_formula_picture(f, steps->step[failed].at, steps->step[failed].length, picture, sizeof picture);
    gi_error_let_go(held, picture);
    return result;
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
    if (!gi_operands_check(o.site, n, operands) || !gi_options_eval(&o) || !gi_arena_check(o.site)) return NULL;
    const char      *list = o.names ? o.names : gi_eval_list(o.site);
    const uint64_t   hash = gi_formula_hash((uint64_t)n + 14695981039346656037u, formula, letters);
    gi_formula_text  f;
    gi_kept_formula *kept = gi_formula_find(hash, formula, list, n);
    f.site                = o.site;
    f.text                = formula;
    f.n                   = n;
    f.operands            = operands;
    gi_eval_names(list, n, f.names);
    if (kept) {
        ga_array *result = gi_eval_steps(&f, kept->steps, &o);
        gi_formula_release(kept);
        return result;
    }
    GI_ARENA(gi_steps, steps, 1);
    if (!gi_parse(&f, steps)) return NULL;
    gi_formula_keep(hash, formula, list, n, steps);
    return gi_eval_steps(&f, steps, &o);
}
