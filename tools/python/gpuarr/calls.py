"""Every public function of gpuarr.h as a Python function: sum(a, axis=0) is ga_sum(a, .axis = 0).

Each is made from its prototype. What C needs and Python does not is left out: the lengths of lists, the site, and room for results, which are
returned. Options are keywords, or stand by position where C's do. A pointer among the options that a result is written to is asked for
with True: unique(a, counts=True) returns two arrays.
"""
import ctypes as C
import inspect
import math
import operator
import os
import re
import shutil
import signal
import tempfile
import threading
import zipfile

from .native import ERRORS, LIMITS, NUMBERED, as_dtype, ctype, enumerator, functions, header, integer, lib, python_name, raise_error, real, struct
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


def to_text(call, value):
    text = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else os.fsencode(value) if value is not None else None
    if text and b"\0" in text:
        raise ValueError("gpuarr: a text with a null character ends there for C")
    return text


COMPARISONS = "less less_equal greater greater_equal equal not_equal".split()


def beyond(name, value, others):
    """What stands for an integer of more than 64 bits beside these operands: a real number beside those, and where integers are compared, infinity."""
    if any(isinstance(v, (float, complex)) or v is not value and not isinstance(v, int) and asarray(v).dtype.kind in "fc" for v in others):
        return float(value)
    return math.copysign(math.inf, value) if name in COMPARISONS else value


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
        raise kind(f"gpuarr.{function}(): {parameter} = {shown}: {str(e).removeprefix('gpuarr: ')}") from e


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
            return lambda call, value: -1 if (name, value) == ("border", "interp") else enumerator("ga_" + name, value)
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
            if name == "axis" and type(value) is int and value == -2**31:  # which C takes for none
                raise ERRORS["GA_BAD_ARGUMENT"](f"gpuarr: there is no axis {value}")
            if name == "axis" and "axes" in self.members and isinstance(value, (tuple, list)):
                name = "axes"
            elif name not in self.members and name.removeprefix("return_") in self.members:
                name = name.removeprefix("return_")
            if name not in self.members:
                raise TypeError(f"{function}() has no option {name!r}; it has {', '.join(self.members)}")
            setattr(o, name, converted(self.members[name], call, value, function, name))
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
    "setdiff1d|setxor1d": "assume_unique", "distance_transform_edt": "sampling", "distance_transform_bf": "metric sampling", "resample": "t axis",
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
        "x": ["a"], "m": ["a"], "array": ["a"], "prototype": ["a"], "A": ["a"], "X": ["a"], "filt": ["a"], "M": ["m"], "N": ["n"], "ar1": ["a"],
        "ar2": ["b"], "a1": ["a"], "a2": ["b"], "x1": ["a", "x"], "x2": ["b", "y"], "tup": ["arrays"], "indices_or_sections": ["n"], "rtol": ["rcond"],
        "obj": ["which", "where"], "test_elements": ["test"], "condlist": ["conditions"], "choicelist": ["list"], "funclist": ["list"],
        "default": ["otherwise"], "dimensions": ["shape"], "new_shape": ["shape"], "dims": ["shape"], "multi_index": ["indices"],
        "seq_of_zeros": ["roots"], "mode": ["border"], "output": ["out"], "input": ["a"], "file": ["path"], "fname": ["path"]}
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
            steps.append(lambda call, given, counted=counted: len(given[counted]) + more)
        elif text in ("ga_array **", "ga_result *"):
            steps.append(room_step(kind.of if text == "ga_result *" else None, counted if only_out else None, only_out, name))
        else:
            convert = to_list(text, True) if parameter == "indices" and text == "const ga_array *const *" else converter(kind)
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

    def as_here(named):
        """The names of NumPy's that C has not in C's words; no hints."""
        found = {}
        for n, value in named.items():
            if n not in known and n not in hints:
                n = next((here for here in ALSO.get(n, ()) if here in known and here not in named), n)
            if n not in hints:
                found[n] = value
        return found

    def python(*given, **named):
        call = Call()
        rest = given[len(positions):]
        if rest and not function.variadic:
            raise TypeError(f"{said}() takes {len(positions)} arguments by position, not {len(given)}")
        twice = [n for n in positions[:len(given)] if n in named] if named else []
        if twice:
            raise TypeError(f"{said}() got {twice[0]} twice: by position and by name")
        named = {**dict(zip(positions, given)), **named} if given else named
        if not known.issuperset(named):
            named = as_here(named)
        values = {n: named.pop(n) if n in named else defaults.get(n, inspect.Parameter.empty) for n in names}
        missing = [n for n, v in values.items() if v is inspect.Parameter.empty]
        if missing:
            raise TypeError(f"{said}() misses {', '.join(missing)}: {python.__name__}{python.__signature__}")
        if named and not options:
            raise TypeError(f"{said}() has no option {next(iter(named))!r}")
        if flattens and named.get("axis", 0) is None:
            first = values[names[0]]
            values[names[0]] = [calls["ravel"](a) for a in first] if flattens == "all" else calls["ravel"](first)
        values["options"] = named
        for one, many in each_axis:
            if isinstance(values[one], (list, tuple)):
                named[many], values[one] = values[one], 0
        for one, other in alike:
            if len(values[one]) != len(values[other]):
                raise ValueError(f"{said}(): {len(values[one])} {one}, {len(values[other])} {other}")
        if function.variadic:  # ga_index: the numbers are written into the text here
            values["index"] = (values["index"] % rest if rest else values["index"]).replace("%", "%%")
        elif rest:
            raise TypeError
        for n in operands:
            if type(values[n]) is int and not -2**63 <= values[n] < 2**64:
                values[n] = beyond(said, values[n], [values[o] for o in operands])
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
            raise_error(cause)
        if returns_array and not p:
            raise TypeError(f"{said}(): an array is None")
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
    """What Python says of a wrong argument within a function of this package names the function, too."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        pass

    def __exit__(self, kind, e, where):
        if not isinstance(e, (TypeError, ValueError, AttributeError, LookupError)) or "gpuarr" in str(e) or self.name in str(e):
            return
        while where.tb_next:
            where = where.tb_next
        if os.path.dirname(where.tb_frame.f_code.co_filename) == os.path.dirname(__file__):  # and not in a function that the caller gave
            kinds = [k for k in (*ERRORS.values(), ValueError, IndexError) if isinstance(e, k)]
            raise (kinds or [TypeError])[0](f"gpuarr.{self.name}(): {e}") from e


def short(function, name=None):
    """A function that NumPy calls in more ways than C, in place of the one made from the prototype, under all its names."""
    made = calls[name or function.__name__]

    parameters = [p.name for p in inspect.signature(function).parameters.values() if p.kind != inspect.Parameter.VAR_KEYWORD]
    known = {*made.__signature__.parameters, *parameters}

    def call(*given, **named):
        for said in [n for n in named if n not in known]:  # NumPy's name of a parameter
            here = next((n for n in ALSO.get(said, ()) if n in known and n not in named), said)
            named[here] = named.pop(said)
        with Named(made.__name__):
            return function(made, *given, **named)
    function.__doc__ = call.__doc__ = "\n".join(filter(None, (function.__doc__, made.__doc__)))
    call.__name__, call.__module__ = made.__name__, made.__module__
    own = [p for p in list(inspect.signature(function).parameters.values())[1:] if p.name != "given"]
    if own and own[-1].name == "named":  # the options of the one made are this one's too
        names = [p.name for p in own[:-1]]
        own[-1:] = [p for p in made.__signature__.parameters.values() if p.name not in names and p.default is not inspect.Parameter.empty]
    call.__signature__ = made.__signature__ if name and "given" in parameters else inspect.Signature(own, __validate_parameters__=False)
    calls.update({n: call for n in [n for n, c in calls.items() if c is made]})


def number(x):
    """A number of Python's, also of NumPy's or of an array without dimensions."""
    return x.item() if getattr(x, "shape", None) == () and hasattr(x, "item") else x


@short
def arange(made, start=None, stop=None, step=1, *given, **named):
    if start is None and stop is None:
        raise TypeError("arange() misses stop")
    start, stop = (0, start) if stop is None else (0 if start is None else start, stop)
    return made(number(start), number(stop), 1 if step is None else number(step), *given, **named)


@short
def eye(made, rows, cols=None, k=0, *given, **named):
    return made(rows, rows if cols is None else cols, k, *given, **named)


@short
def tri(made, rows, cols=None, k=0, *given, **named):
    return made(rows, rows if cols is None else cols, k, *given, **named)


@short
def where(made, condition, x=None, y=None, *given, **named):
    """where(condition) alone is nonzero(condition)."""
    if x is None and y is None and not given and not named:
        return tuple(calls["nonzero"](condition))
    return made(condition, x, y, *given, **named)


@short
def split(made, a, n, *given, **named):
    return made(a, n, *given, **named) if getattr(n, "ndim", 0) == 0 and not isinstance(n, (list, tuple)) else calls["split_at"](a, listed(n), *given, **named)


@short
def unstack(made, a, n=None, **named):
    a = asarray(a)
    return made(a, a.shape[axes_of(named.get("axis", 0), a.ndim)[0]] if n is None else n, **named)


@short
def eval_n(made, formula, operands=None, *, out=None, where=None, dtype=None, names=None, **by_name):
    """eval("x**2 + y", x=a, y=1), or eval("$1**2", [a])."""
    if by_name:
        operands, names = [*by_name.values()], ", ".join(by_name)
    return made(formula, () if operands is None else operands, out=out, where=where, dtype=dtype, names=names)


@short
def copyto(made, dst, src, casting="same_kind", where=None, **named):
    """Leading lengths of 1 that dst has not are left out, as in NumPy; casting="unsafe" converts what loses its kind."""
    if casting not in ("same_kind", "unsafe"):
        raise ValueError(f"copyto(): casting is 'same_kind' or 'unsafe', not {casting!r}")
    dst = converted(lambda call, value: writable(value), None, dst, "copyto", "dst")
    if getattr(src, "ndim", 0) > getattr(dst, "ndim", 0) and set(src.shape[:src.ndim - dst.ndim]) == {1}:
        src = asarray(src)[(0,) * (src.ndim - dst.ndim)]
    return made(dst, calls["astype"](asarray(src), dst.dtype) if casting == "unsafe" else src, where=where, **named)


@short
def take(made, a, indices, axis=None, out=None, mode=None, **named):
    """out=, which C has not, gets a copy."""
    r = made(a, indices, axis, None, mode, **named)
    if out is None:
        return r
    out = converted(lambda call, value: writable(value), None, out, "take", "out")
    if out.shape != r.shape:
        raise ValueError(f"take(): out has the shape {out.shape}, the result {r.shape}")
    return calls["copyto"](out, r)


def in_order(name, order):
    """Is it Fortran's order?"""
    if order not in ("C", "F"):
        raise ValueError(f"{name}(): order is 'C' or 'F', not {order!r}")
    return order == "F"


