"""Sigma clipping."""
import numpy as np

from ..case import case
from ..comparing import Mismatch, Skip, exact
from ..dtypes import F64, FLOATS, INTS, REALS
from ..binding import GaError
from ..structs import f64, i32

LESSON, ASTROPY = 0, 1


def clip_sigmas(x, rule, low_sigma, high_sigma, maxiters, mean):
    """What is left, the bounds of the last round, the rounds, and how close an element came to a bound."""
    x = x[np.isfinite(x)].astype(F64)
    kept, rounds, nearest, bounds = np.arange(x.size), 0, np.inf, (np.nan, np.nan)
    while maxiters < 0 or rounds < maxiters:
        v = x[kept]
        center, std = (np.mean(v) if mean else np.median(v), np.std(v)) if v.size else (np.nan, np.nan)
        bounds = center - low_sigma * std, center + high_sigma * std
        scale = max(abs(bounds[0]), abs(bounds[1]), 1e-300)
        if mean and std <= 1e-12 * abs(center):  # the mean of equal numbers may be rounded
            nearest = 0
        if v.size and std > 0:
            nearest = min(nearest, np.abs(v - bounds[0]).min() / scale, np.abs(v - bounds[1]).min() / scale)
        inside = (v > bounds[0]) & (v < bounds[1]) if rule == LESSON else (v >= bounds[0]) & (v <= bounds[1])
        rounds += 1
        kept = kept[inside]
        if inside.all() or not kept.size:
            break
    if rule == ASTROPY:  # what lies within the last bounds, also if it was rejected before
        kept = np.flatnonzero((x >= bounds[0]) & (x <= bounds[1]))
    return kept, bounds, rounds, nearest


@case("sigma_clip")
def sigma_clip(c):
    large = c.chance(0.04)
    shape = c.pick((70000,), (300, 301)) if large else c.shape(c.pick(1, 1, 2))
    a = c.array(shape=shape, style=c.pick("tame", "tame", "small"), among=REALS + FLOATS * 5)
    if a.size == 0 and not c.chance(0.1):
        raise Skip
    if large and c.chance(0.7):  # a sky: noise, and some bright elements
        a = c.g.standard_normal(shape) * c.pick(1, 5, 100) + c.pick(0, 3, 1e5)
        a = c.view((a + np.where(c.g.random(shape) < c.pick(0, 0.01, 0.3), c.g.standard_exponential(shape) * 300, 0)).astype(
            c.dtype(FLOATS + INTS)))
    rule, mean = c.pick(LESSON, ASTROPY), c.chance(0.3)
    sigma = c.pick(None, 1.0, 1.5, 2.0, 3.0)
    low, high = (c.pick(1.0, 2.5) if c.chance(0.2) else None for _ in range(2))
    maxiters = c.pick(None, -1, 1, 2) if rule == ASTROPY else None
    named = {"rule": rule, "sigma": sigma, "sigma_low": low, "sigma_high": high, "maxiters": maxiters, "mean": mean or None}
    x = a.ravel()
    most = -1 if rule == LESSON else maxiters or 5
    kept, bounds, rounds, nearest = clip_sigmas(x, rule, low or sigma or 3, high or sigma or 3, most, mean)
    if nearest < 1e-12:
        raise Skip  # on a bound: rounding decides
    x = x[np.isfinite(x)]
    passes, at_low, at_high = i32(), f64(), f64()
    c.note("options", named)
    try:
        got, mask = c.ga.sigma_clip(a, mask=True, passes=passes, low=at_low, high=at_high, **named)
    except GaError as e:
        raise Mismatch(str(e)) from None
    exact(x[kept], got)
    flat = np.ones(x.size, bool)
    flat[kept] = False
    want = np.ones(a.size, bool)
    want[np.isfinite(a.ravel())] = flat
    exact(want.reshape(a.shape), mask)
    if x.size and len(kept) and not np.allclose([at_low.value, at_high.value], bounds, 1e-12, 1e-12):
        raise Mismatch(f"bounds: want {bounds}, got {(at_low.value, at_high.value)}")
    if x.size and len(kept) and passes.value != rounds:
        raise Mismatch(f"passes: want {rounds}, got {passes.value}")
