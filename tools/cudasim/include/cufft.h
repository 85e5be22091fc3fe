#error "cudasim does not simulate <cufft.h>"
