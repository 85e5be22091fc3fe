"""SciPy, which need not be installed: a case that asks for a part that is not there is skipped."""
import importlib

from .comparing import Skip


def part_of_scipy(name):
    try:
        return importlib.import_module("scipy." + name)
    except ImportError:
        raise Skip from None


def ndimage():
    return part_of_scipy("ndimage")


def signal():
    return part_of_scipy("signal")


def spatial_distance():
    return part_of_scipy("spatial.distance")
