/* What the libFuzzer targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#if !defined GPUARR_BASELINE_ONLY && !defined GPUARR_PART
#define GPUARR_BASELINE_ONLY
#endif
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

#include <fcntl.h>
#include <sys/stat.h>

/* One thread, no messages, little memory. */
static inline void fuzz_begin(void)
{
    if (ga_error()) exit(1); /* a seed could not be written */
    ga_set_num_threads(1);
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_memory_limit((int64_t)64 << 20);
}

/* `write_seeds` into each folder that libFuzzer was given and that is still empty. */
static inline void fuzz_seed(int argc, char **argv, void (*write_seeds)(const char *folder))
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' || rmdir(argv[i]) != 0) continue;
        mkdir(argv[i], 0777);
        write_seeds(argv[i]);
    }
}

/* Gives libFuzzer flags of the target's own. */
static inline void fuzz_flags(int *argc, char ***argv, int n, char *const *flags)
{
    static char *arguments[64];
    for (int i = 0; i < *argc && i < 60; i++) arguments[i] = (*argv)[i];
    for (int i = 0; i < n && *argc < 63; i++) arguments[(*argc)++] = flags[i];
    *argv = arguments;
}

static inline void fuzz_write(const char *folder, const char *name, const void *bytes, size_t n)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

/* Reads every element, so that the sanitizer sees what is not there. */
static inline void fuzz_read(const ga_array *a)
{
    static volatile unsigned sum;
    const unsigned char     *p = (const unsigned char *)a->data;
    for (int64_t i = 0; i < a->size * ga_itemsize(a->dtype); i++) sum += p[i];
}

/* A call gave an array, or NULL and a sentence. */
static inline void fuzz_judge(const ga_array *a)
{
    if (!a != !!ga_error() || (!a && strlen(ga_error()) < 20)) abort();
}

static inline void fuzz_nothing_is_left(void)
{
    if (ga_memory_stats().arrays != 0 || ga_memory_stats().used_bytes != 0) abort();
}

#endif
