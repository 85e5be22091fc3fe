"""Every public function of gpuarr.h as a Python function: sum(a, axis=0) is ga_sum(a, .axis = 0).

Each is made from its prototype. What C needs and Python does not is left out: the lengths of lists, the site, and room for results, which are
returned. Options are keywords, or stand by position where C's do. A pointer among the options that a result is written to is asked for
with True: unique(a, counts=True) returns two arrays.
"""
import ctypes as C
import functools
import inspect
import math
import operator
import os
import re
import signal
import threading

from .native import ERRORS, LIMITS, NUMBERED, REALS, as_dtype, ctype, enumerator, functions, header, integer, lib, python_name, raise_error, real, struct
from .arrays import NO_ARRAY, Arg, array, as_shape, asarray, operand  # noqa: E402

libc = C.CDLL(None)
libc.free.argtypes = [C.c_void_p]
libc.fdopen.restype, libc.fclose.argtypes = C.c_void_p, [C.c_void_p]
callbacks = {}  # they live as long as the program: a chunked array may call its function at any time
AXIS_ALONE = "append array_split delete insert partition argpartition repeat roll split split_at unstack".split()  # of the options of ga_axis_options
NO_DTYPE = "argsort compress sort".split()
FOLDS = "sum prod min max any all count_nonzero nansum nanprod nanmin nanmax".split()  # these alone take where and initial
MEANS = "mean var std".split()  # and these where
LISTS = ("const ga_array *const *", "const ga_arg *", "const int64_t *", "const char *const *", "const ga_dtype *", "ga_task *const *")
HANDLES = ("ga_graph", "ga_task", "ga_kernel", "ga_reduction", "ga_stencil_kernel")
NOT_GIVEN = (-2**31, -2**63)  # what C takes for no number, GA_AXIS_DEFAULT and GA_LENGTH_DEFAULT
NUMBER_ROOMS = ("int64_t *", "int *", "double *")


def writable(value):
    """An array to write into: what lies in other memory would be written in a copy, which nobody sees."""
    if isinstance(value, (bool, int, float, complex, list, tuple, range)):
        raise TypeError(f"gpuarr: the call writes into this array, and a {type(value).__name__} is none: give an array")
    return value if type(value) is array else asarray(value, copy=False)


class Call:
    """What one call needs until it returns: the arrays that it was given, other memory, room for results."""

    def __init__(self):
        self.arrays, self.keep, self.rooms, self.functions = [], [], [], []
        self.said = {}  # what the caller calls a parameter

    def array(self, value):
        if value is None:
            return None
        self.arrays.append(value if type(value) is array else asarray(value))
        return self.arrays[-1]._p

    def written(self, value):
        """An array that the call writes."""
        if value is None:
            return None
        self.arrays.append(writable(value))
        return self.arrays[-1]._p

    def received(self, p):
        """The object of a ga_array that was returned: the one that was given, or a new one."""
        given = [a for a in self.arrays if a._p == p]
        return given[0] if given else array._of(p)


# ---- arguments: functions (call, value) -> what C gets ---------------------------------------------------------------------------------------

def to_file(call, value):
    """A FILE * for a file of Python's; None is stdout."""
    if value is None:
        return C.c_void_p.in_dll(libc, "stdout").value
    value.flush()
    file = libc.fdopen(os.dup(value.fileno()), b"a")
    call.rooms.append(lambda: libc.fclose(file) and None)
    return file


