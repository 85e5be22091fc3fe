#error "cudasim does not simulate <thrust/device_vector.h>"
