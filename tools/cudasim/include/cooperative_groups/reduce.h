/* cudasim: cooperative_groups.h has it all. */
#pragma once
#include "../cooperative_groups.h"
