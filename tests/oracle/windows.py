"""What lies around an element: the borders of filters, convolutions and stencils, and how their sums become integers."""
import numpy as np

BORDERS = "reflect constant nearest mirror wrap".split()  # in the order of ga_border


def draw_border(c, dtype=None):
    """A border, and what stands there; it fits the dtype if one is given."""
    border = c.r.randrange(len(BORDERS))
    least = 0 if dtype is not None and dtype.kind == "u" else -9
    cval = c.pick(0.0, 1.0, 2.0, float(c.r.randint(least, 9)), 2.5) if border == 1 else None
    return border, cval


def bordered(a, before, after, border, cval):
    """a with so many more elements around it."""
    for d in range(a.ndim):
        n, i = a.shape[d], np.arange(-before[d], a.shape[d] + after[d])
        period = {0: 2 * n, 3: max(2 * n - 2, 1), 4: n}.get(border, 1)
        j = np.clip(i, 0, n - 1) if border in (1, 2) else i % period
        if border == 0:
            j = np.where(j < n, j, period - 1 - j)
        if border == 3:
            j = np.where(j < n, j, period - j)
        more = a.take(j, d)
        if border == 1:
            outside = ((i < 0) | (i >= n)).reshape([-1 if k == d else 1 for k in range(a.ndim)])
            more = np.where(outside, cval, more)
        a = more
    return a


def whole(x):
    """Truncated, but a whole number where only rounding errors are between."""
    near = np.rint(x)
    return np.where(np.abs(x - near) <= np.abs(near) * 2.0**-46, near, np.trunc(x))
