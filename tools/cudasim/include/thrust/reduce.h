#error "cudasim does not simulate <thrust/reduce.h>"
