/* C11 beside CUDA's own header: its streams and pointers are gpuarr's. */
#include "gpuarr.h"
#include <cuda_runtime_api.h>

int main(void)
{
    cudaStream_t mine;
    if (ga_cuda_count() == 0) {
        puts("SKIP there is no device\n0 passed, 0 failed, 1 skipped");
        return 0;
    }
    if (cudaStreamCreate(&mine) != cudaSuccess) return 2;
    double     *p;
    cudaEvent_t e;
    if (cudaMalloc((void **)&p, 3 * sizeof *p) != cudaSuccess || cudaMemsetAsync(p, 0, 3 * sizeof *p, mine) != cudaSuccess)
        return 2;
    if (!ga_set_stream(mine)) return 1;
    ga_array *a = ga_wrap(p, (3), .device = GA_CUDA), *b = ga_add(a, 2);
    bool      ok = ga_item_at(b, 2) == 2 && ga_get_stream() == mine;
    cudaEventCreate(&e);
    ok = ok && ga_event_record(e, mine) && ga_stream_wait_event(NULL, e) && ga_event_synchronize(e);
    cudaEventDestroy(e);
    ga_array *c = ga_to(b, GA_CPU, .stream = mine);
    ok          = ok && ga_item_at(c, 0) == 2;
    /* a copy of ours onto gpuarr's memory */
    ok = ok &&
         cudaMemcpyAsync(p, ga_cuda_data(b, GA_F64), 3 * sizeof *p, cudaMemcpyDeviceToDevice, ga_get_stream()) == cudaSuccess;
    ok = ok && ga_item_at(a, 1) == 2;
    ga_free(a);
    ga_free(b);
    ga_free(c);
    ga_stream_free(mine); /* forgotten, not destroyed */
    ok = ok && cudaStreamDestroy(mine) == cudaSuccess && cudaFree(p) == cudaSuccess && !ga_error();
    /* when everything is given back, the device may be reset */
    ok = ok && cudaDeviceReset() == cudaSuccess;
    a  = ga_ones((3), .device = GA_CUDA);
    ok = ok && ga_item_at(a, 2) == 1;
    ga_free(a);
    puts(ok ? "1 passed, 0 failed, 0 skipped" : "0 passed, 1 failed, 0 skipped");
    return !ok;
}