def to_pointer(call, value):
    """Memory: an address, a ctypes object, or numbers."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, (bytes, bytearray)):
        value = (C.c_char * len(value)).from_buffer_copy(value)
    elif hasattr(value, "__array_interface__"):
        call.keep.append(value)
        return value.__array_interface__["data"][0]
    elif isinstance(value, (list, tuple)):
        value = (C.c_double * len(value))(*value)
    call.keep.append(value)
    return C.addressof(value) if isinstance(value, (C.Structure, C.Union, C.Array, C._SimpleCData)) else value


def to_struct(name):
    def convert(call, value):
        if not isinstance(value, struct(name)):
            raise TypeError(f"gpuarr: {value!r} is no {name}, which gpuarr makes and gives to a function of yours")
        return C.addressof(value)
    return convert


def to_doubles(name):
    """Memory of one number for each axis of the first array, of which a single one is said once; of .ranges two for each column."""
    def convert(call, value):
        a = call.arrays[0]
        numbers = functions.ravel(asarray(value, "float64")).tolist()
        wanted = 2 * (a.shape[1] if a.ndim == 2 else 2) if name == "ranges" else a.ndim
        numbers = numbers * wanted if len(numbers) == 1 else numbers
        if len(numbers) != wanted:
            raise ValueError(f"gpuarr: {name} has {len(numbers)} numbers: give {wanted}, for an array of shape {a.shape}")
        call.keep.append((C.c_double * max(wanted, 1))(*numbers))
        return C.addressof(call.keep[-1])
    return convert


def to_list(kind, colons=False):
    """Values side by side. colons: None and Ellipsis stand for whole axes of an index."""
    def convert(call, value):
        if kind == "const ga_arg *":
            kept = [operand(v, call.arrays) for v in value]
            memory = (Arg * max(len(kept), 1))(*kept)
        elif kind == "const int64_t *":
            memory = (C.c_int64 * max(len(value), 1))(*map(integer, value))
        elif kind == "const ga_dtype *":
            memory = (C.c_int * max(len(value), 1))(*(as_dtype(v).number for v in value))
        elif kind == "const char *const *":
            memory = (C.c_char_p * max(len(value), 1))(*(to_text(call, v) for v in value))
        elif kind == "ga_task *const *":
            memory = (C.c_void_p * max(len(value), 1))(*(to_handle("ga_task")(call, v) for v in value))
        else:
            memory = (C.c_void_p * max(len(value), 1))(*(NO_ARRAY if colons and (v is None or v is Ellipsis) else call.array(v) for v in value))
        call.keep.append(memory)
        return C.addressof(memory)
    return convert


def to_integers(convert):
    """Numbers that count: an empty list is one of integers here."""
    return lambda call, value: convert(call, asarray(value, "int64") if isinstance(value, (list, tuple)) and not value else value)


def to_callback(function):
    """A C function that calls one of Python's. That gets arrays for ga_array *, lists for lists, and no user data."""
    prototype = C.CFUNCTYPE(ctype(function.of), *(ctype(t) for t, _ in function.parameters))
    parameters = [(str(t), n) for t, n in function.parameters]

    def given(values):
        """The arguments as Python sees them."""
        said = [(text, name, v) for (text, name), v in zip(parameters, values)]
        count = next((v for text, name, v in said if name == "n"), None)
        for text, name, v in said:
            if text == "const double *":
                yield C.cast(v, C.POINTER(C.c_double))[:count]
            elif text == "const ga_array *const *":
                yield [Borrowed(p) for p in C.cast(v, C.POINTER(C.c_void_p))[:count]]
            elif text == "ga_array *":
                yield Borrowed(v)
            elif text in ("const ga_result *", "ga_result *"):
                yield C.cast(v, C.POINTER(struct("ga_result")))
            elif text in ("const ga_block *", "const ga_progress *"):
                yield struct(text.split()[1]).from_address(v)
            elif name not in ("user", "n"):
                yield v

    def convert(call, value):
        if value is None or isinstance(value, (C.c_void_p, type(libc.free))):
            return value and C.cast(value, C.c_void_p).value
        if not callable(value):
            raise TypeError(f"gpuarr: {value!r} is no function; the address of one in C is a ctypes.c_void_p")
        call.functions.append(value)
        if value not in callbacks:
            def called(*values):
                try:
                    if any(f in (value, None) for f, _ in raised):  # it, or Control-C, has ended the call
                        return nothing
                    arguments = list(given(values))
                    result = value(*arguments)
                    if returned == "bool" and not (result is None or isinstance(result, bool) or result is arguments[0]):
                        raise TypeError("gpuarr: a function for chunks writes into out, as by ga.copyto(out, ...), and returns nothing")
                    return float(result) if returned == "double" else result is not False if returned == "bool" else result
                except BaseException as e:
                    raised.append((value, e))
                    return nothing
            callbacks[value] = prototype(called)
        return C.cast(callbacks[value], C.c_void_p).value
    returned = function.of.name
    nothing = float("nan") if returned == "double" else 0
    return convert


raised = []  # (function, error), of functions that gpuarr called: the call that was given one raises it again, others say that it is the cause


class Interrupts:
    """Meanwhile Control-C ends the functions that gpuarr calls, and is then raised: within one of them ctypes would swallow it."""

    def __enter__(self):
        self.before = None
        if callbacks and threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self.before = signal.signal(signal.SIGINT, lambda *_: raised.append((None, KeyboardInterrupt())))

    def __exit__(self, *_):
        if self.before:
            signal.signal(signal.SIGINT, self.before)


def Borrowed(p):
    """An array that gpuarr keeps: valid while the function runs."""
    return array._of(lib.ga_view(p, b"\tview"))


def length_of(value, said, parameter):
    if not hasattr(value, "__len__"):
        raise TypeError(f"gpuarr.{said}: {parameter} = {str(value)!r}: give a list")
    return len(value)


def index_text(text, numbers, said):
    """NumPy's notation with its numbers in it, for C, which reads it as printf does."""
    if not isinstance(text, str):
        raise TypeError(f"gpuarr.{said}: index = {str(text)!r}: give NumPy's notation as a text, \"1:-1, %d\"")
    try:
        return (text % numbers if numbers else text).replace("%", "%%")
    except (TypeError, ValueError, OverflowError) as e:
        raise type(e)(f"gpuarr.{said}: index = {text!r}: {e}") from None


