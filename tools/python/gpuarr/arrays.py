"""gpuarr.array: a ga_array as a Python object, which shares memory with NumPy in both directions."""
import atexit
import ctypes as C
import math
import operator
import sys

from .native import CODED, DTYPES, ELEMENTS, NUMBERED, as_dtype, enumerator, functions, header, integer, lib, struct
from .exchange import device_of, dlpack_of, from_dlpack

GaArray, Arg, Shape = struct("ga_array"), struct("ga_arg"), struct("ga_shape")
MAX_DIMS = GaArray.shape.size // 8
Lengths = C.c_int64 * MAX_DIMS
NO_ARRAY = 2**64 - 1  # GA_NO_ARRAY
KINDS = {name.removeprefix("GA_KIND_"): k for k, name in enumerate(header.enums["ga_kind"])}

lib.ga_free.argtypes = lib.ga_keep.argtypes = [C.c_void_p]
lib.ga_is_chunked.argtypes, lib.ga_is_chunked.restype = [C.c_void_p], C.c_bool

exiting = []  # nothing is freed any more, as in a C program that ends
atexit.register(exiting.append, True)

LET_GO = C.cast(lib.gpuarr_let_go, C.c_void_p)  # gpuarr calls it when the last view of a Python object's memory is gone


def as_shape(value):
    """A ga_shape of a number, or of numbers."""
    try:
        n = [integer(value)]
    except TypeError:
        n = [integer(v) for v in value]
    if len(n) > MAX_DIMS:
        raise ValueError(f"gpuarr: {len(n)} dimensions are more than {MAX_DIMS} (GPUARR_MAX_DIMS)")
    return Shape(len(n), Lengths(*n))


def operand(value, keep):
    """A ga_arg of a number or of what asarray takes; `keep` gets the arrays, which must live as long as the call."""
    kind = type(value)
    if kind is array:
        keep.append(value)
        return Arg(value._p)
    if kind is bool:
        return Arg(None, KINDS["BOOL"], False, value)
    if kind is int:
        if not -2**63 <= value < 2**64:
            raise OverflowError(f"gpuarr: {value} does not fit in 64 bits")
        return Arg(None, KINDS["INT"], False, value) if value < 2**63 else Arg(None, KINDS["UINT"], False, value - 2**64)
    if kind is float:
        return Arg(None, KINDS["REAL"], False, 0, value)
    if kind is complex:
        return Arg(None, KINDS["COMPLEX"], False, 0, value.real, value.imag)
    keep.append(asarray(value))
    return Arg(keep[-1]._p)


# ---- from Python to gpuarr -----------------------------------------------------------------------------------------------------------------

def wrap_memory(owner, address, dtype, shape, strides):
    """An array of memory that `owner` keeps alive."""
    a = functions.wrap_strided(address, dtype, shape, strides, release=LET_GO, user=id(owner))
    C.pythonapi.Py_IncRef(C.py_object(owner))
    return a


def of_interface(obj, interface):
    """A view of what __array_interface__ describes, or a copy where it may not be written."""
    code, shape = interface["typestr"], tuple(interface["shape"])
    dtype = None if code[0] == ">" and code[1:] not in ("i1", "u1", "b1") else CODED.get(code[1:])
    if code == "<V2" and str(getattr(obj, "dtype", "")) == "bfloat16":  # of ml_dtypes
        dtype = DTYPES["bfloat16"]
    if not dtype or len(interface.get("descr", [()])) > 1:
        raise TypeError(f"gpuarr has no dtype {code!r}; there are {', '.join(DTYPES)}")
    strides = interface.get("strides") or [dtype.itemsize * math.prod(shape[k + 1:]) for k in range(len(shape))]
    address, read_only = interface["data"]
    view = wrap_memory(obj, address, dtype, shape, strides)
    return (functions.copy(view), True) if read_only else (view, False)


def of_bytes(memory, dtype, shape):
    """A new array of these elements."""
    return getattr(functions, "from")(memory, dtype, shape)


