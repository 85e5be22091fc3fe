/* tests/stencils.c once more: a .cu file's stencils run on both devices, with the same bits. */
#include "stencils.c"
