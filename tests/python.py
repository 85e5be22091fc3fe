"""python.py [LIBRARY]: tools/python, gpuarr from Python: each public function is there, memory is shared with NumPy in both directions, errors are
exceptions, nothing leaks, operators and indices are NumPy's, and the array API's namespace has what the standard names. Ends with
'N passed, N failed, N skipped'."""
import ctypes
import gc
import inspect
import operator
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import threading
import types
import warnings
import weakref
import zipfile
import zlib

from python_checks import check, counts, fails, ga, np, same
from python_newcomers import archives, arguments_refused, few_of_many, files_refused, further_ways, lists_of_integers, numpys_kinds, orders_and_structures, several_results, whole_words
from python_outsiders import first_elements, formulas, long_paths, measurements, numbers_not_given, paddings, small_functions, windows, words_of_numpy
from gpuarr import array_api as xp  # the checks have said where it is
from gpuarr.native import header  # noqa: E402


def functions():
    for name in header.functions:
        check(callable(getattr(ga, name.removeprefix("ga_"), None)), f"{name} is not there")
    check(len(header.functions) > 400, "the header's functions were read")
    for name, meant in (("abs", "absolute"), ("concat", "concatenate_n"), ("pow", "power"), ("stack", "stack_n")):
        check(getattr(ga, name) is getattr(ga, meant), f"{name} is {meant}")


def spellings():
    """Calls that NumPy takes in more ways than C."""
    n = np.arange(12.0).reshape(3, 4)[:, ::-1] % 7
    a, u = ga.asarray(n), np.array([1, 200], "u1")
    for name in ("sort", "argsort"):
        for call in (lambda m, x: getattr(m, name)(x, axis=None), lambda m, x: getattr(m, name)(x, None), lambda m, x: getattr(m, name)(x, kind="stable")):
            same(call(ga, a), call(np, n) if name == "sort" else call(np, n + np.arange(12).reshape(n.shape) * 1e-9), f"{name}, flattened or of a kind")
    for call in (lambda m, x: m.concatenate([x, x], axis=None), lambda m, x: m.take_along_axis(x, x.astype("int64").ravel(), axis=None),
                 lambda m, x: m.partition(x, 4, axis=None)[4],
                 lambda m, x: m.clip(x, None, 3), lambda m, x: m.clip(x, 3, None), lambda m, x: m.clip(x, a_min=1, a_max=2), lambda m, x: m.clip(x, min=3),
                 lambda m, x: m.clip(x, 1, 2), lambda m, x: m.clip(x, max=2), lambda m, x: m.clip(x, None, None), lambda m, x: m.clip(u, -5, 300),
                 lambda m, x: m.clip(u, None, 300), lambda m, x: m.clip(u, -5, None), lambda m, x: m.clip(u, max=100), lambda m, x: m.pad(x, pad_width=2),
                 lambda m, x: m.add(x, 1, out=(None,)), lambda m, x: m.roll(x, np.array([1, 2]), axis=(0, 1)), lambda m, x: m.roll(x, 1, axis=()),
                 lambda m, x: m.tensordot(x, x, (np.int64(1), np.int64(1))), lambda m, x: m.where(x > 3, x, 0), lambda m, x: m.where(x > 3)[1],
                 lambda m, x: m.pad(x, 1), lambda m, x: m.pad(x, (1, 2)), lambda m, x: m.pad(x, ((1, 0), (0, 2)), constant_values=7),
                 lambda m, x: m.pad(x, [[1], [2]], "edge"), lambda m, x: m.pad(x, ((2, 1),), mode="wrap"), lambda m, x: m.pad(x[0], np.array([1, 2])),
                 lambda m, x: m.einsum("ij,ij->i", x, x), lambda m, x: m.tensordot(x, x, axes=([0, 1], [0, 1])), lambda m, x: m.tensordot(x, x, (0, 0)),
                 lambda m, x: m.roll(x, (1, 2), axis=(0, 1)), lambda m, x: m.roll(x, 1, axis=(0, 1)), lambda m, x: m.roll(x, 3), lambda m, x: m.roll(x, (1, 2)),
                 lambda m, x: m.roll(x, 1, 0)):
        same(call(ga, a), call(np, n), "as NumPy's")
    same(ga.std(a, correction=1, axis=0), ga.std(a, ddof=1, axis=0), "a correction")
    same(ga.histogram(a, 4, range=(0, 5))[0], np.histogram(n, 4, range=(0, 5))[0], "a range")
    same(ga.einsum("ij->j", [a]), n.sum(0), "a list of operands")
    same(ga.pad(a, before=(1, 0), after=(0, 2)), np.pad(n, ((1, 0), (0, 2))), "as C has it, by name")
    same(ga.pad(a, (1, 0), after=(0, 2)), np.pad(n, ((1, 0), (0, 2))), "as C has it")
    check(ga.concat is ga.concatenate and "axis" in str(ga.sort.__signature__), "all names of a function")
    for call in (lambda: ga.pad(a, (1, 2, 3)), lambda: ga.pad(a, ((1, 2),) * 3), lambda: ga.tensordot(a, a, ([0], [0, 1])), lambda: ga.roll(a, (1, 2, 3), (0, 1))):
        fails(call, [ValueError], "", "numbers of axes that do not match")


def examples():
    a = ga.asarray([[1.0, 2.0], [3.0, 4.0]])
    same(ga.sum(a, axis=0), [4.0, 6.0], "an option by name")
    same(ga.sum(a, 1), [3.0, 7.0], "an option by position")
    same(ga.sum(a, axis=(0, 1), keepdims=True), [[10.0]], "several axes")
    same(ga.concatenate([a, a], axis=1), np.concatenate([a, a], axis=1), "a list of arrays")
    same(ga.clip(a, 2, 3), [[2.0, 2.0], [3.0, 3.0]], "numbers as operands")
    same(ga.zeros((2, 3), dtype="int16"), np.zeros((2, 3), "i2"), "a shape, and a dtype by its name")
    same(ga.zeros(2, np.float32), np.zeros(2, "f4"), "a dtype of NumPy's, by position")
    same(ga.pad(a, (1, 1), mode="edge"), np.pad(a, 1, mode="edge"), "an enumerator by its word")
    same(ga.correlate(ga.arange(4), ga.arange(2), mode="same"), np.correlate(np.arange(4), np.arange(2), mode="same"), "another")
    values, counts = ga.unique(ga.asarray([3, 1, 3]), return_counts=True)
    same(values, [1, 3], "the result")
    same(counts, [1, 2], "and one that was asked for")
    check(len(ga.unique(values, counts=1)) == len(ga.unique(values, counts=np.True_)) == 2, "by 1, and by NumPy's True")
    check(not isinstance(ga.unique(values, counts=np.False_), tuple), "not asked for")
    for wrong in (values, -5, [1], "yes", 2.0):
        fails(lambda: ga.unique(values, counts=wrong), (TypeError,), "True asks for that result", "a result has no place of its own")
    fails(lambda: ga.savez("q.npz", ["a\0b"], [values]), (ValueError,), "null character", "a name that would end in C")
    for text in ("/tmp/\udcff.npy", "/tmp/" + "\u65e5" * 331 + ".npy"):
        fails(lambda: ga.load(text), (ga.Error,), "", "a sentence that is no UTF-8, or is cut")
    same(ga.sum(values), 4, "and the next call")
    boxes, edges = ga.histogramdd(ga.ones((4, 3)), (2, 3, 4), edges=True)
    check(boxes.shape == (2, 3, 4) and [e.size for e in edges] == [3, 4, 5], "a result of each axis")
    u, s, vh = ga.svd(a)
    check(np.allclose(np.asarray((u * s) @ vh), a), "three results")
    check([p.tolist() for p in ga.split(ga.arange(4), 2)] == [[0, 1], [2, 3]], "a list of results")
    check(ga.label(a > 1, count=True)[1] == 1, "a number that was asked for")
    check(ga.describe(a).mean == 2.5 and ga.finfo("float32").bits == 32, "structs as results")
    check(ga.find_peaks(ga.asarray([0.0, 2, 0]), height=1, found=True)[1]["peak_heights"].tolist() == [2.0], "a struct that was asked for")
    same(ga.eval("x**2 + y", x=a, y=1), np.asarray(a)**2 + 1, "a formula")
    same(ga.index(a, "%d, ::-1", 1), [4.0, 3.0], "numbers in a text")
    for call, numbers, wrong in ((lambda n: ga.zoom(a, n, order=1), (1, 2), [2, 2, 2]), (lambda n: ga.zoom(a, 0, order=1, each=n), (1, 2), [2, 2, 2]),
                                 (lambda n: ga.gaussian_filter(a, n), (0, 2), [1, 1, 1]), (lambda n: ga.distance_transform_edt(a - 1, sampling=n), (2, 3), [1, 1, 1]),
                                 (lambda n: ga.affine_transform(a, np.eye(2), offset=n, order=1), (0, 1), [1, 1, 1])):
        want = call(tuple(map(float, numbers)))
        same(call(list(numbers)), want, "numbers for each axis, as a list")
        same(call(tuple(np.array(numbers))), want, "as NumPy's integers")
        fails(lambda: call(wrong), [ValueError], "has 3 numbers: give 2", "a number too many")
    same(ga.zoom(a, 0, each=np.array([1, 2]), order=1), ga.zoom(a, (1, 2), order=1), "an array of integers for each axis")
    same(ga.distance_transform_edt(a - 1, sampling=2), ga.distance_transform_edt(a - 1, sampling=(2, 2)), "one number for all axes")
    same(ga.median_filter(a, (1, 2)), ga.median_filter(a, sizes=(1, 2)), "a size for each axis")
    same(ga.histogramdd(a, bins=(2, 2), ranges=[(0, 4), (0, 4)])[0], ga.histogramdd(a, bins=(2, 2), ranges=[0, 4, 0, 4])[0], "ranges in pairs")
    fails(lambda: ga.histogramdd(a, bins=(2, 2), ranges=[0, 4]), [ValueError], "ranges has 2 numbers: give 4", "a range too few")
    out = ga.empty((2, 2))
    check(ga.add(a, 1, out=out) is out and out[0, 0] == 2, "out= returns the object that was given")
    check(ga.subtract(a, 1, out=(out,)) is out and out[0, 0] == 0, "out= as NumPy's tuple")
    spellings()
    n = np.zeros((2, 2))
    ga.add(a, 1, out=n)
    same(n, np.asarray(a) + 1, "out= of NumPy's")
    n.flags.writeable = False
    for wrong in (n, np.zeros((2, 2), ">f8")):
        fails(lambda: ga.add(a, 1, out=wrong), [ValueError], "without a copy", "out= that cannot be written")
        fails(lambda: ga.copyto(wrong, 1), [ValueError], "without a copy", "what cannot be written")
    for wrong in ([[0.0] * 2] * 2, 5, (out, out)):
        fails(lambda: ga.add(a, 1, out=wrong), [TypeError], "give an array", "out= that is no array")
    fails(lambda: ga.put([1, 2], [0], 5), [TypeError], "a list is none", "a list that would be written in a copy")
    ga.add(a, 1, out=out)
    fails(lambda: ga.sum(a, 0, axis=1), [TypeError], "axis twice", "an option by position and by name")
    same(ga.compute(ga.chunked(a) + 1), np.asarray(a) + 1, "chunks that are chosen")
    same(ga.generic_filter(a, max, 3), np.full((2, 2), 4.0), "a function of Python's")
    with tempfile.TemporaryDirectory() as folder:
        ga.save(folder + "/a.npy", a)
        same(np.load(folder + "/a.npy"), a, "a file")
        ga.savez(folder + "/a.npz", ["x", "y"], [a, out])
        odd = ["\udcff", "\u00e9", "tab\t", ""]  # the first is a byte that is no UTF-8
        ga.save(folder + "/\udcff.npy", a)
        ga.savez(folder + "/odd.npz", odd, [a] * len(odd))
        with np.load(folder + "/odd.npz") as z:
            check(all(np.array_equal(z[name], a) for name in z.files) and set(z.files) >= set(odd[1:]), "names of arrays, for NumPy")
        check(np.array_equal(np.load(os.fsencode(folder + "/\udcff.npy")), a), "a path that is no UTF-8")
        check(all(np.array_equal(ga.load_from(folder + "/odd.npz", name), a) for name in odd), "names of arrays")
        same(ga.load_from(folder + "/a.npz", "y"), out, "two lists of one length")
        same(ga.load_from(folder + "/a.npz"), a, "the first")
    doubled = ga.map_blocks(ga.chunked(a, (1, 2)), lambda out, blocks, where: ga.copyto(out, blocks[0] * (where.number + 1)))
    same(ga.compute(doubled), [[1.0, 2.0], [6.0, 8.0]], "a chunked array")
    kept = []
    ga.compute(ga.map_blocks(ga.chunked(a, (1, 2)), lambda out, blocks, where: kept.append(blocks[0] + 1)))
    check(sorted(k.tolist() for k in kept) == [[[2.0, 3.0]], [[4.0, 5.0]]], "what a function for chunks keeps")
    kept.clear()  # the function itself is never released
    check(repr(ga.arange(3)) == "array([0, 1, 2])" and str(ga.arange(2)) == "[0 1]", "how an array is shown")
    check(ga.promote("int64", "float32") is ga.float64 and all(ga.float64 == d for d in ("float64", np.float64, np.dtype("f8"), float)), "dtypes")


