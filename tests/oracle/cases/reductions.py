"""Reductions: the folds of the table, moments, places of extremes."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Skip, any_nan, exact
from ..dtypes import DTYPES, FLOATS, LONG, ORDERED, finite, wide
from ..outputs import put_result


SUMS = ("sum", "prod", "mean", "nansum", "nanprod")


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


def numpy_reduction(row, a, named):
    """NumPy's result of a fold, sums and products in a wider dtype; its dtype, and how to compare. Raises what NumPy raises, or Skip."""
    name = row.name
    if "prod" in name and a.dtype.kind == "c" and a.size > 300:
        raise Skip  # too large
    if row.group == "FLT" and a.dtype.kind == "c":
        raise TypeError("no complex")
    y = np.asarray(getattr(np, name)(a, **named))
    if y.dtype == np.float16 or "dtype" in named and not np.can_cast(a.dtype, named["dtype"], "same_kind"):
        raise Skip
    if name not in SUMS:
        return y, y.dtype, any_nan
    if y.dtype.kind in "fc":
        want, slack = wide_reduce(name, a, y.dtype, **{k: v for k, v in named.items() if k != "dtype"})
        return want, y.dtype, Close(1, slack)
    if name == "mean":  # of a given integer dtype
        raise Skip
    return y, y.dtype, any_nan


PLAIN = ("sum", "prod", "min", "max", "any", "all", "mean")  # which take where= in NumPy


def among_some(c, name, a, named):
    """Adds where= and initial= to the options."""
    choice = name in ("min", "max")
    if name == "mean" or c.chance(0.7):
        named["where"] = c.g.random(c.broadcast(a.shape)) < c.pick(0.5, 0.9, 0.1)
    if name in ("sum", "prod") and c.chance(0.4) or choice and c.chance(0.95 if "where" in named else 0.6):
        named["initial"] = c.pick(0, 1, 2, 5, 100)


def reduction(row):
    name = row.name

    def draw(c):
        a = c.array(style=reduction_values(name), among=DTYPES + FLOATS * 3)
        if name in ("nanmin", "nanmax", "nansum", "nanprod") and a.dtype.kind in "f" and a.size and c.chance(0.7):
            a = np.where(c.g.random(a.shape) < c.pick(0.1, 0.5, 1.0), a.dtype.type(np.nan), a)
            c.note("with NaN", a)
        named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
        if name in SUMS and c.chance(0.15):
            named["dtype"] = c.dtype(DTYPES)
        if name in PLAIN and c.chance(0.3):
            among_some(c, name, a, named)
        c.note("options", named)
        call = getattr(c.ga, name)
        try:
            want, dtype, check = numpy_reduction(row, a, named)
        except ERRORS as e:
            return c.judge(e, lambda: call(a, **named))
        put_result(c, call, a, {k: v for k, v in named.items() if v is not None}, want, dtype, check)
    return draw


MOMENTS = ("var", "std", "nanvar", "nanstd", "nanmean")


def numpy_moment(name, a, named):
    """The same of var, std, and means without NaN."""
    f, skips = getattr(np, name), name.startswith("nan")
    y = np.asarray(f(a, **named))
    x = a.astype(np.clongdouble if a.dtype.kind == "c" else LONG)
    if a.dtype.kind not in "fc":  # np.nanvar of integers is np.var: infinity, not NaN, of no more than ddof elements
        f = getattr(np, name.removeprefix("nan"))
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
    return want, y.dtype, Close(2, slack)


@case(*MOMENTS)
def moments(c):
    name, skips = c.name, c.name.startswith("nan")
    a = c.array(style="tame", among=DTYPES + FLOATS * 4 if not skips else ORDERED + FLOATS * 4)
    if skips and a.dtype.kind == "f" and a.size:
        a = np.where(c.g.random(a.shape) < c.pick(0.1, 0.5, 1.0), a.dtype.type(np.nan), a)
        c.note("with NaN", a)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    if name != "nanmean" and c.chance(0.4):
        named["ddof"] = c.r.randint(0, 3)
    if not skips and c.chance(0.3):
        among_some(c, "mean", a, named)
    c.note("options", named)
    call = getattr(c.ga, name)
    try:
        want, dtype, check = numpy_moment(name, a, named)
    except ERRORS as e:
        return c.judge(e, lambda: call(a, **named))
    put_result(c, call, a, named, want, dtype, check)


@case("argmin", "argmax", "nanargmin", "nanargmax")
def arg_extreme(c):
    a = c.array(style=c.pick("small", "any"), among=ORDERED + FLOATS * 2 if c.name.startswith("nan") else None)
    if a.dtype.kind == "c" and np.isnan(a).any():
        a = finite(a)
    named = {"axis": c.axis(a.ndim, several=False), "keepdims": c.chance(0.3)}
    c.compare(getattr(np, c.name), getattr(c.ga, c.name), a, check=exact, **named)
