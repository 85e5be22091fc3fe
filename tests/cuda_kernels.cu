/* tests/kernels.c once more: a .cu file's kernels run on both devices, with the same bits. */
#include "kernels.c"
