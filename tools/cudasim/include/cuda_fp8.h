#error "cudasim does not simulate <cuda_fp8.h>"