def to_path(call, value):
    if value is None:
        raise TypeError("gpuarr: the name of a file is missing")
    return to_text(call, value)


def to_text(call, value):
    text = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else os.fsencode(value) if value is not None else None
    if text and b"\0" in text:
        raise ValueError("gpuarr: a text with a null character ends there for C")
    return text


def natural(number):
    """The number of an enumerator: -1, which C takes for none, is no such number."""
    if number < 0:
        raise ValueError(f"gpuarr: there is no {number}")
    return number


COMPARISONS = "less less_equal greater greater_equal equal not_equal".split()


def beyond(name, value, others):
    """What stands for an integer of more than 64 bits beside these operands: a real number beside those, and where integers are compared, infinity."""
    if any(isinstance(v, (float, complex)) or v is not value and not isinstance(v, int) and asarray(v).dtype.kind in "fc" for v in others):
        return float(value)
    alone = not any(v is not value and type(v) is int and not -2**63 <= v < 2**64 for v in others)
    return (math.inf if value > 0 else -math.inf) if name in COMPARISONS and alone else value


class Handle(int):
    """The address of what C made: a graph, a task."""


def to_handle(kind):
    def convert(call, value):
        if not (value is None or isinstance(value, C.c_void_p) or isinstance(value, Handle) and value.kind == kind):
            raise TypeError(f"gpuarr: {value!r} is no {kind}; an address of C is a ctypes.c_void_p")
        return value
    return convert


def converter(kind):
    text = str(kind)
    if kind.kind == "pointer" and kind.of.name in HANDLES:
        return to_handle(kind.of.name)
    if text == "ga_arg":
        return lambda call, value: operand(value, call.arrays)
    if text == "const ga_array *":
        return lambda call, value: call.array(value)
    if text == "ga_array *":
        return lambda call, value: call.written(value)
    if text == "ga_shape":
        return lambda call, value: as_shape(value)
    if text == "ga_dtype":
        return lambda call, value: as_dtype(value).number
    if text in LIMITS:
        return lambda call, value: integer(value, text)
    if text in ("double", "float"):
        return lambda call, value: real(value)
    if text == "bool":
        return lambda call, value: bool(value)
    if text in header.enums:
        return lambda call, value: enumerator(text, value)
    if text == "const char *":
        return to_text
    if text in LISTS:
        return to_list(text)
    if text == "FILE *":
        return to_file
    if text == "const ga_progress *":
        return to_struct("ga_progress")
    kind = header.typedefs.get(text, kind)
    if kind.kind == "pointer" and kind.of.kind == "function":
        return to_callback(kind.of)
    return to_pointer


def converted(convert, call, value, function, parameter):
    """A parameter for C. What is said of a wrong one names neither the function nor the parameter."""
    try:
        return convert(call, value)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError, C.ArgumentError) as e:
        kind = type(e) if type(e) in (TypeError, ValueError, OverflowError, *ERRORS.values()) else TypeError
        shown = f"an array of shape {value.shape}" if isinstance(value, array) else repr(str(value)[:60])
        parameter = (call.said if call else {}).get(parameter) or numpys(function, parameter)
        words = f", nor {' or '.join(map(repr, REALS))}" if parameter == "ord" and isinstance(value, str) else ""
        raise kind(f"gpuarr.{function}: {parameter} = {shown}: {str(e).removeprefix('gpuarr: ')}{words}") from e


def to_write(value, function, parameter):
    """The array of a parameter that a function of this package writes."""
    return converted(lambda call, array_: writable(array_), None, value, function, parameter)


# ---- options ---------------------------------------------------------------------------------------------------------------------------------

