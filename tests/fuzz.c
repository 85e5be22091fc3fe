/*  All libFuzzer targets in one program, so that the library is compiled once with what they need: it does what it is called, fuzz_npy,
    fuzz_fits or fuzz_zarr (tests/run.sh links it under these names, and gives what fits_asan_options says). Each is also a program by
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

static int (*input)(const uint8_t *data, size_t n);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = (*argv)[0];
    input            = strstr(name, "fuzz_fits") ? fits_input : strstr(name, "fuzz_zarr") ? zarr_input : npy_input;
    return input == fits_input   ? fits_initialize(argc, argv)
           : input == zarr_input ? zarr_initialize(argc, argv)
                                 : npy_initialize(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) { return input(data, n); }
