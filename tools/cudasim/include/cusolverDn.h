#error "cudasim does not simulate <cusolverDn.h>"
