"""DLPack: arrays from and to other libraries, as the array API standard says. Memory is shared where it can be."""
import ctypes as C

from .native import PATH, Error, functions, struct

CPU, CUDA, PINNED = (1, 0), 2, 3
Versioned = struct("ga_dl_versioned")
IS_COPIED = 2  # GA_DL_IS_COPIED
COPY = {None: "if_needed", True: "always", False: "never"}

held = C.PyDLL(str(PATH))  # tools/python/sharing.c, called without releasing Python's lock
held.gpuarr_capsule.argtypes, held.gpuarr_capsule.restype = [C.c_void_p, C.c_bool], C.py_object
held.gpuarr_take.argtypes, held.gpuarr_take.restype = [C.py_object, C.POINTER(C.c_bool)], C.c_void_p
held.gpuarr_end.argtypes, held.gpuarr_end.restype = [C.c_void_p, C.c_bool], None


def exported(call, a, **options):
    """The address of a new tensor. What cannot be exported is a BufferError."""
    try:
        return call(a, **options)
    except (ValueError, TypeError) as e:
        raise BufferError(str(e)) from None


def to_dlpack(a, **options):
    """A capsule with ga_to_dlpack's tensor."""
    return held.gpuarr_capsule(exported(functions.to_dlpack, a, **options), True)


def to_dlpack_unversioned(a, **options):
    """A capsule as of before DLPack 1.0."""
    return held.gpuarr_capsule(exported(functions.to_dlpack_unversioned, a, **options), False)


def device_of(a):
    """(a type of DLPack's, the number of the device)."""
    if a.device != "cpu":
        return CUDA, functions.cuda_device_of(a)
    tensor = exported(functions.to_dlpack, a)
    device = Versioned.from_address(tensor).dl_tensor.device
    device = device.device_type, device.device_id  # pinned, perhaps
    held.gpuarr_end(tensor, True)
    return device


def dlpack_of(a, stream, max_version, dl_device, copy):
    """What array.__dlpack__ returns. The stream is of the consumer: None is CUDA's default one, -1 orders nothing."""
    on_cpu = a.device == "cpu"
    if on_cpu and stream not in (None, -1):
        raise ValueError(f"gpuarr: the array is on the CPU, where there is no stream {stream!r}: None")
    if not on_cpu and stream == 0:
        raise ValueError("gpuarr: stream 0 may mean two things: 1 is CUDA's default stream, 2 that of the thread")
    if dl_device is not None and tuple(dl_device) != device_of(a):
        if tuple(dl_device) != CPU or not on_cpu and copy is False:
            raise BufferError(f"gpuarr: the array is on the device {device_of(a)} of DLPack, not on {tuple(dl_device)}")
        if not on_cpu:
            a, stream, copy = functions.to(a, "cpu"), None, None
    options = {"copy": COPY[copy], "stream": stream}
    return to_dlpack(a, **options) if max_version and max_version[0] >= 1 else to_dlpack_unversioned(a, **options)


def capsule_of(x, device, copy):
    """x.__dlpack__, and whether it knew what was asked for: before DLPack 1.0 there was the stream alone."""
    where = x.__dlpack_device__()[0]
    stream = {}
    wanted = {"max_version": (1, 0), "copy": copy}
    if device == "cpu" and where not in (CPU[0], PINNED):
        if copy is False:
            raise ValueError("gpuarr: the memory is not on the CPU, and copy=False")
        wanted["dl_device"] = CPU
    elif where == CUDA:
        stream["stream"] = functions.get_stream() or 1  # 1: the default stream
    try:
        return x.__dlpack__(**stream, **wanted), True
    except TypeError:
        if "dl_device" in wanted:
            raise BufferError("gpuarr: who has this memory cannot bring it to the CPU: leave out device='cpu'") from None
        return x.__dlpack__(**stream), False


def from_dlpack(x, /, *, device=None, copy=None, read_only=False):
    """An array of what has __dlpack__, or of a capsule. It shares its memory, if it may be written: else it is copied, or with copy=False
    a ValueError. read_only=True shares what may not be written, and you do not write to it. device="cpu" copies what is on a GPU."""
    capsule, knew = (x, False) if type(x).__name__ == "PyCapsule" else capsule_of(x, device, copy)
    versioned = C.c_bool()
    tensor = held.gpuarr_take(capsule, versioned)
    if not tensor:
        raise ValueError("gpuarr: the capsule holds no DLPack tensor, or somebody has taken it")
    copied = knew and copy and (not versioned or Versioned.from_address(tensor).flags & IS_COPIED)
    call = functions.from_dlpack if versioned else functions.from_dlpack_unversioned
    a = call(tensor, copy="if_needed" if copied else COPY[copy], read_only=read_only)
    if device is None or a.device == device:
        return a
    if copy is False:
        raise ValueError(f"gpuarr: the memory is on the device {a.device}, not on {device}, and copy=False")
    return functions.to(a, device)
