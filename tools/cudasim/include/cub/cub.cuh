#error "cudasim does not simulate <cub/cub.cuh>"
