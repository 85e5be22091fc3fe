"""What is made of rows, with two results or by way of another dtype."""
import numpy as np

from ..case import case
from ..comparing import Close, Skip, attempt, exact, values_only
from ..dtypes import C64, C128, F32, FLOATS, INTS, ORDERED, in_dtype, too_large_alone, wide


def single(f, *xs):
    """With float32 in place of float16."""
    y = attempt(lambda: f(*xs))
    first = y[0] if isinstance(y, tuple) else y
    return f(*(in_dtype(x, F32) for x in xs)) if np.asarray(first).dtype == np.float16 else y


def each(check):
    def checks(want, got):
        for w, g in zip(want, got, strict=True):
            check(np.asarray(w), g)
    return checks


@case("modf", "frexp")
def parts(c):
    x = c.array(among=FLOATS + INTS + [np.dtype(bool)] + ([C128] if c.chance(0.02) else []))
    want = single(getattr(np, c.name), x)
    if c.name == "frexp" and not isinstance(want, Exception):  # of what is not finite the exponent is the system's
        want = (want[0], np.where(np.isfinite(want[0]), want[1], 0).astype("i4"))
    c.judge(want, lambda: getattr(c.ga, c.name)(x, 1), each(exact))


@case("divmod")
def divmod_(c):
    xs = c.operands(2, ORDERED)
    if too_large_alone(xs) or all(np.asarray(x).dtype == bool for x in xs) or any(isinstance(x, complex) for x in xs):
        raise Skip
    with np.errstate(all="ignore"):
        want = single(np.divmod, *xs)
    c.judge(want, lambda: c.ga.divmod(*xs, 1), each(values_only))


@case("float_power")
def float_power(c):
    xs = c.operands(2, ORDERED)
    if too_large_alone(xs) or any(isinstance(x, complex) for x in xs):
        raise Skip
    wider = [in_dtype(x, float).astype(wide(np.dtype(float))) for x in xs]
    with np.errstate(all="ignore"):
        want = attempt(lambda: np.float_power(*xs))
        if not isinstance(want, Exception):
            want = np.where(np.isfinite(wider[0]) & (wider[0] != 0), np.power(*wider), want)
    c.judge(want, lambda: c.ga.float_power(*xs), lambda w, g: Close(2)(np.asarray(w), g, np.dtype(float)))


@case("angle")
def angle(c):
    z = c.array(among=[C64, C128, C64, C128] + FLOATS + INTS) if c.chance(0.9) else c.pick(2, -0.5, -1 + 2j)
    deg = c.pick(None, True)
    w = np.asarray(z)
    dtype = np.arctan2(w.imag, w.real).dtype if w.itemsize > 2 or w.dtype.kind in "fc" else F32
    big = wide(dtype)
    want = np.asarray(np.arctan2(w.imag.astype(big), w.real.astype(big)) * (180 / np.pi if deg else 1))
    c.judge(want, lambda: c.ga.angle(z, deg=deg), lambda w, g: Close(3, 64 * np.finfo(dtype).smallest_subnormal)(w, g, dtype))
