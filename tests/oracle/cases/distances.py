"""Distances between points."""
import numpy as np

from ..case import case
from ..comparing import Close, Skip
from ..dtypes import COMPLEX, F32, F64, FLOATS, LONG, ORDERED
from ..optional import spatial_distance
from ..outputs import put_result

METRICS = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine",
           "braycurtis", "canberra", "correlation", "hamming", "jensenshannon", "mahalanobis", "minkowski", "seuclidean")


def options(c, metric, features, pairs):
    """Those that SciPy takes too; numbers that float32 holds."""
    named = {}
    if metric == "minkowski":
        named["p"] = c.pick(0.5, 1.0, 1.5, 2.0, 3.0, np.inf)
    if metric == "seuclidean":
        named["V"] = np.array([c.pick(0.25, 1, 2, 5) for _ in range(features)])
    elif metric == "mahalanobis":
        root = np.array([c.pick(-1.0, 0.0, 0.5, 2.0) for _ in range(features ** 2)]).reshape(features, features)
        named["VI"] = root @ root.T + np.eye(features)
    elif metric != "jensenshannon" and pairs < 400 and c.chance(0.3):
        named["w"] = np.array([c.pick(0, 0.25, 1, 2, 3) for _ in range(features)], F64)
    return named


def slack_of(metric, named, u, v, want, eps, tiny):
    """What rounding may change, beside the last places."""
    steps, size = u.shape[1] + 8, np.where(np.isfinite(want), want, 0)
    if metric in ("jensenshannon", "mahalanobis") and not (np.isfinite(u).all() and np.isfinite(v).all()):
        raise Skip  # SciPy leaves out features that are NaN
    if metric == "jensenshannon":
        return np.minimum(np.sqrt(4 * steps * eps), 4 * steps * eps / np.maximum(size, tiny))
    if metric == "mahalanobis":  # of the sum of the sizes, before the root
        both = np.abs(u).max(initial=0) + np.abs(v).max(initial=0)
        whole = 2 * steps * eps * both ** 2 * np.abs(named["VI"]).sum()
        return np.minimum(np.sqrt(whole), whole / np.maximum(size, tiny)) + tiny
    if metric in ("cosine", "correlation"):
        lost = 1.0
        if metric == "correlation" and u.shape[1] > 1:
            w = named.get("w", np.ones(u.shape[1]))
            for a in (u, v):
                whole = np.linalg.norm(a * np.sqrt(w), axis=1)
                left = np.linalg.norm((a - (a @ w / w.sum())[:, None]) * np.sqrt(w), axis=1)
                if w.any() and (left <= 1e-3 * whole)[whole > 0].any():
                    raise Skip  # nothing but rounding is left
                ratio = whole / np.where(left > 0, left, 1)
                lost += np.max(ratio, initial=0, where=np.isfinite(ratio))
        return 2 * steps * eps * lost + tiny
    if metric == "minkowski":
        return 4 * steps * eps * size + (steps * tiny) ** (1 / named["p"])
    return steps * eps * size + tiny


@case("cdist", "pdist")
def distances(c):
    among = ORDERED + FLOATS * 8
    n, m, f = (c.pick(0, 1, 2, 3, 5, 8, 9, 16, 17, 31, 33, 40, 65) if c.chance(0.9) else c.pick(100, 130) for _ in range(3))
    f = f if c.chance(0.9) else c.pick(200, 257, 1030)
    metric = c.pick(*METRICS)
    if metric == "mahalanobis":
        f = min(f, 17)
    x = c.array(c.dtype(among + COMPLEX if c.chance(0.03) else among), (n, f), c.pick("tame", "small", "unit"), name="x")
    wrong = c.chance(0.03)
    if wrong:
        x = c.array(F64, c.pick((n,), (n, f, 1), (n, f + 1)), "small", name="x")
    y = c.array(c.dtype(among), (m, f), c.pick("tame", "small", "unit"), name="y") if c.name == "cdist" else x
    if metric == "jensenshannon" and c.chance(0.8) and x.dtype.kind == "f" and y.dtype.kind == "f":
        x, y = np.abs(x), np.abs(y)
    if c.name == "pdist":
        y = x
    named = {"metric": METRICS.index(metric)}
    call = (lambda a, **rest: c.ga.cdist(a, y, **rest)) if c.name == "cdist" else c.ga.pdist
    if x.dtype.kind == "c" or (wrong and not (c.name == "pdist" and x.ndim == 2)):
        return c.judge(ValueError("shape or dtype"), lambda: call(x, **named), named=named)
    theirs = options(c, metric, x.shape[1], len(x) * len(y))
    named.update(theirs)
    c.note("metric", metric)
    c.note("options", theirs)
    result = F32 if np.promote_types(x.dtype, y.dtype) == F32 else F64
    u, v = x.astype(F64), y.astype(F64)
    with np.errstate(all="ignore"):
        if metric == "chebyshev" or theirs.get("p") == np.inf:  # SciPy passes over NaN
            kept = theirs.get("w", np.ones(u.shape[1])) > 0
            want = np.abs(u[:, None, kept] - v[None, :, kept]).max(axis=2, initial=0)
            want = want if c.name == "cdist" else want[np.triu_indices(len(want), 1)]
        elif c.name == "cdist":
            want = spatial_distance().cdist(u, v, metric, **theirs)
        else:
            want = spatial_distance().pdist(u, metric, **theirs)
        if metric == "jensenshannon" and np.isfinite(u).all() and np.isfinite(v).all():
            want = np.where(np.isnan(want), 0, want)  # the root of what rounding made negative
        slack = slack_of(metric, theirs, u, v, want, np.finfo(result).eps, np.finfo(result).tiny)
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
