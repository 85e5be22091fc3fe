"""gpuarr called like NumPy, through ctypes."""
import ctypes as C
import math
import sys

import numpy as np

from .comparing import Mismatch, equal_bits
from .dtypes import KNOWN, NUMBER_OF
from .signatures import OPTIONS, ROW_SIGNATURES, SIGNATURES
from .structs import CPU, CUDA, Arg, Array, Memory, Shape, Statistics, address, as_shape, f64, flag, i32, i64, ptr, text

libc = C.CDLL(None)
libc.free.argtypes = [ptr]


class GaError(Exception):
    """A call returned NULL; the text is its sentence."""


def to_numpy(p):
    """A copy of the elements of a ga_array."""
    a = Array.from_address(p)
    dtype, n = KNOWN[a.dtype - 1], a.ndim
    shape, strides = a.shape[:n], a.strides[:n]
    if math.prod(shape) != a.size:
        raise Mismatch(f"size is {a.size}, shape {shape}")
    if a.size == 0:
        return np.empty(shape, dtype)
    low = sum(s * (k - 1) for k, s in zip(shape, strides) if s < 0)
    high = sum(s * (k - 1) for k, s in zip(shape, strides) if s > 0)
    memory = (C.c_char * (high - low + dtype.itemsize)).from_address(a.data + low)  # may be gigabytes, of which a view skips nearly all
    return np.ndarray(shape, dtype, memory, -low, strides).copy("K")


def root_of(a):
    """The array that owns the memory of a view."""
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


def bounds(a):
    return np.lib.array_utils.byte_bounds(a)


