"""Distances between points."""
import numpy as np

from ..case import case
from ..comparing import Close
from ..dtypes import COMPLEX, F32, F64, FLOATS, LONG, ORDERED
from ..optional import spatial_distance
from ..outputs import put_result

METRICS = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine")


@case("cdist", "pdist")
def distances(c):
    among = ORDERED + FLOATS * 8
    n, m, f = (c.pick(0, 1, 2, 3, 5, 8, 9, 16, 17, 31, 33, 40, 65) if c.chance(0.9) else c.pick(100, 130) for _ in range(3))
    f = f if c.chance(0.9) else c.pick(200, 257, 1030)
    x = c.array(c.dtype(among + COMPLEX if c.chance(0.03) else among), (n, f), c.pick("tame", "small", "unit"), name="x")
    wrong = c.chance(0.03)
    if wrong:
        x = c.array(F64, c.pick((n,), (n, f, 1), (n, f + 1)), "small", name="x")
    y = c.array(c.dtype(among), (m, f), c.pick("tame", "small", "unit"), name="y") if c.name == "cdist" else x
    metric = c.r.randrange(len(METRICS))
    named = {"metric": metric}
    call = (lambda a, **rest: c.ga.cdist(a, y, **rest)) if c.name == "cdist" else c.ga.pdist
    if x.dtype.kind == "c" or (wrong and not (c.name == "pdist" and x.ndim == 2)):
        return c.judge(ValueError("shape or dtype"), lambda: call(x, **named), named=named)
    c.note("metric", METRICS[metric])
    result = F32 if np.promote_types(x.dtype, y.dtype) == F32 else F64
    u, v = x.astype(F64), y.astype(F64)
    if METRICS[metric] == "chebyshev":  # SciPy passes over NaN
        want = np.abs(u[:, None, :] - v[None, :, :]).max(axis=2, initial=0)
        want = want if c.name == "cdist" else want[np.triu_indices(len(want), 1)]
    elif c.name == "cdist":
        want = spatial_distance().cdist(u, v, METRICS[metric])
    else:
        want = spatial_distance().pdist(u, METRICS[metric])
    size = np.where(np.isfinite(want), want, 0) if METRICS[metric] != "cosine" else 2.0
    slack = (x.shape[1] + 6) * np.finfo(result).eps * size + np.finfo(result).tiny
    put_result(c, call, x, named, want.astype(LONG), result, Close(4, slack))


@case("squareform")
def squareform(c):
    n, checks = c.pick(0, 1, 2, 3, 5, 31, 32, 33, 40), c.chance(0.9)
    how = c.r.random()
    if how < 0.4:
        a = c.array(shape=(max(n * (n - 1) // 2 + (c.chance(0.1) and c.pick(-1, 1)), 0),), style="any")
    elif how < 0.45:
        a = c.array(shape=c.pick((n, n + 1), (2, 2, 2)), style="small")
    else:
        a = c.array(shape=(n, n), style="small", repeat=False)
        if c.chance(0.85):
            a = np.triu(a, 1) + np.triu(a, 1).T  # distances
            if n and c.chance(0.15):
                i, j = c.r.randrange(n), c.r.randrange(n)
                a[i, j] = a[i, j] == 0
        c.note("matrix", a)
    c.compare(lambda v, checks: spatial_distance().squareform(v, checks=checks), c.ga.squareform, a, checks=checks)
