#error "cudasim does not simulate <thrust/functional.h>"
