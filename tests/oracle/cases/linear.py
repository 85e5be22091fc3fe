"""Linear algebra: residuals like LAPACK's own tests, and NumPy's numbers where there is only one answer."""
import ctypes
import math
import warnings

import numpy as np
import scipy.linalg

from ..binding import GaError
from ..case import case
from ..comparing import ERRORS, Close, Mismatch, Skip, any_nan, same_form
from ..dtypes import C64, C128, DTYPES, F32, F64
from ..dtypes import wide as more_exact

LIMIT = 30  # of the ratios of an error to what rounding explains, as in LAPACK's tests


def result_dtype(*arrays):
    return np.result_type(*(a.dtype if a.dtype.kind == "c" or a.dtype == F32 else F64 for a in arrays))


def matrices(c, rows, columns, batch=None, dtype=None, name="a"):
    """A matrix or a stack of them: of random numbers, or small integers, that are singular now and then."""
    batch = draw_batch(c) if batch is None else batch
    dtype = dtype or c.dtype([F32, F64, F64, C64, C128, C128] * 3 + DTYPES)
    shape = (*batch, rows, columns)
    if dtype.kind in "biu":
        a = c.g.integers(0, 2 if dtype.kind == "b" else 9, shape).astype(dtype)
    else:
        a = c.g.standard_normal(shape) if c.chance(0.8) else c.g.integers(-2, 3, shape)
        a = (a + 1j * c.g.standard_normal(shape) if dtype.kind == "c" else a).astype(dtype)
        a *= c.pick(1, 1, 1, 1e-3, 1e4)
        if a.size and c.chance(0.05):
            a[..., 0, 0] = c.pick(np.nan, np.inf, 0)
    a = c.view(a)
    c.note(name, a)
    return a


def draw_batch(c):
    return c.pick((), (), (3,), (1,), (2, 3), (0,), (70,)) if c.chance(0.5) else ()


def draw_size(c):
    n = c.r.choice((c.r.randint(0, 5), c.r.randint(1, 9), c.r.randint(1, 30)))
    return c.pick(47, 48, 49, 100, 128, 129, 150) if c.chance(0.08) else n


def on_cpu(c):
    if c.ga.gpu:  # there it is an error, and a test of its own
        raise Skip


def wide(a):
    return np.asarray(a, C128 if a.dtype.kind == "c" else F64)


def both(c, reference, actual, hopeless=lambda: False):
    """NumPy's answer and gpuarr's; Skip where both are errors, or one is and rounding decides."""
    want = got = None
    try:
        want = reference()
    except ERRORS as e:
        want = e
    try:
        got = actual()
    except GaError as e:
        got = e
    if isinstance(want, Exception) and isinstance(got, Exception):
        raise Skip
    if isinstance(want, Exception) != isinstance(got, Exception):
        if hopeless():
            raise Skip
        raise Mismatch(f"want {want!r}, got {got!r}")
    return want, got


def ratio(c, what, error, scale, dtype, n):
    """error / (scale * n * eps) must be small, for each matrix."""
    error, scale = np.asarray(error, F64), np.asarray(scale, F64)
    eps = np.finfo(dtype).eps
    bad = ~(error <= LIMIT * eps * max(n, 1) * scale + np.finfo(dtype).tiny) & np.isfinite(scale)
    if bad.any():
        raise Mismatch(f"{what}: the error is {error[bad].max() if error.ndim else error}, "
                       f"{(error / (scale * max(n, 1) * eps)).max()} times what rounding explains")


def size_of(a):
    """The 1-norms of a stack."""
    return np.abs(wide(a)).sum(-2).max(-1, initial=0)


def turned(a):
    return np.swapaxes(a, -1, -2).conj()


def ill(a):
    """Is a matrix so near to a singular one that rounding decides?"""
    a = wide(a)
    return not np.isfinite(a).all() or a.size and bool((np.linalg.cond(a) > 1e13).any())


