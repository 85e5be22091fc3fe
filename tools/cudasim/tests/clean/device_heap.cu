// Memory that kernels allocate: a linked list that lives from kernel to kernel, arrays of one thread, a heap that is full.
// expect: the heap has 8388608 bytes
// expect: sum of the list 2036
// expect: the largest part of 32 threads has 496
// expect: 4 of 8 pieces of 1 MB
// expect: too much gave nothing
#include "check.h"
#include <cstdlib>

struct node {
    int        value;
    node      *next;
    __device__ node(int v, node *n) : value(v), next(n) {}
};

__device__ node *head;

__global__ void push(int n)
{
    for (int i = 0; i < n; i++) head = new node(i, head);
}

__global__ void pop_all(int *sum)
{
    *sum = 0;
    while (head) {
        node *n = head;
        *sum += n->value;
        head = n->next;
        delete n;
    }
}

__global__ void parts(int *largest)
{
    __shared__ int *lists[32];
    int             n     = threadIdx.x + 1;
    lists[threadIdx.x]    = (int *)malloc(n * sizeof(int));
    lists[threadIdx.x][0] = 0;
    for (int i = 1; i < n; i++) lists[threadIdx.x][i] = lists[threadIdx.x][i - 1] + i;
    __syncthreads();
    if (threadIdx.x == 0) {
        *largest = 0;
        for (int t = 0; t < 32; t++) {
            if (lists[t][t] > *largest) *largest = lists[t][t];
            free(lists[t]); // another thread may free it
        }
    }
}

__global__ void fill_heap(int *count)
{
    char *pieces[8];
    *count = 0;
    for (int i = 0; i < 8; i++) {
        pieces[i] = (char *)malloc(1 << 20);
        if (!pieces[i]) break;
        pieces[i][(1 << 20) - 1] = 1;
        ++*count;
    }
    for (int i = 0; i < *count; i++) free(pieces[i]);
    free(nullptr);
}

__global__ void ask_for_too_much(int *got)
{
    double *d = (double *)malloc(100 << 20);
    *got      = d != nullptr;
    free(d);
}

int main()
{
    size_t bytes;
    int   *d, v;
    CHECK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    printf("the heap has %zu bytes\n", bytes);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (4 << 20) + 65536));
    CHECK(cudaMalloc(&d, sizeof *d));
    auto result = [&]() {
        CHECK(cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    };
    push<<<1, 1>>>(32);
    push<<<1, 1>>>(56);
    pop_all<<<1, 1>>>(d);
    CHECK(cudaGetLastError());
    printf("sum of the list %d\n", result());
    parts<<<1, 32>>>(d);
    printf("the largest part of 32 threads has %d\n", result());
    fill_heap<<<1, 1>>>(d);
    printf("%d of 8 pieces of 1 MB\n", result());
    ask_for_too_much<<<1, 1>>>(d);
    printf("too much gave %s\n", result() ? "something" : "nothing");
    CHECK(cudaFree(d));
    void *p = malloc(16); // the host's own, as ever
    free(p);
    delete new int;
    return 0;
}
