#error "cudasim does not simulate <cuda_bf16.h>"
