/*  Both libFuzzer targets in one program, so that the library is compiled once with what they need: it does what it is called, fuzz_npy
    or fuzz_fits (tests/run.sh links it under these names). Each is also a program by itself.                                         */
#include <string.h>

#define LLVMFuzzerInitialize   npy_initialize
#define LLVMFuzzerTestOneInput npy_input
#define judge                  npy_judge
#define write_seeds            npy_seeds
#include "fuzz_npy.c"
#undef LLVMFuzzerInitialize
#undef LLVMFuzzerTestOneInput
#undef judge
#undef write_seeds

#define LLVMFuzzerInitialize   fits_initialize
#define LLVMFuzzerTestOneInput fits_input
#define judge                  fits_judge
#define write_seeds            fits_seeds
#include "fuzz_fits.c"
#undef LLVMFuzzerInitialize
#undef LLVMFuzzerTestOneInput

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool fits;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    fits = strstr((*argv)[0], "fuzz_fits") != NULL;
    return fits ? fits_initialize(argc, argv) : npy_initialize(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) { return fits ? fits_input(data, n) : npy_input(data, n); }