@short
def reshape(made, a, shape, order="C"):
    """order="F": the first index changes fastest."""
    return made(a, shape) if not in_order("reshape", order) else calls["transpose"](made(calls["transpose"](a), listed(shape)[::-1]))


def flat_in_order(made, a, order="C"):
    """order="F": the first index changes fastest."""
    return made(calls["transpose"](a) if in_order(made.__name__, order) else a)


for each in ("ravel", "flatten"):
    short(flat_in_order, each)


@short
def load(made, path, *given, **named):
    """Of an .npz a dictionary: the array of each name."""
    try:
        return made(path, *given, **named)
    except ERRORS["GA_BAD_FILE"]:
        if not zipfile.is_zipfile(path):
            raise
    with zipfile.ZipFile(path) as archive:
        names = [n.removesuffix(".npy") for n in archive.namelist() if n.endswith(".npy")]
    return {n: calls["load_from"](path, n) for n in names}


@short
def broadcast_arrays(made, *arrays):
    return made(arrays[0] if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)) else arrays)


@short
def wrap(made, p, dtype, shape, *given, **named):
    if not (p is None or isinstance(p, (int, C.c_void_p))):
        raise TypeError("gpuarr: wrap() takes an address, whose memory you keep; asarray() shares the memory of an object, and keeps it")
    return made(p, dtype, shape, *given, **named)


