/* ---- einsum --------------------------------------------------------------------------------------------------------------- */

enum {
    GI_EINSUM_OPERANDS = 8,
    GI_LETTERS         = 52
}; /* labels: the letters A to Z, a to z, then the axes of "...", from the last */

typedef struct gi_einsum_job {
    const char *site, *text;
    int         n; /* operands that are left */
    gi_term     terms[GI_EINSUM_OPERANDS];
    ga_array   *made[GI_EINSUM_OPERANDS]; /* those that are ours, and not the caller's */
    ga_dtype    dtype;
    int         ndim, labels[GPUARR_MAX_DIMS]; /* of the result */
    int64_t     length[GI_LABELS];
    int         used[GI_LABELS]; /* how often in all operands */
    int         dots;            /* axes that "..." stands for, at most */
} gi_einsum_job;

static bool gi_is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
static int  gi_letter_label(char c) { return c <= 'Z' ? c - 'A' : 26 + c - 'a'; }
static char gi_label_letter(int label) { return (char)(label < 26 ? 'A' + label : 'a' + label - 26); }

static bool gi_einsum_fail(const gi_einsum_job *e, const char *what)
{
    gi_fail(e->site, GA_BAD_ARGUMENT, "the subscripts \"%s\" %s", e->text, what);
    return false;
}

/* The letters of one operand or the result, from *p on to the next comma or the end of that side. -1 stands for "...". */
static bool gi_read_subscripts(const gi_einsum_job *e, const char **p, int *count, int *labels)
{
    const char *s    = *p;
    bool        dots = false;
    *count           = 0;
    for (; *s && *s != ',' && *s != '-'; s++) {
        if (*s == ' ') continue;
        if (*s == '.' && (s[1] != '.' || s[2] != '.' || dots))
            return gi_einsum_fail(e, "have a point that is not part of one \"...\"");
        if (*s != '.' && !gi_is_letter(*s)) {
            gi_fail(e->site, GA_BAD_ARGUMENT,
                    "the subscripts \"%s\" contain '%c': use letters, commas, spaces, \"...\" and \"->\"", e->text, *s);
            return false;
        }
        if (*count == GI_LABELS) return gi_einsum_fail(e, "have more letters than an array has axes");
        labels[(*count)++] = *s == '.' ? -1 : gi_letter_label(*s);
        if (*s == '.') dots = true, s += 2;
    }
    *p = s;
    return true;
}

/* Gives every axis of an operand its label; false if they are not as many. */
static bool gi_label_axes(gi_einsum_job *e, const ga_array *a, int k, int count, const int *written, int *labels)
{
    int letters = 0, n = 0;
    for (int i = 0; i < count; i++) letters += written[i] >= 0;
    const int dots = a->ndim - letters;
    if (dots < 0 || (dots > 0 && letters == count)) {
        gi_fail(e->site, GA_BAD_SHAPE, "operand number %d has shape %s, and the subscripts \"%s\" give it %d letter%s", k,
                gi_shape_of(a), e->text, letters, letters == 1 ? "" : "s");
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (written[i] >= 0) labels[n++] = written[i];
        else
            for (int d = dots - 1; d >= 0; d--) labels[n++] = GI_LETTERS + d;
    }
    if (letters < count && dots > e->dots) e->dots = dots;
    return true;
}

/* An operand as a term: axes with the same letter become their diagonal. */
static bool gi_add_term(gi_einsum_job *e, const ga_array *a, int k, const int *labels)
{
    gi_term  *t = &e->terms[k];
    gi_layout l = gi_layout_of(a);
    l.ndim      = 0;
    for (int d = 0; d < a->ndim; d++) {
        int same = 0, label = labels[d];
        while (same < l.ndim && t->labels[same] != label) same++;
        if ((same < l.ndim && l.shape[same] != a->shape[d]) ||
            (e->length[label] != 1 && a->shape[d] != 1 && e->length[label] != a->shape[d])) {
            const long long here   = (long long)a->shape[d];
            const long long before = same < l.ndim ? (long long)l.shape[same] : (long long)e->length[label];
            if (label >= GI_LETTERS)
                gi_fail(e->site, GA_BAD_SHAPE, "the axes of \"...\" in \"%s\" do not broadcast: lengths %lld and %lld", e->text,
                        before, here);
            else
                gi_fail(e->site, GA_BAD_SHAPE, "'%c' of the subscripts \"%s\" has length %lld, and %lld in operand number %d",
                        gi_label_letter(label), e->text, before, here, k);
            return false;
        }
        if (a->shape[d] != 1) e->length[label] = a->shape[d];
        e->used[label]++;
        if (same < l.ndim) {
            l.strides[same] += a->strides[d];
            continue;
        }
        t->labels[l.ndim]   = label;
        l.shape[l.ndim]     = a->shape[d];
        l.strides[l.ndim++] = a->strides[d];
    }
    t->a = a;
    if (l.ndim == a->ndim) return true;
    t->a = e->made[k] = gi_view_with(e->site, a, &l);
    return t->a != NULL;
}