def of_buffer(obj):
    """A view of an object with the buffer protocol, or a copy where it may not be written."""
    memory = memoryview(obj)
    code = {"?": "b1", "e": "f2", "f": "f4", "d": "f8", "Zf": "c8", "Zd": "c16"}.get(memory.format.lstrip("@=<"))
    if not code and memory.format in "bhilqBHILQnN":
        code = f"{'u' if memory.format.isupper() else 'i'}{memory.itemsize}"
    if not code or not memory.c_contiguous:
        raise TypeError(f"gpuarr: a buffer of format {memory.format!r} is no array; copy it with numpy.ascontiguousarray")
    if memory.readonly or memory.nbytes == 0:
        return of_bytes(memory.tobytes(), CODED[code], memory.shape), True
    return wrap_memory(memory, C.addressof(C.c_char.from_buffer(memory)), CODED[code], memory.shape, memory.strides), False


def shape_of(nested):
    if type(nested) in (bool, int, float, complex):
        return ()
    if not isinstance(nested, (list, tuple)):
        return None
    shapes = {shape_of(v) for v in nested}
    if len(shapes) > 1 and None not in shapes:
        raise ValueError("gpuarr: the lists have different lengths")
    inner = shapes.pop() if len(shapes) == 1 else () if not shapes else None
    return None if inner is None else (len(nested), *inner)


def of_list(nested, dtype=None):
    """The numbers of lists in lists, in the dtype that NumPy gives them; or arrays in lists, stacked. What they become: integers of more than 64
    bits may become real numbers; and those that no integer dtype holds do, unless integers are wanted."""
    shape = shape_of(nested)
    if shape is None:
        return functions.stack([asarray(v) for v in nested])
    flat = [nested]
    for _ in shape:
        flat = [v for part in flat for v in part]
    kinds = {type(v) for v in flat}
    code = next((code for kind, code in ((complex, "c16"), (float, "f8"), (int, "i8"), (bool, "b1")) if kind in kinds), "f8")
    if code == "i8" and max(flat) >= 2**63:
        code = "u8"
    real, whole = (dtype is not None and as_dtype(dtype).kind in kinds for kinds in ("fc", "iu"))
    if code[0] in "iu" and not -2**63 <= min(flat) <= max(flat) < 2**64 and not real:
        raise OverflowError("gpuarr: the integers do not fit in 64 bits")
    if code == "u8" and whole and min(flat) < 0:
        limits = functions.iinfo(dtype)
        raise OverflowError(f"gpuarr: {next(v for v in flat if not limits.min <= v <= limits.max)} does not fit {as_dtype(dtype)}")
    if code[0] in "iu" and (not -2**63 <= min(flat) or max(flat) >= 2**64) or code == "u8" and min(v for v in flat if type(v) is int) < 2**63 and not whole:  # as NumPy
        code = "f8"
    numbers = [(z.real, z.imag) for z in map(complex, flat)] if code == "c16" else flat
    return of_bytes(bytes((ELEMENTS[code] * len(flat))(*numbers)), CODED[code], shape)


def refuse_overflow(a, dtype):
    """Raises OverflowError, as NumPy 2, where Python's integers do not fit the dtype."""
    dtype = as_dtype(dtype)
    if a.dtype.kind not in "iu" or dtype.kind not in "iu" or not a.size:
        return
    limits, least, greatest = functions.iinfo(dtype), int(functions.min(a)), int(functions.max(a))
    if not limits.min <= least <= greatest <= limits.max:
        raise OverflowError(f"gpuarr: {least if least < limits.min else greatest} does not fit {dtype}")


def in_c_order(name, order):
    if order not in (None, "C", "K", "A"):
        raise ValueError(f"gpuarr.{name}: order is 'C', not {order!r}: arrays are made in C's order; a.T of one with the axes the other way round lies in Fortran's")


def only_integers(nested):
    return all(map(only_integers, nested)) if isinstance(nested, (list, tuple, range)) else type(nested) in (bool, int)


def adopted(value, dtype):
    """What is assigned to elements of this dtype: Python's integers, alone or in lists, take it, as in NumPy, and bool their truth."""
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(value, numpy.integer):
        value = value.item()
    if type(value) is int and dtype.kind == "b":
        return bool(value)
    if not isinstance(value, (list, tuple, range)) or not isinstance(value, range) and shape_of(value) is None:
        return value
    a = asarray(value)
    whole = a.dtype.kind in "biu" and dtype.kind in "biu" or dtype.kind in "iu" and only_integers(value)  # 2**63 beside 1 is real
    return asarray(value, dtype) if a.size == 0 or whole else a


