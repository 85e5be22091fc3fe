"""Archives that C writes loosely, compressed by Python."""
import os
import shutil
import tempfile
import zipfile

from .native import functions as ga


def write_compressed(path, arrays, named):
    """Writes beside the file, which it replaces when all is there, and on the disk (set_fsync)."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        made = os.path.join(folder, "packed.npz")
        ga.savez(os.path.join(folder, "loose.npz"), *arrays, **named)
        with zipfile.ZipFile(os.path.join(folder, "loose.npz")) as loose, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in loose.namelist():
                with loose.open(name) as from_, packed.open(name, "w", force_zip64=True) as to:
                    shutil.copyfileobj(from_, to)
        if os.path.exists(path):
            shutil.copymode(path, made)
        if ga.get_fsync():
            with open(made, "rb") as packed:
                os.fsync(packed.fileno())
        os.replace(made, path)
