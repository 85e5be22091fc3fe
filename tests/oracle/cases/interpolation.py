"""Splines at other places: shifted, zoomed, rotated, anywhere."""
import warnings

import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, exact, first_bad, same_form
from ..dtypes import C128, F64, FLOATS, INTS, LONG
from ..optional import ndimage
from ..structs import f64
from .linear import on_cpu

MODES = "reflect constant nearest mirror wrap grid-constant grid-wrap".split()  # in the order of ga_border


def draw(c, ndim=None):
    a = c.array(c.dtype(INTS[:6] + FLOATS * 2), c.shape(ndim or c.pick(1, 1, 2, 2, 2, 3)), "small")
    if a.dtype.kind == "i" and c.chance(0.5):
        a = np.abs(a)
    order = c.r.randint(0, 5)
    border = c.r.randrange(len(MODES))
    options = {"order": order, "mode": MODES[border]}
    named = {"order": order, "border": border}
    if c.chance(0.3) and a.dtype.kind != "c":
        options["cval"] = named["cval"] = c.pick(1.0, 3.0)
    if c.chance(0.2):
        options["prefilter"] = named["prefilter"] = False
    return a, options, named


def judge(c, a, call, want, named):
    """Close to SciPy's, which sums in another order. Integers: unless a half is near. Whole places of order 0 and constants may differ by
    rounding at the very border."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = want(np.array(a, order="C"))
    except (*ERRORS, RuntimeError) as e:
        want = e
    size = np.abs(a).max(initial=1).astype(F64) * 40 + 10

    loose = named.get("border") == 2 and named["order"] > 1 and "spline" not in c.name  # its filter is not exact either

    def check(want, got):
        same_form(want, got)
        step = 2.0**-18 if got.dtype in (np.dtype("f4"), np.dtype("c8")) else 2.0**-38
        step = 2.0**-8 if loose else step
        near = np.abs(want.astype(C128) - got.astype(C128)) <= (1 if got.dtype.kind in "iu" else size * step)
        if got.dtype.kind in "iu" and (want != got).mean() > 0.5 and got.size > 8:
            near &= want == got
        if c.name == "rotate" and named["order"] == 0 and near.mean() > 0.8:
            return  # rounding decides which is the nearest
        if not near.all():
            first_bad(~near, want, got)
    c.judge(want, call, check, named)


def places(c, shape, n):
    """Coordinates inside, at whole places, and outside, not at borders where rounding decides."""
    far = c.pick(0, 2, 9, 40)
    x = c.g.uniform(-far - 0.0, n - 1 + far, shape)
    return np.where(c.g.random(shape) < 0.2, np.rint(x), x)


def coefficients(a, order, axis):
    """Those of SciPy 1.17 with mode="reflect" are not exact: from the equations that they solve."""
    n = a.shape[axis]
    if n < 2 or order < 2:
        return a.astype(C128 if a.dtype.kind == "c" else F64)
    if n > 60:
        return ndimage().spline_filter1d(a, order, axis, C128 if a.dtype.kind == "c" else F64, "reflect")
    i = np.arange(-order, order + 1)
    b = ndimage().map_coordinates((i == 0).astype(F64), [i + order], order=order, mode="grid-constant", prefilter=False)
    m = np.zeros((n, n))
    for k in range(-order, order + 1):
        j = (np.arange(n) + k) % (2 * n)
        np.add.at(m, (np.arange(n), np.where(j < n, j, 2 * n - 1 - j)), b[k + order])
    return np.moveaxis(np.linalg.solve(m, np.moveaxis(a, axis, 0).reshape(n, -1)).reshape(n, *np.delete(a.shape, axis)), 0, axis)


def exactly(function, b, rotated=False, **options):
    """SciPy's function with coefficients that are exact."""
    if options["mode"] == "reflect" and options.get("prefilter", True):
        dtype, options["prefilter"] = b.dtype, False
        axes = sorted(options.get("axes", (1, 0))) if rotated else range(b.ndim)
        for d in axes:
            b = coefficients(b, options["order"], d)
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            return np.clip(np.rint(function(b, **options)), limits.min, limits.max).astype(dtype)
        return function(b, **options).astype(dtype)
    return function(b, **options)