@case("solve", "solve_triangular")
def solve(c):
    n, columns, batch = draw_size(c), c.pick(0, 1, 2, 5, 130), draw_batch(c)
    a = matrices(c, n, n, batch)
    vector = c.chance(0.3)
    if vector:
        b = matrices(c, n + c.chance(0.03), 1, (), name="b")[:, 0]
    else:
        b = matrices(c, n + c.chance(0.03), columns, c.broadcast(batch), name="b")
    named = {}
    if c.name == "solve":
        want, got = both(c, lambda: np.linalg.solve(a, b), lambda: c.ga.solve(a, b), lambda: ill(a))
        used = wide(a)
    else:
        named = {"trans": c.pick(0, 0, 1, 2), "lower": c.chance(0.5), "unit_diagonal": c.chance(0.3)}
        used = np.tril(wide(a)) if named["lower"] else np.triu(wide(a))
        if named["unit_diagonal"]:
            i = np.arange(n)
            used[..., i, i] = 1
        used = (lambda x: x, lambda x: np.swapaxes(x, -1, -2), turned)[named["trans"]](used)
        want, got = both(c, lambda: np.linalg.solve(used, b), lambda: c.ga.solve_triangular(a, b, **named), lambda: True)
    c.note("options", named)
    if got.shape != want.shape:
        raise Mismatch(f"shape: want {want.shape}, got {got.shape}")
    if got.dtype != result_dtype(a, b):
        raise Mismatch(f"dtype: want {result_dtype(a, b)}, got {got.dtype}")
    if not np.isfinite(wide(a)).all() or not np.isfinite(wide(b)).all() or not np.isfinite(got).all() or not got.size:
        return
    x, y = (wide(v)[..., None] if vector else wide(v) for v in (got, b))
    ratio(c, "a x - b", size_of(used @ x - y), size_of(used) * size_of(x) + size_of(y), got.dtype, n)


@case("inv")
def inv(c):
    n = draw_size(c)
    a = matrices(c, n, n + c.chance(0.02))
    want, got = both(c, lambda: np.linalg.inv(a), lambda: c.ga.inv(a), lambda: ill(a))
    same_form(want, got, result_dtype(a))
    if np.isfinite(wide(a)).all() and np.isfinite(got).all() and got.size:
        ratio(c, "a inv(a) - 1", size_of(wide(a) @ wide(got) - np.eye(n)), size_of(a) * size_of(got), got.dtype, n)


@case("det", "slogdet")
def det(c):
    n = draw_size(c)
    a = matrices(c, n, n)
    dtype = result_dtype(a)
    x = wide(a)
    want = np.linalg.slogdet(x)
    got = c.ga.det(a) if c.name == "det" else c.ga.slogdet(a, 1, 1)
    if c.name == "det":
        same_form(np.linalg.det(a), got, dtype)
        got, want = wide(got), np.linalg.det(x)
        # an error in a row changes the determinant by that row's minors: at most the product of the norms
        with np.errstate(all="ignore"):
            room = np.prod(np.sqrt((np.abs(x)**2).sum(-1)), -1) * max(n, 1)
        good = (np.abs(got - want) <= LIMIT * np.finfo(dtype).eps * room) | ~np.isfinite(want) | (np.abs(want) > np.finfo(dtype).max) \
            | (np.abs(got - want) <= np.finfo(dtype).smallest_normal) \
            | (np.isnan(x).any((-2, -1)) & np.isnan(got))  # where a zero column comes last, NumPy has 0
        if not good.all():
            raise Mismatch(f"want {want!r}, got {got!r}")
        return
    same_form(np.asarray(want[0]), got[0], dtype)
    same_form(np.asarray(want[1]), got[1], np.finfo(dtype).dtype)
    if not np.isfinite(x).all() or ill(a):
        return
    error = np.abs(wide(got[1]) - want[1])
    if (error > 1e-2 * np.abs(want[1]) * (dtype in (F32, C64)) + 1e-3).any() or (np.abs(wide(got[0]) - want[0]) > 1e-2).any():
        raise Mismatch(f"want {want!r}, got {got!r}")


@case("cholesky")
def cholesky(c):
    n, upper = draw_size(c), c.chance(0.4)
    a = matrices(c, n, n)
    if a.dtype.kind in "fc" and c.chance(0.9):
        x = wide(a)
        a = ((x @ turned(x)) + n * np.eye(n) * 1e-3).astype(a.dtype)
        if n and c.chance(0.5):  # what stands in the other triangle does not matter
            noise = c.g.standard_normal(a.shape).astype(a.real.dtype)
            a += (np.tril(noise, -1) if upper else np.triu(noise, 1)).astype(a.dtype)
        a = c.view(a)
        c.note("positive", a)
    want, got = both(c, lambda: np.linalg.cholesky(a, upper=upper), lambda: c.ga.cholesky(a, upper=upper), lambda: True)
    same_form(want, got, result_dtype(a))
    if not np.isfinite(want).all() or not np.isfinite(got).all():
        return
    f, x = wide(got), wide(a).copy()
    i = np.arange(n)
    x[..., i, i] = x[..., i, i].real  # what else stands there is not read
    part = np.triu if upper else np.tril
    if not np.array_equal(part(f), f):
        raise Mismatch("the other triangle is not 0")
    back = turned(f) @ f if upper else f @ turned(f)
    ratio(c, "L L^H - a", size_of(part(back - x)), size_of(back), got.dtype, n)


