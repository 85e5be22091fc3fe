#error "cudasim does not simulate <curand_kernel.h>"
