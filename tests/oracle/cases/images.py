"""Objects in images: labels, and measurements by label."""
import numpy as np

from ..case import case
from ..comparing import Close, Mismatch, exact
from ..dtypes import BOOL, DTYPES, F32, F64, FLOATS, I64, INTS, LONG, ORDERED, finite
from ..optional import ndimage
from ..structs import i64


def first_seen(labels):
    """Labels numbered anew, in the order in which they are first seen."""
    values, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(np.where(values == 0, -1, first))
    number = np.empty(len(values), int)
    number[order] = np.arange(len(values)) + (0 if 0 in values else 1)
    return number[inverse].reshape(labels.shape)


def picture(c, among, style):
    """An image with rows that end around 64, 128 ... elements or are very long, and objects as dense as they come."""
    columns = c.pick(1, 2, 31, 63, 64, 65, 127, 128, 129, 191, 192, 193, 1000, 33000 if c.chance(0.1) else 256)
    rows = c.pick((), (1,), (2,), (3,), (40,), (3, 4), (2, 3, 2)) if columns < 1000 else c.pick((), (3,))
    a = c.array(shape=rows + (columns,), among=among, style=style)
    return np.where(c.g.random(a.shape) < c.pick(0.02, 0.2, 0.5, 0.6, 0.9, 1), a, a.dtype.type(0))


@case("label")
def label(c):
    style = c.pick("small", "small", "tame")
    a = c.array(shape=c.shape(c.pick(1, 2, 2, 2, 3)), among=[BOOL] * 5 + DTYPES, style=style) if c.chance(0.5) else \
        picture(c, [BOOL] * 5 + DTYPES, style)
    connectivity = c.pick(None, 1, 2, 3)
    dtype = c.dtype(INTS[4:]) if c.chance(0.3) else None
    above = c.pick(0.0, -0.0, 0.5, -3.0, 2.0, 1e-320, 0.1, np.inf, -np.inf, np.nan, 1e300) if c.chance(0.3) else None
    mask = a != 0 if above is None else a.astype(F64) > (above if a.dtype != F32 else F64.type(F32.type(above)))
    labels, n = ndimage().label(mask, ndimage().generate_binary_structure(a.ndim, connectivity or 1))
    count = i64(-1)
    c.note("connectivity, dtype, above", (connectivity, dtype, above))
    if above is not None and a.dtype.kind == "c":
        return c.judge(TypeError("complex numbers have no order"), lambda: c.ga.label(a, above=above))
    got = c.ga.label(a, connectivity=connectivity, dtype=dtype, count=count, above=above)
    exact(first_seen(labels).astype(dtype or np.int32), got)
    if count.value != n:
        raise Mismatch(f"count: want {n}, got {count.value}")


@case("sum_labels", "mean_labels", "min_labels", "max_labels", "size_labels", "center_of_mass")
def measures(c):
    shape = c.shape(c.pick(1, 2, 2, 3)) if c.chance(0.8) else c.pick((50, 129), (3, 30, 64), (20000,))
    a = finite(c.array(shape=shape, among=ORDERED[1:] + FLOATS * 3, style=c.pick("small", "tame")))
    labels = c.g.integers(0, 6, shape) * (c.g.random(shape) < c.pick(0.05, 1))
    if shape and shape[-1] > 1 and c.chance(0.5):  # long runs, beyond the ends of rows
        labels = np.repeat(labels.ravel(), 40)[:labels.size].reshape(shape)
    labels = c.view(labels.astype(c.dtype([BOOL, np.dtype("i1"), np.dtype("u2"), np.dtype("i4"), I64, np.dtype("u1"), F32, F64])))
    index = c.g.integers(0, 9, c.r.randint(1, 6)).astype(c.pick(np.int32, np.int64)) if c.chance(0.5) else None
    c.note("labels", labels)
    c.note("index", index)
    wanted = index if index is not None else np.arange(1, (int(labels.max()) if labels.size else 0) + 1)
    x = a.astype(LONG)
    if c.name == "size_labels":
        want = np.array([np.count_nonzero(labels == k) for k in wanted], I64)
        return c.judge(want, lambda: c.ga.size_labels(labels, index))
    if c.name == "center_of_mass":
        whole = c.chance(0.2)
        masks = [np.ones(shape, bool)] if whole else [labels == k for k in wanted]
        grid = np.indices(shape)
        form = (len(masks), len(shape))
        total = np.array([[x[m].sum()] for m in masks], LONG).reshape(-1, 1)
        scale = np.where(total == 0, np.inf, np.abs(total))
        want = np.array([[(x * g)[m].sum() for g in grid] for m in masks], LONG).reshape(form) / total
        size = np.array([[np.abs(x * g)[m].sum() for g in grid] for m in masks], LONG).reshape(form) / scale
        spread = np.array([[np.abs(x)[m].sum()] for m in masks], LONG).reshape(-1, 1) / scale
        if whole:
            labels = index = None
        slack = a.size * 2.0**-50 * (size + spread * finite(np.abs(want)))
        lost = ~np.isfinite(want)  # over 0: NaN or infinite, as rounding has it

        def check(w, g):
            Close(2, slack)(np.where(lost, 0, w), np.where(lost & (~np.isfinite(g) | (np.abs(g) > 1e10)), 0, g), F64)
        if c.chance(0.5):
            return c.judge(want, lambda: c.ga.center_of_mass(a, labels, index), check)
        centers, sums = c.ga.center_of_mass(a, labels, index, sums=True)
        check(want, centers)
        exact(c.ga.sum(a, dtype=F64).reshape(1) if whole else c.ga.sum_labels(a, labels, index), sums)
        return None
    chosen = [x[labels == k] for k in wanted]
    f = {"sum_labels": np.sum, "mean_labels": np.mean, "min_labels": np.min, "max_labels": np.max}[c.name]
    want = np.array([f(v) if v.size else np.nan if f is np.mean else 0 for v in chosen], LONG)
    slack = 0 if f in (np.min, np.max) else np.array([(v.size + 2) * 2.0**-52 * np.abs(v).sum() for v in chosen], LONG)
    c.judge(want, lambda: getattr(c.ga, c.name)(a, labels, index), lambda w, g: Close(1, slack)(w, g, F64))
