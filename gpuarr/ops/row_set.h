/* The rows of the table, as rows.h says: a set of them, GI_SET. */
#define GI_ELEMENTWISE_ROW(name, dtypes, returns, cost) GI_ROW(name, dtypes, returns, cost, GI_ENDS_SAME, GI_START_NONE)
#define GA_UNARY(name, dtypes, result, ...)             GI_ELEMENTWISE_ROW(name, dtypes, GI_RETURNS_##result, GI_CHEAP)
#define GA_ELEMENTARY(name, dtypes, ...)                GI_ELEMENTWISE_ROW(name, dtypes, GI_RETURNS_SAME, GI_COSTLY)
#define GA_BINARY(name, dtypes, result, ...)            GI_ELEMENTWISE_ROW(name, dtypes, GI_RETURNS_##result, GI_CHEAP)
#define GA_ELEMENTARY2(name, dtypes, ...)               GI_ELEMENTWISE_ROW(name, dtypes, GI_RETURNS_SAME, GI_COSTLY)
#define GA_TERNARY(name, dtypes, result, ...)           GI_ELEMENTWISE_ROW(name, dtypes, GI_RETURNS_##result, GI_CHEAP)
#define GA_FOLD(name, dtypes, acc, result, start, ...)                                                                         \
    GI_ROW(name, dtypes, GI_RETURNS_SAME, GI_CHEAP, GI_ENDS_##result, GI_START_##start)
#define GA_TABLE
#include "../rows/table.h"
#undef GI_ELEMENTWISE_ROW
