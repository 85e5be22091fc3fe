/* cudasim: cooperative groups: thread_block, grid_group, thread_block_tile<N>, coalesced_group, thread_group.
 *
 * Tiles of more than 32 threads, clusters and multi-device groups are not simulated. */
#ifndef CUDASIM_COOPERATIVE_GROUPS_H
#define CUDASIM_COOPERATIVE_GROUPS_H
#include "cuda_runtime.h"

namespace cooperative_groups {

namespace cudasim_details {

static inline unsigned           lane() { return cudasim_thread_linear() & 31u; }
static inline unsigned           lower_lanes() { return (1u << lane()) - 1u; }
static inline unsigned           block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
static inline unsigned long long grid_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
static inline unsigned long long block_rank()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
}

/* The value of another lane, for types of any size: eight bytes at a time. */
template <class T> static inline T exchange(unsigned mask, const T &value, int source, CUDASIM_SITE_PARAMETERS)
{
    static_assert(std::is_trivially_copyable<T>::value, "a group exchanges trivially copyable values");
    T result;
    for (size_t i = 0; i < sizeof(T); i += 8) {
        size_t   part = sizeof(T) - i < 8 ? sizeof(T) - i : 8;
        uint64_t word = 0;
        __builtin_memcpy(&word, (const char *)&value + i, part);
        word = cudasim_warp(CUDASIM_WARP_INDEX, mask, word, source, 32, CUDASIM_SITE);
        __builtin_memcpy((char *)&result + i, &word, part);
    }
    return result;
}

/* A set of lanes of one warp, given by its mask: what tiles and coalesced groups have in common. */
class lanes {
  protected:
    unsigned mask;
    explicit lanes(unsigned m) : mask(m) {}

    int      lane_of(unsigned rank) const { return (int)__fns(mask, 0, (int)rank + 1); }
    unsigned packed(unsigned ballot) const
    {
        unsigned result = 0, next = 0;
        for (unsigned l = 0; l < 32; l++)
            if (mask >> l & 1u) result |= (ballot >> l & 1u) << next++;
        return result;
    }

  public:
    unsigned cudasim_mask() const { return mask; }
    unsigned cudasim_size() const { return (unsigned)__builtin_popcount(mask); } /* a tile at the end of a block is smaller */
    unsigned size() const { return (unsigned)__builtin_popcount(mask); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return (unsigned)__builtin_popcount(mask & lower_lanes()); }
    void     sync(CUDASIM_SITE_PARAMETERS) const { __syncwarp(mask, CUDASIM_SITE); }

    template <class T> T shfl(T value, int rank, CUDASIM_SITE_PARAMETERS) const
    {
        return exchange(mask, value, lane_of((unsigned)rank % size()), CUDASIM_SITE);
    }
    template <class T> T shfl_up(T value, unsigned delta, CUDASIM_SITE_PARAMETERS) const
    {
        unsigned rank = thread_rank();
        return exchange(mask, value, lane_of(rank >= delta ? rank - delta : rank), CUDASIM_SITE);
    }
    template <class T> T shfl_down(T value, unsigned delta, CUDASIM_SITE_PARAMETERS) const
    {
        unsigned rank = thread_rank();
        return exchange(mask, value, lane_of(rank + delta < size() ? rank + delta : rank), CUDASIM_SITE);
    }
    template <class T> T shfl_xor(T value, unsigned bits, CUDASIM_SITE_PARAMETERS) const
    {
        unsigned rank = thread_rank() ^ bits;
        return exchange(mask, value, lane_of(rank < size() ? rank : thread_rank()), CUDASIM_SITE);
    }
    int      any(int predicate, CUDASIM_SITE_PARAMETERS) const { return __any_sync(mask, predicate, CUDASIM_SITE); }
    int      all(int predicate, CUDASIM_SITE_PARAMETERS) const { return __all_sync(mask, predicate, CUDASIM_SITE); }
    unsigned ballot(int predicate, CUDASIM_SITE_PARAMETERS) const
    {
        return packed(__ballot_sync(mask, predicate, CUDASIM_SITE));
    }
    template <class T> unsigned match_any(T value, CUDASIM_SITE_PARAMETERS) const
    {
        return packed(__match_any_sync(mask, value, CUDASIM_SITE));
    }
    template <class T> unsigned match_all(T value, int &predicate, CUDASIM_SITE_PARAMETERS) const
    {
        return packed(__match_all_sync(mask, value, &predicate, CUDASIM_SITE));
    }
};

} // namespace cudasim_details

/* ------------------------------------------------------------------ the block */

