# gpuarr: `make run` does the main job, `make test` proves that it works here; `make` alone lists every target.

CC      ?= cc
CFLAGS  ?= -O2
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wconversion
B        = build
EXAMPLES = $(patsubst examples/%.c,%,$(wildcard examples/*.c))
KERNELS  = heat life kmeans nbody primes julia sigmoid# have kernels of their own: for a GPU they are CUDA sources
PYTHON   = $(shell test -x $(B)/venv/bin/python && echo $(B)/venv/bin/python || echo python3)
DEVICE  ?= cpu
OUT     ?= out
CASES   ?= 200000
SEED    ?= 1
MPICC    = $(if $(shell command -v mpirun),$(shell command -v mpicc))
BENCH_OPTIONS = $(if $(QUICK),--quick) $(if $(ROWS),--only '$(ROWS)')

# The optional libraries that are installed (tools/libs.sh has the list): how to compile with them, and to link.
USE_LIBS = $(shell tools/libs.sh flags)
LIBS     = -lm -lpthread $(shell tools/libs.sh link)

# $(MADE) COMMAND... runs the command, with -o and the target, unless the target is current: the command, the compiler and the contents of all
# that it was made of are the same (tests/build.sh). So such rules name what must be made before, and no headers.
MADE     = @MADE_ECHO=1 tests/build.sh $@
PARALLEL = $(MAKE) --no-print-directory -j$(shell nproc)

# The GPU: nvcc from PATH, CUDA_HOME or /usr/local/cuda; for the GPU that is here, else for sm_90. Without nvcc or without a GPU
# DEVICE=cuda runs the kernels under tools/cudasim, on the CPU.
NVCC    ?= $(firstword $(shell command -v nvcc) $(wildcard $(CUDA_HOME)/bin/nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
GPU     := $(shell nvidia-smi -L 2>/dev/null | grep -q GPU && echo yes)
CUDA_ARCH ?= $(if $(GPU),native,sm_90)
SIM      = tools/cudasim
NO_NVCC  = there is a GPU, but nvcc was not found (set CUDA_HOME, or get the CUDA toolkit from developer.nvidia.com/cuda-downloads)
WHY_NOT  = $(if $(GPU),$(NO_NVCC),there is no NVIDIA GPU here)
BACKEND  = $(if $(filter cuda,$(DEVICE)),$(if $(and $(NVCC),$(GPU)),cuda/,cudasim/))

help: ## list the targets, and what they take
	@grep -hE '^[a-z%-]+:.*##' Makefile | sed 's/:.*## /\t/; s/%/NN/' | awk -F'\t' '{ printf "  make %-20s %s\n", $$1, $$2 }'
	@echo && sed -n 's/^#? /  /p' Makefile
#? DEVICE=cuda      run: on the GPU; without one, under tools/cudasim, on the CPU
#? FITS=image.fits  run: a picture of the sky of your own
#? T=NAME           test: this test alone, in the build that is made soonest: T=convolve, T=cuda_images, T='errors filters', T=oracle=sort,sum,
#?                  T=language; or in a build of that name: T=convolve:sanitized, T=cuda_images:check (plain, check, asan; gcc-O2, clang-O3 ...)
#? CASES=N SEED=N   oracle: how many cases (200000), and which
#? QUICK=1          bench: smaller and fewer, less than three minutes; curves: two
#? ROWS=TEXT        bench, curves: the rows whose name contains this; mutate: these rows, ROWS=tanh,add
#? AGAINST=COMMIT   bench: this tree beside that commit in place of NumPy ...; the rows that fell are named at the end (out/against.html)
#? OUT=FOLDER       where pictures, tables and the single header go (out)
#? CC, CFLAGS, NVCC, CUDA_ARCH   other compilers and flags

deps: ## install what is missing for run, test and check (Debian, root or sudo)
	@tools/deps.sh check

run: ## the main job: five pictures, and the sky; PNG files in out/
	@tools/deps.sh $(if $(filter cudasim/,$(BACKEND)),cudasim,run)
	@$(if $(filter cudasim/,$(BACKEND)),echo "gpuarr: $(WHY_NOT): cudasim runs the kernels on the CPU")
	@$(PARALLEL) $(B)/$(BACKEND)pictures $(B)/$(BACKEND)astronomy
	@mkdir -p '$(OUT)'
	$(B)/$(BACKEND)pictures --device $(DEVICE) --out '$(OUT)'
	$(B)/$(BACKEND)astronomy $(FITS) --device $(DEVICE) --out '$(OUT)'

examples: ## build all examples in build/ (DEVICE=cuda: in build/cuda/, or for cudasim in build/cudasim/)
	@tools/deps.sh $(if $(filter cudasim/,$(BACKEND)),cudasim,run)
	@$(PARALLEL) $(EXAMPLES:%=$(B)/$(BACKEND)%)

test: ## the test suite, or one test of it (T=NAME); ends with 'N passed, N failed, N skipped'
	@$(if $(T),,tools/deps.sh test)
	@tests/run.sh $(if $(T),one $(T),test)

check: ## everything that CI runs: the tests in every build, fuzzing, formatting, generated parts
	@tools/deps.sh check
	@tests/run.sh check

cudasim: ## the tests on GPU arrays, with tools/cudasim in place of a GPU: plain, checked, with ASan
	@tools/deps.sh test
	@tests/run.sh cudasim

gpu: ## the tests, the sanitizers and the benchmark on the GPU of this machine (needs nvcc; at most 9 minutes)
	@tools/gpu_run

ptx: ## compile for sm_75 and sm_90 and judge the kernels: spills, 16-byte accesses, contraction (needs nvcc)
	@tools/ptx_gate

exercises: ## list the exercises for students
	@examples/exercises/run.sh list

exercise-%: ## build exercise NN, run it, and say what is wrong
	@tools/deps.sh exercises
	@examples/exercises/run.sh $*

exercises-solutions: ## every solution passes, and every exercise as it is handed out fails with its intended message
	@tools/deps.sh exercises
	@examples/exercises/run.sh solutions

oracle: ## many random cases against NumPy and SciPy, half of them of the functions in tests/names.txt
	@$(PARALLEL) $(B)/libgpuarr.so
	$(PYTHON) tests/oracle.py --lib $(B)/libgpuarr.so --half tests/names.txt --cases $(CASES) --seed $(SEED) --table

python: ## gpuarr from Python: build build/libgpuarr.so, and say how to use it
	@tools/deps.sh run
	@$(PARALLEL) $(B)/libgpuarr.so
	@echo "gpuarr from Python:  PYTHONPATH=tools/python python3 -c 'import gpuarr as ga; x = ga.linspace(0, 1, 5); print(ga.sin(x) + 1)'"

mutate: ## is every row of the table checked? each is made wrong once, and the oracle must see it (ROWS=tanh,add: these; goes on where it was)
	$(PYTHON) tests/mutate.py --rows '$(ROWS)'

ulp: $(B)/ulp ## largest errors of the elementary functions: float32 over all 2^32 inputs (about 20 minutes)
	$(B)/ulp

bench: ## gpuarr beside NumPy, SciPy, Numba, OpenCV ... in pairs: out/bench.html to sort and filter, bench.png, bench.json
	@tools/deps.sh test
	@$(PARALLEL) $(B)/bench
	$(if $(AGAINST),tools/bench_against '$(AGAINST)',$(PYTHON) tools/bench.py) $(B)/bench --out '$(OUT)' $(BENCH_OPTIONS)

curves: ## time per element from 10^3 to 10^9 elements, on threads and ranks, beside the peers: out/curves.html (10 minutes; QUICK=1: 2)
	@tools/deps.sh test
	@$(PARALLEL) $(B)/bench $(if $(MPICC),$(B)/bench_mpi)
	$(PYTHON) tools/bench.py $(B)/bench --curves $(if $(MPICC),--mpi $(B)/bench_mpi) --out '$(OUT)' $(BENCH_OPTIONS)

bench-deps: ## install the peers that `make bench` times, from PyPI into build/venv
	@tools/deps.sh bench

single: ## write out/gpuarr.h: the headers and their folder in one file
	@mkdir -p '$(OUT)' && tools/single >'$(OUT)/gpuarr.h.part' || { rm -f '$(OUT)/gpuarr.h.part'; exit 1; }
	@mv '$(OUT)/gpuarr.h.part' '$(OUT)/gpuarr.h' && echo '$(OUT)/gpuarr.h'

front: $(B)/gentable ## regenerate the front macros in gpuarr/face/front.h and the table in gpuarr/rows/README.md from the rows
	@$(B)/gentable front > $(B)/front && $(B)/gentable docs > $(B)/docs
	@sed -i -e '/^\/\* BEGIN GENERATED/,/^\/\* END GENERATED/{/BEGIN/{p;r $(B)/front' -e '};/END/p;d;}' gpuarr/face/front.h
	@sed -i -e '/^<!-- BEGIN TABLE/,/^<!-- END TABLE/{/BEGIN/{p;r $(B)/docs' -e '};/END/p;d;}' gpuarr/rows/README.md

clean: ## remove build/ and out/
	rm -rf $(B) out

# ---- programs ---------------------------------------------------------------------------------------------------------------------------

$(B)/gentable: FORCE
	$(MADE) $(CC) -std=c11 $(WARN) -I. tools/gentable.c

$(B)/ulp: FORCE
	$(MADE) $(CC) -std=gnu11 $(CFLAGS) -I. tests/ulp.c -lm -lpthread -lquadmath

$(B)/bench: FORCE
	$(MADE) $(CC) $(CFLAGS) $(WARN) -I. tools/bench.c -lm -lpthread

$(B)/bench_mpi: FORCE
	$(MADE) $(MPICC) $(CFLAGS) -DBENCH_MPI -I. tools/bench.c -lm -lpthread

# ---- the implementation apart from the programs: the CPU's in parts, for Python; for a GPU ----------------------------------------------

CPU_OBJECTS = $(patsubst %,$(B)/lib/%.o,RUNTIME AVX2 AVX512 BASELINE)
$(CPU_OBJECTS): $(B)/lib/%.o: FORCE
	$(MADE) $(CC) -std=c11 $(CFLAGS) -fPIC -DGPUARR_PART=GPUARR_$* -I. $(USE_LIBS) -c tests/impl.c

# The examples share one implementation, which is compiled once. (What formulas need of it takes each of them long, compiled alone.)
$(EXAMPLES:%=$(B)/%.o): $(B)/%.o: FORCE
	$(MADE) $(CC) -std=c11 $(CFLAGS) $(WARN) -I. -DGPUARR_IMPLEMENTED $(USE_LIBS) -c examples/$*.c

$(EXAMPLES:%=$(B)/%): %: %.o $(CPU_OBJECTS) FORCE
	$(MADE) $(CC) $@.o $(CPU_OBJECTS) $(LIBS)

# The shared libraries are for Python: tools/python, tests/oracle.py, which has kernels of its own, and tools/gpu_bench.py.
$(B)/libgpuarr.so: $(CPU_OBJECTS) FORCE
	$(MADE) $(CC) -std=c11 $(CFLAGS) -fPIC -shared -I. tests/oracle_kernels.c tools/python/sharing.c $(CPU_OBJECTS) $(LIBS)

$(B)/python_sharing.o: FORCE
	$(MADE) $(CC) -std=c11 $(CFLAGS) -fPIC -I. -c tools/python/sharing.c

# -fmad=false: nvcc must not fuse the products and sums of a program's own kernels, or they have other bits than on the CPU.
NO_IMPL = -I. -DGPUARR_IMPLEMENTED
KERNELS_BY_NVCC = $(NVCC) -std=c++17 -arch=$(CUDA_ARCH) -O2 -fmad=false -x cu
$(B)/cuda/impl.o: FORCE
	$(MADE) $(NVCC) -std=c++17 -arch=$(CUDA_ARCH) -O2 --compress-mode=size --split-compile=0 -Xcompiler -fPIC -I. $(USE_LIBS) -x cu -c tests/impl.c

$(EXAMPLES:%=$(B)/cuda/%.o): $(B)/cuda/%.o: FORCE
	$(MADE) $(if $(filter $*,$(KERNELS)),$(KERNELS_BY_NVCC),$(CC) -std=c11 $(CFLAGS) $(WARN)) $(NO_IMPL) -c examples/$*.c

$(EXAMPLES:%=$(B)/cuda/%): %: %.o $(B)/cuda/impl.o FORCE
	$(MADE) $(NVCC) $@.o $(B)/cuda/impl.o $(LIBS)

$(B)/cuda/oracle_kernels.o: FORCE
	$(MADE) $(NVCC) -std=c++17 -arch=$(CUDA_ARCH) -O2 -fmad=false -Xcompiler -fPIC -x cu -I. -c tests/oracle_kernels.c

$(B)/libgpuarr-cuda.so: $(B)/cuda/impl.o $(B)/cuda/oracle_kernels.o $(B)/python_sharing.o FORCE
	$(MADE) $(NVCC) -shared $(B)/cuda/impl.o $(B)/cuda/oracle_kernels.o $(B)/python_sharing.o $(LIBS)

# ---- under cudasim: the GPU's part of the implementation is C++, the rest is as for the CPU ---------------------------------------------

SIM_CXX     = $(CXX) -std=c++17 -O1 -g1 -fPIC -I$(SIM)/include -I. -include cuda_runtime.h -x c++
SIM_OBJECTS = $(patsubst %,$(B)/cudasim/%.o,GPU RUNTIME BASELINE cudasim)
$(B)/cudasim/GPU.o: FORCE
	$(MADE) $(SIM_CXX) -DGPUARR_BASELINE_ONLY -DGPUARR_PART=GPUARR_GPU $(USE_LIBS) -c tests/impl.c

$(B)/cudasim/RUNTIME.o $(B)/cudasim/BASELINE.o: $(B)/cudasim/%.o: FORCE
	$(MADE) $(CC) -std=c11 $(CFLAGS) -fPIC -DGPUARR_BASELINE_ONLY -DGPUARR_WITH_CUDA -DGPUARR_PART=GPUARR_$* -I. $(USE_LIBS) -c tests/impl.c

$(B)/cudasim/cudasim.o: FORCE
	$(MADE) $(CXX) -std=c++17 -O2 -g1 -fPIC -fno-semantic-interposition -I$(SIM)/include -c $(SIM)/cudasim.cpp

$(EXAMPLES:%=$(B)/cudasim/%.o): $(B)/cudasim/%.o: FORCE
	$(MADE) $(if $(filter $*,$(KERNELS)),$(SIM_CXX),$(CC) -std=c11 $(CFLAGS) $(WARN)) $(NO_IMPL) -c examples/$*.c

$(EXAMPLES:%=$(B)/cudasim/%): %: %.o $(SIM_OBJECTS) FORCE
	$(MADE) $(CXX) -rdynamic $@.o $(SIM_OBJECTS) $(LIBS) -ldl

$(B)/cudasim/oracle_kernels.o: FORCE
	$(MADE) $(SIM_CXX) -c tests/oracle_kernels.c

$(B)/libgpuarr-cudasim.so: $(B)/cudasim/oracle_kernels.o $(B)/python_sharing.o $(SIM_OBJECTS) FORCE
	$(MADE) $(CXX) -shared $(B)/cudasim/oracle_kernels.o $(B)/python_sharing.o $(SIM_OBJECTS) $(LIBS) -ldl

FORCE:

.PHONY: help deps run examples test check cudasim gpu ptx exercises exercises-solutions oracle python ulp bench bench-deps curves single front clean FORCE
