"""What is said of an array or a dtype: contiguity, shape, memory, one element."""
import numpy as np

from ..case import case
from ..comparing import Mismatch, attempt, exact, same_bool
from ..dtypes import F64, I64, INTS, ORDERED


@case("is_contiguous", "same_shape", "may_share_memory")
def about(c):
    a = c.array()
    b = a[tuple(slice(None, None, 2) for _ in a.shape)] if c.chance(0.5) else c.array(shape=c.pick(a.shape, c.shape()))
    if c.name == "is_contiguous":
        c.judge(a.flags.c_contiguous, lambda: c.ga.is_contiguous(a), same_bool)
    elif c.name == "same_shape":
        c.judge(a.shape == b.shape, lambda: c.ga.same_shape(a, b), same_bool)
    elif not (np.may_share_memory(a, b) and not np.shares_memory(a, b)):
        c.judge(np.may_share_memory(a, b), lambda: c.ga.may_share_memory(a, b), same_bool)


@case("dtype_name", "itemsize", "promote", "can_cast")
def dtypes(c):
    a, b = c.dtype(), c.dtype()
    want = {"dtype_name": a.name.encode(), "itemsize": a.itemsize, "promote": np.promote_types(a, b),
            "can_cast": np.can_cast(a, b)}[c.name]
    got = getattr(c.ga, c.name)(*((a, b) if c.name in ("promote", "can_cast") else (a,)))
    if got != want:
        raise Mismatch(f"{a}, {b}: want {want}, got {got}")


@case("item", "item_int", "item_at", "item_int_at")
def item(c):
    is_int, indexed = "int" in c.name, c.name.endswith("at")
    a = c.array(shape=None if indexed else c.pick((), (1,), (1, 1)), among=INTS if is_int else ORDERED)
    at = tuple(c.r.randrange(-n, n) if n else 0 for n in a.shape)
    c.note("at", at)
    call = lambda: getattr(c.ga, c.name)(*((a, at) if indexed else (a,)))

    def number():
        value = a[at] if indexed else a.reshape(())[()]
        if is_int and int(value) > np.iinfo(I64).max:
            raise OverflowError("it does not fit int64")
        return value.astype(I64 if is_int else F64)

    want = attempt(number)
    c.judge(want, call, lambda w, g: exact(w, np.asarray(g, w.dtype)))
