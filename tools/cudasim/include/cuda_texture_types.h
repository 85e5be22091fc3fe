#error "cudasim does not simulate <cuda_texture_types.h>"
