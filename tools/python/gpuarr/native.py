"""libgpuarr.so and what gpuarr.h declares: ctypes' structs, the dtypes and the errors, all made from the header."""
import ctypes as C
import errno
import functools
import keyword
import operator
import os
import pathlib
import re
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tools"))
import prototypes  # noqa: E402

PATH = pathlib.Path(os.environ.get("GPUARR_LIBRARY", ROOT / "build/libgpuarr.so"))
if not PATH.exists():
    raise ImportError(f"gpuarr: there is no {PATH}: run `make python` in {ROOT}, or name the library in GPUARR_LIBRARY")
lib = C.CDLL(str(PATH))
if not hasattr(lib, "gpuarr_let_go"):
    raise ImportError(f"gpuarr: {PATH} is not made for Python: link tools/python/sharing.c into it, or run `make python` in {ROOT}")
header = prototypes.read(ROOT / "gpuarr.h")

NUMBERS = {"bool": C.c_bool, "char": C.c_char, "int": C.c_int, "int32_t": C.c_int32, "int64_t": C.c_int64, "uint8_t": C.c_uint8,
           "uint16_t": C.c_uint16, "uint32_t": C.c_uint32, "uint64_t": C.c_uint64, "size_t": C.c_size_t, "float": C.c_float, "double": C.c_double}
structs = {}
functions = types.SimpleNamespace()  # what calls.py makes: functions.sum


def python_name(name):
    """`from` and `async` have a line below in Python."""
    return name + "_" if keyword.iskeyword(name) else name


def ctype(kind):
    """The type in ctypes of a Type of the header. Pointers are addresses, but for text."""
    name = kind.name.removeprefix("struct ")
    if kind.kind == "array":
        return ctype(kind.of) * kind.length
    if kind.kind != "name":
        return C.c_char_p if kind.of.name == "char" and kind.of.const else C.c_void_p
    if name in NUMBERS:
        return NUMBERS[name]
    if name in header.enums:
        return C.c_int
    if name in header.typedefs:
        return ctype(header.typedefs[name])
    if name == "void":
        return None
    if name not in structs:
        members = header.structs.get(name) or header.unions.get(name)
        fields = [(python_name(n), ctype(t)) for t, n in members if t.name != "gi_nothing"]
        structs[name] = type(name, (C.Structure if name in header.structs else C.Union,), {"_fields_": fields, "__repr__": struct_text})
    return structs[name]


def struct_text(self):
    return f"{type(self).__name__.removeprefix('ga_')}({', '.join(f'{n}={getattr(self, n)!r}' for n, _ in self._fields_)})"


LIMITS = {"int": (-2**31, 2**31 - 1), "int64_t": (-2**63, 2**63 - 1), "uint32_t": (0, 2**32 - 1), "uint64_t": (0, 2**64 - 1), "size_t": (0, 2**64 - 1)}


def integer(value, kind="int64_t"):
    """An integer that fits C's type, of which ctypes would take the last bits."""
    number, (least, most) = operator.index(value), LIMITS[kind]
    if not least <= number <= most:
        raise OverflowError(f"gpuarr: {number} does not fit: use {least} to {most}")
    return number


def struct(name):
    return ctype(prototypes.Type("name", name))


def words_of(enum):
    """The words for the enumerators of one enum: their names without what all of them begin with, small."""
    names = header.enums[enum]
    begin = os.path.commonprefix(names)
    begin = begin[:begin.rindex("_") + 1]
    return [n.removeprefix(begin).lower() for n in names]


# SciPy's words where C has another name.
SYNONYMS = {"ga_metric": {"chessboard": "chebyshev", "taxicab": "cityblock", "manhattan": "cityblock"}, "ga_border": {"grid-mirror": "reflect"}}


def enumerator(enum, value):
    """The number of an enumerator, which may be said as NumPy does: "full" is GA_FULL, and "edge" among ga_pad_mode is GA_PAD_EDGE."""
    if not isinstance(value, str):
        return integer(value, "int")
    wanted = SYNONYMS.get(enum, {}).get(value, value).upper().replace("-", "_")
    names = {alias: n for n, word in zip(header.enums[enum], words_of(enum)) for alias in (n.upper(), n.upper().removeprefix("GA_"), word.upper())}
    if wanted not in names:
        words = [w for w in words_of(enum) if not re.search(r"(^|_)(default|count)$", w)]  # of what can be asked for
        raise ValueError(f"gpuarr: there is no {value!r}; there are {', '.join(map(repr, words))}")
    return header.enums[enum].index(names[wanted])


# Numbers with a meaning of their own: GA_FRO and GA_NUC, which are "fro" and "nuc" here.
DEFINED = dict(re.findall(r"^#define GA_([A-Z]+(?:_DEFAULT)?)\s+\(?(GA_REAL_DEFAULT|-?\d\.\d+e\d+)\)?(?:\s|$)", (ROOT / "gpuarr.h").read_text(), re.M))
REALS = {name.lower(): float(DEFINED.get(value.removeprefix("GA_"), value)) for name, value in DEFINED.items() if not name.endswith("_DEFAULT")}


