#include "parts/math_log.h"
#include "parts/math_trig.h"
#include "parts/math_exp.h"
