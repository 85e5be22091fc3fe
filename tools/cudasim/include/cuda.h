/* cudasim: the driver API is not simulated; this name gives the runtime API. */
#pragma once
#include "cuda_runtime.h"