class Gpuarr:
    """ga.sum(a, axis=0) calls ga_sum(a, .axis = 0) with NumPy arrays and returns one; GaError if it returned NULL."""

    def __init__(self, path, rows, gpu=False):
        self.lib, self.gpu, self.device, self.uploaded, self.numbers = C.CDLL(path), gpu, CPU, {}, []
        self.signatures = {**SIGNATURES, **{r.name: ROW_SIGNATURES[r.family] for r in rows.values()}}
        lib = self.lib
        lib.ga_error.restype = text
        lib.ga_free.argtypes = [ptr]
        lib.ga_memory_stats.restype = Memory
        lib.ga_wrap_strided.restype = ptr
        lib.ga_wrap_strided.argtypes = [ptr, i32, Shape, Shape, OPTIONS["W"]]
        lib.ga_to.restype = lib.ga_view.restype = ptr
        lib.ga_to.argtypes, lib.ga_view.argtypes = [ptr, i32, OPTIONS["K"]], [ptr, text]
        lib.ga_set_error_handler(C.cast(lib.ga_ignore_error, ptr), None)
        lib.oracle_kernel.restype, lib.oracle_kernel.argtypes = ptr, [text]
        self.free, self.no_options = lib.ga_free, OPTIONS["W"].defaults(lib, b"oracle\twrap()")
        self.no_array = OPTIONS["Y"].defaults(lib, b"").where
        self.to_options = OPTIONS["K"].defaults(lib, b"oracle\tto()")
        for name, (result, _, *arguments) in self.signatures.items():
            if hasattr(lib, "ga_" + name):
                function = getattr(lib, "ga_" + name)
                function.restype = {"a": ptr, "b": flag, "d": f64, "l": i64, "c": text, "m": ptr, "t": i32, "y": Statistics}[result]
                kinds = {"a": [ptr], "n": [Arg], "s": [Shape], "i": [i32], "l": [i64], "d": [f64], "b": [flag], "t": [i32],
                         "c": [text], "p": [ptr], "q": [ptr], "S": [text], "x": [ptr], "m": [i32, ptr],
                         "k": [ptr] if arguments[:3] == ["c", "i", "p"] else [i32, ptr]}
                function.argtypes = [t for k in arguments for t in kinds.get(k) or [OPTIONS[k]]]
                call = self.caller(name, function, result, arguments)
                setattr(self, name, self.on_both(call, name != "eval_n") if gpu else call)

    def use(self, device):
        self.device = device
        self.lib.ga_set_device(device)
        if self.lib.ga_get_device() != device:
            sys.exit("FAILED: " + self.error() + "\n0 passed, 1 failed, 0 skipped")

    def on_both(self, call, same_words):
        """The call on the CPU, then on the GPU: the same results, the same errors, the same memory afterwards. Of a formula with
        several errors the CPU may tell another one, as it computes it in another order."""
        def run(device, given, named):
            self.use(device)
            try:
                return call(*given, **named), None
            except GaError as e:
                return None, str(e)
            finally:
                self.bring_back()

        def both(*given, **named):
            arguments = [v for x in (*given, *named.values()) for v in (x if isinstance(x, (list, tuple)) else [x])]
            roots = {id(r): r for r in (root_of(v) for v in arguments if isinstance(v, np.ndarray))}.values()
            numbers = [v for v in arguments if isinstance(v, C._SimpleCData)]
            state = lambda: [r.copy() for r in roots] + [v.value for v in numbers]
            before = state()
            cpu, cpu_error = run(CPU, given, named)
            cpu_state = state()
            for r, old in zip(roots, before):
                if not equal_bits(r, old):
                    r[...] = old
            for v, old in zip(numbers, before[len(roots):]):
                v.value = old
            gpu, gpu_error = run(CUDA, given, named)
            if cpu_error != gpu_error and (same_words or not cpu_error or not gpu_error):
                raise Mismatch(f"the CPU says {cpu_error}\n  the GPU says {gpu_error}")
            if gpu_error:
                raise GaError(gpu_error)
            if not equal_bits(cpu, gpu):
                raise Mismatch(f"other bits than on the CPU:\n  CPU {cpu!r}\n  GPU {gpu!r}")
            if not equal_bits(cpu_state, state()):
                raise Mismatch(f"arguments after the call:\n  CPU {cpu_state!r}\n  GPU {state()!r}")
            return gpu
        return both

    def upload(self, a):
        """An array on the GPU with the strides of `a`, in a copy of all the memory that `a` is a view of."""
        low, high = bounds(root_of(a))
        if low not in self.uploaded:
            on_cpu = self.lib.ga_wrap_strided(low, NUMBER_OF[np.dtype("u1")], as_shape(high - low), as_shape(1), self.no_options)
            self.uploaded[low] = self.lib.ga_to(on_cpu, CUDA, self.to_options), high - low
            self.free(on_cpu)
        p = self.lib.ga_view(self.uploaded[low][0], b"oracle\tview()")
        if not p:
            raise Mismatch("the array cannot be brought to the GPU: " + self.error())
        view = Array.from_address(p)
        view.data += address(a) - low
        view.dtype, view.ndim, view.size = NUMBER_OF[a.dtype], a.ndim, a.size
        view.shape[:a.ndim], view.strides[:a.ndim] = a.shape, a.strides
        return p

    def bring_back(self):
        """Copies what was uploaded for a call to where it came from."""
        for low, (p, size) in self.uploaded.items():
            elements = self.fetch(p)
            if elements.tobytes() != C.string_at(low, size):
                C.memmove(low, elements.tobytes(), size)
            self.free(p)
        self.uploaded = {}

    def fetch(self, p):
        """A copy of the elements of a ga_array, in NumPy."""
        if Array.from_address(p).device == CPU:
            return to_numpy(p)
        q = self.lib.ga_to(p, CPU, self.to_options)
        if not q:
            raise Mismatch("the array cannot be brought from the GPU: " + self.error())
        try:
            return to_numpy(q)
        finally:
            self.free(q)

    def host_address(self, data):
        """Where the element lies in NumPy's memory that lies at `data` on the GPU."""
        for low, (p, size) in self.uploaded.items():
            offset = data - Array.from_address(p).data
            if 0 <= offset < size:
                return low + offset
        return data

    def wrap(self, a):
        if not isinstance(a, np.ndarray):
            a = np.asarray(a)  # of one of NumPy's numbers, whose memory nobody else keeps until the next call
            self.numbers.append(a)
        if self.device == CUDA:
            return self.upload(a)
        p = self.lib.ga_wrap_strided(address(a), NUMBER_OF[a.dtype], as_shape(a.shape), as_shape(a.strides), self.no_options)
        if not p:
            raise Mismatch("ga_wrap_strided: " + self.error())
        return p

    def error(self):
        sentence = (self.lib.ga_error() or b"no error is kept").decode()
        self.lib.ga_clear_error()
        return sentence

    def operand(self, v, wrapped):
        if isinstance(v, np.ndarray):
            wrapped.append(self.wrap(v))
            return Arg(wrapped[-1])
        if isinstance(v, bool):
            return Arg(None, 1, v)
        if isinstance(v, int):
            return Arg(None, 2, v) if v < 2**63 else Arg(None, 3, v - 2**64)
        return Arg(None, 5, 0, v.real, v.imag) if isinstance(v, complex) else Arg(None, 4, 0, v)

    def receive(self, p):
        """The new array at p, which is freed, in NumPy; where its elements were is kept in .lies."""
        a = Array.from_address(p)
        self.lies = (self.host_address(a.data), tuple(a.strides[:a.ndim]))
        try:
            if a.device != self.device and self.gpu:
                raise Mismatch(f"the result is on device {a.device}")
            return self.fetch(p)
        finally:
            self.free(p)

    def fill_options(self, kind, name, given, wrapped, rooms):
        """NumPy's keyword arguments as an options struct; None is not given."""
        o, names = OPTIONS[kind].defaults(self.lib, b""), []
        for key, value in given.items():
            if value is None:
                continue
            if key == "axis" and isinstance(value, tuple):
                key = "axes"
            names.append(f".{key} = {value}" if isinstance(value, (int, float)) else f".{key} = ...")
            letter = o.kinds[key]
            if letter == "a":
                wrapped.append(self.wrap(value))
                value = wrapped[-1]
            if letter == "n":
                value = self.operand(value, wrapped)
            if letter == "p":  # True: room for a new array; a list: of arrays and such room (None); else a C variable
                if value is True or isinstance(value, list):
                    given_arrays = [None] if value is True else [a if a is None else self.wrap(a) for a in value]
                    wrapped += [w for w in given_arrays if w]
                    rooms.append((ptr * len(given_arrays))(*given_arrays))
                    value = rooms[-1]
                value = C.addressof(value)
            setattr(o, key, as_shape(value) if letter == "s" else NUMBER_OF[np.dtype(value)] if letter == "t" else value)
        o.site = f"oracle\tga_{name}({', '.join(names)})".encode()
        return o, names

    def caller(self, name, function, result, arguments):
        def call(*given, **named):
            """What the function returns; with rooms for new arrays, a list of the returned array (if it is one) and these."""
            wrapped, rooms, keep, values, given, self.numbers = [], [], [], [], list(given), []
            self.lib.ga_clear_error()
            try:
                for kind in arguments:
                    if kind in OPTIONS:
                        values.append(self.fill_options(kind, name, named, wrapped, rooms)[0])
                        continue
                    if kind == "S":
                        values.append(b"oracle\tcall()")
                        continue
                    v = given.pop(0)
                    if kind == "a" and v is not None:
                        wrapped.append(self.wrap(v))
                        v = wrapped[-1]
                    elif kind == "n":
                        v = self.operand(v, wrapped)
                    elif kind == "s":
                        v = as_shape(v)
                    elif kind == "t":
                        v = NUMBER_OF[np.dtype(v)]
                    elif kind == "k":
                        keep.append((ptr * max(len(v), 1))(*(self.no_array if a is None else self.wrap(a) for a in v)))
                        wrapped += [w for w in keep[-1] if w and w != self.no_array]
                        if function.argtypes[len(values)] is i32:
                            values.append(len(v))
                        v = C.addressof(keep[-1])
                    elif kind == "m":
                        keep.append((Arg * max(len(v), 1))(*(self.operand(x, wrapped) for x in v)))
                        values.append(len(v))
                        v = C.addressof(keep[-1])
                    elif kind == "x":
                        v = self.lib.oracle_kernel(v.encode())
                    elif kind == "q":
                        rooms.append((ptr * v)())
                        v = C.addressof(rooms[-1])
                    elif kind == "p" and not isinstance(v, int):
                        keep.append(v)
                        v = C.addressof(v)
                    elif kind == "c" and isinstance(v, str):
                        v = v.encode()
                    values.append(v)
                p = function(*values, *given)
                made = [q for room in rooms for q in room if q and q != p and q not in wrapped]
                if self.lib.ga_error():
                    for q in made:
                        self.free(q)
                    sentence = self.error()
                    if result == "a" and p or made:
                        raise Mismatch("an array was returned, and an error kept: " + sentence)
                    raise GaError(sentence)
                if result == "a":
                    if not p:
                        raise Mismatch("NULL was returned without an error")
                    p = self.fetch(p) if p in wrapped else self.receive(p)
                elif result == "t":
                    p = KNOWN[p - 1]
                elif result == "y":
                    p = [getattr(p, field) for field, _ in Statistics._fields_]
                elif result == "m":
                    address, p = p, C.string_at(p).decode()
                    libc.free(address)
                if rooms:
                    places = []
                    more = []
                    for q in made:
                        more.append(self.receive(q))
                        places.append(self.lies)
                    self.lies = places
                    return ([p] if result == "a" else []) + more
                return p
            finally:
                for w in wrapped:
                    self.free(w)
        return call
