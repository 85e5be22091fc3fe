/* What the tests of chunked arrays share. */
#ifndef CHUNKED_H
#define CHUNKED_H

#include "test.h"

/* Is the chunked array what the array in memory is, bit for bit (NaN is NaN)? */
static bool same(ga_array *chunked, ga_array *memory)
{
    ga_array *r = ga_compute(chunked);
    bool      ok =
        r && memory && ga_is_chunked(chunked) && !ga_is_chunked(r) && r->dtype == memory->dtype && ga_same_shape(r, memory);
    if (ok) {
        ga_array *x = ga_ascontiguous(memory);
        ok          = memcmp(r->data, x->data, (size_t)(x->size * ga_itemsize(x->dtype))) == 0;
        if (!ok) ok = ga_array_equal(r, x, .equal_nan = true) && !ga_array_equal(r, x);
        ga_free(x);
    }
    if (!ok && r && memory && r->size < 50) ga_print(r), ga_print(memory);
    if (!ok)
        printf("     chunked: %d, computed: %p, dtype %s of %s\n", ga_is_chunked(chunked), (void *)r,
               r ? ga_dtype_name(r->dtype) : "-", memory ? ga_dtype_name(memory->dtype) : "-");
    ga_free(r);
    return ok;
}
#define SAME(...) test_check(same(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)

/* How often are these words in a file of text? */
static inline int64_t count_in(const char *path, const char *words)
{
    int64_t n = 0;
    char    line[4096];
    FILE   *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        for (const char *p = line; (p = strstr(p, words)) != NULL; p++) n++;
    if (f) fclose(f);
    return n;
}

#endif
