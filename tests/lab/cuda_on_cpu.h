// Enough of CUDA to run the device code on the CPU: one block of one thread, a warp of one lane.
#include <algorithm>
#include <cstddef>
using std::max;
using std::min;

#define __device__
#define __global__
#define __launch_bounds__(...)
#define __shared__
#define WARP 1
#define EVERY_LANE 1u

struct Place {
    unsigned x;
};
static const Place threadIdx = {0}, blockIdx = {0}, blockDim = {1}, gridDim = {1};
alignas(16) unsigned long long space[1 << 15];

static inline void __syncthreads() {}
static inline void __syncwarp() {}
static inline unsigned __ballot_sync(unsigned, bool holds) { return holds; }
static inline int __popc(unsigned mask) { return __builtin_popcount(mask); }
static inline int __ffs(unsigned mask) { return __builtin_ffs((int)mask); }
static inline int __clz(unsigned mask) { return mask ? __builtin_clz(mask) : 32; }
static inline unsigned __umulhi(unsigned one, unsigned two) {
    return (unsigned long long)one * two >> 32;
}
static inline unsigned long long __umul64hi(unsigned long long one, unsigned long long two) {
    return (unsigned long long)((unsigned __int128)one * two >> 64);
}
template <typename T>
static inline void atomicAdd(T* place, T value) {
    *place += value;
}
