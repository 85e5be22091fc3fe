/*  All libFuzzer targets in one program, so that the library is compiled once with what they need: it does what it is called, fuzz_npy,
    fuzz_text, fuzz_fits, fuzz_zarr or fuzz_formulas (tests/run.sh links it under these names, and gives what fits_asan_options says). Each is also a program by
    itself. */
#include "fuzz.h"

#define LLVMFuzzerInitialize   npy_initialize
#define LLVMFuzzerTestOneInput npy_input
#define judge                  npy_judge
#define write_seeds            npy_seeds
#include "fuzz_npy.c"
#undef LLVMFuzzerInitialize
#undef LLVMFuzzerTestOneInput
#undef judge
#undef write_seeds

#define LLVMFuzzerInitialize   text_initialize
#define LLVMFuzzerTestOneInput text_input
#define judge                  text_judge
#define write_seeds            text_seeds
#include "fuzz_text.c"
#undef LLVMFuzzerInitialize
#undef LLVMFuzzerTestOneInput
#undef judge
#undef write_seeds

#define LLVMFuzzerInitialize   zarr_initialize
#define LLVMFuzzerTestOneInput zarr_input
#define judge                  zarr_judge
#define write_seeds            zarr_seeds
#include "fuzz_zarr.c"
#undef LLVMFuzzerInitialize
#undef LLVMFuzzerTestOneInput
#undef judge
#undef write_seeds

#define LLVMFuzzerInitialize   fits_initialize
#define LLVMFuzzerTestOneInput fits_input
#define __asan_default_options fits_asan_options
#include "fuzz_fits.c"
#undef LLVMFuzzerInitialize
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerInitialize    formulas_initialize
#define LLVMFuzzerTestOneInput  formulas_input
#define LLVMFuzzerCustomMutator formulas_mutator
#define write_seeds             formulas_seeds
#include "fuzz_formulas.c"
#undef LLVMFuzzerInitialize
#undef LLVMFuzzerTestOneInput
#undef LLVMFuzzerCustomMutator
#undef write_seeds

static const struct target {
    const char *name;
    int (*initialize)(int *argc, char ***argv);
    int (*input)(const uint8_t *data, size_t n);
    size_t (*mutator)(uint8_t *data, size_t n, size_t most, unsigned seed); /* NULL: libFuzzer's own */
} targets[]                        = { { "fuzz_npy", npy_initialize, npy_input, NULL },
                                       { "fuzz_text", text_initialize, text_input, NULL },
                                       { "fuzz_zarr", zarr_initialize, zarr_input, NULL },
                                       { "fuzz_fits", fits_initialize, fits_input, NULL },
                                       { "fuzz_formulas", formulas_initialize, formulas_input, formulas_mutator } };
static const struct target *target = targets;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++)
        if (strstr((*argv)[0], targets[k].name)) target = &targets[k];
    return target->initialize(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) { return target->input(data, n); }

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed)
{
    return target->mutator ? target->mutator(data, n, most, seed) : LLVMFuzzerMutate(data, n, most);
}