@case("spline_filter", "spline_filter1d")
def spline_filter(c):
    on_cpu(c)
    a = c.array(c.dtype(INTS[:6] + FLOATS * 2), c.shape(c.pick(1, 2, 2, 3)), "small")
    if a.size == 0:
        return
    order, border = c.r.randint(2 if c.name == "spline_filter" else 0, 5), c.pick(0, 1, 2, 3, 5, 6)
    named, options = {"order": order, "border": border}, {"order": order, "mode": MODES[border]}
    options["output"] = C128 if a.dtype.kind == "c" else F64
    if c.name == "spline_filter1d" and c.chance(0.7):
        named["axis"] = options["axis"] = c.r.randrange(-a.ndim, a.ndim)
    def want(b):
        if border in (0, 2):
            for d in range(a.ndim) if c.name == "spline_filter" else [options.get("axis", -1)]:
                b = coefficients(b, order, d)
            return b
        return getattr(ndimage(), c.name)(b, **options)
    judge(c, a, lambda: getattr(c.ga, c.name)(a, **named), want, named)


@case("map_coordinates")
def map_coordinates(c):
    on_cpu(c)
    a, options, named = draw(c)
    form = c.shape(c.pick(1, 2))
    if a.size == 0:
        return
    x = np.array([places(c, form, n) for n in a.shape]).reshape(a.ndim, *form)
    x = c.view(x.astype(c.pick(F64, F64, np.dtype("i4"))))
    c.note("coordinates", x)
    judge(c, a, lambda: c.ga.map_coordinates(a, x, **named), lambda b: exactly(lambda v, **o: ndimage().map_coordinates(v, x, **o), b, **options), named)


@case("shift", "zoom")
def shift(c):
    on_cpu(c)
    a, options, named = draw(c)
    if a.size == 0:
        return
    if c.name == "shift":
        each = [c.pick(0.0, 1.0, 0.5, -0.25, -2.0, 3.7, 11.3) for _ in range(a.ndim)]
    else:
        each = [c.pick(0.5, 1.0, 2.0, 1.7, 3.0, 0.3) for _ in range(a.ndim)]
        if c.chance(0.3):
            options["grid_mode"] = named["grid_mode"] = True
    if c.chance(0.4):
        each = each[:1] * a.ndim
    same = len(set(each)) == 1
    if not same or c.chance(0.3):
        named["each"] = (f64 * a.ndim)(*each)
    judge(c, a, lambda: getattr(c.ga, c.name)(a, 0.0 if "each" in named else each[0], **named),
          lambda b: exactly(lambda v, **o: getattr(ndimage(), c.name)(v, each, **o), b, **options), {k: v for k, v in named.items() if k != "each"} | {"steps": each})


@case("affine_transform")
def affine(c):
    on_cpu(c)
    a, options, named = draw(c)
    n = a.ndim
    if a.size == 0:
        return
    matrix, offset = c.g.uniform(-1.5, 1.5, (n, n)), c.g.uniform(-3, 5, n)
    kind = c.r.randrange(4)
    if kind == 0:
        matrix = np.diagonal(matrix) + 0.1
    if kind == 1:
        matrix = np.hstack([matrix, offset[:, None]])
    if kind == 2:
        matrix = np.vstack([np.hstack([matrix, offset[:, None]]), [0] * n + [1]])
    elif kind != 1 and c.chance(0.7):
        options["offset"], named["offset"] = offset, (f64 * n)(*offset)
    matrix = c.view(matrix)
    if c.chance(0.5):
        options["output_shape"] = named["output_shape"] = tuple(c.r.randint(1, 7) for _ in range(n))
    c.note("matrix", matrix)
    c.note("offset", offset)
    judge(c, a, lambda: c.ga.affine_transform(a, matrix, **named), lambda b: exactly(lambda v, **o: ndimage().affine_transform(v, matrix, **o), b, **options),
          {k: v for k, v in named.items() if k != "offset"})


@case("rotate")
def rotate(c):
    on_cpu(c)
    a, options, named = draw(c, c.pick(2, 2, 3))
    if a.size == 0:
        return
    if min(a.shape) < 2 or a.size > 10000:
        return
    angle = c.pick(17.3, 90.0, 45.0, -30.0, 180.0, 300.5)
    if angle % 45 == 0 and options["order"] == 0 or options["mode"] in ("constant", "wrap") and angle % 30 == 0:
        angle += 1.7  # at whole places rounding decides
    if c.chance(0.5):
        options["axes"] = named["axes"] = tuple(c.r.sample(range(a.ndim), 2))
    if c.chance(0.4):
        options["reshape"] = named["reshape"] = False
    c.note("angle", angle)
    judge(c, a, lambda: c.ga.rotate(a, angle, **named), lambda b: exactly(lambda v, **o: ndimage().rotate(v, angle, **o), b, rotated=True, **options), named)
