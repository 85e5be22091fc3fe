/* cudasim.cpp: the runtime of cudasim, CUDA on a plain CPU.  Compile this one file and link it with the translated program.
 *
 * The parts, in reading order (src/internal.h declares what they share):
 *   report    options from the environment, reports, source positions
 *   memory    the device address space, allocation, page protection
 *   fiber     one stack per simulated thread, and the switch between them
 *   block     threads of a block: scheduling, barriers, warp primitives
 *   watch     threads that do not give way by themselves
 *   stream    stream order: eager or lazy execution, vector clocks, events
 *   launch    kernels: configuration checks, the grid loop, shared memory
 *   heap      malloc, free, new and delete in device code
 *   api       the runtime API
 *   checker   the call-backs of code compiled with -fsanitize=thread
 *
 * The runtime itself is never compiled with -fsanitize=thread.  If the program is, its call-backs find the checker here,
 * in place of the sanitizer's own library. */
#include "src/internal.h"

#include "src/report.cpp"

#include "src/memory.cpp"

#include "src/fiber.cpp"

#include "src/block.cpp"

#include "src/watch.cpp"

#include "src/stream.cpp"

#include "src/launch.cpp"

#include "src/heap.cpp"

#include "src/api_device.cpp"

#include "src/api_memory.cpp"

#include "src/api_stream.cpp"

#include "src/checker.cpp"
