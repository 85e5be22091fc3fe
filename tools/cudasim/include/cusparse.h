#error "cudasim does not simulate <cusparse.h>"
