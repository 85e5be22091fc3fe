// check.h: what the programs of this folder share, as in most courses: a macro that stops on an error.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                            \
    do {                                                                                                                       \
        cudaError_t error_ = (call);                                                                                           \
        if (error_ != cudaSuccess) {                                                                                           \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                                  \
            exit(1);                                                                                                           \
        }                                                                                                                      \
    } while (0)

// after a launch: was it accepted, and did it run through?
#define CHECK_KERNEL()                                                                                                         \
    do {                                                                                                                       \
        CHECK(cudaGetLastError());                                                                                             \
        CHECK(cudaDeviceSynchronize());                                                                                        \
    } while (0)