def asked(value, name):
    """Is a result asked for? True or False, also of NumPy, or 1 or 0: it is no place for the result."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, int) or value not in (0, 1):
        raise TypeError(f"gpuarr: {name} = {value!r}: True asks for that result, which is returned behind the others")
    return bool(value)


def room_of(kind, name, many, call, value):
    """An option that a result is written to, or `many`: True asks for it, and it is returned behind the others."""
    text = str(kind)
    if name == "outs" and isinstance(value, (list, tuple)):
        return to_list("const ga_array *const *")(call, value)
    if isinstance(value, (C._SimpleCData, C.Array, C.Structure)):
        return to_pointer(call, value)
    if value is None or not asked(value, name):
        return None
    if text == "ga_peaks *":
        room = struct("ga_peaks")()
        call.rooms.append(lambda: {n: call.received(p) for n, _ in room._fields_ if (p := getattr(room, n))})
    elif many:
        room = (C.c_void_p * many)()
        call.rooms.append(lambda: [call.received(p) for p in room if p])
    elif text == "ga_array **":
        room = C.c_void_p()
        call.rooms.append(lambda: call.received(room.value))
    else:
        room = ctype(kind.of)()
        call.rooms.append(lambda: room.value)
    call.keep.append(room)
    return C.addressof(room)


class Options:
    """The options struct of a function."""

    def __init__(self, name, site):
        self.type = struct(name)
        members = [(t, python_name(n)) for t, n in header.structs[name] if t.name != "gi_nothing"]
        names = [n for _, n in members]
        self.positional = names[:names.index("by_name")] if "by_name" in names else []
        many = {"edges": 64} if name == "ga_histogramdd_options" else {}  # one for each axis
        self.grids = not re.search("spline|interpolation|affine|rotate", name)  # elsewhere "grid-wrap" is another border than "wrap"
        self.members = {n: self.setter(t, n, many.get(n, 0)) for t, n in members if n not in ("by_name", "site")}
        self.place = {n: k for k, n in enumerate(self.members)} if any(self.is_room(t) for t, _ in members) else None
        constant = next(n for n, t in header.constants.items() if t.name == name and n.endswith("_defaults"))
        self.defaults = self.type.from_buffer_copy(self.type.in_dll(lib, constant))
        self.defaults.site = self.site = site

    @staticmethod
    def is_room(kind):
        return kind.kind == "pointer" and str(kind) in (*NUMBER_ROOMS, "ga_array **", "ga_peaks *")

    def setter(self, kind, name, many):
        if self.is_room(kind):
            return lambda call, value: room_of(kind, name, many, call, value)
        if str(kind) == "const double *":
            return to_doubles(name)
        if str(kind) == "int" and "ga_" + name in header.enums:  # an enumerator, or -1: none was given
            return lambda call, value: -1 if (name, value) == ("border", "interp") else natural(enumerator("ga_" + name, value))
        if name == "border" and self.grids:
            return lambda call, value: converter(kind)(call, value.removeprefix("grid-") if value in ("grid-wrap", "grid-constant") else value)
        if name == "detrend":  # SciPy's False
            return lambda call, value: converter(kind)(call, "none" if value is False else value)
        if name == "trans":  # SciPy's words for 0, 1 and 2
            return lambda call, value: "NTC".index(value) if value in ("N", "T", "C") else integer(value, "int")
        return converter(kind)

    def filled(self, call, named, function):
        """The defaults, and what the call gives in their place. None is not given, but for results, which False refuses."""
        if not named:
            return self.defaults
        o = self.type.from_buffer_copy(self.defaults)
        if self.place and len(named) > 1:  # what they ask for is returned in C's order, which is NumPy's
            named = dict(sorted(named.items(), key=lambda item: self.place.get(item[0].removeprefix("return_"), -1)))
        for name, value in named.items():
            if name == "out" and isinstance(value, tuple) and len(value) == 1:  # as NumPy's
                value = value[0]
            if value is None and name != "comments" or value is True and name == "where":  # comments of text files: NULL
                continue
            if name == "axis" and "axes" in self.members and isinstance(value, (tuple, list)):
                name = "axes"
            elif name not in self.members and name.removeprefix("return_") in self.members:
                name = name.removeprefix("return_")
            if name not in self.members:
                raise TypeError(f"gpuarr.{function}: there is no option {name!r}; it has {', '.join(self.members)}")
            made = converted(self.members[name], call, value, function, name)
            if type(made) is int and made in NOT_GIVEN and made == getattr(self.defaults, name):
                raise ERRORS["GA_BAD_ARGUMENT"](f"gpuarr.{function}: there is no {call.said.get(name, name)} {made}")
            setattr(o, name, made)
        return o


# ---- results ---------------------------------------------------------------------------------------------------------------------------------

def results_of(kind):
    """A function (call, result of C) -> what Python gets."""
    text = str(kind)
    if text == "ga_array *":
        return lambda call, p: call.received(p)
    if text == "char *":
        def owned(call, p):
            said = C.string_at(p).decode(errors="replace")
            libc.free(p)
            return said
        return owned
    if kind.kind == "pointer" and kind.of.name in HANDLES:
        def handle(call, p):
            made = Handle(p)
            made.kind = kind.of.name
            return made
        return handle
    if text == "const char *":
        return lambda call, p: p and p.decode(errors="replace")
    if text == "ga_dtype":
        return lambda call, number: NUMBERED.get(number)
    if text == "ga_shape":
        return lambda call, s: tuple(s.n[:s.ndim])
    if text == "ga_c128":
        return lambda call, z: complex(z.re, z.im)
    if text in header.enums:
        return lambda call, number: header.enums[text][number]
    return lambda call, value: value


def order_of(name, options):
    """The options that stand by position: as NumPy has them, or C."""
    for functions, order in ORDERS.items():
        if re.fullmatch(functions, name):
            return order.split()
    return options.positional if options else []


ORDERS = {
    "(nan)?(max|min)": "axis out keepdims initial where", "(nan)?(sum|prod)": "axis dtype out keepdims initial where", "all|any|ptp": "axis out keepdims",
    "(nan)?arg(max|min)|concatenate_n|stack_n": "axis out", "(nan)?mean": "axis dtype out keepdims", "(nan)?(std|var)": "axis dtype out ddof keepdims",
    "(nan)?median": "axis out overwrite_input keepdims", "(nan)?(percentile|quantile)": "axis out overwrite_input method keepdims",
    "take": "axis out mode", "choose_n": "out mode", "i?r?fft(2|n)": "s axes norm out", "linspace|geomspace": "endpoint dtype", "logspace": "endpoint base dtype",
    "packbits": "axis bitorder", "unpackbits": "axis count bitorder", "cov": "y rowvar bias ddof fweights aweights", "isin": "assume_unique invert",
    "setdiff1d|setxor1d": "assume_unique", "distance_transform_edt": "sampling", "distance_transform_bf": "metric sampling",
    "laplace|gaussian_laplace|gaussian_gradient_magnitude": "out border cval", "gaussian_filter": "order out border cval truncate",
    "gaussian_filter1d": "axis order out border cval truncate", "rotate": "axes reshape out order border cval prefilter",
    "affine_transform": "offset output_shape out order border cval prefilter", "binary_(closing|opening)": "structure iterations out origin mask border_value",
    "binary_(erosion|dilation)": "structure iterations mask out border_value origin", "binary_propagation": "structure mask out border_value origin",
    "binary_fill_holes": "structure out origin", "watershed_ift": "structure out", "fftconvolve": "mode axes",
}


def default_of(name, parameter):
    """What NumPy takes where C wants it said."""
    for functions, defaults in DEFAULTS.items():
        if parameter in defaults and re.fullmatch(functions, name):
            return defaults[parameter]
    return inspect.Parameter.empty


DEFAULTS = {
    "linspace|logspace|geomspace": {"num": 50}, "rot90": {"k": 1}, "diagonal": {"offset": 0}, "tensordot": {"axes": 2},
    "histogram|histogram_bin_edges": {"bins": 10}, "histogram2d|histogramdd": {"bins": (10, 10)}, "diag_indices": {"ndim": 2},
    r"\w+_labels|center_of_mass|variance|standard_deviation|\w+_position|extrema": {"labels": None, "index": None}, "find_objects": {"max_label": 0},
    "medfilt": {"kernel_size": 3}, "uniform_filter": {"size": 3}, "random_choice": {"shape": ()},
    r"\w*(filter|erosion|dilation|opening|closing|gradient|laplace|tophat)": {"size": 0},
    r"random\w*": {"shape": (), "mean": 0.0, "sigma": 1.0, "scale": 1.0, "lam": 1.0}, "meshgrid|meshgrid_n": {"ij": False},
    "report_leaks": {"to": None}, "select_n": {"otherwise": 0}, "chunked|rechunk": {"chunks": ()}, "load_from": {"name": None},
}
# With axis=None, which C has not, NumPy flattens what comes first: an array, or all of a list.
FLATTENED = {"sort": "it", "argsort": "it", "partition": "it", "argpartition": "it", "take_along_axis": "it", "concatenate_n": "all"}
FOR_EACH_AXIS = {"size": "sizes", "sigma": "sigmas", "zoom": "each", "shift": "each"}  # SciPy takes one number or several there


# NumPy's names of parameters and options, where C has others.
ALSO = {"fill_value": ["value"], "val": ["value", "x"], "vals": ["values"], "v": ["values"], "ind": ["indices"], "ary": ["a"], "arr": ["a"], "ar": ["a"],
        "x": ["a"], "m": ["a"], "array": ["a"], "prototype": ["a"], "A": ["a"], "X": ["a"], "filt": ["a"], "M": ["m", "cols"], "N": ["n", "rows"], "ar1": ["a"],
        "ar2": ["b"], "a1": ["a"], "a2": ["b"], "x1": ["a", "x"], "x2": ["b", "y"], "tup": ["arrays"], "indices_or_sections": ["n"], "rtol": ["rcond"],
        "obj": ["which", "where"], "test_elements": ["test"], "condlist": ["conditions"], "choicelist": ["list"], "funclist": ["list"],
        "default": ["otherwise"], "dimensions": ["shape"], "new_shape": ["shape"], "dims": ["shape"], "multi_index": ["indices"],
        "seq_of_zeros": ["roots"], "mode": ["border"], "output": ["out"], "input": ["a"], "file": ["path"], "fname": ["path"]}
# What NumPy and SciPy call the parameters of these functions: so they are called where one is missing or wrong.
NUMPYS = {
    "unique": "a:ar", "(array_|[dhv])?split": "a:ary n:indices_or_sections", "ediff1d": "a:ary", "(take|put)_along_axis|append|value_indices|extract": "a:arr",
    "place": "a:arr values:vals", "put": "indices:ind values:v", "delete": "a:arr which:obj", "insert": "a:arr where:obj",
    "unique_.*|cumulative_.*|(matrix_|vector_)?norm|svdvals|cond|i?fftshift|unstack|matrix_transpose|astype|bincount": "a:x",
    "tri[lu]|rot90|flip|fliplr|flipud": "a:m", "broadcast_to": "a:array", "pad": "a:array before:pad_width", "indices": "shape:dimensions",
    "full(_like)?": "value:fill_value", "fill_diagonal": "value:val", "load|fromfile|savez(_compressed)?": "path:file", "save": "path:file a:arr",
    "loadtxt|genfromtxt": "path:fname", "savetxt": "path:fname a:X", "hanning|hamming|blackman|bartlett|kaiser": "m:M",
    "vstack|hstack|dstack|column_stack": "arrays:tup", "poly": "roots:seq_of_zeros", "select": "conditions:condlist list:choicelist otherwise:default",
    "piecewise": "conditions:condlist list:funclist", "tri|eye": "rows:N cols:M", "array_equal": "a:a1 b:a2", "fftconvolve|convolve2d|correlate2d": "a:in1 v:in2",
    "intersect1d|union1d|setxor1d|setdiff1d": "a:ar1 b:ar2", "vecdot|matmul": "a:x1 b:x2", "real|imag": "x:val", "clip": "x:a", "isin": "test:test_elements",
    "medfilt": "a:volume", "detrend": "x:data", "ravel_multi_index": "indices:multi_index shape:dims", "resize": "shape:new_shape", "trim_zeros": "a:filt",
    "empty_like": "a:prototype", "expm|tile|matrix_rank": "a:A", "solve_banded": "l:l_and_u", "find_objects": "labels:input",
    r"\w+_filter(1d)?|(convolve|correlate)1d|distance_transform_\w+|(binary|grey|morphological|gaussian)_\w+|\w+_(labels|position|tophat)|center_of_mass|extrema|"
    "variance|standard_deviation|prewitt|sobel|laplace|map_coordinates|affine_transform|rotate|shift|zoom|label|watershed_ift": "a:input"}


def numpys(function, parameter):
    """What NumPy calls this parameter."""
    for functions, words in NUMPYS.items():
        for word in words.split():
            here, theirs = word.split(":")
            if here == parameter and re.fullmatch(functions, function):
                return theirs
    elementwise = header.functions.get("ga_" + function)
    two = elementwise and [n for t, n in elementwise.parameters if str(t) == "ga_arg"] == ["x", "y"]
    return {"x": "x1", "y": "x2"}.get(parameter, parameter) if two else parameter


def call_of(name, signature):
    """The call of a function, as NumPy names its parameters."""
    parameters = [p.replace(name=numpys(name, p.name)) for p in signature.parameters.values()]
    return f"{name}{inspect.Signature(parameters, __validate_parameters__=False)}"


def unfit(name, signature, given, named, shown):
    """What is wrong with the arguments of a call of this signature, which is shown as another; None if nothing is."""
    try:
        signature.bind(*given, **named)
    except TypeError as e:  # which names the first that is missing
        missing = [p.name for p in signature.parameters.values()][len(given):]
        missing = [n for n in missing if n not in named and signature.parameters[n].default is inspect.Parameter.empty and signature.parameters[n].kind < 2]
        if missing and "missing" in str(e):
            return f"gpuarr.{name} misses {', '.join(numpys(name, n) for n in missing)}: {call_of(name, shown)}"
        return f"gpuarr.{name}: {e}: {call_of(name, shown)}"
    return None


# What NumPy takes to be quicker, and does not change a result.
HINTS = {"isin": ("assume_unique", "kind"), "intersect1d": ("assume_unique",), "setdiff1d": ("assume_unique",), "setxor1d": ("assume_unique",),
         "einsum_n": ("optimize",), "may_share_memory": ("max_work",), "unique": ("sorted",),
         **{name: ("overwrite_input",) for name in "median nanmedian percentile nanpercentile quantile nanquantile".split()}}


# ---- functions -------------------------------------------------------------------------------------------------------------------------------

def make(name, function):
    """The Python function of ga_NAME."""
    said = name.removesuffix("_n") if name.endswith("_n") and "ga_" + name.removesuffix("_n") not in header.functions else name  # as users write it
    site = f"\tgpuarr.{said}".encode()
    c = getattr(lib, "ga_" + name)
    c.restype = C.c_void_p if str(function.of) == "char *" else ctype(function.of)
    c.argtypes = [ctype(t) for t, _ in function.parameters]
    steps, shown, options, alike = [], [], None, []  # what makes each C argument; the parameters that Python has; lists of one length
    kinds = [(t, python_name(n) or f"argument{k}") for k, (t, n) in enumerate(function.parameters)]
    counted = None  # the parameter whose length is the last count
    outs = [n for t, n in kinds if str(t) in ("ga_array **", "ga_result *")]
    only_out = len(outs) == 1 and any(n == "n" and str(t) == "int" for t, n in kinds)
    for k, (kind, parameter) in enumerate(kinds):
        text = str(kind)
        following = str(kinds[k + 1][0]) if k + 1 < len(kinds) else ""
        if parameter == "site":
            steps.append(lambda call, given: site)
        elif parameter == "user":  # what a function of Python's does not need
            steps.append(lambda call, given: None)
        elif text.endswith("_options"):
            options = Options(text, site)
            steps.append(lambda call, given: options.filled(call, given["options"], said))
        elif text == "int" and following in LISTS:
            counted = kinds[k + 1][1]
            more = name == "split_at"
            steps.append(lambda call, given, counted=counted: length_of(given[counted], said, counted) + more)
        elif text in ("ga_array **", "ga_result *"):
            steps.append(room_step(kind.of if text == "ga_result *" else None, counted if only_out else None, only_out, name))
        else:
            convert = to_list(text, True) if parameter == "indices" and text == "const ga_array *const *" else to_path if parameter == "path" else converter(kind)
            if parameter in ("indices", "repeats") and text in ("const ga_array *", "ga_arg"):
                convert = to_integers(convert)
            if text in LISTS and k > 0 and str(kinds[k - 1][0]) != "int":
                alike.append((counted, parameter))
            shown.append(inspect.Parameter(parameter, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default_of(name, parameter)))
            steps.append(lambda call, given, convert=convert, parameter=parameter: converted(convert, call, given[parameter], said, parameter))
    result = results_of(function.of)
    returns_array, returns_bool = str(function.of) == "ga_array *", str(function.of) == "bool"
    names = [p.name for p in shown]
    operands = [n for t, n in kinds if str(t) == "ga_arg" and n in names]
    defaults = {p.name: p.default for p in shown if p.default is not inspect.Parameter.empty}
    refused = ("dtype", "out") if name in AXIS_ALONE else ("dtype",) if name in NO_DTYPE else ()
    if options and "initial" in options.members and name not in FOLDS:
        refused = ("initial",) if name in MEANS else ("where", "initial")
    order = [n for n in order_of(name, options) if n not in refused]
    positions = names + order
    flattens = FLATTENED.get(name)
    each_axis = [(n, FOR_EACH_AXIS[n]) for n in names if options and FOR_EACH_AXIS.get(n) in options.members]

    known, hints = {*names, *(options.members if options else ())}, HINTS.get(name, ())

    def as_here(call, named):
        """The names of NumPy's that C has not in C's words; no hints."""
        found = {}
        for n, value in named.items():
            here = n
            if n not in known and n not in hints:
                here = next((here for here in ALSO.get(n, ()) if here in known and here not in named), n)
            if n not in hints:
                found[here], call.said[here] = value, n
        return found

    def python(*given, **named):
        call = Call()
        rest = given[len(positions):]
        if rest and not function.variadic:
            raise TypeError(f"gpuarr.{said}: {len(given)} arguments by position: it takes {len(positions)}")
        twice = [n for n in positions[:len(given)] if n in named] if named else []
        if twice:
            raise TypeError(f"gpuarr.{said}: {twice[0]} twice: by position and by name")
        call.said.update(zip(named, named))
        named = {**dict(zip(positions, given)), **named} if given else named
        if not known.issuperset(named):
            named = as_here(call, named)
        values = {n: named.pop(n) if n in named else defaults.get(n, inspect.Parameter.empty) for n in names}
        missing = [n for n, v in values.items() if v is inspect.Parameter.empty]
        if missing:
            raise TypeError(f"gpuarr.{said} misses {', '.join(numpys(said, n) for n in missing)}: {call_of(said, python.__signature__)}")
        if named and not options:
            raise TypeError(f"gpuarr.{said}: there is no option {next(iter(named))!r}")
        if flattens and named.get("axis", 0) is None:
            first = values[names[0]]
            values[names[0]] = [calls["ravel"](a) for a in first] if flattens == "all" else calls["ravel"](first)
        values["options"] = named
        for one, many in each_axis:
            if isinstance(values[one], (list, tuple)):
                named[many], values[one] = values[one], 0
        for one, other in alike:
            if len(values[one]) != len(values[other]):
                raise ValueError(f"gpuarr.{said}: {len(values[one])} {one}, {len(values[other])} {other}")
        if function.variadic:  # ga_index: the numbers are written into the text here
            values["index"] = index_text(values["index"], rest, said)
        elif rest:
            raise TypeError
        large = [n for n in operands if type(values[n]) is int and not -2**63 <= values[n] < 2**64]
        if large:
            others = [values[n] for n in operands]
            values.update((n, beyond(said, values[n], others)) for n in large)
        given_to_c = [step(call, values) for step in steps]
        with Interrupts():
            p = c(*given_to_c)
        causes = [(f, e) for f, e in raised if lib.ga_error() or f is None or f in call.functions] if raised else []
        if causes or lib.ga_error():
            if returns_array and p and not any(a._p == p for a in call.arrays):
                lib.ga_free(p)
            raised[:] = [r for r in raised if r not in causes]
            function_, cause = causes[0] if causes else (None, None)
            if cause and (function_ in call.functions or not isinstance(cause, Exception)):
                lib.ga_clear_error()
                raise cause
            raise_error(cause, values.get("path"), call.said)
        if returns_array and not p:
            raise TypeError(f"gpuarr.{said}: an array is None")
        more = [room() for room in call.rooms]
        more = [v for v in more if v is not None]
        if returns_bool and len(more) == 1 and isinstance(more[0], (list, tuple)):
            return more[0]
        if more:
            more = more if returns_bool else [result(call, p), *more]
            return more[0] if len(more) == 1 else tuple(more)
        return result(call, p)

    python.__name__ = python.__qualname__ = said
    python.__module__ = "gpuarr"
    further = [n for n in options.members if n not in order] if options else []
    keywords = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD if n in order else inspect.Parameter.KEYWORD_ONLY, default=None)
                for n in order + further if n not in names and n not in refused]
    python.__signature__ = inspect.Signature([p.replace(kind=inspect.Parameter.POSITIONAL_ONLY) for p in shown] + keywords, __validate_parameters__=False)
    python.__doc__ = f"{function.declare('ga_' + name)}: see gpuarr.h"
    return python


def room_step(of, counted, only_out, name):
    """What makes room for a result, or for as many as there are."""
    def step(call, given):
        n = 1 if not only_out else len(given[counted]) + (name == "split_at") if counted else operator.index(given["n"])
        room = ((struct("ga_result") if of else C.c_void_p) * max(n, 1))()
        call.keep.append(room)
        if of:
            call.rooms.append(lambda: list(room) if only_out else room[0])
        elif only_out:
            kind = list if name.startswith("split") else tuple  # as in NumPy
            call.rooms.append(lambda: kind(call.received(p) for p in room[:n]))
        else:
            call.rooms.append(lambda: call.received(room[0]))
        return C.addressof(room)
    return step


lib.ga_view.argtypes, lib.ga_view.restype = [C.c_void_p, C.c_char_p], C.c_void_p
calls = {name.removeprefix("ga_"): make(name.removeprefix("ga_"), kind) for name, kind in header.functions.items()}
calls |= {name.removesuffix("_n"): call for name, call in calls.items() if name.endswith("_n") and name.removesuffix("_n") not in calls}


def aliases():
    """NumPy's other names, which are macros: ga_abs is ga_absolute."""
    from .native import ROOT
    text = (ROOT / "gpuarr/face/front.h").read_text()
    for name, meant in re.findall(r"#define ga_(\w+)\(\.\.\.\)\s+GI_\w+\(g[ai]_(\w+)", text):
        if name not in calls and meant in calls:
            calls[name] = calls[meant]


