"""Are two arrays equal, or nearly?"""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Skip, exact, same_bool
from ..dtypes import C128, DTYPES, F64, FLOATS


def close_pair(c):
    a = c.array(among=DTYPES + FLOATS * 4)
    if a.dtype.kind in "fc" and c.chance(0.8):
        factor = 1 + np.array([0, 1e-7, 2e-6, 1e-4, 1e-2])[c.g.integers(0, 5, a.shape)]
        b = (a * factor).astype(a.dtype)
    else:
        b = a.copy() if c.chance(0.5) else c.array(shape=c.broadcast(a.shape))
    b = np.asarray(b)
    c.note("b", b)
    tolerances = {}
    if c.chance(0.4):
        tolerances["rtol"] = c.pick(1e-3, 1e-6, 0.0)
    if c.chance(0.4):
        tolerances["atol"] = c.pick(1e-3, 1e-12, 0.0)
    if c.chance(0.3):
        tolerances["equal_nan"] = True
    return a, b, tolerances


def wide_isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """numpy.isclose, in float64 or complex128."""
    a, b = (v.astype(C128 if v.dtype.kind == "c" else F64) if isinstance(v, np.ndarray) else v for v in (a, b))
    return np.asarray(np.isclose(a, b, rtol, atol, equal_nan))


def near_the_limit(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    a, b = a.astype(C128), b.astype(C128)
    limit = atol + rtol * np.abs(b)
    return (np.abs(np.abs(a - b) - limit) <= 1e-12 * (np.abs(a) + np.abs(b))).any() and limit.any()


@case("isclose", "allclose")
def isclose(c):
    a, b, tolerances = close_pair(c)
    try:
        if near_the_limit(a, b, **tolerances):
            raise Skip
        want = wide_isclose(a, b, **tolerances)
    except ERRORS as e:
        want = e
    if c.name == "allclose" and not isinstance(want, Exception):
        want = bool(want.all())
    c.judge(want, lambda: getattr(c.ga, c.name)(a, b, **tolerances), same_bool if c.name == "allclose" else exact, tolerances)


@case("array_equal")
def array_equal(c):
    a, b, tolerances = close_pair(c)
    nan = tolerances.get("equal_nan", False)
    c.judge(np.array_equal(a, b, equal_nan=nan), lambda: c.ga.array_equal(a, b, equal_nan=nan), same_bool, {"equal_nan": nan})
