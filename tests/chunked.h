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

/* "1.5 MiB" */
static inline double number_of_bytes(const char *text)
{
    char  *unit;
    double n = strtod(text, &unit);
    return n * (unit[1] == 'K' ? 0x1p10 : unit[1] == 'M' ? 0x1p20 : unit[1] == 'G' ? 0x1p30 : 1);
}

/* Computing takes no more than ga_print foretells, and a tenth. */
static inline bool foreseen(ga_array *x)
{
    char       *text = ga_to_string(x);
    const char *more = text ? strstr(text, "takes about ") : NULL;
    double      most = more ? (double)(x->size * ga_itemsize(x->dtype)) + number_of_bytes(more + strlen("takes about ")) : 0;
    ga_memory_reset_peak();
    int64_t   before = ga_memory_stats().used_bytes;
    ga_array *r      = ga_compute(x);
    double    peak   = (double)(ga_memory_stats().peak_bytes - before);
    ga_free(r);
    bool ok = r && more && peak <= 1.1 * most + 65536;
    if (!ok) printf("     took %.0f bytes: %s\n", peak, text ? text : "");
    free(text);
    return ok;
}

#endif