class thread_block {
  public:
    static void     sync(CUDASIM_SITE_PARAMETERS) { cudasim_block_barrier("thread_block.sync", CUDASIM_SITE); }
    static unsigned thread_rank() { return cudasim_thread_linear(); }
    static unsigned size() { return cudasim_details::block_threads(); }
    static unsigned num_threads() { return size(); }
    static dim3     group_index() { return dim3(blockIdx); }
    static dim3     thread_index() { return dim3(threadIdx); }
    static dim3     group_dim() { return blockDim; }
    static dim3     dim_threads() { return blockDim; }
};
static inline thread_block this_thread_block() { return thread_block(); }

/* ------------------------------------------------------------------ the grid */

class grid_group {
  public:
    bool               is_valid() const { return cudasim_grid_is_cooperative(); }
    void               sync(CUDASIM_SITE_PARAMETERS) const { cudasim_grid_barrier(CUDASIM_SITE); }
    unsigned long long size() const { return cudasim_details::grid_blocks() * cudasim_details::block_threads(); }
    unsigned long long num_threads() const { return size(); }
    unsigned long long num_blocks() const { return cudasim_details::grid_blocks(); }
    unsigned long long block_rank() const { return cudasim_details::block_rank(); }
    unsigned long long thread_rank() const
    {
        return cudasim_details::block_rank() * cudasim_details::block_threads() + cudasim_thread_linear();
    }
    dim3 group_dim() const { return gridDim; }
    dim3 dim_blocks() const { return gridDim; }
    dim3 block_index() const { return dim3(blockIdx); }
};
static inline grid_group this_grid() { return grid_group(); }

/* ------------------------------------------------------------------ tiles */

template <unsigned N, class Parent = void> class thread_block_tile : public cudasim_details::lanes {
    static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
    static unsigned own_mask()
    {
        unsigned base = cudasim_details::lane() & ~(N - 1u), warp = cudasim_thread_linear() & ~31u;
        unsigned in_block = cudasim_details::block_threads() - warp;
        unsigned all      = N == 32 ? 0xffffffffu : ((1u << (N & 31u)) - 1u) << base;
        return in_block < 32u ? all & ((1u << in_block) - 1u) : all;
    }

  public:
    thread_block_tile() : lanes(own_mask()) {}
    template <class Other> thread_block_tile(const thread_block_tile<N, Other> &) : lanes(own_mask()) {}
    static constexpr unsigned size() { return N; }
    static constexpr unsigned num_threads() { return N; }
    unsigned                  thread_rank() const { return cudasim_details::lane() & (N - 1u); }
    unsigned                  meta_group_rank() const { return cudasim_thread_linear() / N; }
    unsigned                  meta_group_size() const { return (cudasim_details::block_threads() + N - 1) / N; }
};

template <unsigned N, class Parent> static inline thread_block_tile<N, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<N, Parent>();
}

/* ------------------------------------------------------------------ the lanes that are here */

class coalesced_group : public cudasim_details::lanes {
    unsigned rank_among, groups;

  public:
    explicit coalesced_group(unsigned m, unsigned meta_rank = 0, unsigned meta_size = 1)
        : lanes(m), rank_among(meta_rank), groups(meta_size)
    {
    }
    unsigned meta_group_rank() const { return rank_among; }
    unsigned meta_group_size() const { return groups; }
};

static inline coalesced_group coalesced_threads(CUDASIM_SITE_PARAMETERS)
{
    return coalesced_group(cudasim_converge(CUDASIM_SITE));
}

template <class Group>
static inline coalesced_group binary_partition(const Group &group, bool predicate, CUDASIM_SITE_PARAMETERS)
{
    unsigned yes = __ballot_sync(group.cudasim_mask(), predicate, CUDASIM_SITE);
    return coalesced_group(predicate ? yes : group.cudasim_mask() & ~yes, predicate ? 0 : 1, 2);
}

template <class Label, class Group>
static inline coalesced_group labeled_partition(const Group &group, Label label, CUDASIM_SITE_PARAMETERS)
{
    return coalesced_group(__match_any_sync(group.cudasim_mask(), label, CUDASIM_SITE));
}

/* ------------------------------------------------------------------ any of them */

/* A group whose kind is known only when the program runs. */
class thread_group {
    enum kind { whole_block, some_lanes } what;
    unsigned mask;