def from_memory(p, dtype, shape, **named):
    dtype, shape = as_dtype(dtype), as_shape(shape)
    shape = tuple(shape.n[:shape.ndim])
    if isinstance(p, (bytes, bytearray)) and len(p) < math.prod(shape) * dtype.itemsize:
        raise ValueError(f"gpuarr: {len(p)} bytes are less than {dtype} {shape} has")
    return made_from(p, dtype, shape, **named)


made_from, from_memory.__doc__, calls["from"] = calls["from"], calls["from"].__doc__, from_memory


@short
def clip(made, x, min=None, max=None, out=None, *, a_min=None, a_max=None, **named):
    """clip(a, None, 3): a bound may be missing, or lie beyond an integer dtype."""
    if (min is not None and a_min is not None) or (max is not None and a_max is not None):
        raise TypeError("clip(): a bound is given twice")
    x, low, high = asarray(x), a_min if min is None else min, a_max if max is None else max
    if x.dtype.kind in "iu":  # a bound beyond the dtype does not bind
        limits = functions.iinfo(x.dtype)
        low = None if type(low) is int and low <= limits.min else low
        high = None if type(high) is int and high >= limits.max else high
    if low is None or high is None:
        one = "positive" if low is high else "minimum" if low is None else "maximum"
        return calls[one](x, *(b for b in (low, high) if b is not None), out=out, **named)
    return made(x, low, high, out=out, **named)


