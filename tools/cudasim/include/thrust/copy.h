#error "cudasim does not simulate <thrust/copy.h>"
