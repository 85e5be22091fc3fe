"""Running sums and products."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Skip, exact
from ..dtypes import BOOL, DTYPES, FLOATS, wide
from ..outputs import put_result


@case("cumsum", "cumprod")
def running(c):
    a = c.array(style="unit" if c.name == "cumprod" else "tame", among=DTYPES + FLOATS * 3)
    named = {"axis": c.axis(a.ndim, several=False)}
    if c.chance(0.15):
        named["dtype"] = c.dtype([d for d in DTYPES if np.can_cast(a.dtype, d, "same_kind") and d != BOOL])
    f, call = getattr(np, c.name), getattr(c.ga, c.name)
    c.note("options", named)
    if c.name == "cumprod" and a.dtype.kind == "c" and a.size > 300:
        raise Skip  # too large
    try:
        y = f(a, **named)
    except ERRORS as e:
        return c.judge(e, lambda: call(a, **named))
    named = {k: v for k, v in named.items() if v is not None}
    if y.dtype.kind not in "fc":
        return put_result(c, call, a, named, y, y.dtype, exact)
    x = a.astype(y.dtype).astype(wide(y.dtype))
    axis = {k: v for k, v in named.items() if k == "axis"}
    want, n = f(x, **axis), a.shape[named["axis"]] if "axis" in named else a.size
    if c.name == "cumsum":
        size = np.cumsum(np.where(np.isfinite(x), np.abs(x), 0), **axis)
    else:
        size = np.where(np.isfinite(want), np.abs(want), 0) * 2
    put_result(c, call, a, named, want, y.dtype, Close(1, (n + 2) * 2.0**-52 * size))
