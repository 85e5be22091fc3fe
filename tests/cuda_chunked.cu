/* The kernels of tests/chunked_gpu.c once more: those of a .cu file run on the GPUs that help. */
#define OWN_KERNELS_ONLY
#include "chunked_gpu.c"