def adopted_array(value, dtype):
    """The same, for what takes no numbers."""
    value = adopted(value, dtype)
    return asarray(value, dtype) if type(value) in (bool, int) else value


def asarray(obj, dtype=None, order=None, *, device=None, copy=None):
    """An array of a number, lists of numbers, an array, or anything with __array_interface__, the buffer protocol or DLPack. Memory is
    shared where it can be (it must be of this dtype, and writable); copy=True copies, copy=False raises ValueError where it must be copied.
    order is NumPy's, but not "F"."""
    in_c_order("asarray", order)
    if isinstance(obj, Flat):
        obj = functions.ravel(obj.base)
    copied = ""  # why
    real = dtype is not None and as_dtype(dtype).kind in "fc"
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(obj, numpy.generic):
        obj = numpy.array(obj)  # the memory of a scalar of NumPy's is its own
        copied = "a number of NumPy's has no memory that others see"
    if numpy and isinstance(obj, numpy.ndarray) and not (obj.flags.aligned and obj.dtype.isnative) and obj.dtype.kind in "biufc":
        copied = "the elements have another byte order" if not obj.dtype.isnative else "the elements are not aligned"
        obj = obj.astype(obj.dtype.newbyteorder("="), copy=True)
    if isinstance(obj, array):
        a = obj
    elif isinstance(obj, (bool, int, float, complex)):
        with_dtype = {} if dtype is None or type(obj) is int else {"dtype": dtype}
        a, copied = functions.scalar(float(obj) if real and type(obj) is int and not -2**63 <= obj < 2**64 else obj, **with_dtype), "a number has no memory"
    elif isinstance(obj, (list, tuple, range)):
        a, copied = of_list(list(obj), dtype), f"a {type(obj).__name__} has no memory of elements side by side"
    elif hasattr(obj, "__array_interface__"):
        a, was_copied = of_interface(obj, obj.__array_interface__)
        copied = copied or was_copied and "the memory may not be written"
    elif hasattr(obj, "__dlpack__"):
        a = from_dlpack(obj)
    else:
        try:
            a, was_copied = of_buffer(obj)
            copied = was_copied and "the memory may not be written"
        except TypeError as e:
            raise TypeError(f"gpuarr: {type(obj).__name__} is no array: give numbers, lists of them, or what has __array_interface__, "
                            f"DLPack or the buffer protocol ({e})") from None
    if dtype is not None and a.dtype != dtype:
        if isinstance(obj, (int, complex, list, tuple, range)):
            refuse_overflow(a, dtype)
            if a.dtype.kind == "c" and as_dtype(dtype).kind not in "cb":
                raise TypeError(f"gpuarr: complex numbers are no {as_dtype(dtype)}")
        a, copied = functions.astype(a, dtype), f"the elements are {a.dtype}, not {as_dtype(dtype)}"
    if device is not None and a.device != device:
        a, copied = functions.to(a, device), f"the memory is on the device {a.device}"
    if copied and copy is False:
        raise ValueError(f"gpuarr: {copied}: this cannot be shared without a copy (copy=False)")
    return functions.copy(a) if copy and not copied else a


# ---- the array -------------------------------------------------------------------------------------------------------------------------------

