"""Counting: histogram and bincount."""
import numpy as np

from ..case import case
from ..comparing import Close, attempt, exact
from ..dtypes import F32, F64, FLOATS, I64, INTS, REALS, finite


@case("histogram")
def histogram(c):
    a = c.array(style=c.pick("small", "tame", "tame"), among=REALS + FLOATS * 4)
    bins, named = c.r.randint(1, 12), {}
    limits = sorted((c.r.randint(-9, 5) / 2, c.r.randint(-3, 9) / 2)) if c.chance(0.5) else None
    if limits and limits[0] == limits[1]:
        limits = None
    weights = c.array(c.pick(F64, F64, F32, I64), a.shape, "unit", name="weights") if c.chance(0.3) else None
    density, edges = c.chance(0.2), c.chance(0.5)
    c.note("bins, range, density", (bins, limits, density))
    want = attempt(lambda: np.histogram(a, bins, limits, False, weights if weights is None else weights.astype(F64)))
    if density and not isinstance(want, Exception):  # NumPy takes the widths of the bins of float32 in float32
        want = want[0] / np.diff(want[1]).astype(F64) / want[0].sum(), want[1]
    if limits:
        named.update(low=limits[0], high=limits[1])
    named.update(weights=weights, density=density or None, edges=edges or None)

    def check(want, got):
        counts, places = want
        if edges:
            got, where = got
            exact(places.astype(F64), where)
        if weights is None and not density:
            return exact(counts, got)
        counts, slack = counts.astype(F64), 4 * a.size * 2.0**-52
        if weights is not None:  # sums of numbers of both signs
            size = np.abs(weights.astype(F64)).sum()
            if density:
                inside, _ = np.histogram(a, bins, limits, False, weights.astype(F64))
                size = size / max(abs(inside.sum()), 1e-300) * (np.abs(counts) + 1 / np.diff(places))
            slack = slack * size
        kept = F64 if density else weights.dtype  # the weights' own dtype, as NumPy
        Close(2, finite(np.asarray(slack + 0 * counts)))(counts, got, kept)
    c.judge(want, lambda: c.ga.histogram(a, bins, **named), check)


@case("bincount")
def bincount(c):
    a = c.array(c.dtype([d for d in INTS if d != np.uint64]), (c.pick(0, 1, 5, 20, 100),), "small")
    if c.chance(0.9) and a.dtype.kind == "i":
        a = np.abs(a)
        c.note("a", a)
    weights = c.array(c.pick(F64, F32, I64), a.shape, "unit", name="weights") if c.chance(0.4) else None
    least = c.r.randint(0, 15)
    c.judge(attempt(lambda: np.bincount(a, weights, least)), lambda: c.ga.bincount(a, weights=weights, minlength=least),
            exact if weights is None else lambda w, g: Close(2, 4 * a.size * 2.0**-52)(w, g, F64), {"minlength": least})