def judge_orthonormal(c, q, what, of=None):
    x = wide(q)
    ratio(c, what + " is not orthonormal", size_of(turned(x) @ x - np.eye(x.shape[-1])), 1.0 + 0 * size_of(x), q.dtype, max(x.shape[-2:]))


@case("qr")
def qr(c):
    m, n, mode = draw_size(c), draw_size(c), c.pick("reduced", "reduced", "complete")
    a = matrices(c, m, n)
    want, got = both(c, lambda: np.linalg.qr(a, mode), lambda: c.ga.qr(a, 1, 1, mode=int(mode == "complete")))
    for w, g in zip(want, got, strict=True):
        same_form(w, g, result_dtype(a))
    q, r = got
    if not np.isfinite(wide(a)).all() or not q.size:
        return
    if not np.array_equal(np.triu(r), r):
        raise Mismatch("r has numbers below its diagonal")
    judge_orthonormal(c, q, "q")
    ratio(c, "q r - a", size_of(wide(q) @ wide(r) - wide(a)), size_of(a), q.dtype, max(m, n))
    i = np.arange(min(m, n))
    if np.abs(wide(r)[..., i, i].imag).max(initial=0) > 0:
        raise Mismatch("the diagonal of r is not real")


@case("matrix_power")
def matrix_power(c):
    n, power = c.r.randint(0, 6), c.r.randint(0, 9) if c.chance(0.7) else c.r.randint(-4, -1)
    a = matrices(c, n, n + c.chance(0.03))
    if c.ga.gpu and power < 0:
        raise Skip
    c.note("power", power)
    want, got = both(c, lambda: np.linalg.matrix_power(a, power), lambda: c.ga.matrix_power(a, power), lambda: ill(a))
    if power < 0:
        same_form(want, got, result_dtype(a))
    else:
        same_form(want, got)
    if want.dtype.kind in "biu":
        if power >= 0 and not np.array_equal(want, got):
            raise Mismatch(f"want {want!r}, got {got!r}")
        return
    x = np.linalg.matrix_power(np.abs(wide(a if power >= 0 else np.linalg.inv(a))), abs(power))
    if np.isfinite(x).all() and np.isfinite(want).all() and not (power < 0 and ill(a)):
        cond = np.linalg.cond(wide(a)).max(initial=1) if power < 0 and a.size else 1
        if (np.abs(wide(got) - wide(want)) > 100 * cond * np.finfo(got.dtype).eps * np.nanmax(x, initial=0)).any():
            raise Mismatch(f"want {want!r}, got {got!r}")


@case("multi_dot_n")
def multi_dot(c):
    count = c.r.randint(2, 6)
    lengths = [c.r.randint(1, 12) if c.chance(0.97) else 0 for _ in range(count + 1)]
    dtype = c.dtype([F32, F64, C128] * 4 + DTYPES)
    arrays = [matrices(c, lengths[k], lengths[k + 1] + c.chance(0.005), (), dtype, f"operand {k}") for k in range(count)]
    if c.chance(0.3):
        arrays[0] = arrays[0][:1][0] if arrays[0].shape[0] else arrays[0]
    if c.chance(0.3):
        arrays[-1] = arrays[-1][:, 0] if arrays[-1].shape[1] else arrays[-1]
    want, got = both(c, lambda: np.asarray(np.linalg.multi_dot(arrays)), lambda: c.ga.multi_dot_n(arrays))
    same_form(want, got)
    if want.dtype.kind in "biu":
        if not np.array_equal(want, got):
            raise Mismatch(f"want {want!r}, got {got!r}")
        return
    size = np.asarray(np.linalg.multi_dot([np.abs(wide(a)) for a in arrays]))
    good = np.abs(wide(got) - wide(want)) <= 100 * sum(lengths) * np.finfo(got.dtype).eps * size
    if np.isfinite(size).all() and not good.all():
        raise Mismatch(f"want {want!r}, got {got!r}")


@case("kron")
def kron(c):
    a, b = (c.array(shape=c.shape(c.pick(0, 1, 2, 2, 3, 4), 6), name=x) for x in "ab")
    if a.size * b.size > 20000:
        raise Skip
    if "c" not in (a.dtype.kind, b.dtype.kind):
        return c.compare(np.kron, c.ga.kron, a, b, check=any_nan)
    dtype = np.result_type(a, b)

    def check(want, got):  # NumPy fuses complex products where the processor can
        both = np.isnan(want) & np.isnan(got)
        Close(4)(np.where(both, 0, want), np.where(both, 0, got), dtype)
    c.judge(np.kron(a.astype(more_exact(dtype)), b.astype(more_exact(dtype))), lambda: c.ga.kron(a, b), check)