aliases()


class Named:
    """What Python says of a wrong argument within a function of this package names the function, too, and not the one that is called for it."""

    def __init__(self, name, signature, given, named, shown=None):
        self.name, self.signature, self.given, self.named, self.shown = name, signature, given, named, shown or signature

    def __enter__(self):
        pass

    def __exit__(self, kind, e, where):
        if isinstance(e, TypeError) and not where.tb_next:  # the call itself: these are not its arguments
            raise TypeError(unfit(self.name, self.signature, self.given, self.named, self.shown) or f"gpuarr.{self.name}: {e}") from None
        if not isinstance(e, (TypeError, ValueError, AttributeError, LookupError)):
            return
        text = str(e).removeprefix("gpuarr: ")
        if "gpuarr" in text or self.name in text and text == str(e):
            return
        while where:
            if os.path.dirname(where.tb_frame.f_code.co_filename) != os.path.dirname(__file__):  # a function that the caller gave
                return
            where = where.tb_next
        kinds = [k for k in (*ERRORS.values(), ValueError, IndexError) if isinstance(e, k)]
        raise (kinds or [TypeError])[0](f"gpuarr.{self.name}: {text}") from e


def named_as_itself(f):
    """A function of this package alone, whose errors begin with its name."""
    signature = inspect.signature(f)

    @functools.wraps(f)
    def call(*given, **named):
        with Named(f.__name__, signature, given, named):
            return f(*given, **named)
    return call
