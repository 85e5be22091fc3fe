"""Filters that add up each window: Gaussians, differences, means."""
import numpy as np

from ..case import case
from ..comparing import Close, Mismatch, exact
from ..dtypes import F32, F64, ORDERED, saturating
from ..optional import ndimage, part_of_scipy
from ..structs import f64
from ..windows import BORDERS, bordered, draw_border, whole


class Passes:
    """SciPy's correlations along axes in float64, integers cut off between them; keeps how large errors may be."""

    def __init__(self, a, result, border, cval):
        self.whole, self.border, self.cval = result.kind in "biu", BORDERS[border], cval or 0.0
        self.x = a.astype(F64)
        finite = np.abs(self.x[np.isfinite(self.x)])
        self.scale, self.terms = max(finite.max(initial=0), abs(self.cval), 1e-30), 4

    def along(self, axis, weights, cut=True):
        weights = np.asarray(weights, F64)
        if self.x.size:
            self.x = ndimage().correlate1d(self.x, weights, axis, mode=self.border, cval=self.cval)
        if self.whole and cut:
            self.x = whole(self.x)
        self.scale *= max(np.abs(weights).sum(), 1)
        self.terms += len(weights) + 1


def judge_sums(c, a, result, x, scale, terms, actual, named):
    if result.kind in "biu":
        want, check = saturating(x, result), exact
    else:
        work = np.result_type(a.dtype, result)
        eps = np.finfo(work if work == F32 else F64).eps + np.finfo(result).eps
        want, check = x.astype(result), Close(1, eps * terms * scale)
    c.judge(want, actual, check, named)


def sum_array(c):
    dtype = c.dtype(ORDERED)
    a = c.lay(c.shape(c.pick(0, 1, 1, 2, 2, 2, 3, 3, 4)), dtype, "small" if dtype.kind == "f" else None)
    if dtype.kind in "iu" and dtype.itemsize == 8:
        a = a // 2**40  # beyond, rounding decides what is cut off
    if dtype.kind == "f" and a.size and c.chance(0.2) and a.flags.writeable and 0 not in a.strides:
        a[tuple(0 for _ in a.shape)] = np.nan
    c.note("array", a)
    return a


def draw_out(c, a, named):
    """Sometimes an .out; the dtype of the result."""
    if c.chance(0.3):
        named["out"] = c.target(a.shape, c.pick(a.dtype, *[d for d in (F32, F64) if np.can_cast(a.dtype, d, "same_kind")]), a)
        return named["out"].dtype
    return a.dtype


def gaussian_weights(sigma, order, radius):
    return part_of_scipy("ndimage._filters")._gaussian_kernel1d(sigma, order, radius)[::-1]


@case("gaussian_filter", "gaussian_laplace", "gaussian_gradient_magnitude")
def gaussian(c):
    a, r = sum_array(c), c.r
    n, named = a.ndim, {}
    named["border"], named["cval"] = draw_border(c)
    sigmas = [c.pick(0.5, 0.8, 1.0, 1.7, 2.5)] * n if c.chance(0.5) else [c.pick(0.0, 0.4, 1.0, 2.0) for _ in range(n)]
    sigma = sigmas[0] if n and len(set(sigmas)) == 1 else 0.0
    if n and len(set(sigmas)) > 1:
        named["sigmas"] = (f64 * n)(*sigmas)
    radii, orders = [None] * n, [0] * n
    if c.chance(0.2) and n:
        radii = [r.randint(0, 5) for _ in range(n)]
        named["radius"] = tuple(radii)
    truncate = c.pick(None, None, 2.0, 3.0)
    named["truncate"] = truncate
    if c.name == "gaussian_filter" and c.chance(0.4) and n:
        orders = [r.randint(0, 3) for _ in range(n)]
        named["order"] = tuple(orders)
    result = draw_out(c, a, named)
    sums, scale, terms = None, 0, 0
    for k in range(n if c.name != "gaussian_filter" else 1):
        p = Passes(a, result, named["border"], named["cval"])
        these = orders if c.name == "gaussian_filter" else [(2 if c.name == "gaussian_laplace" else 1) * (d == k) for d in range(n)]
        for d in range(n):
            if sigmas[d] > 1e-15:
                radius = radii[d] if radii[d] is not None else int((truncate or 4.0) * sigmas[d] + 0.5)
                p.along(d, gaussian_weights(sigmas[d], these[d], radius))
        x = p.x**2 if c.name == "gaussian_gradient_magnitude" else p.x
        sums = x if sums is None else sums + x
        scale, terms = scale + p.scale, terms + p.terms
    if c.name == "gaussian_gradient_magnitude" and n:
        sums = np.sqrt(sums)
        if result.kind == "f":  # what a rounding error of the squares makes of a small root
            terms *= 8
    sums = a.astype(F64) if n == 0 else sums
    call = lambda: getattr(c.ga, c.name)(a, sigma, **named)
    judge_sums(c, a, result, sums, scale, terms, call, {k: v for k, v in named.items() if k != "sigmas"})