static bool gi_read_operands(gi_einsum_job *e, int n, const ga_array *const *arrays, const char **p)
{
    int count, written[GI_LABELS], labels[GPUARR_MAX_DIMS];
    for (int k = 0; k < n; k++) {
        if (!gi_read_subscripts(e, p, &count, written) || !gi_label_axes(e, arrays[k], k, count, written, labels) ||
            !gi_add_term(e, arrays[k], k, labels))
            return false;
        e->n = k + 1;
        if ((**p == ',') != (k + 1 < n)) {
            int commas = 0;
            for (const char *s = e->text; *s; s++) commas += *s == ',';
            gi_fail(e->site, GA_BAD_ARGUMENT, "the subscripts \"%s\" are for %d operand%s, and there %s %d", e->text,
                    commas + 1, commas ? "s" : "", n == 1 ? "is" : "are", n);
            return false;
        }
        if (**p == ',') ++*p;
    }
    return true;
}

/* The labels of the result: those behind "->", or else the axes of "..." and every letter that appears once, A to Z, a to z. */
static bool gi_read_result(gi_einsum_job *e, const char *p)
{
    int count = 0, written[GI_LABELS], labels[GI_LABELS], n = 0;
    if (*p == '-') {
        if (p[1] != '>') return gi_einsum_fail(e, "have a '-' that is not part of \"->\"");
        p += 2;
        if (!gi_read_subscripts(e, &p, &count, written)) return false;
        if (*p) return gi_einsum_fail(e, "have more behind the result");
    } else {
        written[count++] = -1;
        for (int l = 0; l < GI_LETTERS; l++)
            if (e->used[l] == 1) written[count++] = l;
    }
    bool dots = e->dots == 0;
    for (int i = 0; i < count; i++) {
        if (written[i] < 0) {
            for (int d = e->dots - 1; d >= 0; d--) labels[n++] = GI_LETTERS + d;
            dots = true;
            continue;
        }
        for (int k = 0; k < i; k++)
            if (written[k] == written[i]) return gi_einsum_fail(e, "have a letter twice in the result");
        if (e->used[written[i]] == 0) return gi_einsum_fail(e, "have a letter in the result that no operand has");
        labels[n++] = written[i];
    }
    if (!dots) return gi_einsum_fail(e, "have \"...\" in an operand and not in the result");
    if (n > GPUARR_MAX_DIMS) return gi_einsum_fail(e, "give the result more dimensions than an array can have");
    e->ndim = n;
    memcpy(e->labels, labels, (size_t)n * sizeof *labels);
    return true;
}

/* Is the label wanted by the result, or by an operand behind the first `passed`? */
static bool gi_label_wanted(const gi_einsum_job *e, int label, int passed)
{
    for (int d = 0; d < e->ndim; d++)
        if (e->labels[d] == label) return true;
    for (int k = passed; k < e->n; k++)
        for (int d = 0; d < e->terms[k].a->ndim; d++)
            if (e->terms[k].labels[d] == label) return true;
    return false;
}

/* Replaces an operand by an array of ours (NULL: it could not be made). */
static bool gi_replace_term(gi_einsum_job *e, int k, ga_array *made)
{
    ga_free(e->made[k]);
    e->made[k] = made;
    if (made) e->terms[k].a = made;
    return made != NULL;
}

/* Sums the first or second operand along the axes that nothing else has. */
static bool gi_sum_term(gi_einsum_job *e, int k)
{
    gi_term          *t     = &e->terms[k];
    const gi_term     other = e->terms[1 - k];
    ga_reduce_options o     = gi_reduce_site(e->site);
    int               n     = 0, labels[GPUARR_MAX_DIMS];
    o.axes.ndim             = 0;
    if (e->dtype != GA_BOOL) o.dtype = e->dtype;
    for (int d = 0; d < t->a->ndim; d++) {
        bool wanted = gi_label_wanted(e, t->labels[d], 2);
        for (int i = 0; e->n > 1 && i < other.a->ndim; i++) wanted = wanted || other.labels[i] == t->labels[d];
        if (wanted) labels[n++] = t->labels[d];
        else o.axes.n[o.axes.ndim++] = d;
    }
    if (o.axes.ndim == 0) return true;
    memcpy(t->labels, labels, (size_t)n * sizeof *labels);
    return gi_replace_term(e, k, e->dtype == GA_BOOL ? (ga_any)(t->a, o) : (ga_sum)(t->a, o));
}

