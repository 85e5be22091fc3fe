"""Reductions: the folds of the table, moments, places of extremes."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Skip, any_nan, exact
from ..dtypes import DTYPES, FLOATS, LONG, ORDERED, finite, wide
from ..outputs import put_result


def reduction_values(name):
    """Sums and products are kept from overflowing."""
    return "unit" if "prod" in name else "tame" if "sum" in name or name == "mean" else "any"


def wide_reduce(name, a, dtype, **named):
    """The reference of a sum, product or mean in a wider dtype, and the slack: n * eps64 * the sum of absolute values."""
    x = a.astype(dtype).astype(wide(dtype)) if dtype.kind in "fc" else a.astype(np.clongdouble if a.dtype.kind == "c" else LONG)
    want = np.asarray(getattr(np, name)(x, **named))
    n = a.size // max(want.size, 1)
    if "prod" in name:
        return want, np.where(np.isfinite(np.abs(want)), (n + 2) * 2 * 2.0**-52 * np.abs(want), 0)
    size = np.asarray(getattr(np, name)(np.where(np.isfinite(x), np.abs(x), 0), **named))
    return want, (n + 2) * 2.0**-53 * size


def reduction(row):
    name = row.name

    def draw(c):
        a = c.array(style=reduction_values(name), among=DTYPES + FLOATS * 3)
        if name in ("nanmin", "nanmax", "nansum", "nanprod") and a.dtype.kind in "f" and a.size and c.chance(0.7):
            a = np.where(c.g.random(a.shape) < c.pick(0.1, 0.5, 1.0), a.dtype.type(np.nan), a)
            c.note("with NaN", a)
        named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
        if name in ("sum", "prod", "mean", "nansum", "nanprod") and c.chance(0.15):
            named["dtype"] = c.dtype(DTYPES)
        c.note("options", named)
        if "prod" in name and a.dtype.kind == "c" and a.size > 300:
            raise Skip  # too large
        call = getattr(c.ga, name)
        if row.group in ("FLT",) and a.dtype.kind == "c":
            return c.judge(TypeError("no complex"), lambda: call(a, **named))
        try:
            y = np.asarray(getattr(np, name)(a, **named))
        except ERRORS as e:
            return c.judge(e, lambda: call(a, **named))
        if y.dtype == np.float16:
            raise Skip
        if "dtype" in named and not np.can_cast(a.dtype, named["dtype"], "same_kind"):
            raise Skip
        named = {k: v for k, v in named.items() if v is not None}
        if name in ("sum", "prod", "mean", "nansum", "nanprod") and y.dtype.kind in "fc":
            rest = {k: v for k, v in named.items() if k != "dtype"}
            want, slack = wide_reduce(name, a, y.dtype, **rest)
            return put_result(c, call, a, named, want, y.dtype, Close(1, slack))
        if name == "mean":  # of a given integer dtype
            raise Skip
        put_result(c, call, a, named, y, y.dtype, any_nan)
    return draw


@case("var", "std", "nanvar", "nanstd", "nanmean")
def moments(c):
    name, skips = c.name, c.name.startswith("nan")
    a = c.array(style="tame", among=DTYPES + FLOATS * 4 if not skips else ORDERED + FLOATS * 4)
    if skips and a.dtype.kind == "f" and a.size:
        a = np.where(c.g.random(a.shape) < c.pick(0.1, 0.5, 1.0), a.dtype.type(np.nan), a)
        c.note("with NaN", a)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    if name != "nanmean" and c.chance(0.4):
        named["ddof"] = c.r.randint(0, 3)
    c.note("options", named)
    f, call = getattr(np, name), getattr(c.ga, name)
    try:
        y = np.asarray(f(a, **named))
    except ERRORS as e:
        return c.judge(e, lambda: call(a, **named))
    x = a.astype(np.clongdouble if a.dtype.kind == "c" else LONG)
    want = np.asarray(f(x, **named))
    mean = np.nanmean if skips else np.mean
    rest = {k: v for k, v in named.items() if k != "ddof"}
    size = mean(np.where(np.isinf(np.abs(x)), 1, np.abs(x)), **rest)
    n = max(a.size // max(want.size, 1), 1)
    slack = np.where(np.isfinite(size), size, 0) * n * 2.0**-52
    if name.endswith("var"):
        spread = np.where(np.isfinite(want), want, 0)
        slack = slack * slack * 4 + n * 2.0**-50 * spread + slack * np.sqrt(spread)
    elif name.endswith("std"):
        slack = slack * 2
    put_result(c, call, a, named, want, y.dtype, Close(2, slack))


@case("argmin", "argmax", "nanargmin", "nanargmax")
def arg_extreme(c):
    a = c.array(style=c.pick("small", "any"), among=ORDERED + FLOATS * 2 if c.name.startswith("nan") else None)
    if a.dtype.kind == "c" and np.isnan(a).any():
        a = finite(a)
    named = {"axis": c.axis(a.ndim, several=False), "keepdims": c.chance(0.3)}
    c.compare(getattr(np, c.name), getattr(c.ga, c.name), a, check=exact, **named)
