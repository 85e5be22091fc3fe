#error "cudasim does not simulate <cuda_fp16.h>"