def shared_memory():
    for n in (np.arange(12.0).reshape(3, 4), np.arange(12, dtype="i2")[::-2], np.zeros((2, 0, 3)), np.array(5), np.arange(6).reshape(2, 3).T,
              np.ones((2, 2), bool), np.full(3, 1j), np.broadcast_to(np.float32(2), (2, 2)).copy()):
        a = ga.asarray(n)
        same(a, n, f"{n.dtype} {n.shape}")
        check(a.__array_interface__["data"][0] == n.__array_interface__["data"][0] or not n.size, f"{n.dtype} {n.shape} is shared")
        check(np.shares_memory(np.asarray(a), n) or not n.size, f"{n.dtype} {n.shape} is shared back")
    n = np.zeros(4)
    a = ga.asarray(n)
    a[1] = 7
    np.asarray(a)[2] = 8
    check(n.tolist() == [0, 7, 8, 0], "what one writes the other reads")
    gone = weakref.ref(n)
    view = a[1:3]
    del n, a
    gc.collect()
    check(gone() is not None and view.tolist() == [7, 8], "a view keeps NumPy's memory alive")
    del view
    gc.collect()
    check(gone() is None, "and no longer than it lives")
    m = np.asarray(ga.arange(3))
    gc.collect()
    check(m.tolist() == [0, 1, 2], "NumPy keeps gpuarr's memory alive")
    fixed = np.arange(3)
    fixed.flags.writeable = False
    b = ga.asarray(fixed)
    b[0] = 9
    check(fixed[0] == 0, "what may not be written is copied")
    fails(lambda: ga.asarray(fixed, copy=False), [ValueError], "copy=False", "a copy that is refused")
    mixed = np.zeros(4, [("a", "u1"), ("b", "f8")])
    mixed["b"] = [1, 2, 3, 4]
    for n in (np.arange(3, dtype=">i4"), np.arange(4, dtype=">f8")[::-2], mixed["b"]):
        same(ga.asarray(n), n.astype(n.dtype.newbyteorder("=")), "another byte order, or elements that are not aligned, are copied")
        fails(lambda: ga.asarray(n, copy=False), [ValueError], "copy=False", "unless that is refused")
    fails(lambda: ga.asarray(np.array(["a"])), [TypeError], "no dtype", "strings")
    buffer = bytearray(b"abc")
    ga.asarray(buffer)[0] = 65
    check(buffer == b"Abc", "the buffer protocol")
    same(pickle.loads(pickle.dumps(ga.arange(3))), np.arange(3), "pickle")
    fails(lambda: np.asarray(ga.chunked(ga.arange(4), (2,))), [TypeError], "compute()", "a chunked array has no memory")
    same(ga.asarray([[1, 2], [3, 4.5]]), [[1, 2], [3, 4.5]], "lists")
    same(ga.asarray([True, 2]), [1, 2], "lists of two kinds")
    same(ga.asarray(2**64, "float64"), 2.0**64, "an integer of more than 64 bits becomes a float")
    same(ga.asarray([[2**64, -2**70]], "float32"), np.array([[2.0**64, -2.0**70]], "float32"), "and so do those of lists")
    same(ga.asarray(range(3)), [0, 1, 2], "a range")
    for what in (None, "abc", {1}, object()):
        fails(lambda: ga.asarray(what), [TypeError], "is no array: give numbers", f"{what!r}")
    freed, kept = ga.ones(2**20), ga.ones(2**20)
    lent = np.asarray(kept)
    ga.free(freed), ga.free(kept)
    check(lent.sum() == 2**20, "NumPy keeps what was freed")
    for call in (lambda: freed.shape, lambda: freed + 1, lambda: repr(kept), lambda: ga.free(freed), lambda: np.asarray(kept)):
        fails(call, [ValueError], "this array was freed", "an array that was freed")
    fails(lambda: freed.foo, [AttributeError], "'foo'", "no such attribute")
    fails(lambda: ga.wrap(np.ones(3), "float64", 3), [TypeError], "asarray()", "wrap() keeps nothing alive")
    fails(lambda: ga.from_(b"abc", "float64", (3,)), [ValueError], "3 bytes are less", "too few bytes")
    n = np.arange(6, dtype="i4")
    for memory in (n[:2], ga.asarray(n)[:2], (ctypes.c_int * 2)(), [1, 2], bytearray(8)):
        fails(lambda: ga.from_(memory, "int32", (3,)), [ValueError], "8 bytes are less than int32 (3,) has", f"too little memory, {type(memory)}")
    fails(lambda: ga.from_(n[::2], "int32", (3,)), [TypeError], "do not lie one behind the other", "every second element")
    for memory in (n, ga.asarray(n), n.tolist(), n.tobytes(), (ctypes.c_int * 6)(*n), n.ctypes.data, n[None, :, None], n.reshape(2, 3)):
        same(ga.from_(memory, "int32", (3, 2)), n.reshape(3, 2), f"from {type(memory)}")
    check(ga.from_(n[:0], "int32", (0, 3)).shape == (0, 3), "from no memory")
    same(ga.asarray([np.float32(1), np.float32(2)]), np.array([1, 2], "f4"), "lists of NumPy's numbers")
    same(ga.asarray([2**63]), np.array([2**63], "u8"), "a large number")
    fails(lambda: ga.asarray([[1], [2, 3]]), [ValueError], "different lengths", "ragged lists")


class Old:
    """A producer of before DLPack 1.0; `given` is what its __dlpack__ was asked."""

    def __init__(self, n):
        self.n, self.__dlpack_device__ = n, n.__dlpack_device__

    def __dlpack__(self, stream=None):
        return self.n.__dlpack__()


def dlpack():
    for n in (np.arange(12.0).reshape(3, 4), np.arange(12, dtype="u2")[::-2], np.zeros((2, 0, 3), bool), np.array(5j), np.arange(6, dtype="f2").reshape(2, 3).T):
        for x in (n, Old(n)):
            a = ga.from_dlpack(x)
            same(a, n, f"DLPack from NumPy, {n.dtype} {n.shape}")
            check(np.shares_memory(np.asarray(a), n) or not n.size, f"{n.dtype} {n.shape} is shared")
            check(not np.shares_memory(np.asarray(ga.from_dlpack(x, copy=True)), n), "a copy")
        back = np.from_dlpack(ga.asarray(n))
        same(back, n, f"DLPack to NumPy, {n.dtype} {n.shape}")
        check(np.shares_memory(back, n) or not n.size, f"{n.dtype} {n.shape} is shared back")
    check(not np.shares_memory(np.from_dlpack(ga.asarray(n), copy=True), n), "NumPy asks for a copy")
    fixed = np.arange(3)
    fixed.flags.writeable = False
    check(not np.shares_memory(np.asarray(ga.from_dlpack(fixed)), fixed), "what may not be written is copied")
    check(np.shares_memory(np.asarray(ga.from_dlpack(fixed, read_only=True)), fixed), "or shared by who does not write")
    fails(lambda: ga.from_dlpack(fixed, copy=False), [ValueError], "read-only", "a copy that is refused")
    wide = ga.broadcast_to(ga.arange(3), (2, 3))
    check(not np.from_dlpack(wide).flags.writeable, "repeated elements are not written")
    same(ga.from_dlpack(wide), [[0, 1, 2]] * 2, "repeated elements")
    a = ga.arange(4)
    for capsule, name in ((a.__dlpack__(), "dltensor"), (a.__dlpack__(max_version=(2, 1)), "dltensor_versioned"), (ga.to_dlpack(a), "dltensor_versioned")):
        check(f'"{name}"' in repr(capsule), f"{capsule} is a {name}")
        b = ga.from_dlpack(capsule)
        check(f'"used_{name}"' in repr(capsule) and np.shares_memory(np.asarray(a), np.asarray(b)), f"{capsule} is used")
        fails(lambda: ga.from_dlpack(capsule), [ValueError], "taken it", "a capsule that is used")
    check(a.__dlpack_device__() == (1, 0), "__dlpack_device__")
    same(ga.from_dlpack(a, device="cpu"), range(4), "device='cpu'")
    fails(lambda: a.__dlpack__(dl_device=(2, 0)), [BufferError], "(2, 0)", "another device")
    fails(lambda: a.__dlpack__(stream=5), [ValueError], "stream 5", "a stream on the CPU")
    chunked = ga.chunked(a, (2,))
    fails(lambda: np.from_dlpack(chunked), [BufferError], "gpuarr.compute", "a chunked array")
    fails(lambda: wide.__dlpack__(copy=False), [BufferError], "read-only", "what an unversioned tensor cannot say")
    fails(lambda: ga.from_dlpack([1]), [AttributeError], "__dlpack", "what has no __dlpack__")
    del chunked, b, back
    gone = weakref.ref(n)
    m = np.from_dlpack(ga.asarray(n)[1:])
    del n, x
    gc.collect()
    check(gone() is not None, "NumPy keeps, through gpuarr, NumPy's memory alive")
    del m
    gc.collect()
    check(gone() is None, "and no longer than it lives")
    before = ga.memory_stats().arrays
    a.__dlpack__(), a.__dlpack__(max_version=(1, 0))  # nobody takes them
    fails(lambda: (ga.ones(9).__dlpack__(), np.from_dlpack(ga.asarray(np.ones(5))), 1 / 0), [ZeroDivisionError], "", "an error while memory is let go of")
    fails(lambda: np.from_dlpack(ga.zeros(2, "bfloat16")), [Exception], "nsupported", "a dtype that NumPy has not")
    gc.collect()
    check(ga.memory_stats().arrays == before, "no tensor is left")


def cuda():
    """With a library for CUDA (make build/libgpuarr-cudasim.so), on a GPU that there is."""
    try:
        a = ga.arange(6, device="cuda")
    except ga.Error:
        return
    check((a.device, a.__dlpack_device__(), a.tolist()) == ("cuda", (2, 0), list(range(6))), "a CUDA array")
    b = ga.from_dlpack(a)
    b[0] = 9
    check(b.device == "cuda" and a[0].item() == 9, "DLPack shares CUDA memory")
    for stream in (None, 1, 2, -1):
        check("dltensor" in repr(a.__dlpack__(stream=stream)), f"stream {stream}")
    fails(lambda: a.__dlpack__(stream=0), [ValueError], "stream 0", "an ambiguous stream")
    same(ga.from_dlpack(a, device="cpu"), [9, 1, 2, 3, 4, 5], "CUDA memory brought to the CPU")
    same(np.from_dlpack(a, device="cpu"), [9, 1, 2, 3, 4, 5], "by NumPy")
    fails(lambda: a.__dlpack__(dl_device=(1, 0), copy=False), [BufferError], "(2, 0)", "not without a copy")
    fails(lambda: ga.from_dlpack(a, device="cpu", copy=False), [ValueError], "not on the CPU", "nor here")
    fails(lambda: ga.from_dlpack(Old(a), device="cpu"), [BufferError], "leave out device", "before DLPack 1.0")
    same(ga.from_dlpack(Old(a)).to("cpu"), [9, 1, 2, 3, 4, 5], "but as it is")
    pinned = ga.empty(3, pinned=True)
    check(pinned.__dlpack_device__() == (3, 0) and np.shares_memory(np.from_dlpack(pinned), np.asarray(pinned)), "pinned memory")