@short
def pad(made, a, before=None, *given, **named):
    """A number, (before, after) for all axes, or such a pair for each axis; with after=, before is one number for each axis. NumPy's names are
    pad_width and constant_values."""
    if "constant_values" in named:
        named["value"] = named.pop("constant_values")
    width = named.pop("pad_width") if "pad_width" in named and before is None else before
    if width is None:
        raise TypeError("pad() misses the width: pad(a, before, mode=None, *, value=None, after=None)")
    if "after" in named:
        return made(a, width, *given, **named)
    a, width = asarray(a), width.tolist() if hasattr(width, "tolist") else width
    pairs = list(width) if isinstance(width, (list, tuple)) else [width]
    if not any(isinstance(p, (list, tuple)) for p in pairs):
        pairs = [pairs]
    pairs = (pairs * a.ndim if len(pairs) == 1 else pairs) if a.ndim else []
    if len(pairs) != a.ndim or any(len(p) not in (1, 2) for p in pairs):
        raise ValueError(f"pad(): {width} for {a.ndim} dimensions: give a width, (before, after), or such a pair for each axis")
    return made(a, [p[0] for p in pairs], *given, after=[p[-1] for p in pairs], **named)


@short
def einsum(made, subscripts, *arrays, **named):
    """einsum("ij,jk", a, b), or einsum("ij,jk", [a, b])."""
    return made(subscripts, arrays[0] if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)) else arrays, **named)


def listed(x):
    """A number, or several of any kind, as a list."""
    x = x.tolist() if hasattr(x, "tolist") else x
    return list(x) if isinstance(x, (list, tuple)) else [x]


@short
def tensordot(made, a, b, axes=2, **named):
    if not isinstance(axes, (list, tuple)):
        return made(a, b, axes, **named)
    first, second = map(listed, axes)
    if len(first) != len(second):
        raise ValueError(f"tensordot(): {len(first)} axes of a, {len(second)} of b")
    return made(a, b, len(first), axes_a=first, axes_b=second, **named) if first else made(a, b, 0, **named)


@short
def roll(made, a, shift, axis=None, **named):
    """Several axes one after the other: roll(a, (1, 2), axis=(0, 1))."""
    shift = listed(shift)
    if axis is None:
        return made(a, sum(shift), **named)
    axis = listed(axis)
    if len(shift) != len(axis) and 1 not in (len(shift), len(axis)):
        raise ValueError(f"roll(): {len(shift)} shifts for {len(axis)} axes")
    if not shift or not axis:
        return calls["copy"](a)
    for k in range(max(len(shift), len(axis))):
        a = made(a, shift[k % len(shift)], axis=axis[k % len(axis)], **named)
    return a


def as_tuple(made, *given, **named):
    """A tuple, which is an index."""
    return tuple(made(*given, **named))


for each in "nonzero diag_indices tril_indices triu_indices unravel_index".split():
    short(as_tuple, each)


