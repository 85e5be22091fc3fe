// Unified memory: host and device use one pointer, in turns.
// expect: 256 list values: sum 32640 doubled 65280
#include "check.h"

struct list {
    int  length;
    int *values;
};

__managed__ int calls = 0;

__global__ void twice(list *l)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < l->length) l->values[i] *= 2;
    if (i == 0) calls++;
}

int main()
{
    list *l;
    CHECK(cudaMallocManaged(&l, sizeof *l));
    l->length = 256;
    CHECK(cudaMallocManaged(&l->values, 256 * sizeof(int)));
    int sum = 0, doubled = 0;
    for (int i = 0; i < l->length; i++) sum += l->values[i] = i;
    twice<<<2, 128>>>(l);
    CHECK_KERNEL();
    for (int i = 0; i < l->length; i++) doubled += l->values[i];
    printf("%d list values: sum %d doubled %d%s\n", l->length, sum, doubled, calls == 1 ? "" : " (calls wrong)");
    CHECK(cudaFree(l->values));
    CHECK(cudaFree(l));
    return 0;
}