def halves():
    n = np.array([[1.5, -2, 65504], [np.inf, np.nan, 6e-8]], "f2")
    a = ga.asarray(n)
    same(a, n, "float16")
    check(np.shares_memory(np.asarray(a), n), "float16 is shared")
    same(a - 1, n - 1, "float16 in sums")
    same(ga.asarray(n.data), n, "float16 through the buffer protocol")
    same(ga.asarray([[1, 2.5]], dtype="float16"), np.array([[1, 2.5]], "f2"), "lists as float16")
    same(ga.asarray([np.float16(1), np.float16(2)]), np.array([1, 2], "f2"), "lists of float16")
    check(a[0].tolist() == [1.5, -2.0, 65504.0] and a[0, 1].item() == -2 and float(a[0, 0]) == 1.5 and a.itemsize == 2, "its numbers")
    same(pickle.loads(pickle.dumps(a)), n, "pickled")
    b = ga.asarray([1, 3.140625, 1e30], dtype=ga.bfloat16)
    check(b.dtype is ga.bfloat16 and b.tolist()[:2] == [1, 3.140625] and b[0].item() == 1 and (b + b)[1] == 6.28125, "bfloat16")
    for call in (lambda: np.asarray(b), lambda: np.array(b, "f4"), lambda: np.zeros(2, ga.bfloat16)):
        fails(call, [TypeError], "a.astype('float32')", "bfloat16 for NumPy")
    same(b.astype("float32")[:2], np.array([1, 3.140625], "f4"), "what the error says")
    bits = np.array([0x3FC0, 0x4000], "u2")  # in an array of ml_dtypes
    lent = types.SimpleNamespace(dtype="bfloat16", bits=bits, __array_interface__={**bits.__array_interface__, "typestr": "<V2", "descr": [("", "<V2")]})
    check(ga.asarray(lent).tolist() == [1.5, 2], "bfloat16 of ml_dtypes")
    fails(lambda: ga.asarray(np.zeros(2, "V2")), [TypeError], "no dtype", "two bytes of NumPy's")
    check(ga.from_dlpack(b).dtype == "bfloat16" and pickle.loads(pickle.dumps(b)).tolist() == b.tolist(), "bfloat16 through DLPack and pickle")


def files():
    table = np.array([[1, 2.5, -3], [4, np.nan, 6]])
    with tempfile.TemporaryDirectory() as folder:
        path, other = pathlib.Path(folder, "t.txt"), folder + "/t.bin"
        ga.savetxt(path, table, fmt="%g", delimiter=",", header="a table")
        check(path.read_text() == "# a table\n1,2.5,-3\n4,nan,6\n", "savetxt")
        same(ga.loadtxt(path, delimiter=","), table, "loadtxt")
        same(ga.loadtxt(path, delimiter=",", usecols=(2, 0), max_rows=1, dtype=int), [-3, 1], "loadtxt with options")
        fails(lambda: ga.loadtxt(path, delimiter=",", comments=None), [ga.Error, ValueError], "line 1", "comments=None")
        columns = ga.loadtxt_n(path, ["int64", np.float32, float], delimiter=",")
        check(isinstance(columns, tuple) and [c.tolist() for c in columns][::2] == [[1, 4], [-3, 6]], "loadtxt_n")
        check([c.dtype for c in columns] == ["int64", "float32", "float64"], "loadtxt_n's dtypes")
        path.write_text("x,y\n1,NA\n,4\n")
        same(ga.genfromtxt(path, delimiter=",", names=True), [[1, np.nan], [np.nan, 4]], "genfromtxt")
        x, y = ga.genfromtxt_n(path, [int, float], delimiter=",", skip_header=1, missing_values="NA", filling_values=-9)
        check((x.tolist(), y.tolist()) == ([1, -9], [-9, 4]), "genfromtxt_n")
        fails(lambda: ga.loadtxt_n(path, ["int64", "int64"], delimiter=","), [ga.Error, ValueError], "line 1", "loadtxt_n of a header")
        ga.asarray(table).tofile(other)
        same(ga.fromfile(other), table.ravel(), "tofile, fromfile")
        same(ga.fromfile(other, "float64", 2, offset=8), table.ravel()[1:3], "a part of it")
        same(np.fromfile(other), table.ravel(), "and NumPy's")
        same(np.frombuffer(ga.asarray(table).T.tobytes()), table.T.ravel(), "tobytes")
        ga.save(folder + "/t.npy", table)
        mapped = ga.load(folder + "/t.npy", mmap=True)
        mapped[0, 0] = 7
        same(mapped[0], [7, 2.5, -3], "a mapped file")
        same(ga.load(folder + "/t.npy"), table, "is not written")
        picture = np.arange(24, dtype="u1").reshape(2, 4, 3)
        try:
            png = ga.imencode(picture)
        except ga.Error as e:  # without stb_image_write.h
            check("stb" in str(e), f"imencode: {e}")
        else:
            same(ga.imdecode(png), picture, "imencode, imdecode")
            same(ga.imdecode(bytes(png)), picture, "imdecode of bytes")
            ga.imsave(folder + "/p.png", picture)
            same(ga.imread(pathlib.Path(folder, "p.png")), picture, "imsave, imread")
        fails(lambda: ga.imdecode(b"GIF89a"), [ga.Error, ValueError], "PNG", "no PNG")


def packed_bytes():
    """Pictures of bytes as zlib packs them in all its ways, and with codes of up to 15 bits: their numbers grow as Fibonacci's."""
    fibonacci = [1, 1]
    while len(fibonacci) < 21:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    random = np.random.default_rng(1)
    rare = random.permutation(np.repeat(np.arange(21), fibonacci).astype("u1"))[:28000]
    noise, few = random.integers(0, 256, 28000).astype("u1"), np.repeat(random.integers(0, 9, 1000).astype("u1"), 28)
    for data in rare, noise, few, np.tile(rare[:999], 29)[:28000], np.zeros(28000, "u1"):
        rows = np.insert(data.reshape(140, 200), 0, 0, axis=1).tobytes()  # PNG: each row begins with its filter
        for level, strategy, memory in (1, 0, 9), (6, 0, 8), (9, 0, 1), (9, 2, 9), (9, 3, 9), (9, 4, 9), (0, 0, 9):
            packer = zlib.compressobj(level, zlib.DEFLATED, 15, memory, strategy)
            packed = packer.compress(rows) + packer.flush()
            png = b"\x89PNG\r\n\x1a\n"
            for kind, body in (b"IHDR", struct.pack(">IIBBBBB", 200, 140, 8, 0, 0, 0, 0)), (b"IDAT", packed), (b"IEND", b""):
                png += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
            same(ga.imdecode(png), data.reshape(140, 200), f"imdecode of zlib's level {level}, strategy {strategy}")


