/* ==== a pass: type.h once for each element type ====================================================================== */
#if GI_PASS == 4 && !GI_ISA_INTEGERS
#define GI_FLOATS_ALONE 1
#endif
#if GI_PASS == 6 || (defined(GPUARR_FEW_DTYPES) && GI_PASS >= 4)
#define GI_FEW 1
#endif
#ifndef GI_FLOATS_ALONE
#define GA_TAG b8
#include "type.h"
#undef GA_TAG
#ifndef GI_FEW
#define GA_TAG i8
#include "type.h"
#undef GA_TAG
#endif
#define GA_TAG u8
#include "type.h"
#undef GA_TAG
#ifndef GI_FEW
#define GA_TAG i16
#include "type.h"
#undef GA_TAG
#define GA_TAG u16
#include "type.h"
#undef GA_TAG
#endif
#define GA_TAG i32
#include "type.h"
#undef GA_TAG
#ifndef GI_FEW
#define GA_TAG u32
#include "type.h"
#undef GA_TAG
#endif
#define GA_TAG i64
#include "type.h"
#undef GA_TAG
#define GA_TAG u64
#include "type.h"
#undef GA_TAG
#endif
#define GA_TAG f32
#include "type.h"
#undef GA_TAG
#define GA_TAG f64
#include "type.h"
#undef GA_TAG
#if !defined(GI_FEW) && !defined(GI_FLOATS_ALONE)
#define GA_TAG c64
#include "type.h"
#undef GA_TAG
#define GA_TAG c128
#include "type.h"
#undef GA_TAG
#endif
#undef GI_FEW
#undef GI_FLOATS_ALONE
