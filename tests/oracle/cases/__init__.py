"""The cases. To add an operation: give its signature in ../signatures.py, then, in the file of its family,

    @case("flip")
    def flip(c):
        a, axis = c.array(), c.axis()
        c.compare(np.flip, c.ga.flip, a, axis=axis)

The operations take turns in the order of these files, the rows of the table last.
"""
from . import reductions, where, comparisons, copies, order, cumulative, products, rearranging, selecting, histograms, views, properties, linear
from . import chance, shaping, differencing, searching, creation, files, images, distances, clipping, convolution, rank_filters, filters, own_elementwise, own_reductions, own_stencils, fourier, numbers, halves, places, morphology, interpolation, regions, signals, exchange