def errors():
    a = ga.ones((2, 3))
    fails(lambda: ga.sum(a, axis=5), [ga.Error, ValueError, IndexError], "there is no axis 5", "a bad axis")
    fails(lambda: ga.add(a, ga.ones(2)), [ga.Error, ValueError], "(2, 3)", "shapes that do not fit")
    fails(lambda: ga.bitwise_and(a, 1), [ga.Error, TypeError], "float64", "a dtype that does not fit")
    fails(lambda: ga.load("/does/not/exist.npy"), [ga.Error, OSError], "/does/not/exist.npy", "no file")
    fails(lambda: a[2], [IndexError], "2", "an index beyond the end")
    fails(lambda: a[0, 0, 0], [IndexError], "", "too many indices")
    fails(lambda: a[[0, 5]], [IndexError], "5", "an index array beyond the end")
    fails(lambda: a["x"], [IndexError], "no str", "an index that is none")
    fails(lambda: ga.index(a, "%s%n"), [IndexError], "%s%n", "a format without its numbers")
    fails(lambda: ga.save("/tmp/a\0b.npy", a), [ValueError], "null character", "a path with a null character")
    fails(lambda: ga.sum(a, aixs=0), [TypeError], "gpuarr.sum: there is no option 'aixs'; it has axis", "an option that is misspelt")
    fails(lambda: ga.sum(), [TypeError], "misses a", "an argument that is missing")
    fails(lambda: ga.pad(a), [TypeError], "misses pad_width", "a width that is missing")
    fails(lambda: ga.sum(None), [TypeError], "a is None", "None for an array")
    fails(lambda: ga.concatenate([a, None]), [TypeError], "array number 1 is None", "None in a list of arrays")
    fails(lambda: ga.clip(a, 1, min=0), [TypeError], "multiple values", "a bound by position and by name")
    fails(lambda: ga.clip(a, a_min=0, min=1), [TypeError], "given twice", "a bound by both names")
    fails(lambda: ga.sum(a, 0, None, None, True, None, None, 1), [TypeError], "by position", "too many arguments")
    fails(lambda: ga.pad(a, (1, 1), mode="egde"), [ValueError], "'egde'; there are", "a word that is misspelt")
    for given in ([a, a], []):
        fails(lambda: ga.savez("/tmp/a.npz", ["x"], given), [ValueError], "1 names, ", "lists of two lengths")
    fails(lambda: ga.zeros((1,) * 9), [ValueError], "GPUARR_MAX_DIMS", "too many dimensions")
    fails(lambda: ga.zeros(2, "float8"), [TypeError], "float8", "no such dtype")
    for call, what in ((lambda: ga.sum(a, axis=2**32), "an axis"), (lambda: ga.zeros(2**64), "a length"), (lambda: ga.zeros((2**64, 3)), "a length"),
                       (lambda: ga.reshape(a, 2**64 + 6), "a length"), (lambda: ga.random(3, seed=2**64), "a seed"), (lambda: ga.random(3, seed=-1), "a seed"),
                       (lambda: ga.split(a, [2**64]), "a place"), (lambda: ga.asarray(-1, "uint8"), "a number"), (lambda: ga.asarray([1, 300], "uint8"), "a list"),
                       (lambda: ga.pad(a, 1, mode=2**32), "an enumerator")):
        fails(call, [OverflowError], "does not fit", f"{what} whose last bits are another one")
    fails(lambda: bool(a), [ValueError], "(2, 3)", "no truth")
    for what in (5, "max", None):
        fails(lambda: ga.generic_filter(a, what, 3), [TypeError, ga.Error] if what is None else [TypeError], "function", f"{what!r} for a function") if what else None
    fails(lambda: ga.generic_filter(a, lambda v: "x", 3), [ValueError], "'x'", "a function that gives no number")
    fails(lambda: ga.compute(ga.map_blocks(ga.chunked(a, (1, 3)), lambda out, blocks, where: blocks[0])), [ga.Error], "chunk number", "a result that is not written")
    for call in (lambda: ga.apply(5, [a]), lambda: ga.graph_free(5), lambda: ga.run_n(5, [])):
        fails(call, [TypeError], "5 is no ga_", "an address that C did not give")
    graph = ga.graph_new()
    ga.graph_free(graph)
    program = """if True:
        import gpuarr as ga, os, signal, threading
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored: sh, of what runs in the background
        begun = threading.Event()
        def slow(v):
            begun.set()
            return sum(v)
        def stop():
            begun.wait()
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=stop).start()
        try:
            ga.generic_filter(ga.zeros((600, 600)), slow, 9)
        except KeyboardInterrupt:
            print("interrupted", ga.error(), float(ga.sum(ga.ones(3))))
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    check(done.stdout == "interrupted None 3.0\n" and not done.stderr, f"Control-C in a function of Python's: {done}")
    fails(lambda: ga.generic_filter(a, lambda v: 1 / 0, 3), [ZeroDivisionError], "", "an error in a function of Python's")
    blocks = ga.map_blocks(ga.chunked(a, (1, 3)), lambda out, blocks, where: 1 / 0)
    try:
        check(False, f"an error in a function for chunks: {ga.compute(blocks)}")
    except ga.Error as e:
        check("chunk number" in str(e) and isinstance(e.__cause__, ZeroDivisionError), f"an error in a function for chunks: {e!r}")
    check(ga.error() is None, "no error is left behind")


def operators():
    pairs = [(np.array([[7.5, -2.0, 3.0]]), np.array([[2.0], [0.5]])), (np.array([7, -7, 3]), np.array([2, 3, 1])), (np.array([7, -7, 3]), 2)]
    for x, y in pairs:
        for name in "add sub mul truediv floordiv mod pow lt le gt ge eq ne and_ or_ xor lshift rshift".split():
            f = getattr(operator, name)
            if x.dtype == np.float64 and name in ("and_", "or_", "xor", "lshift", "rshift"):
                continue
            with np.errstate(all="ignore"):
                want, reflected = f(x, y), f(3, abs(x))
            same(f(ga.asarray(x), y), want, f"{name} {x.dtype}")
            same(f(3, ga.asarray(abs(x))), reflected, f"{name} of a number and {x.dtype}")
            if not name.endswith("_") and name in ("add", "sub", "mul", "mod", "floordiv", "pow") and np.shape(want) == x.shape:
                a = b = ga.array(x)
                a = getattr(operator, "i" + name)(a, y)
                same(a, want, f"i{name}")
                check(a is b, f"i{name} is in place")
    truths = np.array([True, False])
    for n in (2, 3, 0, True, 2.0, truths):
        same(ga.asarray(truths)**n, truths**n, f"bool to the power {n}")
    x = np.arange(6).reshape(2, 3)
    a = ga.asarray(x)
    same(a @ a.T, x @ x.T, "@")
    same(-a, -x, "-")
    same(~a, ~x, "~")
    same(abs(-a), x, "abs")
    same(np.ones(3) + a, np.ones(3) + x, "NumPy's + gpuarr's")
    check(isinstance(np.ones(3) + a, ga.array), "is gpuarr's")
    check([v.tolist() for v in divmod(a, 4)] == [v.tolist() for v in divmod(x, 4)], "divmod")
    check((a == None) is False and 4 in a and 9 not in a, "in, and None")  # noqa: E711
    check(len(a) == 2 and [r.tolist() for r in a] == x.tolist() and a.tolist() == x.tolist(), "len, iter, tolist")
    check((int(a[1, 2]), float(a[1, 2]), complex(a[1, 2]), bool(a[0, 0]), "abc"[a[0, 2]]) == (5, 5.0, 5 + 0j, False, "c"), "numbers")
    check((a.shape, a.ndim, a.size, a.dtype, a.device, a.T.shape, a.nbytes) == ((2, 3), 2, 6, "int64", "cpu", (3, 2), 48), "properties")
    same(a.sum(axis=1), x.sum(axis=1), "a method")
    check(f"{a.sum():.2f} {a.max():d} {a.sum() / 7}" == f"{x.sum():.2f} {x.max():d} {x.sum() / 7}" and f"{a}" == str(a), "format")
    fails(lambda: f"{a:.2f}", [ValueError], "(2, 3)", "a format for a number")
    check(round(a.sum() / 7, 2) == 2.14 and round(a / 7, 1).tolist() == np.round(x / 7, 1).tolist(), "round")
    check(a.item(4) == 4 and a.T.item(1) == x.T.item(1), "an item of the flattened array")
    check([b.shape for b in ga.broadcast_arrays(a, 1)] == [(2, 3)] * 2, "broadcast_arrays, as in NumPy")


def indices():
    x = np.arange(60).reshape(3, 4, 5)
    mask = x % 3 == 0
    keys = [0, -1, (1, 2, 3), slice(None, None, -1), (slice(1, 3), ..., 2), (None, 1), (..., None), (), ..., mask, mask[:, 0, 0], (1, mask[0]), [2, 0],
            (slice(None), [3, 1]), ([0, 2], slice(None), [1, 1]), (np.array([[0], [2]]), [1, 2]), (0, slice(None), [1, 3]), ([2, 0], [1, 3], None),
            np.array(True), np.array(False), [], (slice(0, 0),), (..., [0, 4]),
            (slice(None), [0, 2], ..., [1, 1]), (slice(None), [0, 2], [1, 1], ...), (slice(None), 1, None, [1, 0]), (None, True), (True, ..., [1, 2]),
            ([1], False), (None, mask[:, 0, 0], 2)]
    for key in keys:
        same(ga.asarray(x)[key], x[key], f"[{key!r}]")
        for value in (-1, -np.ones(x[key].shape[-1:], int)):
            a, n = ga.array(x), x.copy()
            a[key], n[key] = value, value
            same(a, n, f"[{key!r}] = {value!r}")
    class Other:
        def __radd__(self, a):
            return "theirs"
    a = ga.array(x)
    check((a == object()) is False and (a != object()) is True and a + Other() == "theirs", "what is no array")
    fails(lambda: a + object(), [TypeError], "unsupported operand", "an operand that is no array")
    a[a > 20] += 100
    same(a, np.where(x > 20, x + 100, x), "a[mask] += number")
    same(a[np.zeros(0, bool)], x[np.zeros(0, bool)], "an empty mask")
    fails(lambda: a[mask[:2]], [IndexError], "mask", "a mask of another shape")


def measuring():
    calls = []
    r = ga.benchmark(lambda: calls.append(1), repeat=5, warmup=2, quiet=True)
    check(len(calls) == 7 and r.repeats == 5 and 0 <= r.cpu.min <= r.cpu.median and "median=" in repr(r), f"benchmark: {r!r}")
    kept = []
    ga.benchmark(lambda: kept.append(ga.ones(3) + ga.ones(3)), repeat=3, quiet=True)
    check(all(np.array_equal(k, [2, 2, 2]) for k in kept), "arrays made in what is measured, and kept")
    kept.clear()  # the function, which has the list, lives as long as the program
    fails(lambda: ga.benchmark(lambda: 1 / 0, quiet=True), [ZeroDivisionError], "division", "an error in what is measured")
    fails(lambda: ga.progress_line(np.zeros(9)), [TypeError], "is no ga_progress", "an array for what a run says of itself")
    fails(lambda: ga.benchmark(5), [TypeError], "no function", "a number to measure")


def positions():
    """Arguments by position, and histograms, as NumPy has them."""
    n, m = np.arange(12.0).reshape(3, 4) % 5, np.array([[True, False, True, True]])
    a = ga.asarray(n)
    for f in "max min sum prod nanmax nanmin nansum nanprod".split():
        between = () if f.endswith(("max", "min")) else (None,)
        same(getattr(ga, f)(a, 0, *between, None, True, 2.0, m), getattr(np, f)(n, 0, *between, None, True, 2.0, m), f"{f} by position")
    for f in "all any ptp".split():
        same(getattr(ga, f)(a, 1, None, True), getattr(np, f)(n, 1, None, True), f"{f} by position")
    for f in "std var nanstd nanvar".split():
        same(getattr(ga, f)(a, 1, None, None, 1, True), getattr(np, f)(n, 1, None, None, 1, True), f"{f} by position")
    for f in "median nanmedian".split():
        same(getattr(ga, f)(a, 0, None, False, True), getattr(np, f)(n, 0, None, False, True), f"{f} by position")
    for f in "percentile nanpercentile".split():
        same(getattr(ga, f)(a, 40, 1, None, False, "lower", True), getattr(np, f)(n, 40, 1, None, False, "lower", True), f"{f} by position")
    out = ga.zeros(3)
    check(ga.max(a, 1, out) is out and out.tolist() == n.max(1).tolist(), "max(a, axis, out)")
    same(ga.mean(a, 0, None, None, True), n.mean(0, None, None, keepdims=True), "mean by position")
    same(ga.take(a, [0, 9], 1, None, "clip"), np.take(n, [0, 9], 1, None, "clip"), "take by position")
    same(ga.sort(a, -1, "stable"), np.sort(n, -1, "stable"), "sort by position")
    same(ga.argsort(a, 0, "stable"), np.argsort(n, 0, "stable"), "argsort by position")
    fails(lambda: ga.sort(a, -1, ga.zeros((3, 4))), [TypeError], "kind is a word", "an array for the kind of a sort")
    same(ga.logspace(0, 2, 3, True, 2.0), np.logspace(0, 2, 3, True, 2.0), "logspace by position")
    check(ga.linspace(0, 1, 5, False, True)[1] == 0.2, "linspace(start, stop, num, endpoint, retstep)")
    same(ga.nan_to_num([np.nan, 1], True, 7.0), np.nan_to_num([np.nan, 1], True, 7.0), "nan_to_num by position")
    x = ga.asarray([np.nan, 1.0])
    check(ga.nan_to_num(x, copy=False) is x and x.tolist() == [0, 1], "nan_to_num in place")
    same(ga.isin([1, 2], [2], False, True), np.isin([1, 2], [2], False, True), "isin by position")
    same(ga.fftn(a, (3, 4), (0, 1), "ortho"), np.fft.fftn(n, (3, 4), (0, 1), "ortho"), "fftn by position", close=True)
    same(ga.max(a, where=True), n.max(), "where=True leaves nothing out")
    check(ga.repeat(ga.zeros(0), []).shape == (0,) and ga.take(a, []).shape == (0,), "no counts, no indices")
    for v in (np.int64(3), np.float32(2.5), np.array(3), ga.max(a)):
        same(ga.arange(v), np.arange(v.item()), "arange of a number that is no Python's")
    same(ga.arange(stop=3), np.arange(3), "arange(stop=)")
    fails(lambda: ga.arange(), [TypeError], "misses stop", "arange of nothing")
    check(ga.arange(4, dtype="float32").view("int32").dtype == "int32" and ga.zeros(2).view(dtype="uint8").shape == (16,), "view of another dtype")

    x = np.array([0.5, 1.5, 1.5, 3.0, -1.0])
    for given, named in (((), {}), ((4,), {}), ((4, (0, 2)), {}), ((4, None, True), {}), ((4,), {"weights": [1.0, 2, 3, 4, 5]}), (([0, 1, 2, 3],), {}),
                         (([0, 1, 1.5, 3], None, True), {}), (([0, 1, 3],), {"weights": np.array([1.0, 2, 3, 4, 5])}), (([5, 6],), {}), (([1],), {}),
                         ((np.array([-1, 0.5]),), {"density": True})):
        (got, places), (want, edges) = ga.histogram(x, *given, **named), np.histogram(x, *given, **named)
        same(got, want, f"histogram{given} {named}")
        same(places, edges, f"edges of histogram{given} {named}", close=True)
    check(ga.histogram(x, 2, edges=False).tolist() == np.histogram(x, 2)[0].tolist(), "the counts alone")
    same(ga.histogram_bin_edges(x, 3, (0, 3)), np.histogram_bin_edges(x, 3, (0, 3)), "histogram_bin_edges by position", close=True)
    fails(lambda: ga.histogram(x, "automatic"), [ValueError], "no rule 'automatic' for bins; there are 'sqrt', ", "a rule for bins")
    fails(lambda: ga.histogram(x, [2, 1]), [ValueError], "ascend", "edges that descend")
    for got, want in ((ga.histogram2d(x, x, 3), np.histogram2d(x, x, 3)), (ga.histogram2d(x, x, (2, 3), [(0, 2), (0, 3)], True), np.histogram2d(x, x, (2, 3), [(0, 2), (0, 3)], True))):
        check(len(got) == 3, "histogram2d: the counts, and the edges along x and y")
        for g, w in zip(got, want):
            same(g, w, "histogram2d", close=True)
    lines = [[1.0, 2, 3], [4, 5, 6.0]]
    same(ga.histogramdd(lines, 2)[0], np.histogramdd(lines, 2)[0], "histogramdd of lists")
    same(ga.histogramdd(x, 2)[0], np.histogramdd(x, 2)[0], "histogramdd of one line")
    same(ga.cov(a, None, False), np.cov(n, None, False), "cov by position", close=True)
    same(ga.cov(x, x + x * x, True, True), np.cov(x, x + x * x, True, True), "cov of two, by position", close=True)
    points = np.stack([x, x + 1], axis=-1)
    (got, edges), (want, places) = ga.histogramdd(points, 2), np.histogramdd(points, 2)
    same(got, want, "histogramdd")
    for g, w in zip(edges, places):
        same(g, w, "edges of histogramdd", close=True)
    same(ga.histogramdd((x, x + 1), 2)[0], np.histogramdd((x, x + 1), 2)[0], "histogramdd of lines")


def wrong_arguments():
    """What is wrong is named together with the function; nothing is wrong without a word."""
    a = ga.zeros(3)
    for call, function, parameter in ((lambda: ga.abs("abc"), "abs", "x"), (lambda: ga.add(a, object()), "add", "x2"), (lambda: ga.sum(a, axis=10**30), "sum", "axis"),
                                      (lambda: ga.zeros(3, "abc"), "zeros", "dtype"), (lambda: ga.pad(a, 1, mode="x"), "pad", "mode")):
        fails(call, [(TypeError, ValueError, OverflowError)], parameter + " = ", f"a wrong argument of {function}")
        fails(call, [(TypeError, ValueError, OverflowError)], f"gpuarr.{'absolute' if function == 'abs' else function}: ", f"{function} is named")
    for call, function in ((lambda: ga.copyto("abc", a), "copyto"), (lambda: ga.putmask("abc", [True], 1), "putmask"), (lambda: ga.roll("abc", 1), "roll"),
                           (lambda: ga.frombuffer("abc"), "frombuffer"), (lambda: ga.partition(a, "x"), "partition"), (lambda: ga.expand_dims(a, "x"), "expand_dims"),
                           (lambda: ga.polyder(a, "x"), "polyder")):
        fails(call, [(TypeError, ValueError)], function, f"a wrong argument of {function}")
    fails(lambda: ga.fromfunction(lambda i: i.nothing, (3,)), [AttributeError], "no 'nothing'", "an error of the caller's own function")
    fails(lambda: ga.asarray([1, 2j], "float64"), [TypeError], "complex numbers are no float64", "complex numbers as real ones")
    for first, second in (([-3, -5, 3], np.array([1, 3, 3], "uint16")), ([1], np.array([3], "uint8")), (np.array([3], "uint64"), np.array([4.0], "float32"))):
        same(ga.polysub(first, second), np.polysub(first, second), "polysub of unsigned numbers")
    x = ga.asarray(np.arange(3, dtype="int32"))
    ga.putmask(x, [True, False, True], [])
    check(x.tolist() == [0, 1, 2], "putmask of no values")
    fails(lambda: ga.putmask(x, [True, False, True], np.array([4.7])), [TypeError], "", "putmask of what the array cannot hold")
    same(ga.vecmat([True, True], [[True], [True]]), np.array([True]), "vecmat of bool")


def options_of_axes():
    """What shares ga_axis_options takes some of them alone: help() shows those that the call does not refuse."""
    def part(f, *more):
        return lambda **o: f(ga.asarray([3.0, 1.0, 2.0, 4.0]), *more, **o)

    def parts(f):
        return lambda **o: f([ga.asarray([3.0, 1.0]), ga.asarray([2.0, 4.0])], **o)
    calls = dict(repeat=part(ga.repeat, 2), cumsum=part(ga.cumsum), cumprod=part(ga.cumprod), nancumsum=part(ga.nancumsum), nancumprod=part(ga.nancumprod),
                 concatenate_n=parts(ga.concatenate), stack_n=parts(ga.stack), split=part(ga.split, 2), split_at=part(ga.split_at, [1, 2]),
                 array_split=part(ga.array_split, 3), unstack=part(ga.unstack, 4), append=part(ga.append, [5.0]), insert=part(ga.insert, 1, 5.0),
                 delete=part(ga.delete, 1), roll=part(ga.roll, 1), sort=part(ga.sort), argsort=part(ga.argsort),
                 compress=lambda **o: ga.compress([True, False, True], [3.0, 1.0, 2.0], **o), partition=part(ga.partition, 1),
                 argpartition=part(ga.argpartition, 1), resample=part(ga.resample, 8))
    sharing = {name.removeprefix("ga_") for name, f in header.functions.items() if any(str(t) == "ga_axis_options" for t, _ in f.parameters)}
    check(sharing == set(calls), f"all that share ga_axis_options are here: {sharing ^ set(calls)}")
    check(str(inspect.signature(ga.arange)).startswith("(start=None, stop=None, step=1, dtype=None") and
          "by_name" in str(inspect.signature(ga.eval)) and
          str(inspect.signature(ga.argsort)).startswith("(a, axis=-1, kind=None, order=None, "), "help() of functions with NumPy's ways to be called")
    for name, call in calls.items():
        shown = inspect.signature(getattr(ga, name)).parameters
        for option, value in (("dtype", "float32"), ("out", ga.zeros(7, dtype="int8"))):
            try:
                call(**{option: value})
                refused = False
            except Exception as e:  # a result that does not fit is another matter
                refused = f"takes no {option}" in str(e)
            check(refused != (option in shown), f"help({name}) shows {option}: {option in shown}; the call refuses it: {refused}")


def numpys_ways():
    """What NumPy takes and C spells otherwise, or not at all."""
    x = np.arange(24).reshape(2, 3, 4)
    f = np.array([[3.0, 1, 2, 7], [0, 5, 4, 6]])
    strided = np.lib.stride_tricks
    for what, call in {
        "moveaxis": lambda m, a: m.moveaxis(a, (0, 1), (-1, 0)), "moveaxis of one": lambda m, a: m.moveaxis(a, 0, -1),
        "expand_dims": lambda m, a: m.expand_dims(a, (0, -1, 2)), "expand_dims of one": lambda m, a: m.expand_dims(a, -1),
        "rollaxis": lambda m, a: m.rollaxis(a, 2),
        "rollaxis to": lambda m, a: m.rollaxis(a, 0, 3),
        "rollaxis back": lambda m, a: m.rollaxis(a, -1, -2),
        "rot90": lambda m, a: m.rot90(a, axes=(1, 2)), "rot90 by position": lambda m, a: m.rot90(a, 3, (2, 0)),
        "repeat": lambda m, a: m.repeat(a, [2, 0, 1], axis=1), "repeat flat": lambda m, a: m.repeat(a, m.asarray(range(24))),
        "a.repeat": lambda m, a: a.repeat([1, 2], axis=0), "unique": lambda m, a: m.unique(a % 2, axis=2),
        "sum": lambda m, a: m.sum(a, axis=1, where=a % 2 == 1, initial=5), "prod": lambda m, a: m.prod(a, axis=2, where=[True, False, True, True]),
        "a.sum": lambda m, a: a.sum(where=a > 3),
        "max": lambda m, a: m.max(a, axis=0, where=a > 9, initial=-1),
        "min": lambda m, a: m.min(a, initial=-7),
        "mean": lambda m, a: m.mean(a, axis=1, where=a % 3 == 0), "any": lambda m, a: m.any(a, axis=0, where=a > 20),
        "all": lambda m, a: m.all(a, axis=0, where=a > 0),
        "amax": lambda m, a: m.amax(a[:0], initial=3),
        "where=True": lambda m, a: m.sum(a, where=True),
        "a NumPy number": lambda m, a: m.sum(a, axis=0, initial=np.int64(3)), "median of a number": lambda m, a: m.median(a[0, 0, 1]),
    }.items():
        same(call(ga, ga.asarray(x)), call(np, x), what)
    for what, call in {
        "unique": lambda m, a: m.unique(a % 2, True, True, True, 0), "meshgrid": lambda m, a: m.meshgrid(a[0, 0], a[0, 1, :2], a[1, 0, :3]),
        "meshgrid, ij": lambda m, a: m.meshgrid(a[0, 0], a[0, 1, :2], indexing="ij"),
        "sparse": lambda m, a: m.meshgrid(a[0, 0], a[0, 1, :2], sparse=True),
        "sparse ij": lambda m, a: m.meshgrid(a[0, 0], a[0, 1, :2], a[1, 0, :3], sparse=True, indexing="ij"),
        "views": lambda m, a: m.meshgrid(a[0, 0], a[0, 1, :2], copy=False),
        "meshgrid of one": lambda m, a: m.meshgrid(a[0, 0]),
        "of none": lambda m, a: m.meshgrid(),
        "average": lambda m, a: m.average(a, returned=True), "weighted": lambda m, a: m.average(a, 1, [1, 2, 3], True),
        "not returned": lambda m, a: [m.average(a, 1, [1, 2, 3])],
    }.items():
        got, want = call(ga, ga.asarray(x)), call(np, x)
        check(len(got) == len(want), f"{what}: {len(got)} results, not {len(want)}")
        for g, w in zip(got, want):
            same(g, w, what)
    for what, call in {
        "array_equiv": lambda m, a: [m.array_equiv(a[0], a), m.array_equiv(a[0], a[0, :1]), m.array_equiv(m.ones((2, 3, 4)), m.ones(4)), m.array_equiv([1, 2], [1, 2, 3])],
        "broadcast_shapes": lambda m, a: m.broadcast_shapes((3, 1), 4, (2, 1, 1)),
        "frombuffer": lambda m, a: m.frombuffer(b"\1\0\2\0\3\0", dtype="int16", count=2, offset=2),
        "diag_indices_from": lambda m, a: m.diag_indices_from(m.ones((3, 3))), "tril_indices_from": lambda m, a: m.tril_indices_from(a[0], k=1),
        "triu_indices_from": lambda m, a: m.triu_indices_from(a[0]), "a[triangle]": lambda m, a: [a[0][m.tril_indices(3)], a[0][m.nonzero(a[0] % 2)]],
        "nonzero": lambda m, a: m.nonzero(a % 5),
        "unravel_index": lambda m, a: m.unravel_index([3, 7], (2, 4)),
        "a.nonzero": lambda m, a: a.nonzero(),
        "fromfunction": lambda m, a: m.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype=int),
        "fromiter": lambda m, a: m.fromiter((k * k for k in range(9)), float, 4),
        "ix_": lambda m, a: [a[0][m.ix_([0, 2], [1, 3, 0])], a[0][m.ix_([True, False, True], [1])]],
        "size": lambda m, a: [m.size(a), m.size(a, 1), m.ndim(a), m.ndim(3)],
        "shape": lambda m, a: m.shape([[1, 2], [3, 4]]) + m.shape(a) + m.shape(5),
        "objects": lambda m, a: [m.iscomplexobj(a), m.isrealobj([1j]), m.isscalar(3), m.isscalar(a)],
        "matvec": lambda m, a: m.matvec(a, m.asarray([1, 2, 3, 4])), "vecmat": lambda m, a: m.vecmat(m.asarray([1, 2, 3]), a),
        "polynomials": lambda m, a: [m.polyadd([1, 2], [3, 4, 5]), m.polysub([1, 2], [3, 4, 5]), m.polymul([1, 2], [3, 4, 5]), m.polyder([1, 2, 3, 4], 2), m.polyint([6, 2], 2, [3, 4])],
        "apply_along_axis": lambda m, a: m.apply_along_axis(lambda v: v[::2], 1, a),
        "apply_along_axis, numbers": lambda m, a: m.apply_along_axis(m.sum, 0, a),
        "splits": lambda m, a: [*m.hsplit(a, [1, 2]), *m.vsplit(a, [1]), *m.dsplit(a, [1, 3]), *m.array_split(a, [2], 2), *m.array_split(a, 3, axis=2)],
        "zeros_like": lambda m, a: [m.zeros_like(a, shape=(2, 2)), m.full_like(a, 7, shape=3), m.ones_like(a, dtype="float32", shape=(1,))],
        "diagonal": lambda m, a: [m.diagonal(a, 1, 1, 2), m.diagonal(a, axis1=2, axis2=0), a.diagonal(-1)],
        "linspace": lambda m, a: [m.linspace(0, 1, 5, retstep=True)[1], *m.linspace(0, 1, 4, False, retstep=True)],
        "intersect1d": lambda m, a: m.intersect1d([5, 1, 3], [3, 5], assume_unique=True, return_indices=True),
        "eigvalsh": lambda m, a: [m.linalg.eigvalsh(m.asarray([[2.0, 9], [0, 3]]), UPLO="L")] if m is np else [m.eigvalsh([[2.0, 9], [0, 3]], UPLO="L")],
        "atleast_1d": lambda m, a: m.atleast_2d(3, [1, 2]),
        "by NumPy's names": lambda m, a: [m.full((2,), fill_value=3), m.delete(arr=[1, 2, 3], obj=1), m.isin(a, test_elements=[2, 3], assume_unique=True, kind="sort"),
                                                                                        m.select(condlist=[a > 3], choicelist=[a]), m.unravel_index(5, shape=(2, 3))[1], m.median(a, overwrite_input=True)],
    }.items():
        got, want = call(ga, ga.asarray(x)), call(np, x)
        check(len(got) == len(want), f"{what}: {len(got)} results, not {len(want)}")
        for g, w in zip(got, want) if isinstance(got, (list, tuple)) else [(got, want)]:
            same(g, w, what)
    check(ga.promote_types("int8", "uint8") == ga.int16 and np.asarray(ga.ascontiguousarray(np.float32(3))).shape == (1,), "promote_types, ascontiguousarray")
    masked, plain = ga.asarray(x.copy()), x.copy()
    ga.putmask(masked, masked % 2 == 1, [-1, -2, -3]), np.putmask(plain, plain % 2 == 1, [-1, -2, -3])
    same(masked, plain, "putmask")
    masked.fill(4)
    check(masked.tolist() == np.full((2, 3, 4), 4).tolist(), "fill")
    for shape in ((2, 6, 0, 4), (2, 0), (0, 2), (3, 1, 2), ()):
        check(ga.zeros(shape).tolist() == np.zeros(shape).tolist(), f"tolist of shape {shape}")
    nested = ga.zeros((2, 2, 0)).tolist()
    check(nested[0] is not nested[1] and nested[0][0] is not nested[0][1], "lists of its own")
    a = ga.asarray(x)
    check(a.reshape(4, 3, 2).shape == (4, 3, 2) and a.reshape((4, -1)).shape == (4, 6) and a.reshape(-1).shape == (24,), "reshape, a method")
    check(a.transpose(1, 0, 2).shape == (3, 2, 4) and a.transpose((2, 0, 1)).shape == (4, 2, 3) and a.transpose().shape == (4, 3, 2), "transpose, a method")
    a, plain = ga.asarray(-x), -x
    check(a.sort() is None and plain.sort() is None, "sort, a method, is in place")
    same(a, plain, "what it has sorted")
    a, plain = ga.asarray(-x), -x
    same(a.compress([True, False, True], 1), plain.compress([True, False, True], 1), "compress, a method")
    check(a.partition(1) is None and plain.partition(1) is None, "partition, a method, is in place")
    same(a[..., 1], plain[..., 1], "what it has partitioned")
    check([p.tolist() for p in ga.split(ga.arange(4), np.array([1, 3]))] == [[0], [1, 2], [3]], "split at places of NumPy's")
    a = ga.zeros((3,))
    ga.copyto(a, np.ones((1, 1, 3)))
    a[:2] = [[5, 6]]
    check(a.tolist() == [5, 6, 1], "leading lengths of 1 are left out")
    check(ga.eval("2 * 3") == 6, "a formula without operands")
    fails(lambda: ga.eval(""), [ValueError], "", "no formula")
    fails(lambda: ga.hsplit(a, "x"), [TypeError], "gpuarr.hsplit: indices_or_sections = 'x'", "what is no integer")
    fails(lambda: ga.welch(a, fs="x"), [ValueError], "gpuarr.welch: fs = 'x'", "what is no number")
    fails(lambda: ga.find_peaks([1.0, 2, 1], height="a"), [ValueError], "gpuarr.find_peaks: height = 'a': 'a' is no number", "a word for a height")
    fails(lambda: ga.arange(3)[np.ones((3, 1), bool)], [IndexError], "a mask has shape (3, 1): with it, the index names 2 axes", "a mask of too many axes")
    fails(lambda: ga.unstack(a, axis=3), [ValueError], "there is no axis 3", "unstack")
    for what, call in {"polyint, one constant": lambda m: m.polyint([6, 2], 2, [3]), "polyint": lambda m: m.polyint([6, 2.5], 2, [3, 4]),
                       "polymul of zeros": lambda m: m.polymul([0, 0], [1, 2]), "polymul": lambda m: m.polymul([0, 1, 2], [3, 4]),
                       "zeros_like": lambda m: m.zeros_like([1, 2], dtype=None, shape=(3,)), "full_like": lambda m: m.full_like([1], 7, "float32", shape=3),
                       "array_split by NumPy's names": lambda m: m.array_split(ary=np.arange(5), indices_or_sections=2)[0],
                       "intersect1d by NumPy's names": lambda m: m.intersect1d(ar1=[1, 2], ar2=[2, 3])}.items():
        same(call(ga), call(np), what)
    for what, call in {"polyint": lambda m: m.polyint([1, 2], 3, [1, 2]), "polyder": lambda m: m.polyder([1, 2], -1),
                       "frombuffer": lambda m: m.frombuffer(b"12345", "int32")}.items():
        for m in (np, ga):
            fails(lambda: call(m), [ValueError], "", f"{what}, {m.__name__}")
    fails(lambda: ga.full((2,), 1, fill_value=2), [TypeError], "fill_value", "a value twice")
    fails(lambda: ga.eigvalsh([[1.0]], UPLO="X"), [ValueError], "UPLO", "eigvalsh")
    fails(lambda: ga.frombuffer(b"12", "int32", count=1), [ValueError], "more than the buffer", "frombuffer")
    fails(lambda: ga.fromiter([1], int, 2), [ValueError], "2 are wanted", "fromiter")
    fails(lambda: ga.diag_indices_from(x), [ValueError], "no diagonal", "diag_indices_from")
    a = ga.asarray(f)
    same(ga.sliding_window_view(a, (2, 3)), strided.sliding_window_view(f, (2, 3)), "sliding_window_view")
    same(ga.sliding_window_view(a, 2, axis=1), strided.sliding_window_view(f, 2, axis=1), "along an axis")
    same(ga.sliding_window_view(a, 2, 1), strided.sliding_window_view(f, 2, 1), "by position")
    same(ga.sliding_window_view(a, (2, 2), axis=(1, 1)), strided.sliding_window_view(f, (2, 2), axis=(1, 1)), "twice along one")
    same(ga.as_strided(a, (3, 2), (16, 8)), strided.as_strided(f, (3, 2), (16, 8)), "as_strided")
    same(ga.as_strided(a[:, ::2], strides=(8, 16)), strided.as_strided(f[:, ::2], strides=(8, 16)), "as_strided of the same shape")
    fails(lambda: ga.as_strided(a, (9,), (8,)), [ga.ArgumentError], "beyond the memory", "as_strided")
    fails(lambda: ga.copyto(ga.sliding_window_view(a, 2, axis=1), 0), [ga.ArgumentError], "repeats its elements", "writing into windows")
    lent = np.asarray(ga.sliding_window_view(a, 2, axis=1))
    check(not lent.flags.writeable and lent.shape == (2, 3, 2) and lent[1, 2, 1] == 6, "windows lent to NumPy are not written")
    check(not np.from_dlpack(ga.sliding_window_view(a, 2, axis=1)).flags.writeable, "nor by DLPack")
    check(np.asarray(a.T).flags.writeable and not np.asarray(ga.broadcast_to(a, (3, 2, 4))).flags.writeable, "nor is what is broadcast; views are")
    for kth in ([1], (0, 3), [-1, 2], 1, np.int64(1), np.array([0, 2])):
        p, q, want = ga.partition(a, kth), ga.argpartition(a, kth), np.sort(f)
        check(np.array_equal(np.asarray(p)[:, kth], want[:, kth]) and np.array_equal(np.take_along_axis(f, np.asarray(q), 1)[:, kth], want[:, kth]),
              f"partition(kth={kth!r})")
    check(ga.partition(a, [0, 7], axis=None).tolist()[7] == 7 and ga.partition(a, 1, axis=0, kind="introselect").shape == (2, 4), "other axes")
    fails(lambda: ga.partition(a, [0, 4]), [ValueError], "kth = 4 is out of bounds", "partition")
    for what, call in {"moveaxis": lambda m: m.moveaxis(x, (0, 0), (1, 2)), "moveaxis, counts": lambda m: m.moveaxis(x, (0, 1), 2),
                       "expand_dims": lambda m: m.expand_dims(x, (0, 0)), "expand_dims, range": lambda m: m.expand_dims(x, (0, 7)),
                       "rollaxis": lambda m: m.rollaxis(x, 0, 5), "rollaxis, axis": lambda m: m.rollaxis(x, 3), "meshgrid": lambda m: m.meshgrid(f, indexing="yx"),
                       "max": lambda m: m.max(x, where=x > 3), "mean": lambda m: m.mean(np.array(5.0), axis=0), "var": lambda m: m.var(np.array(5), axis=-1),
                       "axis": lambda m: m.sum(x, axis=-2**31), "partition of a number": lambda m: m.partition(np.array(5), 0)}.items():
        for m in (np, ga):
            fails(lambda: call(m), [ValueError], "", f"{what}, {m.__name__}")
    for what, call in {"ix_ of two dimensions": lambda m: m.ix_(x), "ix_ of a number": lambda m: m.ix_([1], 1), "ix_ of flags": lambda m: m.ix_(x > 3),
                       "no lines": lambda m: m.apply_along_axis(lambda v: v.sum(), 0, x[:0].T), "vsplit": lambda m: m.vsplit(x[0, 0], [1]),
                       "dsplit": lambda m: m.dsplit(x[0], [1]), "hsplit": lambda m: m.hsplit(x[0, 0, 0], [1])}.items():
        for m in (np, ga):
            fails(lambda: call(m), [ValueError], "", f"{what}, {m.__name__}")
    got, want = (m.unique(x % 3, return_counts=True, return_inverse=True, return_index=True) for m in (ga, np))
    check([np.asarray(g).tolist() for g in got] == [w.tolist() for w in want], "unique: more results, in NumPy's order")
    for call in (lambda m: m.apply_along_axis(lambda v: v.sum(), 1, x[:, :0]), lambda m: m.apply_along_axis(lambda v: v * 2, 1, x[:, :0])):
        check(np.array_equal(np.asarray(call(ga)), call(np)), "lines of no elements")
    with tempfile.TemporaryDirectory() as folder:
        for k, arrays in enumerate((([], [1, 2]), ([], []), ((), (3,)))):
            ga.savez(os.path.join(folder, "empty.npz"), *arrays)
            ga.savez_compressed(os.fsencode(folder) + b"/empty.npz" if k else os.path.join(folder, "empty.npz"), *arrays)
            with np.load(os.path.join(folder, "empty.npz")) as z:
                check([z[n].tolist() for n in z.files] == [list(a) for a in arrays], f"savez of {arrays}")
        os.remove(os.path.join(folder, "empty.npz"))
        for save in (ga.savez, ga.savez_compressed):
            path = os.path.join(folder, save.__name__ + ".npz")
            save(path, a, x, names=x[0], path_=f)
            with np.load(path) as z:
                check(sorted(z.files) == ["arr_0", "arr_1", "names", "path_"] and np.array_equal(z["arr_0"], f) and np.array_equal(z["names"], x[0]),
                      f"{save.__name__}: {z.files}")
            same(ga.load_from(path, "arr_1"), x, save.__name__)
            fails(lambda: save(path, a, arr_0=a), [ValueError], "arr_0", f"{save.__name__}: a name twice")
            fails(lambda: save(path, ga.asarray([1.0], "bfloat16")), [TypeError], "bfloat16", f"{save.__name__} of bfloat16")
            link, pipe = os.path.join(folder, "link"), os.path.join(folder, "pipe")
            os.chmod(path, 0o600)
            os.symlink(path, link)
            os.mkfifo(pipe)
            save(link, x=x)
            with np.load(path) as z:
                check(z.files == ["x"] and os.path.islink(link) and os.stat(path).st_mode & 0o777 == 0o600, f"{save.__name__} by a link, into a private file")
            fails(lambda: save("/dev/full", x=x) if save is ga.savez else save("/proc/self/fdinfo/a.npz", x=x), [OSError], "cannot write" if save is ga.savez else "cannot write '/proc/", f"{save.__name__} where nothing can be written")
            for other in ((pipe,) if save is ga.savez_compressed else ()) + (folder, os.path.join(folder, "nowhere/a.npz")):
                fails(lambda: save(other, x=x), [OSError], other, f"{save.__name__} into {other}")
            os.remove(link)
            os.remove(pipe)
            save(path, a, x, names=x[0], path_=f)
        check(sorted(os.listdir(folder)) == ["savez.npz", "savez_compressed.npz"] and
              os.path.getsize(os.path.join(folder, "savez_compressed.npz")) < os.path.getsize(os.path.join(folder, "savez.npz")), f"{os.listdir(folder)}")


def words():
    """NumPy's and SciPy's words for enumerators and for numbers with a meaning, in arguments and in sentences."""
    m, x = ga.asarray([[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]]), ga.asarray([1.0, 4, 2, 5, 7, 3])
    square, n = ga.asarray([[2.0, 1], [3, 5]]), np.array([[2.0, 1], [3, 5]])
    chessboard, taxicab = [[0, 0, 1, 2], [0, 1, 1, 2], [1, 1, 2, 2]], [[0, 0, 1, 2], [0, 1, 2, 3], [1, 2, 3, 4]]
    for words, want in ((("chessboard", "chebyshev", "GA_CHEBYSHEV"), chessboard), (("taxicab", "cityblock", "manhattan"), taxicab)):
        for word in words:
            same(ga.distance_transform_cdt(m, metric=word), np.array(want, "i4"), f"a distance transform by {word}")
            same(ga.distance_transform_bf(m, word), np.array(want, "u4"), f"another by {word}")
    same(ga.solve_triangular(square, [2.0, 11], "T"), np.array([1.0, 2]), "the transposed matrix by its word")
    check(ga.solve_triangular(square, [2.0, 11], "N").tolist() == ga.solve_triangular(square, [2.0, 11], 0).tolist(), "the matrix by its word")
    check(ga.savgol_filter(x, 3, 1, 0, 1.0, -1, "interp").tolist() == ga.savgol_filter(x, 3, 1).tolist(), "a word for no border")
    nearest = ga.savgol_filter(x, 3, 1, 0, 1.0, -1, "nearest")
    same(nearest, np.convolve(np.pad([1.0, 4, 2, 5, 7, 3], 1, "edge"), np.ones(3) / 3, "valid"), "a border by position", close=True)
    check(ga.savgol_filter(x, 3, 1, mode="nearest").tolist() == nearest.tolist() == ga.savgol_filter(x, 3, 1, border="nearest").tolist(), "a mode is a border")
    check(ga.gaussian_filter(x, 1, mode="grid-mirror").tolist() == ga.gaussian_filter(x, 1).tolist(), "grid-mirror reflects")
    for word in ("fro", "nuc"):
        same(ga.matrix_norm(square, ord=word), np.linalg.norm(n, word), f"the norm {word}", close=True)
        same(ga.cond(square, word), np.linalg.cond(n, word), f"cond by {word}", close=True)
    for call, said in ((lambda: ga.distance_transform_cdt(m, metric=9), "use 'euclidean', 'cityblock' or 'chebyshev'"),
                       (lambda: ga.distance_transform_cdt(m, metric="x"), "'cityblock', 'chebyshev'"),
                       (lambda: ga.pad(m, 1, mode="x"), "there are 'constant', 'edge'"), (lambda: ga.matrix_norm(square, ord=9), "'fro' or 'nuc'"),
                       (lambda: ga.distance_transform_cdt(m, metric=9), "cdt: metric = 9"), (lambda: ga.cdist(m, [1.0]), "gpuarr.cdist: "),
                       (lambda: np.ones(1, "u1") + ga.ones(1, dtype="u1") * 300, "with gpuarr.astype"), (lambda: ga.eval("$1 + .out", [x]), "\n    $1 + .out\n"), (lambda: ga.load("/ga_sum.out = GA_FULL"), "/ga_sum.out = "),
                       (lambda: ga.matrix_norm(square, ord="x"), "'fro' or 'nuc'"), (lambda: ga.load("/GA_FULL.npy"), "/GA_FULL.npy")):
        fails(call, [(ValueError, OSError)], said, f"a sentence says {said}")


def norms_and_gradients():
    """Also result_type and lexsort: all in NumPy's ways."""
    n = np.arange(24.0).reshape(2, 3, 4) % 7 - 2
    a, inf = ga.asarray(n), np.inf
    for ord in (None, 1, -1, 2, -2, 0, 3, inf, -inf):
        with np.errstate(divide="ignore"):
            for axis in (0, -1, (1,)):
                same(ga.norm(a, ord, axis), np.linalg.norm(n, ord, axis), f"norm {ord} along {axis}", close=True)
            same(ga.norm(a[0, 0], ord), np.linalg.norm(n[0, 0], ord), f"norm {ord} of a vector", close=True)
    for ord in (None, 1, -1, 2, -2, inf, -inf, "fro", "f", "nuc"):
        same(ga.norm(a[0], ord), np.linalg.norm(n[0], ord), f"norm {ord} of a matrix", close=True)
        for axis in ((0, 1), (1, 0), (2, 0), [1, 2], (-2, -1)):
            for keepdims in (False, True):
                same(ga.norm(a, ord, axis, keepdims), np.linalg.norm(n, ord, tuple(axis), keepdims), f"norm {ord} of matrices, {axis} {keepdims}", close=True)
    same(ga.norm(a), np.linalg.norm(n), "norm of all elements", close=True)
    same(ga.norm(a, keepdims=True), np.linalg.norm(n, keepdims=True), "and as many dimensions", close=True)
    same(ga.norm(a, 1, axes=(0, 1)), np.abs(n).sum((0, 1)), "axes, as C has them", close=True)
    for call in (lambda: ga.norm(a, 1), lambda: ga.norm(a, 2, (0, 1, 2)), lambda: ga.norm(a, "fro", 1), lambda: ga.norm(a, 3, (0, 1)), lambda: ga.norm(a, 1, (0, 0))):
        fails(call, [ValueError], "norm", "a norm that is none")
    x, y, z = np.array([0.0, 3]), np.array([0.0, 1, 3]), np.array([0, 1, 2, 4])
    for given, named in (((), {}), ((0.5,), {}), ((np.float64(0.5),), {}), ((0.5, 2, 1), {}), ((x, y, z), {}), ((x, 2, z), {}), ((), {"axis": 1}), ((2,), {"axis": (0, 1)}),
                         ((y,), {"axis": 1}), ((z, x), {"axis": (2, 0)}), ((), {"axis": (-1,), "edge_order": 2}), ((), {"axis": ()})):
        got, want = ga.gradient(a, *given, **named), np.gradient(n, *given, **named)
        check(isinstance(got, tuple) == isinstance(want, tuple) and len(got) == len(want), f"gradient{given} {named}")
        for g, w in zip(got, want) if isinstance(want, tuple) else ((got, want),):
            same(g, w, f"gradient{given} {named}", close=True)
    same(ga.gradient(a, spacing=[0.0, 1, 3], axis=1), np.gradient(n, y, axis=1), "gradient as C has it", close=True)
    same(ga.gradient(a[0, 0], [0, 1, 2, 4]), np.gradient(n[0, 0], z), "gradient along a list", close=True)
    for call in (lambda: ga.gradient(a, 1, 2), lambda: ga.gradient(a, x), lambda: ga.gradient(a, spam=1)):
        fails(call, [TypeError], "gpuarr.gradient: ", "a gradient with other spacings than axes")
    f, u = np.zeros(2, "f4"), np.zeros(2, "u1")
    for given in ((f, 3), (u, 2.5), (u, f), ("f4", 3), (np.int16, "u2"), (u, np.dtype("i8"), 1j), (float,), (f, True)):
        check(ga.result_type(*[ga.asarray(v) if isinstance(v, np.ndarray) else v for v in given]) == np.result_type(*given), f"result_type{given}")
    check(ga.result_type([f, 3]) == "float32" and ga.result_type(ga.float32, ga.int8) == "float32", "result_type of a list, and of dtypes")
    keys = np.array([[3, 1, 1, 2], [1, 0, 0, 1], [0, 0, 0, 0]])
    for given in ((keys,), (keys, 0), (keys, -1), ((keys[0], keys[1]),), ((n[0], n[1]),), ((n[0] % 2, n[1] % 2, n[0] % 3), 0), ([n % 3, n % 2], 1)):
        same(ga.lexsort(*given), np.lexsort(*given), "lexsort")
    for call, said in ((lambda: ga.lexsort(keys, 0, 1), "gpuarr.lexsort:"), (lambda: ga.stack([f, u], spam=1), "gpuarr.stack:"), (lambda: ga.concatenate(), "gpuarr.concatenate misses arrays"),
                       (lambda: ga.stack([f, keys]), "gpuarr.stack:")):
        fails(call, [(TypeError, ValueError)], said, f"{said} is named")


