"""Arrays that change hands: DLPack tensors, and pictures in memory."""
import ctypes as C
import gc
import struct
import sys
import zlib

import numpy as np

from ..case import case
from ..comparing import Mismatch, Skip, exact
from ..signatures import LETTERS, OPTIONS
from .files import scratch
from .linear import on_cpu

VERSIONED, UNVERSIONED = b"dltensor_versioned", b"dltensor"
USED = {name: b"used_" + name for name in (VERSIONED, UNVERSIONED)}
python = C.pythonapi
python.PyCapsule_New.restype, python.PyCapsule_New.argtypes = C.py_object, [C.c_void_p, C.c_char_p, C.c_void_p]
python.PyCapsule_GetPointer.restype, python.PyCapsule_GetPointer.argtypes = C.c_void_p, [C.py_object, C.c_char_p]
python.PyCapsule_SetName.argtypes = [C.py_object, C.c_char_p]


def prepared(ga):
    """The library, whose calls of DLPack are declared."""
    lib = ga.lib
    for name, options in (("to_dlpack", "to_dlpack"), ("from_dlpack", "from_dlpack")):
        for end in "", "_unversioned":
            function = getattr(lib, f"ga_{name}{end}")
            function.restype, function.argtypes = C.c_void_p, [C.c_void_p, OPTIONS[LETTERS[options]]]
    return lib


def options_of(lib, name, **given):
    o = OPTIONS[LETTERS[name]].defaults(lib, f"oracle\tga_{name}()".encode())
    for key, value in given.items():
        setattr(o, key, value)
    return o


class Exporter:
    """An array of gpuarr, as Python's protocol of DLPack asks for it. It frees the array when it has given it away."""

    def __init__(self, ga, array, **options):
        self.ga, self.lib, self.array, self.options = ga, prepared(ga), array, options

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        versioned = max_version is not None and max_version[0] >= 1
        function = self.lib.ga_to_dlpack if versioned else self.lib.ga_to_dlpack_unversioned
        mode = {None: 0, True: 1, False: 2}[copy]
        tensor = function(self.array, options_of(self.lib, "to_dlpack", copy=mode, **self.options))
        self.ga.free(self.array)
        self.array = None
        if not tensor:
            raise BufferError(self.ga.error())
        return python.PyCapsule_New(tensor, VERSIONED if versioned else UNVERSIONED, None)


class Unversioned(Exporter):
    """The same as libraries of before version 1 have it."""

    def __dlpack__(self, *, stream=None):
        return super().__dlpack__(stream=stream)


def alive(ga):
    return ga.lib.ga_memory_stats().arrays


@case("to_dlpack", "to_dlpack_unversioned")
def to_dlpack(c):
    on_cpu(c)
    a = c.array()
    before, repeats = alive(c.ga), any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape))
    copy = c.pick(None, None, True, False) if c.name == "to_dlpack" else None
    export = (Exporter if c.name == "to_dlpack" else Unversioned)(c.ga, c.ga.wrap(a))
    b = np.from_dlpack(export, copy=copy) if c.name == "to_dlpack" else np.from_dlpack(export)
    exact(a, b)
    copied = copy or (repeats and c.name != "to_dlpack")
    if a.size and np.may_share_memory(a, b) == bool(copied):
        raise Mismatch(f"copy={copy}, and the memory is {'shared' if copied else 'another'}")
    if c.name == "to_dlpack" and repeats and not copied and b.flags.writeable and b.size:
        raise Mismatch("elements that repeat can be written")
    if b.flags.writeable and b.size and not copied and a.flags.writeable:
        b[...] = 0
        exact(np.zeros_like(a), a)
    del b, export
    gc.collect()
    if alive(c.ga) != before:
        raise Mismatch("an array is left")


@case("from_dlpack", "from_dlpack_unversioned")
def from_dlpack(c):
    on_cpu(c)
    a, lib, versioned = c.array(), prepared(c.ga), c.name == "from_dlpack"
    references = sys.getrefcount(a)
    try:
        capsule = a.__dlpack__(max_version=(1, 0)) if versioned else a.__dlpack__()
    except BufferError:
        raise Skip from None  # NumPy does not give it away: read-only
    name, mode = VERSIONED if versioned else UNVERSIONED, c.pick(0, 0, 1, 2)
    tensor = python.PyCapsule_GetPointer(capsule, name)
    python.PyCapsule_SetName(capsule, USED[name])
    read_only = not a.flags.writeable
    promise = c.chance(0.5)
    p = (lib.ga_from_dlpack if versioned else lib.ga_from_dlpack_unversioned)(tensor, options_of(lib, "from_dlpack", copy=mode, read_only=promise))
    if read_only and mode == 2 and not promise:
        if p or "read-only" not in c.ga.error():
            raise Mismatch("a read-only tensor became an array")
    else:
        if not p:
            raise Mismatch(c.ga.error())
        exact(a, c.ga.receive(p))
        copied = mode == 1 or (read_only and not promise)
        if a.size and (c.ga.lies[0] == a.__array_interface__["data"][0]) == copied:
            raise Mismatch(f"copy {mode}, read-only {read_only}, and the memory is {'shared' if copied else 'another'}")
    del capsule
    if sys.getrefcount(a) != references:
        raise Mismatch("NumPy's tensor was not ended once")


# ---- PNG --------------------------------------------------------------------------------------------------------------------------------

