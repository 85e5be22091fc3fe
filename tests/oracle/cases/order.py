"""Order statistics."""
import numpy as np

from ..case import case
from ..comparing import Close, Mismatch, Skip, attempt, equal_bits, values_only
from ..dtypes import F64, FLOATS, REALS, wide

METHODS = ["linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
           "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"]
BETWEEN = {"linear", "midpoint", *METHODS[6:]} - {"closest_observation"}


def ordered_input(c):
    shape = c.pick((8193,), (30000,), (3, 20000), (140000,), (70000, 2)) if c.chance(0.02) else None  # as long as they are searched
    a = c.array(shape=shape, style=c.pick("small", "tame"), among=REALS + FLOATS * 6)
    if shape and a.dtype.kind in "iu" and c.chance(0.3):
        a = c.g.integers(np.iinfo(a.dtype).max - 9, np.iinfo(a.dtype).max, shape, a.dtype, endpoint=True)
    if a.dtype.kind == "f":
        if not np.isfinite(a).all():  # inf - inf between two elements is NaN or not
            a = np.where(np.isfinite(a), a, a.dtype.type(1))
        if a.size and c.chance(0.5 if c.name.startswith("nan") else 0.1):
            a = np.where(c.g.random(a.shape) < c.pick(0.1, 0.5), a.dtype.type(np.nan), a)
        c.note("a", a)
    return a


def near_order(a):
    """How to compare an order statistic of `a`, which may lie between two elements."""
    largest = float(np.nanmax(np.abs(a.astype(F64)))) if a.size and not np.isnan(a).all() else 0.0

    def check(want, got):
        if want.dtype.kind == "f":
            return Close(1, 2 * np.finfo(want.dtype).eps * largest)(want.astype(wide(want.dtype)), got, want.dtype)
        values_only(want, got)
    return check


def judge_order(c, reference, call, a, named):
    want = attempt(lambda: np.asarray(reference()))
    if a.size == 0 or isinstance(want, np.ndarray) and want.ndim > 8:
        raise Skip
    c.judge(want, call, near_order(a), named)


@case("median", "nanmedian")
def median(c):
    a = ordered_input(c)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    judge_order(c, lambda: getattr(np, c.name)(a, **named), lambda: getattr(c.ga, c.name)(a, **named), a, named)


@case("describe")
def describe(c):
    a = ordered_input(c)
    skip, ddof = c.chance(0.4), c.pick(None, None, 1)
    if a.size == 0:
        raise Skip
    got = c.ga.describe(a, skip_nan=skip or None, ddof=ddof)
    x = a[~np.isnan(a)] if skip and a.dtype.kind == "f" else a
    if got[0] != x.size:
        raise Mismatch(f"count: want {x.size}, got {got[0]}")
    nan = "nan" if skip and a.dtype.kind == "f" else ""  # what these return is compared with NumPy's by their own cases
    want = [float(getattr(c.ga, nan + name)(a, **({"ddof": ddof} if name == "std" else {})))
            for name in ("mean", "median", "std", "min", "max")]
    if not equal_bits(want, got[1:]):
        raise Mismatch(f"want {want}, got {got[1:]}")


@case("percentile", "nanpercentile", "quantile", "nanquantile")
def percentile(c):
    a = ordered_input(c)
    q = float(c.pick(0, 25, 50, 75, 100, 33.3, 99.9, 1))
    if c.chance(0.4):  # NumPy's nanpercentile mixes the axes of a 2-D q up
        q = c.g.integers(0, 101, c.pick((1,), (3,), (4,), (2, 3) if "nan" not in c.name else (2,))).astype(float)
    if c.chance(0.02):
        q = c.pick(-1.0, 101.0)
    if c.name.endswith("quantile"):
        q = q / 100
    method = c.r.randrange(len(METHODS) if c.chance(0.6) else 5)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    c.note("q, method", (q, METHODS[method]))
    x = a.astype(F64) if a.dtype.kind in "iu" and METHODS[method] in BETWEEN else a  # NumPy's integers overflow
    least = attempt(lambda: np.nanmin(a, axis=named["axis"]))
    if c.name.startswith("nan") and not isinstance(least, Exception) and np.isnan(least).any():
        raise Skip  # of nothing but NaN NumPy changes the dtype
    judge_order(c, lambda: getattr(np, c.name)(x, q, method=METHODS[method], **named),
                lambda: getattr(c.ga, c.name)(a, q, method=method, **named), a, named)