def errors_as_numpys():
    """The kinds of errors are NumPy's, and sentences name the reason; numbers beyond 64 bits; a tuple for item()."""
    odd, swapped, fixed = np.zeros(33, "u1")[1:].view("f8"), np.zeros(4, ">f8"), np.zeros(4)
    fixed.flags.writeable = False
    for wrong, why in ((odd, "not aligned"), (swapped, "another byte order"), (fixed, "may not be written")):
        fails(lambda: ga.add(ga.zeros(4), 1, out=wrong), [ValueError], why, f"out= is refused, and why: {why}")
    fails(lambda: ga.array([1], copy=False), [ValueError], "a list has no memory", "no memory of a list")
    fails(lambda: ga.asarray(np.zeros(3), "int8", copy=False), [ValueError], "float64, not int8", "no memory of another dtype")
    for call in (lambda: ga.copyto([0.0, 0], ga.ones(2)), lambda: ga.copyto([0.0], ga.ones((1, 1))), lambda: ga.putmask([0.0, 0], [True, False], 1), lambda: ga.add(1, 2, out=[0])):
        fails(call, [TypeError], "a list is none: give an array", "a list to write into")
    a, f, i, u = ga.asarray([[1, 2], [3, 4]]), ga.asarray([1.0, 2**70]), ga.arange(3), ga.asarray(np.arange(3, dtype="u1"))
    check((a.item((1, 0)), a.item(1, 0), a.item(2)) == (3, 3, 3), "item() of a tuple")
    big, n, m = 2**70, np.array([1.0, 2.0**70]), np.arange(3)
    for what, got, want in (("sum", f + big, n + big), ("product", -big * f, -big * n), ("power", ga.power(big, f[:1]), np.power(big, n[:1])), ("equal", f == big, n == big),
                            ("less", i < big, m < big), ("greater", i > big, m > big), ("equal integers", i == big, m == big), ("more than least", i > -big, m > -big),
                            ("unequal", u != -big, m != -big), ("where", ga.where([True, False], f, big), np.where([True, False], n, big)), ("a float", ga.add(f, 0.5 + big), n + big)):
        same(got, want, f"an integer of 71 bits: {what}")
    for call in (lambda: i + big, lambda: u + 300, lambda: u * -1, lambda: ga.maximum(u, 300), lambda: ga.full(3, 300, dtype="uint8"), lambda: u.fill(-1), lambda: f + 2**2000):
        fails(call, [OverflowError], "", "a number beyond the dtype")
    fails(lambda: u + 300, [ga.ArgumentError, ValueError], "300 does not fit uint8", "and still what it was")
    check(bool((i < 2**2000).all()) and not bool((i < -(2**2000)).any()), "integers beyond float64, compared")
    fails(lambda: ga.less(big, 2 * big), [OverflowError], "", "two integers beyond 64 bits")
    try:
        u + 300
    except OverflowError as e:
        again = pickle.loads(pickle.dumps(e))
        check(type(again) is type(e) and str(again) == str(e), "such an error from another process")
    fails(lambda: ga.load("/nowhere/my .out GA_FULL ga_sum file.npy"), [OSError], "/nowhere/my .out GA_FULL ga_sum file.npy", "names of files stay")
    x, w = np.array([1, 2, 2, 3, 5, 5]), np.array([200, 200, 100, 1, 250, 250], "u1")
    same(ga.histogram(x, [0, 2.5, 5], weights=w)[0], np.histogram(x, [0, 2.5, 5], weights=w)[0], "weights keep their dtype")
    fails(lambda: ga.zeros(()).view("int8"), [ValueError, ga.DtypeError], "differ in size", "a view of a number of another size")
    check(f.view("int64").shape == (2,) and ga.zeros(()).view("int64").item() == 0, "views that fit")