@case("cross")
def cross(c):
    dtype = c.dtype([F32, F64, C128] + DTYPES)
    shape = [c.r.randint(1, 4) for _ in range(c.r.randint(0, 2))]
    n = len(shape) + 1
    given = c.pick({}, {}, {"axis": c.r.randrange(-n, n)}, {"axisa": c.r.randrange(-n, n), "axisb": c.r.randrange(-n, n), "axisc": c.r.randrange(-n, n)})
    arrays = []
    for k, name in enumerate("ab"):
        where = given.get("axis", given.get("axis" + name, -1))
        full = list(shape)
        full.insert(where + n if where < 0 else where, 3 if c.chance(0.98) else 4)
        arrays.append(c.array(dtype, tuple(full), "tame", name=name))
    if any(3 != a.shape[given.get("axis", given.get("axis" + x, -1))] for a, x in zip(arrays, "ab")):
        c.compare(lambda *a, **o: np.linalg.cross(np.zeros(2), np.zeros(2)), c.ga.cross, *arrays, **given)
    else:
        if dtype.kind == "b":
            raise Skip  # NumPy does not subtract them
        if dtype.kind != "c":
            return c.compare(np.cross, c.ga.cross, *arrays, check=any_nan, **given)
        want, got = both(c, lambda: np.cross(*arrays, **given), lambda: c.ga.cross(*arrays, **given))
        same_form(want, got)
        if np.isfinite(want).all() and (np.abs(got - want) > 8 * np.finfo(dtype).eps * np.abs(arrays[0]).max() * np.abs(arrays[1]).max()).any():
            raise Mismatch(f"want {want!r}, got {got!r}")


@case("vecdot")
def vecdot(c):
    dtype = c.dtype([F32, F64, C64, C128] * 2 + DTYPES)
    shape = c.shape(c.pick(1, 1, 2, 3), 20)
    axis = c.r.randrange(-len(shape), len(shape)) if c.chance(0.4) else -1
    a, b = (c.array(dtype, shape, "small", name=x) for x in "ab")
    if axis == -1 and len(shape) > 1 and c.chance(0.3):
        b = b.reshape(-1, shape[-1])[0] if b.size else b
    want, got = both(c, lambda: np.asarray(np.vecdot(a, b, axis=axis)), lambda: c.ga.vecdot(a, b, **({"axis": axis} if axis != -1 else {})))
    same_form(want, got)
    if want.dtype.kind in "biu" and not np.array_equal(want, got):
        raise Mismatch(f"want {want!r}, got {got!r}")
    if want.dtype.kind in "fc":
        size = np.asarray((np.abs(wide(np.broadcast_to(a, a.shape))) * np.abs(wide(b))).sum(axis))
        if (np.abs(wide(got) - wide(want)) > 4 * (shape[axis] + 2) * np.finfo(got.dtype).eps * size).any():
            raise Mismatch(f"want {want!r}, got {got!r}")


@case("tensorsolve", "tensorinv")
def tensors(c):
    shape = [c.r.randint(1, 4) for _ in range(c.r.randint(1, 2))]
    n = int(np.prod(shape))
    other = c.pick(shape, [n], [n, 1], shape[::-1])
    dtype = c.dtype([F32, F64, C128])
    if c.name == "tensorinv":
        a = matrices(c, n, n, (), dtype).reshape(*shape, *other)
        ind = len(shape) if c.chance(0.95) else c.pick(0, 1, 9)
        c.note("ind", ind)
        want, got = both(c, lambda: np.linalg.tensorinv(a, ind), lambda: c.ga.tensorinv(a, ind=ind), lambda: ill(a.reshape(n, n)))
    else:
        a = matrices(c, n, n, (), dtype).reshape(*shape, *other)
        b = matrices(c, n, 1, (), dtype, "b").reshape(shape)
        axes = None
        if c.chance(0.4) and a.ndim > 1:
            axes = tuple(c.r.sample(range(len(shape)), c.r.randint(1, len(shape))))
            a = np.moveaxis(a, range(len(shape)), range(-len(shape), 0)) if c.chance(0.7) and len(axes) == len(shape) else a
        c.note("axes", axes)
        want, got = both(c, lambda: np.linalg.tensorsolve(a, b, axes), lambda: c.ga.tensorsolve(a, b, axes=axes), lambda: ill(a.reshape(n, n)))
    same_form(want, got)
    x = np.linalg.cond(wide(a).reshape(n, n)) if np.isfinite(wide(a)).all() else np.inf
    if x < 1e4 and np.isfinite(want).all() and (np.abs(wide(got) - wide(want)) > 1e3 * x * np.finfo(got.dtype).eps * np.abs(want).max(initial=1e-30)).any():
        raise Mismatch(f"want {want!r}, got {got!r}")