/* Makes the first two operands one; the last two straight into the result. */
static bool gi_join_terms(gi_einsum_job *e, ga_array *out)
{
    gi_contraction c;
    int            labels[2 * GPUARR_MAX_DIMS], n = 0;
    memset(&c, 0, sizeof c);
    c.site  = e->site;
    c.dtype = e->dtype;
    c.x     = e->terms[0];
    c.y     = e->terms[1];
    if (e->n == 2) {
        memcpy(labels, e->labels, (size_t)e->ndim * sizeof *labels);
        n = e->ndim;
    } else {
        for (int d = 0; d < c.x.a->ndim; d++)
            if (gi_label_wanted(e, c.x.labels[d], 2)) labels[n++] = c.x.labels[d];
        const int of_x = n;
        for (int d = 0; d < c.y.a->ndim; d++) {
            bool known = !gi_label_wanted(e, c.y.labels[d], 2);
            for (int i = 0; i < of_x; i++) known = known || labels[i] == c.y.labels[d];
            if (!known) labels[n++] = c.y.labels[d];
        }
        if (n > GPUARR_MAX_DIMS)
            return gi_einsum_fail(e, "have more dimensions on the way than an array can have: take fewer operands");
    }
    c.ndim = n;
    memcpy(c.labels, labels, (size_t)n * sizeof *labels);
    ga_array *joined = gi_contract(&c, e->n == 2 ? out : NULL);
    ga_free(e->made[1]);
    e->made[1] = NULL;
    if (!gi_replace_term(e, 0, joined)) return false;
    memcpy(e->terms[0].labels, labels, (size_t)n * sizeof *labels);
    for (int k = 2; k < e->n; k++) {
        e->terms[k - 1] = e->terms[k];
        e->made[k - 1]  = e->made[k];
        e->made[k]      = NULL;
    }
    e->n--;
    return true;
}

/* The one operand that is left, its axes in the order of the result. */
static ga_array *gi_einsum_result(const gi_einsum_job *e)
{
    const gi_term *t = &e->terms[0];
    gi_layout      l = gi_layout_of(t->a), from = l;
    l.ndim = e->ndim;
    for (int d = 0; d < e->ndim; d++) {
        int at = 0;
        while (t->labels[at] != e->labels[d]) at++;
        l.shape[d]   = from.shape[at];
        l.strides[d] = from.strides[at];
    }
    return gi_view_with(e->site, t->a, &l);
}

ga_array *(ga_einsum_n)(const char *subscripts, int n, const ga_array *const *arrays, ga_product_options o)
{
    gi_einsum_job e;
    const char   *p      = subscripts;
    ga_array     *result = NULL;
    memset(&e, 0, sizeof e);
    e.site = o.site;
    e.text = subscripts;
    for (int l = 0; l < GI_LABELS; l++) e.length[l] = 1;
    if (!subscripts)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the subscripts are NULL: give a text such as \"ik,kj->ij\"");
    if (n < 1 || n > GI_EINSUM_OPERANDS)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%d operands: 1 to %d are possible", n, (int)GI_EINSUM_OPERANDS);
    if (!gi_join_check_list(o.site, n, arrays) || !gi_options_product(&o)) return NULL;
    const ga_dtype dtype = gi_promote_all(n, arrays);
    e.dtype              = gi_dtype_computed(dtype);
    bool ok              = gi_read_operands(&e, n, arrays, &p) && gi_read_result(&e, p);
    while (ok && e.n > 1) ok = gi_sum_term(&e, 0) && gi_sum_term(&e, 1) && gi_join_terms(&e, o.out);
    if (n == 1) ok = ok && gi_sum_term(&e, 0);
    if (ok && e.made[0] == o.out && o.out) { /* written already */
        e.made[0] = NULL;
        result    = o.out;
    } else if (ok) {
        result = gi_copy_finish(o.site, gi_einsum_result(&e), dtype, o.out);
    }
    for (int k = 0; k < GI_EINSUM_OPERANDS; k++) ga_free(e.made[k]);
    return result;
}
