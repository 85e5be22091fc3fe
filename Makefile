# gpuarr: `make run` does the main job, `make test` proves that it works here; `make` alone lists every target.

CC      ?= cc
CFLAGS  ?= -O2
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wconversion
B        = build
EXAMPLES = first pictures chunked_picture distance_matrix monthly_mean delayed astronomy convolution distances heat life kmeans nbody primes julia sigmoid
KERNELS  = heat life kmeans nbody primes julia sigmoid# have kernels of their own: for a GPU they are CUDA sources
HEADERS  = $(wildcard gpuarr*.h gpuarr/*/*.h)
PYTHON   = $(shell test -x $(B)/venv/bin/python && echo $(B)/venv/bin/python || echo python3)
DEVICE  ?= cpu
OUT     ?= out
CASES   ?= 200000
SEED    ?= 1

# CFITSIO is used where it is installed; without it the examples run, and only reading FITS says what is missing.
FITS_OK := $(shell printf '\043include <fitsio.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
LIBS     = -lm -lpthread
ifeq ($(FITS_OK),yes)
FITSFLAGS = -DGPUARR_USE_CFITSIO
LIBS     += -lcfitsio
endif
# So is FFTW, for convolutions by Fourier transforms.
FFTW_OK := $(shell printf '\043include <fftw3.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
ifeq ($(FFTW_OK),yes)
FITSFLAGS += -DGPUARR_USE_FFTW
LIBS      += -lfftw3 -lfftw3f
endif
# And libhdf5, for ga_open of HDF5 and NetCDF-4 files.
HDF5_OK := $(shell pkg-config --exists hdf5 2>/dev/null && echo yes)
ifeq ($(HDF5_OK),yes)
FITSFLAGS += -DGPUARR_USE_HDF5 $(shell pkg-config --cflags hdf5)
LIBS      += $(shell pkg-config --libs hdf5)
endif
# And zlib, for ga_store of packed Zarr.
ZLIB_OK := $(shell printf '\043include <zlib.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
ifeq ($(ZLIB_OK),yes)
FITSFLAGS += -DGPUARR_USE_ZLIB
LIBS      += -lz
endif

# The GPU: nvcc from PATH, CUDA_HOME or /usr/local/cuda; for the GPU that is here, else for sm_90. Without nvcc or without a GPU
# DEVICE=cuda runs the kernels under tools/cudasim, on the CPU.
NVCC    ?= $(firstword $(shell command -v nvcc) $(wildcard $(CUDA_HOME)/bin/nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
GPU     := $(shell nvidia-smi -L 2>/dev/null | grep -q GPU && echo yes)
CUDA_ARCH ?= $(if $(GPU),native,sm_90)
SIM      = tools/cudasim
NO_NVCC  = there is a GPU, but nvcc was not found (set CUDA_HOME, or get the CUDA toolkit from developer.nvidia.com/cuda-downloads)
WHY_NOT  = $(if $(GPU),$(NO_NVCC),there is no NVIDIA GPU here)
BACKEND  = $(if $(filter cuda,$(DEVICE)),$(if $(and $(NVCC),$(GPU)),cuda/,cudasim/))

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F'\t' '{ printf "  make %-20s %s\n", $$1, $$2 }'

deps: ## install what is missing for run, test and check (Debian, root or sudo)
	@tools/deps.sh check

run: ## the main job: five pictures, and the sky (make run FITS=image.fits, DEVICE=cuda); pictures in out/
	@tools/deps.sh $(if $(filter cudasim/,$(BACKEND)),cudasim,run)
	@$(if $(filter cudasim/,$(BACKEND)),echo "gpuarr: $(WHY_NOT): cudasim runs the kernels on the CPU")
	@$(MAKE) --no-print-directory $(B)/$(BACKEND)pictures $(B)/$(BACKEND)astronomy
	@mkdir -p $(OUT)
	$(B)/$(BACKEND)pictures --device $(DEVICE) --out $(OUT)
	$(B)/$(BACKEND)astronomy $(FITS) --device $(DEVICE) --out $(OUT)

test: ## the test suite; ends with 'N passed, N failed, N skipped'
	@tools/deps.sh test
	@$(MAKE) --no-print-directory $(B)/gentable
	@tests/run.sh test

check: ## everything that CI runs: the tests, fuzzing, formatting, generated parts
	@tools/deps.sh check
	@$(MAKE) --no-print-directory $(B)/gentable
	@tests/run.sh check

cudasim: ## the tests on GPU arrays, with tools/cudasim in place of a GPU
	@tools/deps.sh test
	@tests/run.sh cudasim

gpu: ## the tests, the sanitizers and the benchmark on the GPU of this machine (needs nvcc; at most 9 minutes)
	@tools/gpu_run

ptx: ## compile for sm_75 and sm_90 and judge the kernels: spills, 16-byte accesses, contraction (needs nvcc)
	@tools/ptx_gate

exercises: ## list the exercises for students; make exercise-07 builds one, runs it and says what is wrong
	@examples/exercises/run.sh list

exercise-%:
	@tools/deps.sh exercises
	@examples/exercises/run.sh $*

exercises-solutions: ## every solution passes, and every exercise as it is handed out fails with its intended message
	@tools/deps.sh exercises
	@examples/exercises/run.sh solutions

oracle: $(B)/libgpuarr.so ## many random cases against NumPy and SciPy (CASES=200000 SEED=1)
	$(PYTHON) tests/oracle.py --lib $(B)/libgpuarr.so --cases $(CASES) --seed $(SEED) --table

ulp: $(B)/ulp ## largest errors of the elementary functions: float32 over all 2^32 inputs (about 20 minutes)
	$(B)/ulp

bench: ## gpuarr beside NumPy, SciPy, Numba, OpenCV ... in one run; table, out/bench.json, out/bench.png (QUICK=1: < 3 minutes)
	@tools/deps.sh test
	@$(MAKE) --no-print-directory $(B)/bench
	$(PYTHON) tools/bench.py $(B)/bench --out $(OUT) $(if $(QUICK),--quick) $(if $(ROWS),--only '$(ROWS)')

bench-deps: ## install the peers that `make bench` times, from PyPI into build/venv
	@tools/deps.sh bench

front: $(B)/gentable ## regenerate the front macros in gpuarr/face/front.h and the table in gpuarr/rows/README.md from the rows
	@$(B)/gentable front > $(B)/front && $(B)/gentable docs > $(B)/docs
	@sed -i -e '/^\/\* BEGIN GENERATED/,/^\/\* END GENERATED/{/BEGIN/{p;r $(B)/front' -e '};/END/p;d;}' gpuarr/face/front.h
	@sed -i -e '/^<!-- BEGIN TABLE/,/^<!-- END TABLE/{/BEGIN/{p;r $(B)/docs' -e '};/END/p;d;}' gpuarr/rows/README.md

clean: ## remove build/ and out/
	rm -rf $(B) out

$(B)/gentable: tools/gentable.c gpuarr.h gpuarr/rows/table.h
	@mkdir -p $(B)
	$(CC) -std=c11 $(WARN) -I. $< -o $@

$(EXAMPLES:%=$(B)/%): $(B)/%: examples/%.c $(HEADERS)
	@mkdir -p $(B)
	$(CC) -std=c11 $(CFLAGS) $(WARN) -Wno-misleading-indentation -I. $(FITSFLAGS) $< -o $@ $(LIBS)

# With CUDA the implementation is compiled once and linked to each program, which then includes the header alone. -fmad=false: nvcc
# must not fuse the products and sums of a program's own kernels, or they have other bits than on the CPU.
NO_IMPL  = -I. -DGPUARR_IMPLEMENTED -c
$(B)/cuda/impl.o: tests/impl.c $(HEADERS)
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -arch=$(CUDA_ARCH) -O2 --compress-mode=size --split-compile=0 -Xcompiler -fPIC -I. $(FITSFLAGS) -x cu -c $< -o $@

$(EXAMPLES:%=$(B)/cuda/%): $(B)/cuda/%: examples/%.c $(B)/cuda/impl.o
	$(if $(filter $*,$(KERNELS)),$(NVCC) -std=c++17 -arch=$(CUDA_ARCH) -O2 -fmad=false -x cu,$(CC) -std=c11 $(CFLAGS) $(WARN)) $(NO_IMPL) $< -o $@.o
	$(NVCC) $@.o $(B)/cuda/impl.o -o $@ $(LIBS)

# The shared libraries are for Python: tests/oracle.py, which has kernels of its own, and tools/gpu_bench.py.
$(B)/cuda/oracle_kernels.o: tests/oracle_kernels.c $(HEADERS)
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -arch=$(CUDA_ARCH) -O2 -fmad=false -Xcompiler -fPIC -x cu -I. -c $< -o $@

$(B)/libgpuarr-cuda.so: $(B)/cuda/impl.o $(B)/cuda/oracle_kernels.o
	$(NVCC) -shared $^ -o $@ $(LIBS)

$(B)/cudasim/impl.o: tests/impl.c $(HEADERS)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O1 -g1 -DGPUARR_BASELINE_ONLY -fPIC -I$(SIM)/include -I. $(FITSFLAGS) -include cuda_runtime.h -x c++ -c $< -o $@

$(B)/cudasim/cudasim.o: $(SIM)/cudasim.cpp $(wildcard $(SIM)/src/*) $(wildcard $(SIM)/include/*)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O2 -g1 -fPIC -I$(SIM)/include -c $< -o $@

$(EXAMPLES:%=$(B)/cudasim/%): $(B)/cudasim/%: examples/%.c $(B)/cudasim/impl.o $(B)/cudasim/cudasim.o
	$(if $(filter $*,$(KERNELS)),$(CXX) -std=c++17 -O1 -I$(SIM)/include -include cuda_runtime.h -x c++,$(CC) -std=c11 $(CFLAGS) $(WARN)) $(NO_IMPL) $< -o $@.o
	$(CXX) -rdynamic $@.o $(B)/cudasim/impl.o $(B)/cudasim/cudasim.o -o $@ $(LIBS) -ldl

$(B)/cudasim/oracle_kernels.o: tests/oracle_kernels.c $(HEADERS)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O1 -g1 -fPIC -I$(SIM)/include -I. -include cuda_runtime.h -x c++ -c $< -o $@

$(B)/libgpuarr-cudasim.so: $(B)/cudasim/impl.o $(B)/cudasim/oracle_kernels.o $(B)/cudasim/cudasim.o
	$(CXX) -shared $^ -o $@ $(LIBS) -ldl

$(B)/libgpuarr.so: tests/impl.c tests/oracle_kernels.c $(HEADERS)
	@mkdir -p $(B)
	$(CC) -std=c11 $(CFLAGS) -fPIC -shared -I. $(FITSFLAGS) $(filter %.c,$^) -o $@ $(LIBS)

$(B)/ulp: tests/ulp.c $(HEADERS)
	@mkdir -p $(B)
	$(CC) -std=gnu11 $(CFLAGS) -I. $< -o $@ -lm -lpthread -lquadmath

$(B)/bench: tools/bench.c $(HEADERS)
	@mkdir -p $(B)
	$(CC) $(CFLAGS) $(WARN) -Wno-misleading-indentation -I. $< -o $@ -lm -lpthread

.PHONY: help deps run test check cudasim gpu ptx exercises exercises-solutions oracle ulp bench bench-deps front clean
