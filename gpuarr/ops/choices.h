/* ---- choices: select, choose, piecewise, sort_complex ----------------------------------------------------------------------------- */

/* Are there n conditions, n values and perhaps one more? False with an error. */
static bool gi_choices_check(const char *site, int n, const ga_array *const *conditions, int values, const ga_arg *list,
                             int more)
{
    if (!gi_join_check_list(site, n, conditions) || !gi_operands_check_half(site, values, list)) return false;
    if (values != n && values != n + more)
        return gi_fail(site, GA_BAD_ARGUMENT, "%d values for %d conditions", values, n) != NULL;
    for (int k = 0; k < n; k++)
        if (conditions[k]->dtype != GA_BOOL)
            return gi_fail(site, GA_BAD_DTYPE, "condition number %d is %s: it must be bool", k,
                           ga_dtype_name(conditions[k]->dtype)) != NULL;
    return true;
}

static ga_array *gi_do_choice(const gi_composition *c, const ga_array *mask, ga_arg x, ga_arg y, ga_dtype dtype)
{
    ga_map_options o = gi_map_site(c->site);
    o.dtype          = dtype;
    return (ga_where)(mask, x, y, o);
}

ga_array *(ga_select_n)(int n, const ga_array *const *conditions, int values, const ga_arg *list, ga_arg otherwise,
                        const char *site)
{
    if (!gi_choices_check(site, n, conditions, values, list, 0)) return NULL;
    if (otherwise.kind == GA_KIND_ARRAY && !gi_array_check_half_any(site, otherwise.array, "the default")) return NULL;
    const size_t bytes = (size_t)(n + 1) * sizeof otherwise;
    ga_arg      *all   = (ga_arg *)gi_mem_alloc(site, bytes);
    if (!all) return NULL;
    memcpy(all, list, bytes - sizeof otherwise);
    all[n]               = otherwise;
    const ga_dtype dtype = gi_common_dtype(n + 1, all);
    gi_mem_release(all, bytes);
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *r = NULL;
    for (int k = n - 1; k >= 0; k--) {
        r = gi_do_choice(&c, conditions[k], list[k], k == n - 1 ? otherwise : gi_operand_arg(r), dtype);
        if (!r) break;
    }
    return gi_compose_end(&c, r);
}

ga_array *(ga_choose_n)(const ga_array *a, int n, const ga_arg *choices, ga_mode_options o)
{
    const char *const site = o.site;
    if (!gi_array_check(site, a, "a") || !gi_operands_check_half(site, n, choices)) return NULL;
    if (n < 1) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "there is nothing to choose from");
    if ((int)o.mode < GA_TAKE_RAISE || o.mode > GA_TAKE_CLIP)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".mode = %d is not GA_TAKE_RAISE, GA_TAKE_WRAP or GA_TAKE_CLIP",
                                   (int)o.mode);
    gi_composition c;
    gi_compose_begin(&c, site);
    const ga_dtype dtype = gi_common_dtype(n, choices);
    ga_array      *whole = a->dtype == GA_BOOL ? (ga_astype)(a, GA_I64, site) : gi_do_integers(&c, a);
    ga_array      *which = whole ? gi_do_bounded(&c, whole, n, o.mode) : NULL, *r = NULL;
    for (int k = n - 1; which && k >= 0; k--) {
        ga_array *here = GI_DO_2(&c, equal, which, k);
        r              = here ? gi_do_choice(&c, here, choices[k], k == n - 1 ? choices[k] : gi_operand_arg(r), dtype) : NULL;
        if (!r) break;
    }
    return gi_compose_end(&c, r);
}

ga_array *(ga_piecewise_n)(const ga_array *x, int n, const ga_array *const *conditions, int values, const ga_arg *list,
                           const char *site)
{
    if (!gi_array_check_half_any(site, x, "x") || !gi_choices_check(site, n, conditions, values, list, 1)) return NULL;
    for (int k = 0; k < n; k++)
        if (!ga_same_shape(conditions[k], x))
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "condition number %d has shape %s, x %s: they must be equal", k,
                                       gi_shape_of(conditions[k]), gi_shape_of(x));
    for (int k = 0; k < values; k++)
        if (!gi_copy_keeps_kind(site, list[k], x->dtype)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *zero = (ga_zeros_like)(x, gi_new_on(site, x->dtype, GA_DEVICE_DEFAULT)), *r = zero;
    if (r && values > n) r = gi_do_choice(&c, GI_DO_2(&c, equal, r, r), list[n], GA_ARG(zero), x->dtype);
    for (int k = 0; k < n && r; k++) r = gi_do_choice(&c, conditions[k], list[k], GA_ARG(r), x->dtype);
    return gi_compose_end(&c, r);
}

ga_array *(ga_sort_complex)(const ga_array *a, const char *site)
{
    if (!gi_array_check_any(site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    const bool small  = a->dtype != GA_BOOL && gi_dtype_kind(a->dtype) == 1 && ga_itemsize(a->dtype) < 4;
    ga_array  *sorted = gi_do_along(&c, (ga_sort), a, -1);
    if (!sorted || gi_is_complex(a->dtype)) return gi_compose_end(&c, sorted);
    return gi_compose_end(&c, (ga_astype)(sorted, small ? GA_C64 : GA_C128, site));
}
