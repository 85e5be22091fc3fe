/* ---- calls on float16 and bfloat16: in float32, whose results are rounded ---------------------------------------------- */

static bool gi_half_concerns(const ga_array *a, ga_dtype asked) { return gi_is_half(a->dtype) || gi_is_half(asked); }

/* The elements as float32, rounded before if .dtype asks for a half. *asked becomes the .dtype of the call in float32, *half what its
   result is rounded to. NULL with an error. */
static ga_array *gi_half_widen(const char *site, const ga_array *a, ga_dtype *asked, ga_dtype *half)
{
    *half             = *asked == GA_DTYPE_DEFAULT ? a->dtype : *asked;
    ga_array *rounded = gi_copy_contiguous(site, a, gi_is_half(*asked) ? *asked : a->dtype);
    ga_array *wide    = rounded ? gi_copy_convert(site, rounded, GA_F32) : NULL;
    ga_free(rounded);
    *asked = gi_dtype_computed(*asked);
    return wide;
}

/* The end of such a call: rounds a new result of float32, and frees `wide`. */
static ga_array *gi_half_end(const char *site, ga_array *wide, ga_array *r, const ga_array *out, ga_dtype half)
{
    ga_free(wide);
    if (!r || r == out || r->dtype != GA_F32 || !gi_is_half(half)) return r;
    ga_array *rounded = gi_copy_convert(site, r, half);
    ga_free(r);
    return rounded;
}