def in_numpys_places():
    """Arguments by position in NumPy's and SciPy's order; the order F; an .npz as numpy.load gives it."""
    n = np.array([[0.0, 1, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]])
    a, out = ga.asarray(n), ga.zeros((3, 2))
    check(ga.compress([True, False, False, True], a, 1, out) is out and out.tolist() == n[:, [0, 3]].tolist(), "compress by position")
    check(ga.take(a, [1, 2], 1, out) is out and out.tolist() == n[:, 1:3].tolist() and ga.take(a, [5], 1, mode="wrap").tolist() == n[:, [1]].tolist(), "take by position")
    fails(lambda: ga.take(a, [1], 1, out), [ValueError], "(3, 2), the result (3, 1)", "an out of another shape")
    fails(lambda: ga.take(a, [1], 1, [[1.0]]), [TypeError], "a list is none", "an out that is none")
    for call, want in ((lambda: ga.distance_transform_edt(a, (2, 1)), ga.distance_transform_edt(a, sampling=(2, 1))),
                       (lambda: ga.distance_transform_bf(a, "euclidean", 3), ga.distance_transform_bf(a, sampling=3)),
                       (lambda: ga.resample(a, 2, None, 1), ga.resample(a, 2, axis=1)), (lambda: ga.laplace(a, None, "wrap"), ga.laplace(a, border="wrap")),
                       (lambda: ga.laplace(a, output=None, mode="constant", cval=2), ga.laplace(a, border="constant", cval=2)),
                       (lambda: ga.gaussian_filter(a, 1, 1, None, "nearest", 0.0, 2), ga.gaussian_filter(a, 1, order=1, border="nearest", truncate=2)),
                       (lambda: ga.gaussian_filter1d(a, 1, 0, 1, None, "wrap"), ga.gaussian_filter1d(a, 1, axis=0, order=1, border="wrap")),
                       (lambda: ga.gaussian_laplace(a, 1, None, "wrap"), ga.gaussian_laplace(a, 1, border="wrap")),
                       (lambda: ga.rotate(a, 30, (1, 0), False, None, 1, "nearest"), ga.rotate(a, 30, axes=(1, 0), reshape=False, order=1, border="nearest")),
                       (lambda: ga.binary_dilation(a == 0, None, 2, n > 0), ga.binary_dilation(a == 0, iterations=2, mask=n > 0)),
                       (lambda: ga.binary_closing(a > 0, None, 1, None, 1), ga.binary_closing(a > 0, origin=1))):
        same(call(), want, "by position, as SciPy")
    for call in (lambda: ga.resample(a, 2, [0.0, 0.5, 1, 1.5], 1), lambda: ga.resample(a, 2, axis=1, t=np.array([0, 0.5, 1, 1.5]))):
        samples, times = call()
        same(samples, ga.resample(a, 2, axis=1), "new samples")
        same(times, [0.0, 1.0], "and their times")
    x = np.arange(24).reshape(2, 3, 4)
    for m in (x, x[0].T, x[0, 0], x[1, 1, 1]):
        b = ga.asarray(m)
        same(b.flatten("F"), m.flatten("F"), "flatten by columns")
        same(ga.ravel(b, "F"), np.ravel(m, "F"), "ravel by columns")
        same(b.ravel(order="C"), m.ravel(), "ravel by rows")
        same(b.reshape(-1, 1, order="F"), m.reshape(-1, 1, order="F"), "reshape by columns")
    for shape in ((4, 6), (3, -1), 24, [2, 2, 6]):
        same(ga.reshape(x, shape, "F"), np.reshape(x, shape, "F"), f"reshape to {shape} by columns")
        same(ga.reshape(x, shape), np.reshape(x, shape), f"reshape to {shape}")
    fails(lambda: ga.ravel(a, "X"), [ValueError], "order is one of 'C', 'F', 'A', 'K', not 'X'", "an order that is none")
    i = ga.zeros(3, "int32")
    ga.copyto(i, [1.5, 2.5, 3.5], "unsafe", [True, False, True])
    check(i.tolist() == [1, 0, 3], "copyto by position")
    fails(lambda: ga.copyto(i, [1.5, 2, 3]), [TypeError], "", "copyto of what loses its kind")
    fails(lambda: ga.copyto(i, 1, [True] * 3), [ValueError], "casting", "a mask for the casting")
    with tempfile.TemporaryDirectory() as folder:
        for write in (ga.savez, np.savez, np.savez_compressed, ga.savez_compressed):
            for arrays in ({"x": n}, {"x": n, "y/z": x}):
                write(folder + "/a.npz", **arrays)
                got = ga.load(folder + "/a.npz")
                check(list(got) == list(arrays), f"the names of an .npz: {list(got)}")
                for name, want in arrays.items():
                    same(got[name], want, f"{name} of an .npz")
        pathlib.Path(folder, "b.npz").write_bytes(b"PK\3\4 and no more")
        fails(lambda: ga.load(folder + "/b.npz"), [ga.BadFile], "b.npz", "a broken .npz")
        whole = pathlib.Path(folder, "a.npz").read_bytes()
        for at, byte in ((0, 9), (6, 255), (30, 255)):  # of what the directory says of the first array: its mark, a version, the length of its extra field
            damaged = bytearray(whole)
            damaged[whole.index(b"PK\1\2") + at] = byte
            pathlib.Path(folder, "c.npz").write_bytes(damaged)
            fails(lambda: ga.load(folder + "/c.npz"), [ga.BadFile, zipfile.BadZipFile], "gpuarr.load: cannot read '" + folder + "/c.npz': ", f"an .npz with a damaged directory, byte {at}")


