/* cudasim: device intrinsics. */
#pragma once
#include "cuda_runtime.h"
