/* cudasim: the old name of cublas_v2.h. */
#pragma once
#include "cublas_v2.h"