def at_places(made, a, n, *given, **named):
    """n parts, or cut before each of several places."""
    if not isinstance(n, (list, tuple)) and getattr(n, "ndim", 0) == 0:
        return made(a, n, *given, **named)
    a = asarray(a)
    least = {"vsplit": 2, "dsplit": 3, "hsplit": 1}.get(made.__name__, 0)
    if a.ndim < least:
        raise ValueError(f"{made.__name__}(): the array has {a.ndim} dimensions, and {least} are the least")
    axis = {"vsplit": 0, "dsplit": 2, "hsplit": 1 if a.ndim > 1 else 0}.get(made.__name__)
    return calls["split_at"](a, listed(n), *given, **({"axis": axis} if axis is not None else {}), **named)


for each in "array_split hsplit vsplit dsplit".split():
    short(at_places, each)


def of_shape(made, a, *given, shape=None, **named):
    """shape=: not that of a, but its dtype."""
    if shape is None:
        return made(a, *given, **named)
    a = asarray(a)
    at = 1 if made.__name__ == "full_like" else 0  # the dtype, by position
    if len(given) <= at and named.get("dtype") is None:
        named["dtype"] = a.dtype
    return calls[made.__name__.removesuffix("_like")](shape, *given, **{"device": a.device, **named})


for each in "zeros_like ones_like empty_like full_like".split():
    short(of_shape, each)


@short
def diagonal(made, a, offset=0, axis1=0, axis2=1):
    """Of any two axes: the diagonal is the last axis."""
    a = asarray(a)
    first, second = axes_of((axis1, axis2), a.ndim)
    return made(a if (first, second) == (0, 1) else calls["moveaxis"](a, (first, second), (0, 1)), offset)


@short
def intersect1d(made, a, b, assume_unique=False, return_indices=False, **named):
    return made(a, b, **named, **({"index_a": True, "index_b": True} if return_indices else {}))


def of_triangle(made, a, UPLO=None, **named):
    """UPLO="U" is upper=True."""
    if UPLO is not None:
        if UPLO.upper() not in ("U", "L"):
            raise ValueError(f"{made.__name__}(): UPLO is 'L' or 'U', not {UPLO!r}")
        named["upper"] = UPLO.upper() == "U"
    return made(a, **named)


for each in ("eigh", "eigvalsh"):
    short(of_triangle, each)


@short
def svd(made, a, full_matrices=True, compute_uv=True, **named):
    return made(a, full_matrices, **named) if compute_uv else calls["svdvals"](a)


@short
def linspace(made, start, stop, num=50, endpoint=True, retstep=False, *given, **named):
    """retstep=True: and the step."""
    line, parts = made(start, stop, num, endpoint, *given, **named), operator.index(num) - bool(endpoint)
    return (line, (stop - start) / parts if parts > 0 else math.nan) if retstep else line


def of_each(made, *arrays):
    """Of several arrays: a tuple."""
    return made(arrays[0]) if len(arrays) == 1 else tuple(map(made, arrays))


for each in ("atleast_1d", "atleast_2d", "atleast_3d"):
    short(of_each, each)


def axes_of(axis, ndim):
    """An axis, or several, as numbers from 0 on."""
    axes = [operator.index(k) for k in listed(axis)]
    for k in axes:
        if not -ndim <= k < ndim:
            raise ERRORS["GA_BAD_ARGUMENT"](f"there is no axis {k} in {ndim} dimensions")
    axes = [k % ndim for k in axes]
    if len(set(axes)) < len(axes):
        raise ERRORS["GA_BAD_ARGUMENT"](f"an axis of {axis} stands twice")
    return axes


@short
def moveaxis(made, a, source, destination):
    """Several axes at once: moveaxis(a, (0, 1), (-1, 0))."""
    a = asarray(a)
    source, destination = axes_of(source, a.ndim), axes_of(destination, a.ndim)
    if len(source) != len(destination):
        raise ERRORS["GA_BAD_ARGUMENT"](f"moveaxis(): {len(source)} axes go to {len(destination)} places")
    order = [k for k in range(a.ndim) if k not in source]
    for to, k in sorted(zip(destination, source)):
        order.insert(to, k)
    return calls["transpose"](a, axes=order) if a.ndim else calls["view"](a)


