/* ==== >>raw files: numpy.fromfile and ndarray.tofile ================================================================ */

/* Reads the elements behind `offset`. */
static ga_array *gi_read_raw(const char *path, const gi_source *s, ga_fromfile_options o)
{
    const ga_dtype dtype = o.dtype == GA_DTYPE_DEFAULT ? GA_F64 : o.dtype;
    const int64_t  size = ga_itemsize(dtype), left = s->size - o.offset;
    if (left < 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "'%s' has %lld bytes, and .offset = %lld lies behind them", path,
                                   (long long)s->size, (long long)o.offset);
    if (o.count < 0 && left % size != 0)
        return (ga_array *)gi_fail(
            o.site, GA_BAD_FILE,
            "'%s' has %lld bytes behind .offset = %lld, no whole number of %s: .count = %lld reads those that are whole", path,
            (long long)left, (long long)o.offset, ga_dtype_name(dtype), (long long)(left / size));
    const int64_t count = o.count < 0 ? left / size : o.count;
    if (count > left / size)
        return (ga_array *)gi_fail(
            o.site, GA_BAD_FILE,
            "'%s' has %lld bytes behind .offset = %lld, and .count = %lld of %s need more: was it cut short?", path,
            (long long)left, (long long)o.offset, (long long)count, ga_dtype_name(dtype));
    ga_array *a = gi_array_new(o.site, dtype, GA_CPU, 1, &count);
    if (!a) return NULL;
    errno = 0;
    if (!gi_read_at(s, o.offset, a->data, (size_t)(count * size))) {
        gi_file_fail(o.site, errno, "cannot read '%s'", path);
        ga_free(a);
        return NULL;
    }
    gi_repair_elements(a->data, count, dtype, o.swapped);
    return a;
}

ga_array *(ga_fromfile)(const char *path, ga_fromfile_options o)
{
    gi_source s;
    if (!gi_option_dtype_half(o.site, o.dtype)) return NULL;
    if (o.count < -1 || o.offset < 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   ".count = %lld, .offset = %lld: neither may be negative (-1: all there are)",
                                   (long long)o.count, (long long)o.offset);
    if (!gi_open_source(o.site, path, &s)) return NULL;
    ga_array *a = gi_read_raw(path, &s, o);
    fclose(s.file);
    return gi_copy_to_default_device(o.site, a);
}

bool(ga_tofile)(const ga_array *a, const char *path, ga_tofile_options o)
{
    gi_output out;
    if (!gi_array_check_half(o.site, a, "a") || gi_name_misleads(o.site, path, "bytes alone", " .bin .raw ")) return false;
    ga_array *c = gi_copy_on_cpu(o.site, a);
    if (c && o.swapped && c->owner == a->owner) { /* not the caller's own */
        ga_array *copy = gi_copy_convert(o.site, c, c->dtype);
        ga_free(c);
        c = copy;
    }
    bool ok = c && gi_open_output(o.site, path, &out);
    if (ok) {
        if (o.swapped) gi_repair_elements(c->data, c->size, c->dtype, true);
        gi_write(&out, c->data, (size_t)(c->size * ga_itemsize(c->dtype)));
        ok = gi_close_output(o.site, &out, true);
    }
    ga_free(c);
    return ok;
}