class array:
    """gpuarr's array. `numpy.asarray(a)` and `gpuarr.asarray(n)` share memory; views keep it alive, and so does NumPy."""

    __slots__ = ("_p", "_c", "_lent", "__weakref__")  # what was lent to NumPy lives as long as this object
    __array_priority__ = 1000  # numpy + gpuarr is gpuarr
    __hash__ = None

    def __new__(cls, obj, dtype=None, *, device=None, copy=True, order=None, ndmin=0):
        """array([1, 2, 3]) makes a new array, as numpy.array does. order is NumPy's, but not "F": arrays are made in C's order."""
        in_c_order("array", order)
        a = asarray(obj, dtype, device=device, copy=copy)
        return a if a.ndim >= ndmin else functions.reshape(a, (1,) * (ndmin - a.ndim) + a.shape)

    @classmethod
    def _of(cls, p):
        """The object of a new ga_array, which it frees."""
        self = object.__new__(cls)
        self._p, self._c, self._lent = p, GaArray.from_address(p), False
        while self._c.scope:  # gpuarr calls functions inside a scope
            lib.ga_keep(p)
        return self

    def __del__(self, free=lib.ga_free, exiting=exiting):
        try:
            p = self._p
        except ValueError:  # it was freed; if it was lent, not yet
            p = getattr(self, "_lent", None)
        if p and not exiting:
            free(p)

    def __getattr__(self, name):
        if name in ("_p", "_c"):
            raise ValueError("gpuarr: this array was freed")
        raise AttributeError(f"gpuarr: an array has no {name!r}", name=name, obj=self)

    def release(self):
        """What gpuarr.free does."""
        p = self._p
        del self._p, self._c
        if self._lent:
            self._lent = p
        else:
            lib.ga_free(p)

    # properties

    @property
    def shape(self):
        return tuple(self._c.shape[:self._c.ndim])

    @property
    def strides(self):
        return tuple(self._c.strides[:self._c.ndim])

    ndim = property(lambda self: self._c.ndim)
    size = property(lambda self: self._c.size)
    dtype = property(lambda self: NUMBERED[self._c.dtype])
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    T = property(lambda self: functions.transpose(self))
    mT = property(lambda self: functions.matrix_transpose(self))
    real = property(lambda self: functions.real(self))
    imag = property(lambda self: functions.imag(self))

    @property
    def device(self):
        return "cpu" if self._c.device == enumerator("ga_device", "cpu") else "cuda"

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of an array without dimensions")
        return self._c.shape[0]

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __repr__(self):
        return functions.to_string(self, repr=True)

    def __str__(self):
        return functions.to_string(self)

    # elements

    def _on_cpu(self):
        """This array, or what it holds in memory on the CPU."""
        a = functions.compute(self) if lib.ga_is_chunked(self._p) else self
        return a if a.device == "cpu" else functions.to(a, "cpu")

    def tolist(self):
        """The elements as Python numbers in lists; of an array without dimensions, the number."""
        a = functions.ascontiguous(self._on_cpu())
        if a.dtype.half:
            a = functions.astype(a, "float32")
        flat = (ELEMENTS[a.dtype.code] * a.size).from_address(a._c.data)[:] if a.size else []
        if a.dtype.kind == "c":
            flat = [complex(*z) for z in flat]
        for axis in range(a.ndim - 1, 0, -1):
            n = a.shape[axis]
            flat = [flat[k * n:(k + 1) * n] for k in range(math.prod(a.shape[:axis]))]
        return flat if a.ndim else flat[0]

    def tobytes(self):
        """The elements' memory, in C order."""
        a = functions.ascontiguous(self._on_cpu())
        return C.string_at(a._c.data, a.nbytes) if a.size else b""

    __bytes__ = tobytes

    def fill(self, value):
        functions.copyto(self, adopted(value, self.dtype))

    def view(self, dtype=None):
        """The same memory; with a dtype, as elements of that."""
        return functions.view(self) if dtype is None else functions.view_as(self, dtype)

    def sort(self, axis=-1, **named):
        """In place, as NumPy's."""
        functions.sort(self, axis=axis, out=self, **named)

    def partition(self, kth, axis=-1, **named):
        """In place, as NumPy's."""
        functions.copyto(self, functions.partition(self, kth, axis=axis, **named))

    def compress(self, condition, axis=None, out=None):
        return functions.compress(condition, self, axis=axis, out=out)

    def reshape(self, *shape, **named):
        return functions.reshape(self, *(shape if len(shape) == 1 else (shape,)), **named)

    def transpose(self, *axes):
        return functions.transpose(self, *(axes if len(axes) < 2 else (axes,)))

    @property
    def flat(self):
        """The elements in C's order: to read, to write and to go through."""
        return Flat(self)

    @flat.setter
    def flat(self, value):
        Flat(self)[:] = value

    @property
    def flags(self):
        """How the elements lie, by NumPy's names."""
        return Flags(self)

    def tofile(self, path, **options):
        functions.tofile(self, path, **options)

    def item(self, *index):
        if len(index) == 1 and isinstance(index[0], tuple):
            index = index[0]
        index = tuple(map(operator.index, index))
        a = functions.ravel(self)[index] if len(index) == 1 else self[index] if index else self
        if a.size != 1:
            raise ValueError(f"only an array of one element is a number; this one has the shape {a.shape}")
        return functions.ravel(a).tolist()[0]

    def __bool__(self):
        return bool(self.item())

    def _number(self):
        """The element, as NumPy 2.4 gives it: of an array without dimensions."""
        if self.ndim:
            raise TypeError(f"only an array without dimensions is a number; this one has the shape {self.shape}; item() gives the element of an array of one")
        return self.item()

    def __int__(self):
        return int(self._number())

    def __float__(self):
        return float(self._number())

    def __complex__(self):
        return complex(self._number())

    def __index__(self):
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only an integer array without dimensions is an index")
        return self.item()

    def __format__(self, form):
        return format(self.item(), form) if form or not self.ndim else str(self)

    def __round__(self, *decimals):
        return functions.round(self, *decimals) if self.ndim else round(self.item(), *decimals)

    def __contains__(self, value):
        return bool(functions.any(self == value))

    def __copy__(self):
        return functions.copy(self)

    def __deepcopy__(self, memo):
        return functions.copy(self)

    def __reduce__(self):
        return of_bytes, (self.tobytes(), self.dtype, self.shape)

    def _may_repeat(self):
        """May two elements share memory? Then NumPy must not write there."""
        reach = 0
        for step, n in sorted((abs(step), n) for step, n in zip(self.strides, self.shape) if n > 1):
            if step < reach + self.itemsize:
                return self.size > 0
            reach += step * (n - 1)
        return False

    # to NumPy and others

    @property
    def __array_interface__(self):
        if self._c.device != 1 or lib.ga_is_chunked(self._p) or self.dtype == "bfloat16":
            raise AttributeError("__array_interface__")  # NumPy then asks __array__
        self._lent = True
        return {"version": 3, "typestr": ("|" if self.itemsize == 1 else "<") + self.dtype.code, "shape": self.shape,
                "strides": self.strides, "data": (self._c.data or 0, self._may_repeat())}

    def __array__(self, dtype=None, copy=None):
        import numpy
        self.dtype.dtype  # which NumPy may not have
        if self._c.device != 1 or lib.ga_is_chunked(self._p):
            raise TypeError("gpuarr: the elements of a chunked or GPU array are not in the CPU's memory: "
                            "numpy.asarray(a.compute()) of a chunked one, numpy.asarray(a.to('cpu')) of one on the GPU")
        shared = numpy.asarray(Interface(self))
        return numpy.array(shared, dtype, copy=True) if copy else shared if dtype is None else shared.astype(dtype, copy=False)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return dlpack_of(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self):
        return device_of(self)

    def __array_namespace__(self, *, api_version=None):
        from . import array_api
        return array_api.checked(api_version)

    def to_device(self, device, /, *, stream=None):
        return self if device == self.device else functions.to(self, device)

    # indices

    def __getitem__(self, key):
        text, arrays = index_of(key)
        return functions.index_take(self, arrays, index=text) if arrays else functions.index(self, text)

    def __setitem__(self, key, value):
        text, arrays = index_of(key)
        value = adopted(value, self.dtype)
        if arrays:
            functions.index_put(self, arrays, value, index=text)
        else:
            place = functions.index(self, text)
            functions.copyto(place, asarray(value) if isinstance(value, (list, tuple)) else value)