  public:
    thread_group(const thread_block &) : what(whole_block), mask(0) {}
    thread_group(const cudasim_details::lanes &group) : what(some_lanes), mask(group.cudasim_mask()) {}
    void sync(CUDASIM_SITE_PARAMETERS) const
    {
        if (what == whole_block) cudasim_block_barrier("thread_group.sync", CUDASIM_SITE);
        else __syncwarp(mask, CUDASIM_SITE);
    }
    unsigned long long size() const
    {
        return what == whole_block ? cudasim_details::block_threads() : (unsigned)__builtin_popcount(mask);
    }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const
    {
        return what == whole_block ? cudasim_thread_linear()
                                   : (unsigned)__builtin_popcount(mask & cudasim_details::lower_lanes());
    }
};

static inline thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    switch (size) {
    case 1: return thread_block_tile<1>();
    case 2: return thread_block_tile<2>();
    case 4: return thread_block_tile<4>();
    case 8: return thread_block_tile<8>();
    case 16: return thread_block_tile<16>();
    case 32: return thread_block_tile<32>();
    }
    return parent;
}

/* A coalesced group divided by the ranks of its threads. */
static inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size)
{
    unsigned mask = 0, first = parent.thread_rank() / size * size, rank = 0;
    for (unsigned l = 0; l < 32; l++) {
        if (!(parent.cudasim_mask() >> l & 1u)) continue;
        if (rank >= first && rank < first + size) mask |= 1u << l;
        rank++;
    }
    return coalesced_group(mask, first / size, (parent.size() + size - 1) / size);
}

class thread_scope_group {
  public:
    static constexpr unsigned size() { return 1; }
    static constexpr unsigned num_threads() { return 1; }
    static constexpr unsigned thread_rank() { return 0; }
    static void               sync() {}
};
static inline thread_scope_group this_thread() { return thread_scope_group(); }

template <class Group> static inline void sync(const Group &group, CUDASIM_SITE_PARAMETERS) { group.sync(CUDASIM_SITE); }
template <class Group> static inline unsigned long long thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> static inline unsigned long long group_size(const Group &group) { return group.size(); }

/* ------------------------------------------------------------------ operations of reduce and scan */

template <class T> struct plus {
    T operator()(const T &a, const T &b) const { return a + b; }
};
template <class T> struct less {
    T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T> struct greater {
    T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    T operator()(const T &a, const T &b) const { return a & b; }
};
template <class T> struct bit_or {
    T operator()(const T &a, const T &b) const { return a | b; }
};
template <class T> struct bit_xor {
    T operator()(const T &a, const T &b) const { return a ^ b; }
};

/* Every thread of the group gets op over all values, combined as a tree over the ranks. */
template <class Group, class T, class Op>
static inline T reduce(const Group &group, const T &value, Op op, CUDASIM_SITE_PARAMETERS)
{
    T        sum  = value;
    unsigned size = group.cudasim_size(), rank = group.thread_rank();
    for (unsigned step = 1; step < size; step *= 2) {
        T other = group.shfl_down(sum, step, CUDASIM_SITE);
        if (rank % (2 * step) == 0 && rank + step < size) sum = op(sum, other);
    }
    return group.shfl(sum, 0, CUDASIM_SITE);
}

template <class Group, class T, class Op>
static inline T inclusive_scan(const Group &group, const T &value, Op op, CUDASIM_SITE_PARAMETERS)
{
    T        sum  = value;
    unsigned size = group.cudasim_size(), rank = group.thread_rank();
    for (unsigned step = 1; step < size; step *= 2) {
        T other = group.shfl_up(sum, step, CUDASIM_SITE);
        if (rank >= step) sum = op(other, sum);
    }
    return sum;
}
template <class Group, class T> static inline T inclusive_scan(const Group &group, const T &value, CUDASIM_SITE_PARAMETERS)
{
    return inclusive_scan(group, value, plus<T>(), CUDASIM_SITE);
}

template <class Group, class T, class Op>
static inline T exclusive_scan(const Group &group, const T &value, Op op, CUDASIM_SITE_PARAMETERS)
{
    T sum = group.shfl_up(inclusive_scan(group, value, op, CUDASIM_SITE), 1, CUDASIM_SITE);
    return group.thread_rank() ? sum : T();
}
template <class Group, class T> static inline T exclusive_scan(const Group &group, const T &value, CUDASIM_SITE_PARAMETERS)
{
    return exclusive_scan(group, value, plus<T>(), CUDASIM_SITE);
}

/* ------------------------------------------------------------------ memcpy_async: a copy by the threads of the group */

template <class Group, class T>
static inline void memcpy_async(const Group &group, T *destination, const T *source, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) destination[i] = source[i];
}
template <class Group> static inline void wait(const Group &group, CUDASIM_SITE_PARAMETERS) { group.sync(CUDASIM_SITE); }

} // namespace cooperative_groups

#endif