def hermitian(c, n):
    """A matrix of which one triangle is read, and the Hermitian matrix that it stands for."""
    a, upper = matrices(c, n, n), c.chance(0.4)
    x = np.triu(wide(a), 1) if upper else np.tril(wide(a), -1)
    x = x + turned(x)
    i = np.arange(n)
    x[..., i, i] = wide(a)[..., i, i].real
    return a, x, upper


@case("eigh", "eigvalsh")
def eigh(c):
    n = draw_size(c)
    a, x, upper = hermitian(c, n)
    if n > 2 and c.chance(0.1):
        a, x = np.zeros_like(a), np.zeros_like(x)
    dtype = result_dtype(a)
    real = np.finfo(dtype).dtype
    got = c.ga.eigvalsh(a, upper=upper) if c.name == "eigvalsh" else c.ga.eigh(a, 1, 1, upper=upper)
    w = got if c.name == "eigvalsh" else got[0]
    same_form(np.empty(a.shape[:-1], real), w)
    if not np.isfinite(x).all():
        bad = ~np.isfinite(x).all((-1, -2))
        if not np.isnan(w[bad]).all():
            raise Mismatch(f"no NaN: {w!r}")
        return
    if not w.size:
        return
    want = np.linalg.eigvalsh(x)
    ratio(c, "eigenvalues", np.abs(wide(w) - want).max(-1), np.abs(want).max(-1), dtype, n)
    if (np.diff(w) < 0).any():
        raise Mismatch("the eigenvalues are not in order")
    if c.name == "eigh":
        v = got[1]
        same_form(np.empty(a.shape, dtype), v)
        judge_orthonormal(c, v, "v")
        ratio(c, "a v - v w", size_of(x @ wide(v) - wide(v) * wide(w)[..., None, :]), size_of(x), dtype, n)


@case("eig", "eigvals")
def eig(c):
    n = draw_size(c)
    a = matrices(c, n, n)
    if n > 1 and a.dtype.kind in "fc":
        special = c.pick("", "", "", "sparse", "triangle", "graded", "one block", "symmetric")
        scales = 10.0 ** np.arange(n)[:, None] if n < 9 else 1.5 ** np.arange(n)[:, None]
        a = np.asarray({"": a, "sparse": a * c.g.integers(0, 2, a.shape), "triangle": np.tril(a), "graded": a * scales / scales.T,
             "one block": np.eye(n) + np.eye(n, k=1) + 0 * a, "symmetric": a + np.swapaxes(a, -1, -2)}[special]).astype(a.dtype)
        c.note(special, a)
    x, dtype = wide(a), np.promote_types(result_dtype(a), C64)
    got = both(c, lambda: np.linalg.eigvals(a), lambda: c.ga.eigvals(a) if c.name == "eigvals" else c.ga.eig(a, 1, 1))[1]
    w, v = (got, None) if c.name == "eigvals" else got
    same_form(np.empty(a.shape[:-1], dtype), w)
    size = size_of(x)
    ratio(c, "trace", np.abs(wide(w).sum(-1) - np.trace(x, axis1=-2, axis2=-1)), size, dtype, n)
    ratio(c, "trace of the square", np.abs((wide(w)**2).sum(-1) - np.trace(x @ x, axis1=-2, axis2=-1)), size_of(np.abs(x) @ np.abs(x)) + size**2, dtype, n)
    for one, values in zip(x.reshape(-1, n, n)[:5], wide(w).reshape(-1, n)) if 0 < n < 31 else ():
        ratio(c, "not an eigenvalue", np.linalg.svd(one - values[:, None, None] * np.eye(n), compute_uv=False)[:, -1], size_of(one), dtype, n)
    if a.dtype.kind != "c" and n and size.size and np.isfinite(size).all():
        odd = np.sort(w, -1) != np.sort(w.conj(), -1)
        if odd.any() and np.linalg.cond(np.linalg.eig(x)[1]).max() < 100:
            raise Mismatch(f"no pairs of conjugates: {w!r}")
    if v is not None:
        same_form(np.empty(a.shape, dtype), v)
        ratio(c, "a v - v w", size_of(x @ wide(v) - wide(v) * wide(w)[..., None, :]), size, dtype, n)
        ratio(c, "length", np.abs(np.linalg.norm(wide(v), axis=-2) - 1).max(-1, initial=0), np.ones(a.shape[:-2]), dtype, n)


