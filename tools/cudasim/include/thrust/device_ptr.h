#error "cudasim does not simulate <thrust/device_ptr.h>"
