/* cudasim: the types of numbers, as CUDA's libraries name them. */
#ifndef CUDASIM_LIBRARY_TYPES_H
#define CUDASIM_LIBRARY_TYPES_H

typedef enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_C_32F = 4, CUDA_C_64F = 5 } cudaDataType_t;
typedef cudaDataType_t cudaDataType;

#endif