@case("sobel", "prewitt", "laplace")
def differences(c):
    a, named = sum_array(c), {}
    named["border"], named["cval"] = draw_border(c)
    axis = c.axis(a.ndim, several=False, given=0.5)
    named["axis"] = axis
    result = draw_out(c, a, named)
    call = lambda: getattr(c.ga, c.name)(a, **named)
    if axis is not None and not -a.ndim <= axis < a.ndim or a.ndim == 0 and c.name != "laplace":
        c.judge(ValueError("no such axis"), call, named=named)
        return
    p = Passes(a, result, named["border"], named["cval"])
    if c.name == "laplace":
        x, sums = p.x, np.zeros(a.shape) if a.ndim else p.x
        for d in range(a.ndim) if axis is None else [axis % a.ndim]:
            p.x = x
            p.along(d, [1, -2, 1], cut=False)
            sums = sums + p.x
        p.x = sums
    else:
        axis = (-1 if axis is None else axis) % a.ndim
        p.along(axis, [-1, 0, 1], cut=False)
        for d in range(a.ndim):
            if d != axis:
                p.along(d, [1, 2 if c.name == "sobel" else 1, 1], cut=False)
    judge_sums(c, a, result, p.x, p.scale, p.terms, call, named)


@case("uniform_filter")
def uniform_filter(c):
    a, r, named = sum_array(c), c.r, {}
    n = a.ndim
    named["border"], named["cval"] = draw_border(c)
    sizes = [r.randint(1, c.pick(4, 10, 40))] * n if c.chance(0.5) else [r.randint(1, 9) for _ in range(n)]
    size = sizes[0] if n else 1
    if len(set(sizes)) > 1:
        named["sizes"], size = tuple(sizes), 0
    origin = [r.randint(-(k // 2), (k - 1) // 2) if c.chance(0.3) else 0 for k in sizes]
    if any(origin):
        named["origin"] = tuple(origin)
    result = draw_out(c, a, named)
    x, cval = a.astype(F64), named["cval"] or 0.0
    for d in range(n):  # sums in an exact order do not matter: SciPy's running sums are less exact
        if a.size and sizes[d] > 1:
            before = [sizes[d] // 2 + origin[d] if k == d else 0 for k in range(n)]
            after = [sizes[d] - 1 - before[d] if k == d else 0 for k in range(n)]
            more = bordered(x, before, after, named["border"], cval)
            x = np.lib.stride_tricks.sliding_window_view(more, sizes[d], d).sum(-1) / sizes[d]
            x = np.trunc(x) if result.kind in "biu" else x
    if a.size and n and result.kind == "f" and not np.isnan(a).any():
        scipys = ndimage().uniform_filter(a.astype(F64), sizes, mode=BORDERS[named["border"]], cval=cval, origin=origin)
        if not np.allclose(scipys, x, 1e-9, 1e-9 * max(1, np.abs(a).max())):
            raise Mismatch("the reference is not SciPy's")
    scale = max(np.abs(a[np.isfinite(a)]).max(initial=0), abs(cval), 1e-30) if a.size else 1
    judge_sums(c, a, result, x, float(scale), 8 * n + 4, lambda: c.ga.uniform_filter(a, size, **named), named)
