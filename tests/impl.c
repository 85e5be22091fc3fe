/* The implementation unit of the tests and of the shared library. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