@case("roots")
def roots(c):
    p = c.array(shape=(c.r.randint(0, 9),), style="unit", name="p")
    p = np.concatenate((np.zeros(c.pick(0, 0, 1), p.dtype), p, np.zeros(c.pick(0, 0, 2), p.dtype)))
    if p.dtype.kind == "b":
        raise Skip
    want = got = None
    want, got = both(c, lambda: np.roots(p), lambda: c.ga.roots(p), lambda: True)
    same_form(want, got, np.promote_types(result_dtype(p), C64))
    x, z = wide(p)[np.flatnonzero(p)[:1].sum():], wide(got)  # what p is there, beside the sum of sizes
    size = np.polyval(np.abs(x), np.abs(z)) if x.size else np.zeros(0)
    small = np.abs(z) < 1e3
    if (np.abs(np.polyval(x, z)) > 1e3 * np.finfo(got.dtype).eps * max(1, (np.abs(x).max(initial=0) / np.abs(x[:1]).max(initial=1e-300))) * size)[small].any():
        raise Mismatch(f"want {want!r}, got {got!r}")


@case("polyfit")
def polyfit(c):
    m, deg = c.r.randint(1, 20), c.r.randint(0, 4)
    x = c.g.permutation(np.linspace(-1, 2, m)).astype(c.pick(F64, F64, F32))
    y = matrices(c, m + c.chance(0.02), c.pick(1, 3), (), name="y")
    y = y[:, 0] if c.chance(0.5) else y
    w = c.g.uniform(0.5, 2, m) if c.chance(0.4) else None
    cov = c.pick(False, False, True, "unscaled")
    c.note("x, deg, w, cov", (x, deg, w, cov))
    if m <= deg and cov or y.dtype.kind == "b" or not np.isfinite(wide(y)).all():
        raise Skip
    options = {"w": w, "cov": True if cov else None, "unscaled": True if cov == "unscaled" else None}
    got = want = None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want, got = both(c, lambda: np.polyfit(x, y, deg, w=w, cov=cov), lambda: c.ga.polyfit(x, y, deg, **options))
    for one, other in zip(want, got) if cov else ((want, got),):
        same_form(one, other)
        eps = np.finfo(F32 if F32 in (x.dtype, y.real.dtype, other.real.dtype) else F64).eps * 1e4
        size = np.abs(y).max(initial=0)
        coefficients = other is got or other is got[0]
        room = eps * size if coefficients else (eps * size) ** 2  # an exact fit leaves rounding, and the covariance has its square
        if m > deg and (np.abs(wide(one) - wide(other)) > eps * np.abs(one).max(initial=0) + room).any():
            raise Mismatch(f"want {want!r}, got {got!r}")


@case("svd", "svdvals")
def svd(c):
    m, n, full = draw_size(c), draw_size(c), c.chance(0.5)
    if c.chance(0.5):
        n = m
    a = matrices(c, m, n)
    if min(m, n) > 1 and a.dtype.kind in "fc" and c.chance(0.2):  # of a low rank
        x = wide(a)
        a = (x[..., :1] @ x[..., :1, :]).astype(a.dtype)
        c.note("rank 1", a)
    dtype, k = result_dtype(a), min(m, n)
    got = [None, c.ga.svdvals(a), None] if c.name == "svdvals" else c.ga.svd(a, 1, 1, 1, full_matrices=full)
    u, s, vh = got
    same_form(np.empty((*a.shape[:-2], k), np.finfo(dtype).dtype), s)
    x = wide(a)
    if not np.isfinite(x).all():
        if not np.isnan(s[~np.isfinite(x).all((-1, -2))]).all():
            raise Mismatch(f"no NaN: {s!r}")
        return
    if (np.diff(s) > 0).any() or (s < 0).any():
        raise Mismatch("the singular values are not in order")
    if u is not None:
        same_form(np.empty((*a.shape[:-2], m, m if full else k), dtype), u)
        same_form(np.empty((*a.shape[:-2], n if full else k, n), dtype), vh)
    if not a.size:
        if u is not None and u.size and not np.array_equal(u, np.broadcast_to(np.eye(m), u.shape)):
            raise Mismatch("u is not the unit matrix")
        return
    want = np.linalg.svd(x, compute_uv=False)
    ratio(c, "singular values", np.abs(wide(s) - want).max(-1), want.max(-1), dtype, max(m, n))
    if u is not None:
        judge_orthonormal(c, u, "u")
        judge_orthonormal(c, turned(vh), "vh")
        ratio(c, "u s vh - a", size_of((wide(u)[..., :k] * wide(s)[..., None, :]) @ wide(vh)[..., :k, :] - x), size_of(x), dtype, max(m, n))


ORDERS = {"fro": -1.6180339887498949e308, "nuc": -1.7320508075688772e308}


