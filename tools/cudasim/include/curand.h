#error "cudasim does not simulate <curand.h>"
