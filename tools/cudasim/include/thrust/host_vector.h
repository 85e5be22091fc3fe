#error "cudasim does not simulate <thrust/host_vector.h>"
