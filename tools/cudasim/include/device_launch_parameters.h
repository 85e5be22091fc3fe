/* cudasim: threadIdx, blockIdx, blockDim, gridDim. */
#pragma once
#include "cuda_runtime.h"
