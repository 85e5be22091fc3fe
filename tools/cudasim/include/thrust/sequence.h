#error "cudasim does not simulate <thrust/sequence.h>"
