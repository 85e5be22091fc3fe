#error "cudasim does not simulate <thrust/transform.h>"
