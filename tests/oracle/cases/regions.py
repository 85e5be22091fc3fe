"""Filters along one axis, and what is asked of regions that labels make."""
import ctypes as C

import numpy as np

from ..case import case
from ..comparing import Close, Mismatch, Skip, exact, values_only
from ..dtypes import BOOL, F32, F64, FLOATS, I64, INTS, ORDERED, finite
from ..optional import ndimage
from ..structs import f64
from ..windows import BORDERS, draw_border
from .filters import gaussian_weights
from .morphology import judge_as_scipy


@case("minimum_filter1d", "maximum_filter1d", "uniform_filter1d", "gaussian_filter1d")
def line_filters(c):
    a = c.array(c.dtype(INTS[:6] + FLOATS[:2] * 2), c.shape(c.pick(1, 1, 2, 2, 3)), "small")
    if a.size == 0 or a.dtype.kind == "u":
        raise Skip
    a = finite(a)
    border, cval = draw_border(c)
    if cval == 2.5:
        cval = 2.0
    named = {"border": border, "cval": cval, "axis": c.pick(None, c.r.randrange(-a.ndim, a.ndim))}
    options = {"mode": BORDERS[border], "cval": cval or 0.0, "axis": -1 if named["axis"] is None else named["axis"]}
    close = Close(4, 1e-5 if a.dtype == F32 else 1e-12) if a.dtype.kind == "f" else exact
    if c.name == "gaussian_filter1d":
        sigma, order = c.pick(0.5, 1.0, 2.3), c.r.randint(0, 2)
        a = a.astype(c.pick(F32, F64))
        c.note("floats", a)
        named["order"], options["order"] = (order,), order
        if c.chance(0.3):
            named["radius"], options["radius"] = (3,), 3
        return judge_as_scipy(c, lambda: c.ga.gaussian_filter1d(a, sigma, **named), (a, sigma), Close(4, 2e-5 if a.dtype == F32 else 1e-12), options, named)
    size = c.r.randint(1, 9)
    if c.chance(0.5):
        named["origin"] = options["origin"] = c.r.randint(-(size // 2), (size - 1) // 2)
    if c.name == "uniform_filter1d" and a.dtype.kind == "i":
        size = c.pick(1, 2, 4, 8)  # others are cut off as rounding has it
        named.pop("origin", 0), options.pop("origin", 0)
    judge_as_scipy(c, lambda: getattr(c.ga, c.name)(a, size, **named), (a, size), close, options, named)


@C.CFUNCTYPE(f64, C.POINTER(f64), C.c_int64, C.c_void_p)
def weighed(values, n, user):
    """Which element is where matters."""
    return sum(values[i] * (i % 5 - 1) for i in range(n))


@case("generic_filter")
def generic_filter(c):
    a = c.array(c.dtype(INTS[:6] + FLOATS[:2] * 2), c.shape(c.pick(1, 2, 2, 3), 20), "small")
    if a.size == 0 or a.dtype.kind == "u" or a.size > 300 or c.ga.gpu:
        raise Skip
    a = finite(a)
    border, cval = draw_border(c)
    sizes = [c.r.randint(1, 4) for _ in range(a.ndim)]
    named, options = {"border": border, "cval": cval}, {"mode": BORDERS[border], "cval": cval or 0.0}
    if c.chance(0.5):
        named["origin"] = options["origin"] = tuple(c.r.randint(-(k // 2), (k - 1) // 2) for k in sizes)
    if c.chance(0.5):
        named["footprint"] = options["footprint"] = c.view(c.g.random(sizes) < 0.7)
        if not named["footprint"].any():
            raise Skip
    else:
        named["sizes"] = options["size"] = tuple(sizes)
    pointer = C.cast(weighed, C.c_void_p).value
    want = ndimage().generic_filter(a.astype(F64), lambda v: float((v * (np.arange(len(v)) % 5 - 1)).sum()), **options)
    want = np.clip(np.trunc(want), *[getattr(np.iinfo(a.dtype), k) for k in ("min", "max")]) if a.dtype.kind == "i" else want
    c.judge(want.astype(a.dtype), lambda: c.ga.generic_filter(a, pointer, 0, 0, **named), Close(2, 1e-4 if a.dtype == F32 else 1e-11) if a.dtype.kind == "f" else exact, named)


def draw_labels(c, shape):
    labels = c.g.integers(0, 6, shape) * (c.g.random(shape) < c.pick(0.3, 1))
    labels = c.view(labels.astype(c.dtype([np.dtype("i1"), np.dtype("u2"), np.dtype("i4"), I64])))
    index = c.g.integers(0, 9, c.r.randint(1, 6)).astype(c.pick(np.int32, np.int64)) if c.chance(0.5) else None
    c.note("labels", labels)
    c.note("index", index)
    return labels, index, index if index is not None else np.arange(1, int(labels.max(initial=0)) + 1)


@case("minimum_position", "maximum_position", "extrema", "variance", "standard_deviation")
def measured(c):
    shape = c.shape(c.pick(1, 2, 2, 3))
    if 0 in shape:
        raise Skip
    a = finite(c.array(shape=shape, among=ORDERED[1:] + FLOATS[:2] * 3, style=c.pick("small", "tame")))
    labels, index, wanted = draw_labels(c, shape)
    masks = [labels.ravel() == k for k in wanted]
    if c.chance(0.2):
        labels = index = None
        masks = [np.ones(a.size, bool)]
    x = a.ravel()
    def place(f, m):
        at = np.flatnonzero(m)
        if not len(at):
            return 0
        best = at[x[at] == f(x[at])]
        return best[0 if f is np.min or labels is None else -1]
    rows = lambda f: np.array([np.unravel_index(place(f, m), shape) for m in masks], I64).reshape(len(masks), len(shape))
    value = lambda f: np.array([f(x[m]) if m.any() else 0 for m in masks], a.dtype)
    if c.name == "extrema":
        want = [value(np.min), value(np.max), rows(np.min), rows(np.max)]
        return c.judge(want, lambda: c.ga.extrema(a, labels, index, 1, 1, 1, 1), lambda w, g: [exact(u, v, False) for u, v in zip(w, g, strict=True)])
    if c.name.endswith("position"):
        return c.judge(rows(np.min if c.name[1] == "i" else np.max), lambda: getattr(c.ga, c.name)(a, labels, index))
    f = np.var if c.name == "variance" else np.std
    want = np.array([f(x[m].astype(np.longdouble)) if m.any() else np.nan for m in masks])
    slack = np.array([x.size * 2.0**-48 * np.abs(x[m].astype(F64)).max(initial=0) ** (2 if f is np.var else 1) for m in masks])
    c.judge(want, lambda: getattr(c.ga, c.name)(a, labels, index), lambda w, g: Close(8, slack)(w, g, F64))


@case("find_objects", "value_indices")
def boxes(c):
    shape = c.shape(c.pick(1, 2, 2, 3))
    labels, _, _ = draw_labels(c, shape)
    if labels.size == 0:
        raise Skip
    if c.name == "find_objects":
        most = c.pick(0, 0, 3, 9)
        want = [[(s.start, s.stop) for s in box] if box else [(0, 0)] * len(shape) for box in ndimage().find_objects(labels.astype(np.int64), most)]
        return c.judge(np.array(want, I64).reshape(-1, len(shape), 2), lambda: c.ga.find_objects(labels, most))
    said = ndimage().value_indices(np.ascontiguousarray(labels))
    keys = sorted(said)
    want = [np.hstack([np.array(said[k]) for k in keys]), np.array(keys, labels.dtype), np.array([len(said[k][0]) for k in keys])]
    return c.judge(want, lambda: c.ga.value_indices(labels, 1, 1), lambda w, g: [exact(u, v) for u, v in zip(w, g, strict=True)])


@case("watershed_ift")
def watershed(c):
    """Each element belongs to a marker that costs it least, by a way through elements of that label. SciPy 1.17 does not always find it: a
    list with one element is not seen as one. Where it does, and no two labels cost as much, both agree."""
    shape = c.shape(c.pick(1, 2, 2, 3))
    if 0 in shape or c.ga.gpu:
        raise Skip
    a = c.view(c.g.integers(0, c.pick(4, 250), shape).astype(c.pick(np.uint8, np.uint16)))
    markers = c.g.integers(-2, 4, shape) * (c.g.random(shape) < c.pick(0.05, 0.3))
    markers = c.view(markers.astype(c.pick(np.int8, np.int32, np.int64)))
    structure = c.pick(None, ndimage().generate_binary_structure(a.ndim, a.ndim))
    c.note("image", a)
    c.note("markers", markers)
    want = ndimage().watershed_ift(np.ascontiguousarray(a), np.ascontiguousarray(markers), structure)

    s = structure if structure is not None else ndimage().generate_binary_structure(a.ndim, 1)
    steps = [np.array(k) - 1 for k in np.ndindex(s.shape) if s[k] and any(np.array(k) != 1)]

    def costs(sources, labels=None):
        """The least of the greatest steps on ways from these elements, inside of one label if labels are given."""
        cost = np.where(sources, 0, 1 << 20)
        for _ in range(a.size):
            before = cost.copy()
            for step in steps:
                here = tuple(slice(max(0, -d), n - max(0, d)) for d, n in zip(step, a.shape))
                there = tuple(slice(max(0, d), n - max(0, -d)) for d, n in zip(step, a.shape))
                way = np.maximum(cost[here], np.abs(a[here].astype(int) - a[there].astype(int)))
                if labels is not None:
                    way = np.where(labels[here] == labels[there], way, 1 << 20)
                cost[there] = np.minimum(cost[there], way)
            if (cost == before).all():
                break
        return cost

    def check(w, g):
        if g.dtype != w.dtype or (g[markers != 0] != markers[markers != 0]).any():
            raise Mismatch(f"markers: {g.tolist()}")
        least = costs(markers != 0)
        exact(least, costs(markers != 0, g))
        each = np.array([costs(markers == k) for k in np.unique(markers[markers != 0])])
        sure = (each == least).sum(0) == 1 if len(each) else True
        exact(np.where(sure & (costs(markers != 0, w) == least), w, 0), np.where(sure & (costs(markers != 0, w) == least), g, 0))
    c.judge(want, lambda: c.ga.watershed_ift(a, markers, structure=structure), check)
