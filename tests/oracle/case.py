"""One case: it draws its arguments, keeps them for the report, and judges gpuarr's answer by NumPy's."""
import math
import random

import numpy as np

from .comparing import ERRORS, Mismatch, exact
from .dtypes import C64, DTYPES, F32, F64
from .binding import GaError

SPECIALS = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-45, -1e-45, 1.1754942e-38,
                     3.4028235e38, -3.4028235e38, 1e300, -1e300, 5e-324, 2.0**31, 2.0**32, 2.0**63, -2.0**63, 2.0**64, 127.5,
                     255.5, 65536, 1 + 2.0**-52, 88.9, 709.9, -745.5, -103.9])
PYTHON_INTS = [0, 1, -1, 2, 3, -2, 5, 7, 8, 31, 63, 64, 100, 127, 128, -128, -129, 255, 256, 300, 32767, 65535,
               2**31 - 1, 2**31, 2**32, -2**31, 2**63 - 1, -2**63, 2**63, 2**64 - 1]


class Case:
    """One case: draws from its own random numbers, and keeps what it drew for the report."""

    def __init__(self, ga, name, key):
        self.ga, self.name, self.log = ga, name, []
        self.r = random.Random(key)
        self.g = np.random.Generator(np.random.PCG64(self.r.getrandbits(64)))

    def chance(self, p):
        return self.r.random() < p

    def pick(self, *choices):
        return self.r.choice(choices)

    def dtype(self, among=None):
        return self.r.choice(among or DTYPES)

    def shape(self, ndim=None, largest=200):
        r = self.r
        if ndim is None:
            ndim = r.choice((0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4)) if r.random() > 0.02 else r.randint(5, 8)
        if ndim and r.random() < 0.04 and largest >= 200:  # long: several blocks and tiles
            n = [1] * ndim
            n[r.randrange(ndim)] = r.choice((1023, 1024, 1025, 2050, 3000, 4500))
            n[r.randrange(ndim)] *= r.choice((1, 1, 2, 3))
            return tuple(n)
        most = {0: 1, 1: 70, 2: 14, 3: 6, 4: 4}.get(ndim, 2)
        n = [r.randint(1, most) for _ in range(ndim)]
        if ndim and r.random() < 0.06:
            n[r.randrange(ndim)] = 0
        return tuple(n)

    def values(self, dtype, n, style=None):
        """n numbers. Styles: any, tame (no overflow, few specials), small, unit (around 1)."""
        g, r, kind = self.g, self.r, dtype.kind
        if kind == "c":
            part = F32 if dtype == C64 else F64
            return self.values(part, 2 * n, style).view(dtype)
        if kind == "b":
            return g.random(n) < r.choice((0.5, 0.5, 0.9, 0.1))
        style = style or "any"
        if kind in "iu":
            how = r.random()
            lowest, highest = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
            if style == "unit":
                return g.integers(max(lowest, -2), 3, n).astype(dtype)
            if style == "small" or how < 0.5:
                return g.integers(max(lowest, -9), 10, n).astype(dtype)
            v = g.integers(lowest, highest, n, dtype=dtype, endpoint=True)
            if n and how > 0.7:
                v[g.integers(0, n, 3)] = r.choice((lowest, highest, 0, 1))
            return v
        how = r.random()
        if style == "unit":
            v = (g.random(n) + 0.5) * g.choice((1, 1, -1), n)
        elif style == "small":
            v = g.integers(-9, 10, n) * r.choice((1.0, 0.5, 0.25))
        elif how < 0.3:
            v = g.integers(-8, 9, n) / 2
        elif how < 0.55:
            v = g.standard_normal(n) * r.choice((1, 1, 10, 1000))
        elif style == "tame" or how < 0.85:
            v = g.standard_normal(n) * np.exp2(g.integers(-20, 21, n))
        elif how < 0.92:
            v = g.standard_normal(n) * np.exp2(g.integers(-1100, 1000, n) if dtype == F64 else g.integers(-150, 128, n))
        else:
            v = g.integers(0, 2**(8 * dtype.itemsize), n, dtype=f"u{dtype.itemsize}").view(dtype)
            return np.where(np.isnan(v), dtype.type(np.nan), v)  # NumPy's fmax takes a signalling NaN for the larger number
        v = v.astype(dtype)
        if n and r.random() < {"any": 0.5, "tame": 0.1}.get(style, 0):
            k = r.randint(1, 4)
            v[g.integers(0, n, k)] = g.choice(SPECIALS[:7] if style == "tame" else SPECIALS, k)
        return v

    def lay(self, shape, dtype, style=None, repeat=True):
        """An array of that shape, somewhere in a larger base: axes in any order, steps, backwards, repeated."""
        r, n = self.r, len(shape)
        if n == 0 or r.random() < 0.4:
            return self.values(dtype, math.prod(shape), style).reshape(shape)
        order = list(range(n))
        if r.random() < 0.6:
            r.shuffle(order)
        steps = [r.choice((1, 1, 1, 2, 3, -1, -1, -2)) for _ in order]
        repeated = r.randrange(n) if repeat and r.random() < 0.12 else -1
        lengths = [1 if k == repeated else shape[k] for k in order]
        base_shape = [m * abs(s) for m, s in zip(lengths, steps)]
        base = self.values(dtype, math.prod(base_shape), style).reshape(base_shape)
        view = base[tuple(slice(None, None, s) for s in steps)].transpose([order.index(k) for k in range(n)])
        return np.broadcast_to(view, shape) if repeated >= 0 else view

    def array(self, dtype=None, shape=None, style=None, among=None, repeat=True, name=None):
        dtype = np.dtype(dtype) if dtype is not None else self.dtype(among)
        a = self.lay(self.shape() if shape is None else shape, dtype, style, repeat)
        self.note(name or "array", a)
        return a

    def view(self, a):
        """The same elements, somewhere in memory."""
        laid = self.lay(a.shape, a.dtype, repeat=False)
        if not laid.flags.writeable:
            return a
        laid[...] = a
        return laid

    def number(self):
        r, how = self.r, self.r.random()
        if how < 0.45:
            v = r.choice(PYTHON_INTS[:9] if r.random() < 0.6 else PYTHON_INTS)
        elif how < 0.8:
            v = float(r.choice((0.5, 2.0, -1.5, 3.0, 0.1, 1e10, 1e-10, 0.0, -0.0) if r.random() < 0.7 else SPECIALS))
        elif how < 0.92:
            v = r.random() < 0.5
        else:
            v = complex(r.choice((0, 1, -2.5)), r.choice((0, 1.5, -1)))
        self.note("number", v)
        return v

    def broadcast(self, shape):
        """A shape that broadcasts with it (or, rarely, does not)."""
        r, n = self.r, list(shape)
        n = [1 if r.random() < 0.15 else k for k in n]
        if n and r.random() < 0.2:
            n = n[r.randint(1, len(n)):]
        if n and r.random() < 0.02:
            n[r.randrange(len(n))] += 1
        return tuple(n)

    def operands(self, count, among=None, style=None, numbers=0.3):
        shape, mixed, r = self.shape(), self.r.random() < 0.4, self.r
        dtype = self.dtype(among)
        values = []
        for k in range(count):
            if numbers and r.random() < numbers / (1 if count < 3 else 1.5):
                values.append(self.number())
            else:
                smaller = self.broadcast(shape) if r.random() < 0.4 else shape
                values.append(self.array(self.dtype(among) if mixed else dtype, smaller, style, name="xyz"[k]))
        return values

    def axis(self, ndim, several=True, given=0.8):
        """None, an axis, several axes; rarely one that does not exist."""
        r = self.r
        if r.random() > given:
            return None
        if ndim == 0:
            return r.choice((1, -2)) if r.random() < 0.05 else None  # some functions of NumPy take axis 0 of a 0-d array
        if r.random() < 0.02:
            return r.choice((ndim, -ndim - 1))
        if several and r.random() < 0.3:
            axes = [k - ndim if r.random() < 0.3 else k for k in r.sample(range(ndim), r.randint(1, ndim))]
            return tuple(axes)
        return r.randrange(-ndim, ndim)

    def target(self, shape, dtype, alike=None):
        """An .out: a view of a base, filled; alike: memory that it may overlap with."""
        overlaps = isinstance(alike, np.ndarray) and alike.shape == shape and alike.flags.writeable and 0 not in alike.strides
        if shape and overlaps and self.chance(0.5):
            out = alike if self.chance(0.6) else alike[tuple(slice(None, None, self.pick(1, -1)) for _ in shape)]
        else:
            out = self.lay(shape, dtype, "small", repeat=False)
        self.note("out", out)
        return out

    def note(self, name, value):
        self.log.append((name, value, value.copy() if isinstance(value, np.ndarray) and value.size <= 400 else None))

    def compare(self, reference, actual, *given, check=exact, **named):
        """reference(...) and actual(...) with the same arguments: the same result, or both an error."""
        try:
            want = reference(*given, **named)
        except ERRORS as e:
            want = e
        self.judge(want, lambda: actual(*given, **named), check, named)

    def judge(self, want, actual, check=exact, named=None):
        if named:
            self.note("options", {k: v for k, v in named.items() if v is not None and not isinstance(v, np.ndarray)})
        try:
            got = actual()
        except GaError as e:
            if isinstance(want, Exception):
                return
            raise Mismatch(f"gpuarr fails, NumPy does not.\n  error: {e}\n  want: {want!r}") from None
        if isinstance(want, Exception):
            raise Mismatch(f"NumPy raises {type(want).__name__}: {str(want)[:200]}\n  gpuarr gives {got!r}")
        check(np.asarray(want) if not isinstance(want, (np.ndarray, tuple, list)) else want, got)

    def report(self):
        lines = []
        for name, v, copy in self.log:
            if isinstance(v, np.ndarray):
                strides, v = v.strides, v if copy is None else copy
                shown = repr(v.tolist()) if v.size <= 60 else repr(v)
                lines.append(f"    {name}: {v.dtype} {v.shape} strides {strides} = {shown}")
            else:
                lines.append(f"    {name}: {v!r}")
        return "\n".join(lines)


CASES = {}  # name of the operation: the function that draws and judges one case
COVERED = set()


def case(*names, covers=()):
    def register(f):
        for name in names:
            CASES[name] = f
        COVERED.update(names, covers)
        return f
    return register
