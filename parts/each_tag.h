#define GA_TAG b8
#include GI_STAMP
#undef GA_TAG
#define GA_TAG i8
#include GI_STAMP
#undef GA_TAG
#define GA_TAG u8
#include GI_STAMP
#undef GA_TAG
#define GA_TAG i16
#include GI_STAMP
#undef GA_TAG
#define GA_TAG u16
#include GI_STAMP
#undef GA_TAG
#define GA_TAG i32
#include GI_STAMP
#undef GA_TAG
#define GA_TAG u32
#include GI_STAMP
#undef GA_TAG
#define GA_TAG i64
#include GI_STAMP
#undef GA_TAG
#define GA_TAG u64
#include GI_STAMP
#undef GA_TAG
#define GA_TAG f32
#include GI_STAMP
#undef GA_TAG
#define GA_TAG f64
#include GI_STAMP
#undef GA_TAG
#define GA_TAG c64
#include GI_STAMP
#undef GA_TAG
#define GA_TAG c128
#include GI_STAMP
#undef GA_TAG