class Flat:
    """What NumPy's flatiter is: a.flat[3], a.flat[1:3] = 0, for x in a.flat."""

    def __init__(self, a):
        self.base = a

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return iter(functions.ravel(self.base))

    def __array__(self, dtype=None, copy=None):
        return functions.ravel(self.base).__array__(dtype, copy)

    def __eq__(self, other):
        return functions.ravel(self.base) == other

    def __ne__(self, other):
        return functions.ravel(self.base) != other

    __hash__ = None

    def copy(self):
        return functions.flatten(self.base)

    def __getitem__(self, key):
        return functions.ravel(self.base)[key]

    def __setitem__(self, key, value):
        a = self.base
        places = functions.arange(a.size, device=a.device)[key]
        if places.size:
            functions.put(a, functions.ravel(places), functions.ravel(asarray(adopted_array(value, a.dtype))))


class Flags:
    """By name, flags.c_contiguous, or flags["C_CONTIGUOUS"]."""

    def __init__(self, a):
        self.c_contiguous, self.f_contiguous = functions.is_contiguous(a), functions.is_contiguous(a.T)
        self.contiguous, self.forc = self.c_contiguous, self.c_contiguous or self.f_contiguous
        self.fnc, self.aligned, self.writeable = self.f_contiguous and not self.c_contiguous, True, True

    def __getitem__(self, name):
        short = {"C": "c_contiguous", "F": "f_contiguous", "A": "aligned", "W": "writeable"}
        if short.get(name, name.lower()) not in vars(self):
            raise KeyError(f"gpuarr: there is no flag {name!r}; there are {', '.join(map(str.upper, vars(self)))}")
        return getattr(self, short.get(name, name.lower()))

    def __repr__(self):
        return "\n".join(f"  {name.upper()} : {value}" for name, value in vars(self).items())


