#error "cudasim does not simulate <thrust/scan.h>"