@short
def expand_dims(made, a, axis):
    """Several axes at once: expand_dims(a, (0, 2))."""
    a = asarray(a)
    for k in sorted(axes_of(axis, a.ndim + len(listed(axis)))):
        a = made(a, k)
    return a


def rollaxis(a, axis, start=0):
    """The axis moves before the one at `start`: moveaxis() says where it goes."""
    a, start = asarray(a), operator.index(start)
    axis, = axes_of(axis, a.ndim)
    if not -a.ndim <= start <= a.ndim:
        raise ERRORS["GA_BAD_ARGUMENT"](f"rollaxis(): there is no start {start} in {a.ndim} dimensions")
    start += a.ndim if start < 0 else 0
    return calls["moveaxis"](a, axis, start - (axis < start))


calls["rollaxis"] = rollaxis


@short
def as_strided(made, a, shape=None, strides=None):
    """What is not given is that of a."""
    a = asarray(a)
    return made(a, a.shape if shape is None else shape, a.strides if strides is None else strides)


@short
def meshgrid(made, *arrays, ij=False, indexing=None, sparse=False, copy=True):
    """Of any number of arrays; sparse=True: of length 1 along the other axes; copy=False: views."""
    if len(arrays) == 3 and isinstance(arrays[2], bool):
        arrays, ij = arrays[:2], arrays[2]  # as C has it
    if indexing not in (None, "xy", "ij"):
        raise ValueError(f"meshgrid(): indexing is 'xy' or 'ij', not {indexing!r}")
    lines = [calls["ravel"](a) for a in arrays]
    ij = indexing == "ij" if indexing else ij
    if not lines or not sparse and copy:
        return calls["meshgrid_n"](lines, ij) if lines else ()
    axes = list(range(len(lines)))
    if not ij and len(axes) > 1:
        axes[:2] = 1, 0
    grid = tuple(calls["reshape"](a, [-1 if d == axis else 1 for d in range(len(lines))]) for axis, a in zip(axes, lines))
    grid = grid if sparse else calls["broadcast_arrays"](grid)
    return tuple(map(calls["copy"], grid)) if copy else grid


@short
def average(made, a, axis=None, weights=None, returned=False, **named):
    """returned=True: the sums of the weights, too."""
    return made(a, axis, weights, **named, **({"sum_of_weights": True} if returned else {}))


def with_kths(made, a, kth, axis=-1, kind=None, **named):
    """kth may be several places: sorted, all of them are right. kind is NumPy's."""
    kth = listed(kth)
    if len(kth) == 1:
        return made(a, kth[0], axis, **named)
    a = calls["ravel"](a) if axis is None else asarray(a)
    along, = axes_of(-1 if axis is None else axis, a.ndim)
    n = a.shape[along]
    for k in map(operator.index, kth):
        if not -n <= k < n:
            raise ERRORS["GA_BAD_ARGUMENT"](f"{made.__name__}(): kth = {k} is out of bounds for axis {along} with length {n}")
    return calls["argsort" if made.__name__ == "argpartition" else "sort"](a, along)


for each in ("partition", "argpartition"):
    short(with_kths, each)


def with_names(made, path, *arrays, **named):
    """savez(path, x, y) writes arr_0 and arr_1, savez(path, a=x, b=y) names them."""
    if len(arrays) == 2 and not named and all(isinstance(v, (list, tuple)) for v in arrays) and arrays[0] and all(isinstance(n, str) for n in arrays[0]):
        return made(path, *arrays)  # as C has it
    names = [f"arr_{k}" for k in range(len(arrays))]
    twice = [n for n in names if n in named]
    if twice:
        raise ValueError(f"{made.__name__}(): {twice[0]} is what the first array without a name is called")
    return made(path, [*names, *named], [*arrays, *named.values()])


short(with_names, "savez")


