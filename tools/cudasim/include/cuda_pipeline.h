#error "cudasim does not simulate <cuda_pipeline.h>"
