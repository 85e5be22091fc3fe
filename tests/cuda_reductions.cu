/* tests/reductions.c once more: a .cu file's reductions run on both devices, with the same bits. */
#include "reductions.c"