PARTS = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]  # Adam7: x, y, steps


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def row_bytes(samples, depth):
    if depth == 16:
        return samples.astype(">u2").tobytes()
    bits = (samples.astype(np.uint8)[:, None] >> np.arange(depth - 1, -1, -1) & 1).ravel()
    return np.packbits(bits.astype(np.uint8)).tobytes()


def guess(kind, left, up, corner):
    if kind == 4:
        away = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
        return (left, up, corner)[away.index(min(away))]
    return (0, left, up, (left + up) // 2)[kind]


def filtered(c, rows, step):
    """Each row behind the number of its filter, which is drawn."""
    out, above = bytearray(), bytes(len(rows[0]) if rows else 0)
    for row in rows:
        kind = c.r.randrange(5)
        out.append(kind)
        for i, v in enumerate(row):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            out.append((v - guess(kind, left, above[i], corner)) & 255)
        above = row
    return bytes(out)


def encode(c, samples, depth, colour, interlaced, extra):
    """samples (rows, columns, samples of a pixel) as PNG."""
    rows, columns, count = samples.shape
    raw = b""
    for x, y, dx, dy in PARTS if interlaced else [(0, 0, 1, 1)]:
        part = samples[y::dy, x::dx]
        if part.size:
            raw += filtered(c, [row_bytes(row.ravel(), depth) for row in part], max(1, depth * count // 8))
    packed = zlib.compress(raw, c.pick(0, 1, 9))
    cuts = sorted(c.r.randint(0, len(packed)) for _ in range(c.r.randint(0, 3)))
    pieces = [packed[i:j] for i, j in zip([0, *cuts], [*cuts, len(packed)])]
    header = struct.pack(">IIBBBBB", columns, rows, depth, colour, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"teXt", b"words") + extra + b"".join(chunk(b"IDAT", p) for p in pieces) + chunk(b"IEND", b"")


@case("imdecode", "imread")
def imdecode(c):
    colour = c.pick(0, 2, 3, 4, 6)
    depth = c.pick(*{0: (1, 2, 4, 8, 16), 3: (1, 2, 4, 8)}.get(colour, (8, 16)))
    count, extra = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour], b""
    rows, columns = c.r.randint(1, 20), c.r.randint(1, 20)
    samples = c.g.integers(0, 2**min(depth, c.pick(1, 16)), (rows, columns, count))
    want = (samples * (255 // (2**depth - 1)) if depth < 8 else samples).astype("u2" if depth == 16 else "u1")
    clear = c.chance(0.4)
    if colour == 3:
        palette = c.g.integers(0, 256, (c.r.randint(samples.max() + 1, 2**depth), 3)).astype("u1")
        extra, want = chunk(b"PLTE", palette.tobytes()), palette[samples[..., 0]]
        if clear:
            alpha = c.g.integers(0, 256, c.r.randint(1, len(palette))).astype("u1")
            extra += chunk(b"tRNS", alpha.tobytes())
            alpha = np.append(alpha, np.full(256, 255, "u1"))
            want = np.concatenate([want, alpha[samples]], -1)
    elif clear and colour in (0, 2):
        key = samples[c.r.randrange(rows), c.r.randrange(columns)]
        extra = chunk(b"tRNS", key.astype(">u2").tobytes())
        most = 65535 if depth == 16 else 255
        want = np.concatenate([want, np.where((samples == key).all(-1, keepdims=True), 0, most).astype(want.dtype)], -1)
    want = want[..., 0] if want.shape[-1] == 1 else want
    png = encode(c, samples, depth, colour, c.pick(0, 0, 1), extra)
    c.note("png", (rows, columns, depth, colour, png.hex() if len(png) < 400 else len(png)))
    if c.name == "imread":
        with open(scratch("a.png"), "wb") as file:
            file.write(png)
        c.judge(want, lambda: c.ga.imread(scratch("a.png")))
    else:
        data = c.view(np.frombuffer(png, "u1"))
        c.judge(want, lambda: c.ga.imdecode(data))


@case("imencode")
def imencode(c):
    """Read back by zlib and by rows."""
    on_cpu(c)
    a = c.array(np.dtype("u1"), (c.r.randint(1, 30), c.r.randint(1, 30), *c.pick((), (1,), (2,), (3,), (4,))))
    png = c.ga.imencode(a).tobytes()
    count = a.shape[2] if a.ndim == 3 else 1
    at, packed = 8, b""
    while at < len(png):
        n, kind = struct.unpack(">I4s", png[at:at + 8])
        data = png[at + 8:at + 8 + n]
        if png[at:at + 12 + n] != chunk(kind, data):
            raise Mismatch("a chunk is wrong")
        if kind == b"IHDR" and data != struct.pack(">IIBBBBB", a.shape[1], a.shape[0], 8, {1: 0, 2: 4, 3: 2, 4: 6}[count], 0, 0, 0):
            raise Mismatch(f"the header is {data.hex()}")
        packed += data if kind == b"IDAT" else b""
        at += 12 + n
    raw, width, rows = zlib.decompress(packed), a.shape[1] * count, []
    for r in range(a.shape[0]):
        kind, row = raw[r * (width + 1)], bytearray(raw[r * (width + 1) + 1:(r + 1) * (width + 1)])
        above = rows[-1] if rows else bytes(width)
        for i in range(width):
            left, corner = (row[i - count], above[i - count]) if i >= count else (0, 0)
            row[i] = (row[i] + guess(kind, left, above[i], corner)) & 255
        rows.append(bytes(row))
    exact(a, np.frombuffer(b"".join(rows), "u1").reshape(a.shape))