@case("matrix_norm", "cond")
def matrix_norm(c):
    m, n = draw_size(c), draw_size(c)
    order = c.pick(None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc", 3)
    square = c.name == "cond" and order not in (None, 2, -2)
    a = matrices(c, m, m if square and c.chance(0.95) else n)
    given = ORDERS.get(order, order)
    named = {"keepdims": c.chance(0.3)} if c.name == "matrix_norm" else {}
    c.note("order", order)
    if c.name == "matrix_norm":
        want, got = both(c, lambda: np.asarray(np.linalg.matrix_norm(a if a.dtype.kind in "fc" else a.astype(F64), ord="fro" if order is None else order, **named)),
                         lambda: c.ga.matrix_norm(a, ord=given, **named), lambda: order == 3 or not np.isfinite(wide(a)).all() or a.size == 0)
    else:
        want, got = both(c, lambda: np.asarray(np.linalg.cond(wide(a), order)), lambda: c.ga.cond(a, p=given), lambda: ill(a))
    same_form(want if c.name == "matrix_norm" else want.astype(np.finfo(result_dtype(a)).dtype), got)
    if not np.isfinite(wide(a)).all():
        return
    want, got, eps = want.astype(F64), got.astype(F64), np.finfo(result_dtype(a)).eps
    scale = np.linalg.norm(wide(a), axis=(-2, -1)).reshape(want.shape) if c.name == "matrix_norm" else 1 if order == -2 else want * np.minimum(want, 1e16)
    good = (np.abs(got - want) <= LIMIT * max(m, n, 1) * eps * scale) | (got == want) | (want > 1e-3 / eps) & (c.name == "cond")
    if not good.all():
        raise Mismatch(f"want {want!r}, got {got!r}")


@case("vector_norm")
def vector_norm(c):
    a = c.array(style="small", among=[F32, F64, C64, C128] * 2 + DTYPES)
    order = c.pick(None, 1.0, 2.0, 3.0, math.inf, -math.inf, 0.0)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    real = {} if order is None else {"ord": order}
    want, got = both(c, lambda: np.asarray(np.linalg.vector_norm(wide(a), **named, **real)), lambda: c.ga.vector_norm(a, **named, **real),
                     lambda: a.size == 0)  # the largest of none: 0 since NumPy 2.3
    same_form(want, got, a.real.dtype if a.dtype.kind in "fc" else F64)
    if (np.abs(got - want) > 8 * (a.size + 8) * np.finfo(got.dtype).eps * np.abs(want)).any():
        raise Mismatch(f"want {want!r}, got {got!r}")


def of_rank(c, m, n):
    """A matrix, often of a low rank."""
    a = matrices(c, m, n)
    if min(m, n) > 1 and a.dtype.kind in "fc" and c.chance(0.5):
        k, x = c.r.randint(0, min(m, n) - 1), wide(a)
        a = (x[..., :k] @ x[..., :k, :]).astype(a.dtype)
        c.note(f"rank {k}", a)
    return a


@case("matrix_rank")
def matrix_rank(c):
    a = of_rank(c, draw_size(c), draw_size(c)) if c.chance(0.95) else c.array(shape=c.shape(1, 9))
    if a.ndim > 1 and not np.isfinite(wide(a)).all():
        raise Skip
    named = c.pick({}, {}, {"tol": 0.5}, {"rtol": 1e-3})
    exact = a if a.dtype.kind in "fc" else a.astype(F64)
    want, got = both(c, lambda: np.asarray(np.linalg.matrix_rank(exact, **named)), lambda: c.ga.matrix_rank(a, **named))
    same_form(want, got, np.dtype("i8"))
    s = np.linalg.svd(wide(a), compute_uv=False) if a.ndim > 1 else np.ones(1)
    limit = named.get("tol", s[..., :1] * named.get("rtol", max(a.shape[-2:]) * np.finfo(result_dtype(a)).eps) if a.ndim > 1 else 0)
    near = (np.abs(s - limit) < 0.9 * np.abs(limit) + 1e-14 * s.max(initial=0)).any(-1)
    if not ((want == got) | near).all():
        raise Mismatch(f"want {want!r}, got {got!r}")


@case("pinv")
def pinv(c):
    m, n = draw_size(c), draw_size(c)
    a = of_rank(c, m, n)
    x = wide(a)
    if not np.isfinite(x).all():
        raise Skip
    rcond = np.finfo(result_dtype(a)).eps * 1e3
    p = c.ga.pinv(a, rcond=rcond)
    same_form(np.linalg.pinv(a.astype(result_dtype(a)), rcond=rcond), p)
    if not a.size:
        return
    y, size = wide(p), None
    scale = size_of(x)**2 * size_of(y)
    ratio(c, "a p a - a", size_of(x @ y @ x - x), scale + size_of(x) * 1e3, p.dtype, max(m, n))
    ratio(c, "p a p - p", size_of(y @ x @ y - y), size_of(y)**2 * size_of(x), p.dtype, max(m, n))
    ratio(c, "a p is not Hermitian", size_of(x @ y - turned(x @ y)), size_of(x) * size_of(y), p.dtype, max(m, n))


@case("lstsq")
def lstsq(c):
    m, n, columns = draw_size(c), draw_size(c), c.pick(1, 1, 2, 7)
    a = of_rank(c, m, n)[(0,) * 0]
    a = a.reshape(-1, m, n)[0] if a.size else np.zeros((m, n), a.dtype)
    b = matrices(c, m + c.chance(0.02), columns, (), name="b")
    if c.chance(0.4):
        b = b[:, 0]
    x, y = wide(a), wide(b)
    if not np.isfinite(x).all() or not np.isfinite(y).all():
        raise Skip
    dtype = result_dtype(a, b)
    rcond = 1e3 * np.finfo(dtype).eps
    rank = ctypes.c_int64(-1)
    want, got = both(c, lambda: np.linalg.lstsq(a, b, rcond), lambda: c.ga.lstsq(a, b, rcond=rcond, residuals=True, rank=rank, s=True))
    answer, residuals, s = got
    same_form(want[0], answer, dtype)
    same_form(want[3], s)
    if rank.value != want[2]:
        limit = rcond * want[3][:1]
        if not (np.abs(want[3] - limit) < 0.9 * limit).any():
            raise Mismatch(f"rank: want {want[2]}, got {rank.value}")
        return
    same_form(want[1], residuals)
    if not answer.size or not m:
        return
    z = wide(answer)
    rest = (y - x @ z).reshape(m, -1)
    ratio(c, "a^H (b - a x)", size_of(turned(x) @ rest), size_of(turned(x)) * (size_of(x) * size_of(z.reshape(n, -1)) + size_of(y.reshape(m, -1))) * 10, dtype, max(m, n))
    if np.linalg.norm(z) > np.linalg.norm(want[0]) * 1.01 + 1e-3 and rank.value < n:
        raise Mismatch("this is not the shortest one")
    size = size_of(x) * size_of(z.reshape(n, -1)) + size_of(y.reshape(m, -1))
    if residuals.size and (np.abs(wide(residuals) - (np.abs(rest)**2).sum(0)) > 1e3 * max(m, n) * np.finfo(dtype).eps * size**2).any():
        raise Mismatch(f"residuals: want {want[1]!r}, got {residuals!r}")


@case("solve_banded")
def solve_banded(c):
    n, low, up = max(draw_size(c), 1), c.r.randint(0, 3), c.r.randint(0, 3)
    if max(low, up) >= n:
        raise Skip
    ab = matrices(c, low + up + 1 + c.chance(0.02), n, (), name="ab")
    b = matrices(c, n + c.chance(0.02), c.pick(1, 3), (), name="b")
    if c.chance(0.4):
        b = b[:, 0]
    c.note("l, u", (low, up))
    x, y = wide(ab), wide(b)
    y = y.astype(np.result_type(x, y))  # SciPy divides real ones by a complex diagonal in place
    a = np.zeros((n, n), x.dtype)
    for k in range(min(low + up + 1, len(x))):
        for j in range(n):
            if 0 <= j + k - up < n:
                a[j + k - up, j] = x[k, j]
    want, got = both(c, lambda: scipy.linalg.solve_banded((low, up), x, y, check_finite=False).astype(result_dtype(ab, b)), lambda: c.ga.solve_banded(low, up, ab, b), lambda: ill(a))
    same_form(want, got, result_dtype(ab, b))
    if np.isfinite(a).all() and np.isfinite(y).all() and np.isfinite(got).all():
        z = wide(got).reshape(n, -1)
        ratio(c, "a x - b", size_of(a @ z - y.reshape(n, -1)), size_of(a) * size_of(z) + size_of(y.reshape(n, -1)), got.dtype, n)


@case("expm")
def expm(c):
    n = c.r.randint(0, 12)
    a = matrices(c, n, n)
    x = wide(a)
    if not np.isfinite(x).all() or np.abs(x).max(initial=0) > 30:
        raise Skip
    got = c.ga.expm(a)
    same_form(np.empty(a.shape), got, result_dtype(a))
    if not a.size:
        return
    want = scipy.linalg.expm(x)
    size = np.maximum(size_of(want), 1) * np.maximum(size_of(x), 1) * np.exp(np.minimum(size_of(x), 60) - np.log(np.maximum(size_of(want), 1e-300))).clip(1, 1e6)
    if (np.finfo(got.dtype).max / 10 > size).all():
        ratio(c, "exp", size_of(wide(got) - want), size, got.dtype, 20 * max(n, 4))