def real(value):
    """A real number, or a word for one."""
    if not isinstance(value, str):
        return float(value)
    if value.lower() not in REALS:
        raise ValueError(f"gpuarr: {value!r} is no number")
    return REALS[value.lower()]


# ---- errors ------------------------------------------------------------------------------------------------------------------------------

class Error(Exception):
    """A call failed; the text is gpuarr's sentence. What it is besides says the kind: see ERRORS."""

    def __str__(self):  # also with an errno and the name of a file, which OSError would show in place of it
        return str(self.args[0]) if len(self.args) == 1 else super().__str__()


def error_class(name, *kinds):
    return type(name, (Error, *kinds), {"__module__": "gpuarr"})


# A bad index or axis is a bad argument, for which NumPy raises IndexError, ValueError, or what is both.
ERRORS = {"GA_BAD_ARGUMENT": error_class("ArgumentError", ValueError, IndexError), "GA_BAD_SHAPE": error_class("ShapeError", ValueError, IndexError),
          "GA_BAD_DTYPE": error_class("DtypeError", TypeError), "GA_BAD_DEVICE": error_class("DeviceError", ValueError),
          "GA_NO_MEMORY": error_class("NoMemory", MemoryError), "GA_NO_FILE": error_class("NoFile", OSError),
          "GA_BAD_FILE": error_class("BadFile", ValueError), "GA_NO_LIBRARY": error_class("NoLibrary", ImportError)}

# What NumPy raises where the status says less: the error is that, too.
SENTENCES = {r"(the number |: |\w = )-?\d+ does not fit ": OverflowError, r" differ in size": ValueError, r" weights add up to 0": ZeroDivisionError}
# What open() raises; elsewhere the sentence ends with the system's words for errno.
FILES = {errno.ENOENT: FileNotFoundError, errno.EISDIR: IsADirectoryError, errno.ENOTDIR: NotADirectoryError, errno.EACCES: PermissionError,
         errno.EPERM: PermissionError, errno.EEXIST: FileExistsError}


@functools.lru_cache(None)
def both(kind, other):
    def reduced(self):
        return both_again, (kind, other, self.args), {n: getattr(self, n) for n in ("errno", "filename") if getattr(self, n, None) is not None}
    return type(kind.__name__, (kind, other), {"__module__": "gpuarr", "__reduce__": reduced})


def both_again(kind, other, args):
    """What pickle makes of one, which has no name of its own in the package."""
    return both(kind, other)(*args)


lib.ga_error.restype = C.c_char_p
lib.ga_set_error_handler.argtypes = [C.c_void_p, C.c_void_p]
lib.ga_set_error_handler(C.cast(lib.ga_ignore_error, C.c_void_p), None)


OPTIONS = {python_name(n) for name, members in header.structs.items() if name.endswith("_options") for _, n in members}
QUOTED = r"""((?<!\w)'[^']*'(?!\w)|"[^"]*")"""
OUTSIDE = r"(?<![\w/.'\"-])", r"(?![\w/'\"-]|\.\w)"  # of the names of files


def in_words(sentence, said={}):
    """The sentence as Python writes it: the words for enumerators, options without a point, as the caller said them, functions of this package."""
    def word(name):
        enum = next((e for e, names in header.enums.items() if name in names), None)
        if enum == "ga_dtype":
            return lib.ga_dtype_name(header.enums[enum].index(name)).decode()
        known = name.removeprefix("GA_").lower()
        return repr(words_of(enum)[header.enums[enum].index(name)]) if enum else repr(known) if known in REALS else name

    def words(text):
        before, behind = OUTSIDE
        text = re.sub(f"{before}GA_\\w+{behind}", lambda m: word(m[0]), text)
        text = re.sub(f"{before}\\.([a-z]\\w*){behind}", lambda m: said.get(m[1], m[1]) if m[1] in OPTIONS else m[0], text)
        return re.sub(f"{before}ga_(\\w+){behind}", lambda m: "gpuarr." + m[1] if hasattr(functions, m[1]) else m[0], text)

    sentence, *formula = sentence.split("\n")
    parts = re.split(QUOTED, sentence)  # what is quoted is the user's
    parts[::2] = map(words, parts[::2])
    return "\n".join([re.sub(r"^(gpuarr\.\w+): (?=\1\b)", "", "".join(parts)), *formula])


def file_error(kind, sentence, path, number=None):
    """The error of a file that the system refuses: FileNotFoundError and its like, with errno and filename. number: errno, if it is known."""
    said = {": " + os.strerror(n): n for n in errno.errorcode}
    if os.path.isdir(path):
        said["regular file"] = errno.EISDIR
    if number is None:  # the reason stands at the end, or something follows that it explains
        number = next((n for end in ("", ": it is written", "; all of it", " (for the elements") for words, n in said.items()
                       if (sentence.endswith(words) if not end else words + end in sentence)), None)
    error = (both(kind, FILES[number]) if number in FILES else kind)(sentence)
    error.errno, error.filename = number, path
    return error


