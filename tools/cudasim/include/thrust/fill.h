#error "cudasim does not simulate <thrust/fill.h>"
