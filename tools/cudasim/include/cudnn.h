#error "cudasim does not simulate <cudnn.h>"
