#error "cudasim does not simulate <nvrtc.h>"