def savez_compressed(path, *arrays, **named):
    """savez, with packed arrays. As there, links are followed, and what is no regular file is not replaced."""
    path = os.path.realpath(os.fsdecode(path))
    if not os.path.isdir(os.path.dirname(path)) or os.path.exists(path) and not os.path.isfile(path):
        raise ERRORS["GA_NO_FILE"](f"gpuarr.savez_compressed(): {path!r} is no regular file, nor can it become one")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        calls["savez"](os.path.join(folder, "loose.npz"), *arrays, **named)
        with zipfile.ZipFile(os.path.join(folder, "loose.npz")) as loose, \
                zipfile.ZipFile(os.path.join(folder, "packed.npz"), "w", zipfile.ZIP_DEFLATED) as packed:
            for name in loose.namelist():
                with loose.open(name) as from_, packed.open(name, "w", force_zip64=True) as to:
                    shutil.copyfileobj(from_, to)
        if os.path.exists(path):
            shutil.copymode(path, os.path.join(folder, "packed.npz"))
        os.replace(os.path.join(folder, "packed.npz"), path)


calls["savez_compressed"] = savez_compressed


@short
def nan_to_num(made, x, copy=True, nan=None, posinf=None, neginf=None, **named):
    """copy=False: in place."""
    r = made(x, nan=nan, posinf=posinf, neginf=neginf, **named)
    return r if copy or isinstance(x, (list, tuple, bool, int, float, complex)) else calls["copyto"](x, r)


@short
def norm(made, a, ord=None, axis=None, keepdims=False, **named):
    """As NumPy's: along an axis of vectors, along two of matrices; with neither ord nor axis of all elements. axes=: of all elements along these."""
    a = asarray(a)
    if named.get("axes") is not None or axis is None and (ord is None or ord in ("fro", "f") and a.ndim == 2 or ord == 2 and a.ndim == 1):
        return made(a, 2 if ord in (None, "fro", "f") else ord, keepdims=keepdims, **named)
    axes = list(range(a.ndim)) if axis is None else axes_of(axis, a.ndim)
    if len(axes) == 1:
        return made(a, 2 if ord is None else ord, axes[0], keepdims, **named)
    if len(axes) != 2:
        raise ValueError(f"norm(): an axis of vectors or two of matrices, not {len(axes)}")
    matrices = a if axes == [a.ndim - 2, a.ndim - 1] else calls["moveaxis"](a, axes, (-2, -1))
    r = calls["matrix_norm"](matrices, ord="fro" if ord in (None, "f") else ord, **named)
    return calls["expand_dims"](r, sorted(axes)) if keepdims else r


@short
def gradient(made, f, *spacing, axis=None, edge_order=1, **named):
    """As NumPy's: gradient(f, dx), gradient(f, x), gradient(f, dx, y); along several axes a tuple. spacing= is C's."""
    f = asarray(f)
    axes = list(range(f.ndim)) if axis is None else axes_of(axis, f.ndim)
    spacing = spacing or (named.pop("spacing", 1),)
    if named:
        raise TypeError(f"gradient() has no option {next(iter(named))!r}; it has axis, edge_order, spacing")
    if len(spacing) == 1 and isinstance(number(spacing[0]), (bool, int, float)):
        spacing *= len(axes)
    if len(spacing) != len(axes):
        raise TypeError(f"gradient(): {len(spacing)} spacings for {len(axes)} axes: give one number, or for each axis a number or coordinates")
    along = [made(f, axis=k, edge_order=edge_order, spacing=d) for k, d in zip(axes, spacing)]
    return along[0] if len(along) == 1 else tuple(along)


@short
def result_type(made, *operands):
    """result_type(a, 3, "float32"): of arrays, numbers and dtypes; or, as C has it, of a list of them."""
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    if not operands:
        raise ValueError("result_type() of nothing")
    return made([calls["empty"]((), dtype=v) if isinstance(v, (str, type, type(NUMBERED[1]))) or hasattr(v, "isbuiltin") else v for v in operands])


@short
def lexsort(made, keys, axis=-1):
    """The places in order of the last key, then of the one before; of keys with several dimensions along an axis."""
    keys = [asarray(k) for k in keys]
    if not keys or {k.ndim for k in keys} == {1} and axis in (0, -1):
        return made(keys)
    if len({k.shape for k in keys}) > 1:
        raise ValueError(f"lexsort(): keys of the shapes {', '.join(str(k.shape) for k in keys)}")
    axis, = axes_of(axis, keys[0].ndim)
    places = calls["argsort"](keys[0], axis)
    for key in keys[1:]:  # argsort is stable
        places = calls["take_along_axis"](places, calls["argsort"](calls["take_along_axis"](key, places, axis=axis), axis), axis=axis)
    return places


