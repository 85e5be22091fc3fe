#error "cudasim does not simulate <surface_functions.h>"