def raise_error(cause=None, path=None, said={}):
    """Raises the error that is kept, and forgets it. path: the file that the call was given; said: what the caller calls an option."""
    sentence, status = in_words(lib.ga_error().decode(errors="replace"), said), header.enums["ga_status"][lib.ga_error_status()]
    lib.ga_clear_error()
    missing = " is NULL: the call that should have made it failed, or it was never made"  # in Python: None was given
    if sentence.endswith(missing):
        raise TypeError(sentence.removesuffix(missing) + " is None") from cause
    kind = ERRORS.get(status, Error)
    for words, also in SENTENCES.items():
        if not issubclass(kind, also) and re.search(words, sentence):
            kind = both(kind, also)
    raise (file_error(kind, sentence, path) if path is not None and issubclass(kind, OSError) else kind(sentence)) from cause


# ---- dtypes ------------------------------------------------------------------------------------------------------------------------------

lib.ga_dtype_name.restype = C.c_char_p
lib.ga_itemsize.restype = C.c_int64
ELEMENTS = {"b1": C.c_bool, "i1": C.c_int8, "i2": C.c_int16, "i4": C.c_int32, "i8": C.c_int64, "u1": C.c_uint8, "u2": C.c_uint16,
            "u4": C.c_uint32, "u8": C.c_uint64, "f4": C.c_float, "f8": C.c_double, "c8": C.c_float * 2, "c16": C.c_double * 2}


class dtype:
    """A type of elements: gpuarr.float32. Equal to its name, and to NumPy's."""

    def __new__(cls, named):
        """gpuarr.dtype("f4"): what that names."""
        return as_dtype(named)

    @classmethod
    def _of(cls, number):
        self = object.__new__(cls)
        self.number, self.name, self.itemsize = number, lib.ga_dtype_name(number).decode(), lib.ga_itemsize(number)
        word = self.name.rstrip("0123456789")
        self.kind = {"bool": "b", "int": "i", "uint": "u", "float": "f", "complex": "c"}.get(word, "V")
        self.code = f"{self.kind}{self.itemsize}"  # as in the buffer protocol, without the byte order
        self.half = self.name in ("float16", "bfloat16")  # for storage
        return self

    def __repr__(self):
        return f"gpuarr.{self.name}"

    def __str__(self):
        return self.name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        try:
            return self is as_dtype(other)
        except TypeError:
            return NotImplemented

    def __reduce__(self):
        return as_dtype, (self.name,)

    @property
    def dtype(self):
        """NumPy's: numpy.zeros(3, gpuarr.float32)."""
        import numpy
        if self.kind == "V":
            raise TypeError(f"gpuarr: NumPy has no {self.name}: convert it first, a.astype('float32')")
        return numpy.dtype(self.name)


DTYPES = {d.name: d for d in map(dtype._of, range(1, len(header.enums["ga_dtype"]) - 1))}
NUMBERED = {d.number: d for d in DTYPES.values()}
CODED = {d.code: d for d in DTYPES.values() if d.kind != "V"}
PYTHON = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
# NumPy's letters and further names, on 64-bit Linux.
NUMPYS = {name: kind for kind, names in {
    "bool": "? bool_", "int8": "b byte", "uint8": "B ubyte", "int16": "h short", "uint16": "H ushort", "int32": "i intc", "uint32": "I uintc",
    "int64": "l q n p int int_ long longlong intp", "uint64": "L Q N P uint ulong ulonglong uintp", "float16": "e half", "float32": "f single",
    "float64": "d float double", "complex64": "F csingle", "complex128": "D complex cdouble"}.items() for name in names.split()}


def raw_dtype(value):
    """The dtype of elements in a file or buffer: one of NumPy's that is of another byte order by its code, which as_dtype() refuses."""
    return value.str if getattr(value, "byteorder", None) == ">" else value


def as_dtype(value):
    """The dtype that this names: a dtype of gpuarr's or NumPy's, its name, its code ("<f4", "f"), or a type of Python's."""
    if isinstance(value, dtype):
        return value
    name = value if isinstance(value, str) else PYTHON.get(value) if isinstance(value, type) else None
    if name is None:
        name = getattr(value, "name", None) or getattr(value, "__name__", None)
    code = name[1:] if name and (name[0] in "<=|" or name in (">b1", ">i1", ">u1")) else name
    numpys = isinstance(value, str) or getattr(value, "__module__", None) == "numpy"
    found = DTYPES.get(name) or CODED.get(code) or (DTYPES.get(NUMPYS.get(code)) if numpys else None)
    if not found and name and name[0] == ">" and name[1:] in CODED.keys() | NUMPYS.keys():
        raise TypeError(f"gpuarr: {value!r} is of another byte order than this machine's, which all arrays have: fromfile(path, {name[1:]!r}, swapped=True) reads such elements")
    if not found:
        raise TypeError(f"gpuarr has no dtype {value!r}; there are {', '.join(DTYPES)}")
    return found
