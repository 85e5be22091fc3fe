#error "cudasim does not simulate <thrust/transform_reduce.h>"
