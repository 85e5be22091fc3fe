#error "cudasim does not simulate <mma.h>"
