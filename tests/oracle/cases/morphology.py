"""Morphology: what erosions and dilations leave of shapes."""
import warnings

import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Mismatch, compare, exact, values_only
from ..dtypes import BOOL, F64, FLOATS, INTS, ORDERED
from ..optional import ndimage
from ..structs import f64
from ..windows import BORDERS, bordered, draw_border
from .linear import on_cpu


def judge_as_scipy(c, call, given, check, options, named):
    """options: SciPy's, named: gpuarr's."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = getattr(ndimage(), c.name)(*given, **options)
    except (*ERRORS, RuntimeError) as e:
        want = e
    c.judge(want, call, check, named)


def draw_structure(c, ndim, most=4):
    """True around its middle, or anywhere; how far its middle moves."""
    shape = tuple(c.r.randint(1, most) for _ in range(ndim))
    s = c.g.random(shape) < c.pick(0.4, 0.8, 1)
    origin = tuple(c.r.randint(-(k // 2), (k - 1) // 2) if c.chance(0.3) else 0 for k in shape)
    if c.chance(0.7) and ndim:
        s[tuple(k // 2 + o for k, o in zip(shape, origin))] = True
    s = c.view(s.astype(c.dtype([BOOL, BOOL, np.dtype("u1"), np.dtype("f8")])))
    c.note("structure", s)
    return s, origin


def draw_image(c, ndim=None):
    a = c.array(c.dtype([BOOL] * 3 + ORDERED), c.shape(ndim if ndim is not None else c.pick(0, 1, 1, 2, 2, 2, 3, 3, 4)), "small")
    thin = c.pick(None, 0.1, 0.5, 0.9, 0.98)
    return a if thin is None else c.view(np.where(c.g.random(a.shape) < thin, a, a.dtype.type(c.pick(0, 1))).astype(a.dtype))


@case("generate_binary_structure", "iterate_structure")
def structures(c):
    if c.name == "generate_binary_structure":
        rank, near = c.r.randint(-1, 5), c.r.randint(-1, 6)
        return c.judge(ndimage().generate_binary_structure(rank, near), lambda: c.ga.generate_binary_structure(rank, near))
    s, _ = draw_structure(c, c.pick(1, 2, 2, 3), 3)
    n = c.r.randint(0, 5)
    return c.judge(ndimage().iterate_structure(s, n), lambda: c.ga.iterate_structure(s, n))


def one_pass(dilate, a, structure=None, origin=None, border_value=0, mask=None):
    """By the definition, as SciPy 1.17 writes beyond its memory where a structure is of even length or longer than the array."""
    a = a != 0
    s = ndimage().generate_binary_structure(a.ndim, 1) if structure is None else structure != 0
    origin = origin or (0,) * a.ndim
    before = [k // 2 + o for k, o in zip(s.shape, origin)]
    if all(k % 2 and n >= k for k, n in zip(s.shape, a.shape)) and a.ndim and s.any():
        return (ndimage().binary_dilation if dilate else ndimage().binary_erosion)(a, s, 1, mask, None, border_value, origin)
    if dilate:
        s, before = np.flip(s), [k - 1 - b for k, b in zip(s.shape, before)]
    wide = bordered(a, before, [k - 1 - b for k, b in zip(s.shape, before)], 1, bool(border_value))
    windows = np.lib.stride_tricks.sliding_window_view(wide, s.shape)[..., s]
    b = windows.any(-1) if dilate else windows.all(-1)
    return b if mask is None else np.where(mask, b, a)


def passes(dilate, a, iterations=1, **options):
    while True:
        b = one_pass(dilate, a, **options)
        iterations -= 1
        if iterations == 0 or iterations < 0 and (a != 0).tobytes() == b.tobytes():
            return b
        a = b


def binary_by_passes(name, a, options):
    if name == "binary_fill_holes":
        return ~passes(True, np.zeros(a.shape, bool), 0, mask=a == 0, border_value=1, **options)
    if name == "binary_propagation":
        return passes(True, a, 0, **options)
    if name in ("binary_erosion", "binary_dilation"):
        return passes(name == "binary_dilation", a, **options)
    return passes(name == "binary_opening", passes(name == "binary_closing", a, **options), **options)


@case("binary_erosion", "binary_dilation", "binary_opening", "binary_closing", "binary_propagation", "binary_fill_holes")
def binary(c):
    a = draw_image(c)
    options, named = {}, {}
    goes_on = c.name in ("binary_propagation", "binary_fill_holes")
    if a.ndim and c.chance(0.6):
        s, origin = draw_structure(c, a.ndim)
        options["structure"] = named["structure"] = s
        if any(origin):
            options["origin"] = named["origin"] = origin
        middle = s[tuple(k // 2 + o for k, o in zip(s.shape, origin))]
    else:
        middle = True
    if not goes_on and c.chance(0.6):
        options["iterations"] = named["iterations"] = c.pick(1, 2, 3, 5, 20, 0, -1)
    if c.name != "binary_fill_holes":
        if c.chance(0.4):
            options["mask"] = named["mask"] = c.view(c.g.random(a.shape) < c.pick(0.3, 0.7, 0.95))
            c.note("mask", options["mask"])
        if c.chance(0.4):
            options["border_value"] = named["border_value"] = 1
    if (goes_on or named.get("iterations", 1) < 1) and not middle:
        return c.judge(ValueError("it may not end"), lambda: getattr(c.ga, c.name)(a, **named))
    if "structure" in named and not named["structure"].any() and (c.ga.gpu or a.size == 0):
        return None  # SciPy's borders; nothing to choose from
    if a.size == 0:
        return c.judge(np.zeros(a.shape, bool), lambda: getattr(c.ga, c.name)(a, **named))
    if c.chance(0.2):
        named["out"] = c.target(a.shape, BOOL, a if a.dtype == BOOL else None)
    c.judge(binary_by_passes(c.name, np.array(a, order="C"), options), lambda: getattr(c.ga, c.name)(a, **named), exact, named)


@case("binary_hit_or_miss")
def hit_or_miss(c):
    a = draw_image(c, c.pick(1, 2, 2, 3))
    options = {}
    for k in "12":
        if c.chance(0.5):
            s, origin = draw_structure(c, a.ndim)
            if not s.any():
                continue
            options["structure" + k] = s
            if any(origin):
                options["origin" + k] = origin
    if "structure1" in options and "structure2" not in options and (options["structure1"].all() or "origin2" in options):
        del options["structure1"]
        options.pop("origin1", None)
    if "origin1" in options and "origin2" not in options:
        options["origin2"] = (0,) * a.ndim
    if a.size == 0:
        return
    one = options.get("structure1", ndimage().generate_binary_structure(a.ndim, 1))
    origin = options.get("origin1")
    hit = one_pass(False, a, one, origin)
    miss = one_pass(False, a == 0, options.get("structure2", one == 0), options.get("origin2", origin), 1)
    if c.chance(0.2):
        options["out"] = c.target(a.shape, BOOL)
    c.judge(hit & miss, lambda: c.ga.binary_hit_or_miss(a, **options), exact, dict(options))


@case("grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient", "morphological_laplace", "white_tophat",
      "black_tophat")
def grey(c):
    minus = c.name.startswith("morph")  # NumPy has no difference of bool
    a = c.array(c.dtype([BOOL] * (not minus) + INTS + FLOATS * 3), c.shape(c.pick(1, 1, 2, 2, 2, 3)), "small")
    if a.size == 0:
        return
    border, cval = draw_border(c, a.dtype)
    cval = 0 if cval is None or a.dtype == BOOL else int(cval) % 7 if a.dtype.kind != "f" else cval
    options, named = {"mode": BORDERS[border], "cval": cval}, {"border": border, "cval": float(cval)}
    sizes = tuple(c.r.randint(1, min(5, k)) for k in a.shape)
    size, how = 0, c.r.randrange(4)
    if c.chance(0.3):
        options["origin"] = named["origin"] = tuple(c.r.randint(-((k - 1) // 2), (k - 1) // 2) for k in sizes)
    if how == 0:
        size = options["size"] = min(sizes)
        options.pop("origin", 0), named.pop("origin", 0)
    elif how == 1:
        options["size"] = named["sizes"] = sizes
    else:
        cells = c.g.random(sizes) < c.pick(0.5, 0.9, 1)
        cells[(0,) * a.ndim] = True
        if a.ndim == 1 and not cells.all():
            cells[...] = True  # SciPy 1.17 looks at its size alone there
        if how == 2 or c.chance(0.5):
            options["footprint"] = named["footprint"] = cells
            c.note("footprint", cells)
        if how == 3:
            if a.dtype != F64:
                a = c.view(np.asarray(c.g.integers(0, 40, a.shape)).astype(a.dtype if a.dtype.kind == "f" else np.int32))
            options["structure"] = named["structure"] = c.g.integers(-3, 4, sizes).astype(c.pick(F64, np.dtype("i4")))
            c.note("structure", options["structure"])
    c.note("a", a)
    check = exact if a.dtype.kind != "f" else values_only
    big = a.dtype.kind in "iu" and a.dtype.itemsize == 8  # SciPy computes in float64
    if big:
        a = a // 2**12
    if a.dtype.kind == "f" and not np.isfinite(a).all():
        a = np.where(np.isfinite(a), a, a.dtype.type(1))
    judge_as_scipy(c, lambda: getattr(c.ga, c.name)(a, size, **named), (np.array(a, order="C"),), check, options, named)


@case("distance_transform_edt", "distance_transform_cdt", "distance_transform_bf")
def distance_transform(c):
    on_cpu(c)
    a = draw_image(c, c.pick(1, 2, 2, 2, 3, 3, 4))
    if a.size == 0:
        return
    metric = {"distance_transform_edt": 0, "distance_transform_cdt": c.pick(2, 3), "distance_transform_bf": c.pick(0, 2, 3)}[c.name]
    named = {"metric": metric}
    sampling = [c.pick(0.5, 1.0, 2.0, 3.5, 0.1) for _ in range(a.ndim)] if metric == 0 and c.chance(0.4) else None
    if sampling:
        named["sampling"] = (f64 * a.ndim)(*sampling)
    if metric == (3 if c.name == "distance_transform_cdt" else 0) and c.chance(0.5):
        del named["metric"]
    none = a.astype(bool).all()
    dtype = F64 if metric == 0 else np.dtype("i4") if c.name == "distance_transform_cdt" else np.dtype("u4")
    if none:
        want = np.full(a.shape, np.inf if metric == 0 else -1 if dtype.kind == "i" else 2**32 - 1, dtype)
    elif metric == 0:
        want = ndimage().distance_transform_edt(a, sampling)
    else:
        want = ndimage().distance_transform_cdt(a, "taxicab" if metric == 2 else "chessboard").astype(dtype)
    check = Close(4) if sampling else exact
    call = getattr(c.ga, c.name)
    if c.chance(0.5):
        return c.judge(want, lambda: call(a, **named), lambda w, g: compare(check, w, g, dtype))
    got, indices = call(a, indices=True, **named)
    compare(check, want, got, dtype)
    exact(np.full((a.ndim, *a.shape), -1, np.int32)[:0], indices[:0])
    if none:
        return exact(np.full(indices.shape, -1, np.int32), indices)
    if a[tuple(indices)].any():
        raise Mismatch("indices of what is not 0")
    steps = np.abs(indices - np.indices(a.shape)) * np.reshape(sampling or [1.0] * a.ndim, (-1,) + (1,) * a.ndim)
    far = np.sqrt((steps**2).sum(0)) if metric == 0 else steps.sum(0) if metric == 2 else steps.max(0)
    compare(Close(4), far, got.astype(F64), F64)
