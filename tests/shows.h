/* What a new array is, beside what NumPy prints. */
#ifndef GPUARR_TEST_SHOWS
#define GPUARR_TEST_SHOWS
#include "test.h"

/* Is the new array what NumPy prints so? It is freed. */
static bool shows(ga_array *a, ga_dtype dtype, const char *text, const char *call, int line)
{
    char *printed = a ? ga_to_string(a) : NULL;
    bool  same    = printed && strcmp(printed, text) == 0 && a->dtype == dtype;
    if (!same)
        printf("     %d: %s is %s %s, not %s %s\n", line, call, a ? ga_dtype_name(a->dtype) : "",
               printed ? printed : ga_error(), ga_dtype_name(dtype), text);
    free(printed);
    ga_free(a);
    return same;
}
#define SHOWS(dtype, text, ...)                                                                                                \
    test_check(shows(__VA_ARGS__, dtype, text, #__VA_ARGS__, __LINE__), __FILE__, __LINE__, #__VA_ARGS__)

#endif
