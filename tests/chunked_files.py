"""chunked_files.py PROGRAM -- Zarr and .npy files as others write them, read by tests/chunked_files.c; and what ga_store writes, read by
NumPy, and by zarr-python and h5py where they are installed. The chunks are packed here by hand, so NumPy is all that is needed."""
import gzip, itertools, json, os, subprocess, sys, tempfile, zlib

import numpy as np

DTYPES = ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8", "<c8", "<c16"]


def write_zarr(path, a, chunks, order="C", pack=None, separator=".", fill=0, leave_out=()):
    os.makedirs(path)
    meta = dict(zarr_format=2, shape=a.shape, chunks=chunks, dtype=a.dtype.str, order=order, fill_value=fill, filters=None)
    meta["compressor"] = {"id": pack, "level": 1} if pack else None
    if separator != ".":
        meta["dimension_separator"] = separator
    json.dump(meta, open(f"{path}/.zarray", "w"), indent=4)
    for index in itertools.product(*[range(-(-n // c)) for n, c in zip(a.shape, chunks)]):
        if index in leave_out:
            continue
        chunk = np.zeros(chunks, a.dtype)
        part = a[tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, chunks))]
        chunk[tuple(slice(n) for n in part.shape)] = part
        data = chunk.tobytes(order)
        data = {"zlib": zlib.compress, "gzip": gzip.compress, None: bytes}[pack](data)
        name = f"{path}/" + (separator.join(map(str, index)) or "0")
        os.makedirs(os.path.dirname(name), exist_ok=True)
        open(name, "wb").write(data)


def read_zarr(path):
    meta = json.load(open(f"{path}/.zarray"))
    assert meta["zarr_format"] == 2 and meta["filters"] is None and meta["order"] == "C", meta
    unpack = {"zlib": zlib.decompress, "gzip": gzip.decompress, None: bytes}[meta["compressor"] and meta["compressor"]["id"]]
    a, chunks = np.empty(meta["shape"], meta["dtype"]), meta["chunks"]
    for index in itertools.product(*[range(-(-n // c)) for n, c in zip(a.shape, chunks)]):
        data = unpack(open(f"{path}/" + (".".join(map(str, index)) or "0"), "rb").read())
        chunk = np.frombuffer(data, meta["dtype"]).reshape(chunks)
        part = a[(..., *[slice(i * c, (i + 1) * c) for i, c in zip(index, chunks)])]
        part[...] = chunk[tuple(slice(n) for n in part.shape)]
    return a


def main(program):
    rng = np.random.default_rng(1)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        count = itertools.count()
        references = []

        def name(kind, a, order="<"):
            stem = f"{folder}/{next(count)}_{kind}"
            np.save(stem + ".npy", np.array(a, dtype=a.dtype.newbyteorder("<"), order="C"))
            references.append(stem)
            return stem

        for dtype in DTYPES:
            a = rng.integers(0, 2 if dtype == "|b1" else 100, (13, 17)).astype(dtype)
            if a.dtype.kind == "c":
                a = a + 1j * rng.random(a.shape).astype("f4").astype(a.dtype)
            if a.dtype.kind == "f":
                a[3, 4] = np.nan
            for pack, order, swap in itertools.product((None, "zlib", "gzip"), "CF", (False, True)):
                b = a.astype(a.dtype.newbyteorder(">")) if swap else a
                write_zarr(name("zarr", a) + ".zarr", b, (5, 6), order, pack, "/" if swap else ".")
            np.save(name("fortran", a) + ".raw.npy", np.asfortranarray(a.astype(a.dtype.newbyteorder(">"))))
        for fill, dtype, value in (("NaN", "<f8", np.nan), ("-Infinity", "<f4", -np.inf), (1.5, "<f8", 1.5), (None, "<i4", 0), (-3, "|i1", -3),
                                   (2**64 - 1, "<u8", 2**64 - 1), (-2**63, "<i8", -2**63), (True, "|b1", True), ([1.5, "NaN"], "<c16", complex(1.5, np.nan))):
            a = np.ones((9, 4), dtype)
            a[4:8, :4] = value
            write_zarr(name("fill", a) + ".zarr", a, (4, 4), fill=fill, leave_out=((1, 0),))
        for shape, chunks in (((), ()), ((7,), (3,)), ((3, 4, 5, 2), (2, 3, 2, 2)), ((4, 3), (10, 10)), ((0, 3), (1, 1))):
            a = rng.random(shape)
            write_zarr(name("shape", a) + ".zarr", a, chunks, "F")
        try:
            import h5py

            for dtype in DTYPES:
                a = rng.integers(0, 2 if dtype == "|b1" else 100, (13, 17)).astype(dtype)
                for k, options in enumerate((dict(), dict(chunks=(5, 6)), dict(chunks=(5, 6), compression="gzip", shuffle=True))):
                    with h5py.File(name("hdf5", a) + ".h5", "w") as f:
                        f.create_dataset("group/x", data=a.astype(a.dtype.newbyteorder(">")) if k == 1 else a, **options)
        except ImportError:
            print("SKIP h5py is not installed: no HDF5 files to read")
        run = subprocess.run([program, folder], capture_output=True, text=True)
        print(run.stdout + run.stderr)
        last = [line for line in run.stdout.splitlines() if " passed, " in line]
        if run.returncode != 0 or not last:
            failed += 1
        if last:
            words = last[-1].replace(",", "").split()
            passed, failed = passed + int(words[0]), failed + int(words[2])
        try:
            import zarr
        except ImportError:
            zarr = None
        for stem in references:
            a = np.load(stem + ".npy")
            folders = (".out.zarr", ".out.zlib.zarr", ".out.gzip.zarr")
            readers = [(".out.npy", np.load), *((suffix, read_zarr) for suffix in folders)]
            if zarr:
                readers += [(suffix, lambda path: zarr.open(path, mode="r")[...]) for suffix in folders]
            for suffix, read in readers:
                if not os.path.exists(stem + suffix):
                    continue
                b = read(stem + suffix)
                if b.dtype == a.dtype and b.shape == a.shape and b.tobytes() == a.tobytes():
                    passed += 1
                else:
                    failed += 1
                    print(f"FAIL {stem + suffix} is not what was stored")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main(sys.argv[1]))
