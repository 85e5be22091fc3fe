"""gpuarr compared with NumPy and SciPy on random cases: what tests/oracle.py runs.

dtypes, structs      gpuarr's dtypes and structs
signatures, header   how the public functions are called; which of them the headers declare
binding              gpuarr called like NumPy; with a GPU, every call on both devices
comparing            exact, or within so many units in the last place
case                 one case: draws its arguments and judges the answer
outputs, windows, kernels, optional   what several families of cases share
cases/               the cases, a file for each family of functions
formula_text         random texts of formulas, which cases/formulas.py judges node by node
running              the command line
"""
