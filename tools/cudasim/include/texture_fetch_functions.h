#error "cudasim does not simulate <texture_fetch_functions.h>"
