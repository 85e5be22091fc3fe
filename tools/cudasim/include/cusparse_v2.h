#error "cudasim does not simulate <cusparse_v2.h>"