class Interface:
    """An object with an __array_interface__ alone."""

    def __init__(self, a):
        self.__array_interface__, self.a = a.__array_interface__, a


def index_of(key):
    """The text of an index that gpuarr reads, and the arrays that are $1, $2 ... in it."""
    arrays = []

    def text(k):
        if k is None:
            return "newaxis"
        if k is Ellipsis:
            return "..."
        if isinstance(k, slice):
            start, stop, step = ("" if v is None else operator.index(v) for v in (k.start, k.stop, k.step))
            return f"{start}:{stop}" if step == "" else f"{start}:{stop}:{step}"
        if not isinstance(k, bool) and hasattr(k, "__index__") and getattr(k, "ndim", 0) == 0 and getattr(k, "dtype", None) != "bool":
            return str(operator.index(k))
        try:
            k = asarray(k)
        except TypeError as e:
            raise IndexError(f"an index is an integer, a slice, ..., None, or an array of integers or flags, and no {type(k).__name__}") from e
        if k.size == 0 and k.dtype == "float64":
            k = functions.astype(k, "int64")  # an empty list
        if k.dtype.kind not in "biu":
            raise IndexError(f"an index is an integer or a mask, not {k.dtype}")
        arrays.append(k)
        return f"${len(arrays)}"
    return ", ".join(map(text, key if isinstance(key, tuple) else (key,))) or "...", arrays


def give_operators():
    """Python's operators, each a function of gpuarr's."""
    def operate(name, function, reflected=False, in_place=False):
        def method(self, other, /):
            if isinstance(other, (bytes, bytearray)):
                return NotImplemented
            if not isinstance(other, (array, bool, int, float, complex)):
                try:
                    other = asarray(other)
                except TypeError:
                    return NotImplemented
            if function == "power" and not reflected and type(other) is int and other == 2:  # as in NumPy, which bool needs
                return functions.square(self, out=self) if in_place else functions.square(self)
            if in_place:
                return getattr(functions, function)(self, other, out=self)
            return getattr(functions, function)(other, self) if reflected else getattr(functions, function)(self, other)
        method.__name__ = name
        setattr(array, name, method)

    for name, function in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "remainder",
                           "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift",
                           "rshift": "right_shift", "matmul": "matmul", "divmod": "divmod"}.items():
        operate(f"__{name}__", function)
        operate(f"__r{name}__", function, reflected=True)
        if name != "divmod":
            operate(f"__i{name}__", function, in_place=True)
    for name, function in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}.items():
        operate(f"__{name}__", function)
    for name, function in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
        setattr(array, f"__{name}__", lambda self, function=function: getattr(functions, function)(self))
    for name in """all any argmax argmin argpartition argsort astype choose chunks_of clip compute conj conjugate copy cumprod
                   cumsum describe diagonal dot flatten max mean min nonzero persist prod ptp put ravel rechunk repeat
                   round searchsorted squeeze std sum swapaxes take to trace var""".split():
        setattr(array, name, lambda self, *given, name=name, **named: getattr(functions, name)(self, *given, **named))


give_operators()
