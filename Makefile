# gpuarr: `make run` does the main job, `make test` proves that it works here; `make` alone lists every target.

CC      ?= cc
CFLAGS  ?= -O2
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wconversion
B        = build
HEADERS  = gpuarr.h gpuarr_cpu.h
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

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F'\t' '{ printf "  make %-10s %s\n", $$1, $$2 }'

deps: ## install what is missing for run, test and check (Debian, root or sudo)
	@tools/deps.sh check

run: ## the main job: five pictures, and the sky (make run FITS=image.fits for your own); pictures in out/
	@tools/deps.sh run
	@$(MAKE) --no-print-directory $(B)/pictures $(B)/astronomy
	@mkdir -p $(OUT)
	$(B)/pictures --device $(DEVICE) --out $(OUT)
	$(B)/astronomy $(FITS) --device $(DEVICE) --out $(OUT)

test: ## the test suite; ends with 'N passed, N failed, N skipped'
	@tools/deps.sh test
	@$(MAKE) --no-print-directory $(B)/gentable
	@tests/run.sh test

check: ## everything that CI runs: the tests, fuzzing, formatting, generated parts
	@tools/deps.sh check
	@$(MAKE) --no-print-directory $(B)/gentable
	@tests/run.sh check

oracle: $(B)/libgpuarr.so ## many random cases against NumPy and SciPy (CASES=200000 SEED=1)
	$(PYTHON) tests/oracle.py --lib $(B)/libgpuarr.so --cases $(CASES) --seed $(SEED) --table

ulp: $(B)/ulp ## largest errors of the elementary functions: float32 over all 2^32 inputs (about 20 minutes)
	$(B)/ulp

bench: $(B)/bench ## times of some calls beside NumPy's in the same run
	$(PYTHON) tools/bench.py $(B)/bench

front: $(B)/gentable ## regenerate the front macros in gpuarr.h and the README's table from the rows
	@$(B)/gentable front > $(B)/front && $(B)/gentable docs > $(B)/docs
	@sed -i -e '/^\/\* BEGIN GENERATED/,/^\/\* END GENERATED/{/BEGIN/{p;r $(B)/front' -e '};/END/p;d;}' gpuarr.h
	@sed -i -e '/^<!-- BEGIN TABLE/,/^<!-- END TABLE/{/BEGIN/{p;r $(B)/docs' -e '};/END/p;d;}' README.md

clean: ## remove build/ and out/
	rm -rf $(B) out

$(B)/gentable: tools/gentable.c gpuarr.h
	@mkdir -p $(B)
	$(CC) -std=c11 $(WARN) -I. $< -o $@

$(B)/pictures $(B)/astronomy $(B)/first: $(B)/%: examples/%.c $(HEADERS)
	@mkdir -p $(B)
	$(CC) -std=c11 $(CFLAGS) $(WARN) -Wno-misleading-indentation -I. $(FITSFLAGS) $< -o $@ $(LIBS)

$(B)/libgpuarr.so: tests/impl.c $(HEADERS)
	@mkdir -p $(B)
	$(CC) -std=c11 $(CFLAGS) -fPIC -shared -I. $(FITSFLAGS) $< -o $@ $(LIBS)

$(B)/ulp: tests/ulp.c $(HEADERS)
	@mkdir -p $(B)
	$(CC) -std=gnu11 $(CFLAGS) -I. $< -o $@ -lm -lpthread -lquadmath

$(B)/bench: tools/bench.c $(HEADERS)
	@mkdir -p $(B)
	$(CC) -std=c11 $(CFLAGS) $(WARN) -Wno-misleading-indentation -I. $< -o $@ -lm -lpthread

.PHONY: help deps run test check oracle ulp bench front clean
