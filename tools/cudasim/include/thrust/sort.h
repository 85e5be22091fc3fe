#error "cudasim does not simulate <thrust/sort.h>"
