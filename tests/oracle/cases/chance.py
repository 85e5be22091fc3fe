"""Random numbers of distributions, permutations and choices: SciPy's distributions say whether they may be so."""
import numpy as np
import scipy.stats

from ..binding import GaError
from ..case import case
from ..comparing import Mismatch, exact, same_form
from ..dtypes import F32, F64, I64

I32 = np.dtype(np.int32)

UNLIKELY = 1e-9  # the seeds are fixed: what passes once passes always


def judge(c, x, distribution, discrete):
    if x.size < 20:
        return
    x = x.ravel().astype(F64)
    if not discrete:
        p = scipy.stats.kstest(x, distribution.cdf).pvalue
    else:  # in about 20 classes of the same probability
        edges = np.unique(distribution.ppf(np.linspace(0, 1, 22)[1:-1]))
        expected = np.diff(np.concatenate(([0], distribution.cdf(edges), [1]))) * x.size
        counts = np.bincount(np.searchsorted(edges, x), minlength=expected.size)
        if counts[expected < 1e-9].any():
            raise Mismatch("numbers that cannot be")
        enough = expected > 5
        expected, counts = (np.append(v[enough], v[~enough].sum() + 1e-30) for v in (expected, counts))
        p = scipy.stats.chi2.sf(((counts - expected)[expected > 1]**2 / expected[expected > 1]).sum(), max((expected > 1).sum() - 1, 1))
    if p < UNLIKELY:
        raise Mismatch(f"the probability of such numbers is {p}; their mean is {x.mean()}, of {distribution.mean()}, their variance "
                       f"{x.var()}, of {distribution.var()}")


@case("random_exponential", "random_gamma", "random_beta", "random_binomial", "random_poisson")
def drawn(c):
    g, s = c.r, scipy.stats
    scale = g.choice((1.0, 0.5, 300.0))
    a, b = (g.choice((0.3, 0.9, 1.0, 2.5, 40.0, 3000.0, 1e6)) for _ in range(2))
    a = c.pick(a, a, a, 0.05)  # (of such a b many numbers round to 1)
    n, p = g.choice((1, 5, 24, 25, 100, 127, 128, 1000, 10**6, 10**12)), g.choice((0.0, 0.001, 0.04, 0.3, 0.5, 0.99, 1.0))
    lam = g.choice((0.0, 0.001, 0.01, 3.0, 15.0, 39.0, 41.0, 70.0, 500.0, 1e6, 1e9))
    given, distribution = {"random_exponential": ((scale,), s.expon(scale=scale)), "random_gamma": ((a, scale), s.gamma(a, scale=scale)),
                           "random_beta": ((a, b), s.beta(a, b)), "random_binomial": ((n, p), s.binom(n, p)),
                           "random_poisson": ((lam,), s.poisson(lam))}[c.name]
    discrete = c.name in ("random_binomial", "random_poisson")
    shape, seed = c.pick((2000,), (2000,), (40, 30), (), (0, 3)), g.getrandbits(64)
    dtype = c.pick(I64, I64, I32) if discrete else c.pick(F64, F64, F32)
    c.note("given", (given, shape, seed, dtype))
    if dtype == I32 and distribution.mean() > 1e8:
        dtype = I64
    x, again = (getattr(c.ga, c.name)(*given, shape, dtype=dtype, seed=seed) for _ in range(2))
    same_form(np.empty(shape, dtype), x)
    exact(x, again)
    if discrete and given in ((n, 0.0), (n, 1.0), (0.0,)):
        if (x != (n if given == (n, 1.0) else 0)).any():
            raise Mismatch(f"only one number is possible: {x!r}")
    elif dtype != F32 or a >= 1 and b >= 1:
        judge(c, x, distribution, discrete)


@case("random_permutation", "random_shuffle")
def permuted(c):
    a = c.array(among=[F64, I64], shape=c.shape(c.pick(1, 1, 2, 3)), style="tame")
    axis, seed = c.r.randrange(-a.ndim, a.ndim), c.r.getrandbits(64)
    places = c.ga.random_permutation(a.shape[axis], seed=seed)
    if c.ga.gpu:
        places = np.asarray(places)
    exact(np.arange(a.shape[axis], dtype=I64), np.sort(places))
    if c.name == "random_permutation":
        return exact(np.take(a, places, axis), c.ga.random_permutation(a, axis=axis, seed=seed))
    mixed = a.copy()
    c.ga.random_shuffle(mixed, axis=axis, seed=seed)
    exact(np.take(a, places, axis), mixed)


@case("random_choice")
def choice(c):
    n, replace, seed = c.r.randint(1, 12), c.chance(0.5), c.r.getrandbits(64)
    p = None
    if c.chance(0.6):
        p = np.where(c.g.random(n) < 0.8, c.g.random(n) + 0.05, 0)
        p = p / p.sum() if p.sum() > 0 else np.full(n, 1 / n)
    size = c.pick(2000, 500) if replace else c.r.randint(0, n if p is None else int((p > 0).sum()))
    c.note("n, p, size", (n, p, size))
    x = c.ga.random_choice(n, (size,), replace=replace, p=p, seed=seed)
    same_form(np.empty(size, I64), x)
    if (x < 0).any() or (x >= n).any() or p is not None and (p[x] == 0).any() or not replace and len(set(x.tolist())) != size:
        raise Mismatch(f"got {x!r}")
    if replace:
        expected = np.full(n, size / n) if p is None else p * size
        used = expected > 5
        if used.sum() > 1 and scipy.stats.chi2.sf(((np.bincount(x, minlength=n) - expected)[used]**2 / expected[used]).sum(), used.sum()) < UNLIKELY:
            raise Mismatch(f"counts {np.bincount(x, minlength=n)}, of {expected}")
    a = c.array(among=[F64, I64], shape=(2, n, 3), style="tame")
    exact(np.take(a, x, 1), c.ga.random_choice(a, (size,), replace=replace, p=p, axis=1, seed=seed))


@case("random_multivariate_normal")
def vectors(c):
    n, seed = c.r.randint(1, 4), c.r.getrandbits(64)
    mean, root = c.g.standard_normal(n), c.g.standard_normal((n, n)) * c.pick(1, 1, 0.01)
    root[:, 0] *= c.pick(0, 1, 1)
    cov = root @ root.T
    if c.chance(0.1) and cov.any():
        cov = cov - 10 * np.eye(n) * np.abs(cov).max()
        try:
            c.ga.random_multivariate_normal(mean, cov, (5,), seed=seed)
        except GaError:
            return
        raise Mismatch("no error")
    x = c.ga.random_multivariate_normal(mean, cov, (3000,), seed=seed)
    same_form(np.empty((3000, n)), x)
    along = c.g.standard_normal(n)
    sigma = np.sqrt(along @ cov @ along)
    if sigma > 1e-6 and scipy.stats.kstest((x - mean) @ along / sigma, "norm").pvalue < UNLIKELY:
        raise Mismatch(f"not normal along {along}: {np.cov(x.T)} for {cov}")