def bins_and_orders():
    """Bins by rules and by edges, .ddof with a fraction, orders, SciPy's words for borders, and an .npz with what is no array."""
    random = np.random.default_rng(3)
    for n in (1, 2, 7, 900):
        for x in (random.normal(size=n), random.random(n).astype("f4"), random.integers(-5, 300, n), random.random(n) < 0.5, random.random(n)**9, np.zeros(n)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # NumPy's, about bool
                for rule in ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"):
                    for limits in (None, (0.25, 0.75)):
                        got, want = ga.histogram_bin_edges(x, rule, limits), np.histogram_bin_edges(x, rule, limits)
                        check(got.shape == want.shape and np.allclose(got, want), f"bins by {rule} of {n} {x.dtype} in {limits}")
    x, y, w = random.normal(size=900), random.normal(size=900), random.random(900)
    same(ga.histogram(x, "fd")[0], np.histogram(x, "fd")[0], "a histogram by a rule")
    for call in (lambda a: a.histogram(x, "auto", weights=w), lambda a: a.histogram_bin_edges(x, "auto", weights=w)):
        fails(lambda: call(ga), [TypeError], "know no weights", "a rule, and weights")
    side, other = np.array([-2, -1, 0, 0.5, 3]), np.array([-3, 0, 0.1, 2.0])
    for bins in ([side, other], [side, 7], [5, other], side):
        for more in ({}, {"density": True}, {"weights": w}, {"range": [[-2, 2], [-1, 1]]}):
            got, want = ga.histogram2d(x, y, bins, **more), np.histogram2d(x, y, bins, **more)
            check(all(g.dtype == h.dtype and np.allclose(g, h) for g, h in zip(got, want)), f"edges along two axes, {more}")
    got, want = ga.histogramdd(np.stack([x, y, w], 1), [side, 3, other]), np.histogramdd(np.stack([x, y, w], 1), [side, 3, other])
    same(got[0], want[0], "edges along three axes")
    fails(lambda: ga.histogramdd((x, y), [side]), [ValueError], "1 bins for 2 axes", "edges along one of two axes")
    fails(lambda: ga.histogram2d(x, y, [side, other[::-1]]), [ValueError], "ascend", "edges that descend")
    a = random.random((4, 5))
    holes = np.where(a > 0.3, a, np.nan)
    for name in ("var", "std"):
        for options in ({"ddof": 1.5}, {"ddof": 0.25, "axis": 1, "keepdims": True}, {"ddof": 2.0}, {"correction": 0.5, "axis": 0}):
            check(np.allclose(getattr(ga, name)(a, **options), getattr(np, name)(a, **options)), f"{name} with {options}")
            check(np.allclose(getattr(ga, "nan" + name)(holes, **options), getattr(np, "nan" + name)(holes, **options)), f"nan{name} with {options}")
        check(np.allclose(getattr(ga, name)(a, ddof=0.5, where=a > 0.3), getattr(np, name)(a, ddof=0.5, where=a > 0.3)), f"{name} of some")
        out = ga.zeros(5)
        check(getattr(ga, name)(a, 0, None, out, 1.5) is out and np.allclose(out, getattr(np, name)(a, 0, ddof=1.5)), f"{name} into out")
    for b in (a, a.T, random.random((2, 3, 4)).transpose(1, 2, 0), random.random((2, 3, 4)).transpose(1, 0, 2), a[::-1], np.array(2.0), np.ones((1, 3))):
        for order in "CFAK":
            same(ga.ravel(b, order=order), np.ravel(b, order=order), f"ravel in order {order}")
            same(ga.reshape(b, -1, order="A"), np.reshape(b, -1, order="A"), "reshape in order A")
    fails(lambda: ga.ravel(a, "Q"), [ValueError], "'C', 'F', 'A', 'K'", "an order of its own")
    for grid, border in (("grid-wrap", "wrap"), ("grid-constant", "constant"), ("grid-mirror", "reflect")):
        for name, k in (("minimum_filter", 3), ("gaussian_filter", 1), ("laplace", None)):
            given = [a] if k is None else [a, k]
            same(getattr(ga, name)(*given, mode=grid), np.asarray(getattr(ga, name)(*given, mode=border)), f"{name} with {grid}")
    check(not np.array_equal(ga.shift(a, 0.5, mode="grid-wrap"), ga.shift(a, 0.5, mode="wrap")), "of interpolation it is another border")
    fails(lambda: ga.pad(np.zeros(3, "u1"), 1, constant_values=300), [OverflowError, ga.DtypeError], "300 does not fit uint8", "an edge that does not fit")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mixed.npz")
        np.savez(path, a=a, odd=np.array([{}, 1], object), b=x)
        kept = ga.load(path)
        check(list(kept) == ["a", "odd", "b"] and len(kept) == 3, "the names in an archive")
        same(kept["b"], x, "an array beside what is none")
        fails(lambda: kept["odd"], [ga.Error, TypeError], "Python objects", "what is no array")


def array_api():
    check(xp.eye(2, 3, k=2**63).tolist() == [[0] * 3] * 2 and xp.eye(2, 3, k=-1).tolist() == [[0] * 3, [1, 0, 0]], "a diagonal beyond the matrix")
    for word in """abs acos arange argsort asarray astype atan2 bitwise_invert broadcast_shapes can_cast clip concat copysign count_nonzero
                   cumulative_prod cumulative_sum diff expand_dims finfo from_dlpack hypot iinfo isdtype isin linspace matrix_transpose maximum meshgrid
                   moveaxis nextafter permute_dims pow reciprocal repeat result_type roll searchsorted signbit take_along_axis tensordot tile
                   unique_all unstack vecdot where float32 complex128 bool e inf nan pi newaxis __array_namespace_info__""".split():
        check(hasattr(xp, word), f"the array API's {word}")
    check(ga.arange(3).__array_namespace__() is xp and ga.arange(3).__array_namespace__(api_version="2022.12") is xp, "__array_namespace__")
    fails(lambda: ga.arange(3).__array_namespace__(api_version="1999.1"), [ValueError], "1999.1", "a version that is not there")
    a = xp.asarray([[3, 1, 2], [1, 1, 0]])
    same(xp.argsort(a, descending=True), [[0, 2, 1], [0, 1, 2]], "argsort")
    same(xp.repeat(a, xp.asarray([0, 2, 1]), axis=1), np.repeat(a, [0, 2, 1], axis=1), "repeat")
    same(xp.roll(a, (1, 1), axis=(0, 1)), np.roll(a, (1, 1), axis=(0, 1)), "roll")
    same(xp.moveaxis(xp.ones((2, 3, 4)), (0, 1), (-1, 0)), np.ones((3, 4, 2)), "moveaxis")
    same(xp.pow(xp.asarray([2, -1, 1, -1]), xp.asarray([-1, -1, -2, -2])), [0, -1, 1, 1], "integers to negative powers")
    check(np.isclose(float(xp.var(xp.asarray([1.0, 2, 4]), correction=0.5)), 14 / 3 / 2.5), "var with half a degree of freedom")
    same(xp.sum(a, axis=()), a, "a sum over no axes")
    check(xp.unique_counts(a).counts.tolist() == [1, 3, 1, 1] and xp.linalg.qr(xp.ones((2, 2))).R.shape == (2, 2), "names of results")
    check(xp.isdtype(xp.float32, ("integral", "real floating")) and not xp.isdtype(xp.int8, xp.int16), "isdtype")
    check("float32" in xp.__array_namespace_info__().dtypes(kind="real floating"), "dtypes()")
    same(xp.fft.fft(xp.asarray([1.0, 0])), np.fft.fft([1.0, 0]), "fft")


def threads_and_exit():
    wrong = []

    def work(seed):
        for k in range(50):
            a = ga.asarray(np.full(100, seed + k))
            try:
                ga.sum(a, axis=seed + 1)
            except ga.Error as e:
                wrong.extend([] if f"no axis {seed + 1}" in str(e) else [e])
            wrong.extend([] if ga.sum(a + 1) == 100 * (seed + k + 1) else [seed])
    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in workers], [t.join() for t in workers]
    check(not wrong, f"threads: {wrong[:3]}")
    program = "import gpuarr as ga, numpy; x = ga.asarray(numpy.ones(9)); y = x[2:]; z = y + 1; print(ga.sum(z))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    check((done.returncode, done.stdout, done.stderr) == (0, "14.0\n", ""), f"the program ends clean: {done}")
    done = subprocess.run([sys.executable, "-c", "import gpuarr"], capture_output=True, text=True, env={**os.environ, "GPUARR_LIBRARY": "/no.so"})
    check("make python" in done.stderr, "no library: the error says what to do")


def main():
    gc.collect()
    before = ga.memory_stats().arrays
    for part in (functions, examples, shared_memory, dlpack, cuda, halves, files, packed_bytes, errors, operators, indices, positions, wrong_arguments, options_of_axes, measuring, numpys_ways, words, norms_and_gradients, errors_as_numpys, files_refused, whole_words, numpys_kinds, several_results, archives, few_of_many, orders_and_structures, arguments_refused, lists_of_integers, further_ways, in_numpys_places, bins_and_orders, words_of_numpy, numbers_not_given, first_elements, formulas, measurements, long_paths, windows, paddings, small_functions, array_api,
                 threads_and_exit):
        part()
        gc.collect()
        check(ga.memory_stats().arrays == before, f"{part.__name__}: {ga.memory_stats().arrays - before} arrays are left")
        before = ga.memory_stats().arrays
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
