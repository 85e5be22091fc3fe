#error "cudasim does not simulate <thrust/execution_policy.h>"