def limits_of(range):
    return {} if range is None else dict(zip(("low", "high"), map(number, range)))


def is_one(bins):
    """Is it the number of bins? No edges, nor a rule of NumPy's."""
    if isinstance(bins, str):
        raise ValueError(f"gpuarr has no rule {bins!r} for bins: give their number, or edges")
    return getattr(bins, "ndim", None) == 0 or not hasattr(bins, "__len__")


def counts_between(a, edges, weights, density):
    """A histogram with these edges, the last of which is its bin's."""
    a, edges = calls["ravel"](a), asarray(edges)
    if edges.ndim != 1 or calls["any"](edges[1:] < edges[:-1]):
        raise ValueError("gpuarr.histogram(): the edges stand in a line, and ascend")
    n = max(edges.size - 1, 0)
    bins = calls["searchsorted"](edges, a, side="right") - 1
    bins = calls["where"](a == edges[-1], n - 1, bins) if n else bins
    kept = (bins >= 0) & (bins < n)
    counts = calls["bincount"](calls["compress"](kept, bins), None if weights is None else calls["compress"](kept, calls["ravel"](weights)), minlength=n)[:n]
    return counts / calls["diff"](edges) / calls["sum"](counts) if density else counts


@short
def histogram(made, a, bins=10, range=None, density=None, weights=None, *, edges=True, **named):
    """The counts and the edges of bins; bins may be the edges. edges=False: the counts alone, as C has it."""
    if not is_one(bins):
        bins = asarray(bins)
        counts = counts_between(a, bins, weights, density)
        return (counts, bins) if edges else counts
    return made(a, bins, density=density, weights=weights, edges=edges, **limits_of(range), **named)


@short
def histogram_bin_edges(made, a, bins=10, range=None, weights=None, **named):
    return made(a, bins, **limits_of(range), **named) if is_one(bins) else asarray(bins)


def in_boxes(made, points, dimensions, bins, range, density, weights, edges, named):
    """Of points in boxes: the counts and a list of edges for each axis."""
    bins = [bins] * dimensions if is_one(bins) else bins
    if not all(map(is_one, bins)):
        raise ValueError(f"gpuarr.{made.__name__}(): give the numbers of bins, and range; of edges there is histogram() alone")
    if range is not None:
        named["ranges"] = range
    return made(*points, bins, density=density, weights=weights, edges=edges, **named)


@short
def histogramdd(made, sample, bins=10, range=None, density=None, weights=None, *, edges=True, **named):
    """The counts, float64, and a list of the edges along each axis. edges=False: the counts alone, as C has it."""
    lines = isinstance(sample, (list, tuple)) or asarray(sample).ndim != 2  # along the axes, as NumPy takes them
    sample = calls["transpose"](calls["atleast_2d"](asarray(sample))) if lines else asarray(sample)
    return in_boxes(made, [sample], sample.shape[-1] if sample.ndim == 2 else 1, bins, range, density, weights, edges, named)


@short
def histogram2d(made, x, y, bins=10, range=None, density=None, weights=None, *, edges=True, **named):
    """The counts, float64, and the edges along x and along y. edges=False: the counts alone, as C has it."""
    found = in_boxes(made, [x, y], 2, bins, range, density, weights, edges, named)
    return (found[0], *found[1]) if edges else found


def with_correction(made, a, *given, correction=None, **named):
    """correction= is ddof=."""
    return made(a, *given, **named, **({} if correction is None else {"ddof": correction}))


def always_stable(made, a, axis=-1, kind=None, order=None, *, stable=None, **named):
    """Sorting is stable, whatever is asked for."""
    if not (kind is None or isinstance(kind, str)) or order is not None:
        raise TypeError(f"{made.__name__}(): kind is a word, and order is for dtypes with fields; where results go is out=")
    return made(a, axis, **named)


for also, names in ((with_correction, ("std", "var", "nanstd", "nanvar")),
                    (always_stable, ("sort", "argsort"))):
    for each in names:
        short(also, each)


@short
def free(made, a):
    """Gives the array's memory back now, unless NumPy shares it; else that happens when Python needs it no more."""
    a.release()


functions.__dict__.update(calls)
