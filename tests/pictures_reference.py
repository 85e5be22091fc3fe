#!/usr/bin/env python3
"""The five pictures of the seed notebook, made by NumPy: what examples/pictures.c must equal, pixel by pixel.

    pictures_reference.py > tests/pictures_expected.txt    name, sums of the three channels, CRC-32 of the bytes r g b r g b ...
    pictures_reference.py OUT                              compares OUT/flag.png ... with NumPy's pixels and names those that differ
"""
import struct
import sys
import zlib

import numpy


def flag():
    rgb = numpy.zeros((9, 18, 3))
    rgb[:4, :9, 2] = rgb[4:, :, :] = rgb[:, 9:, :] = 1
    rgb[::2, :, 1:] = 0
    return rgb


def gauss():
    rgb = numpy.zeros((300, 600, 3))
    y, x = numpy.mgrid[0:300, 0:600]
    rgb[:, :, 0] = numpy.exp(0 - (x - 300)**2/100**2 - (y - 100)**2/100**2)
    rgb[:, :, 1] = numpy.exp(0 - (x - 200)**2/100**2 - (y - 200)**2/100**2)
    rgb[:, :, 2] = numpy.exp(0 - (x - 400)**2/100**2 - (y - 200)**2/100**2)
    return rgb


def sin():
    rgb = numpy.zeros((300, 600, 3))
    y, x = numpy.mgrid[0:300, 0:600]
    rgb[20:220, 20:520, 0] = (numpy.sin(((x +  0)/100)**2 + ((y +  0)/100)**2))[20:220, 20:520]
    rgb[50:250, 80:580, 1] = (numpy.sin(((x + 10)/100)**2 + ((y +  0)/100)**2))[50:250, 80:580]
    rgb[80:280, 50:550, 2] = (numpy.sin(((x +  0)/100)**2 + ((y + 25)/100)**2))[80:280, 50:550]
    return rgb


def plaid():
    rgb = numpy.zeros((300, 600, 3)); y, x = numpy.mgrid[0:300, 0:600]
    rgb[:, :, 0] = numpy.sin((x +  0)/50)**2 + numpy.cos((y +  0)/50)**2
    rgb[:, :, 1] = numpy.sin((x + 25)/50)**2 + numpy.cos((y +  0)/50)**2
    rgb[:, :, 2] = numpy.sin((x +  0)/50)**2 + numpy.cos((y + 25)/50)**2
    rgb[rgb > 1.3] = numpy.sqrt(rgb[rgb > 1.3])
    return rgb


def dask():
    y, x = numpy.mgrid[0:300, 0:600]
    r = numpy.sin(((x +  0)/100)**2 + ((y +  0)/100)**2)
    g = numpy.sin(((x + 10)/100)**2 + ((y +  0)/100)**2)
    b = numpy.sin(((x +  0)/100)**2 + ((y + 25)/100)**2)
    return numpy.stack([r, g, b], axis=-1)


def pixels(rgb):
    """The notebook's png(): normalize the value ranges and convert to one byte per channel."""
    mini, maxi = rgb.min(), rgb.max()
    return ((255 / (maxi - mini))*(rgb - mini)).astype("u1")


def read_png(path):
    """The pixels of an 8-bit PNG without interlacing: (rows, columns, channels)."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, tag = struct.unpack(">I4s", data[at:at + 8])
        if tag == b"IHDR":
            columns, rows, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", data[at + 8:at + 8 + size])
            assert depth == 8 and interlace == 0, path
            channels = {0: 1, 4: 2, 2: 3, 6: 4}[colour]
        if tag == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    lines = numpy.frombuffer(zlib.decompress(packed), "u1").reshape(rows, 1 + columns * channels)
    above, out = [0] * (columns * channels), numpy.empty((rows, columns * channels), "u1")
    for row, (kind, *line) in enumerate(lines.tolist()):
        for i in range(len(line)):
            left, corner = (line[i - channels], above[i - channels]) if i >= channels else (0, 0)
            p = left + above[i] - corner  # Paeth: whichever neighbour is nearest to it
            paeth = min((left, above[i], corner), key=lambda value: abs(p - value))
            line[i] = line[i] + (0, left, above[i], (left + above[i]) // 2, paeth)[kind] & 255
        out[row] = above = line
    return out.reshape(rows, columns, channels)


different = 0
for name, picture in dict(flag=flag, gauss=gauss, sin=sin, plaid=plaid, dask=dask).items():
    want = pixels(picture())
    if len(sys.argv) == 1:
        print(name, *want.sum(axis=(0, 1), dtype=int), f"{zlib.crc32(want.tobytes()):08x}")
        continue
    got = read_png(f"{sys.argv[1]}/{name}.png")
    if got.shape != want.shape:
        print(f"{name}: shape {got.shape}, NumPy has {want.shape}")
        different += 1
        continue
    bad = numpy.argwhere(got != want)
    print(f"{name}: {want.size - len(bad)} of {want.size} bytes as NumPy's")
    for row, column, channel in bad[:10]:
        print(f"  [{row}, {column}, {channel}] is {got[row, column, channel]}, NumPy has {want[row, column, channel]}")
    different += len(bad)
sys.exit(different > 0)
