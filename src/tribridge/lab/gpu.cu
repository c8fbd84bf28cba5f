// Both studies on one CUDA device. The tables are those of tables.py, the steps those of dealing.py
// and kernel.py; the counts are exactly the same. No floating point.
//
// Each thread deals. Tables that every deal reads are in shared memory, as are the block's counters,
// which are added to the 64-bit totals when the block ends. In count_capture the deals that pass the
// conditions, about three in ten, wait in their warp's queue until there is one for every lane.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifndef WARP
#define WARP 32
#define EVERY_LANE 0xFFFFFFFFu
#endif

#define FIRST 635013559600ull
#define SECOND 8122425444ull
#define THIRD 10400600ull
#define FIRST_REJECT ((0ull - FIRST) % FIRST)
#define PAIR_REJECT ((0ull - SECOND * THIRD) % (SECOND * THIRD))

#define LENGTHS 0xFFFFFu
#define ONES 0x8421u          // a one in each of four fields of five bits
#define GUARDS (ONES << 4)
#define FULL 208u             // 16 * 13: holdings of a whole suit
#define SECOND_CELLS 243u
#define THIRD_CELLS 159u
#define CELLS_OF_GAP 280u     // 14 captures x 20 check values
#define GAPS 27u
#define HELD (7u * CELLS_OF_GAP)
#define GAME_CELLS 2353u
#define ROW 8191u
#define DECK ((1ull << 52) - 1)

struct Shapes {
    const u32* start;
    const u16* guide;
    const u64* entries;
};

// Philox4x32-10: the two words of a deal number and an attempt.
__device__ inline void words(u32 k0, u32 k1, u64 number, u32 attempt, u64& one, u64& two) {
    u32 c0 = (u32)number, c1 = (u32)(number >> 32), c2 = attempt, c3 = 0;
#pragma unroll
    for (int turn = 0; turn < 10; turn++) {
        u64 p0 = (u64)0xD2511F53u * c0, p1 = (u64)0xCD9E8D57u * c2;
        c0 = (u32)(p1 >> 32) ^ c1 ^ k0;
        c1 = (u32)p1;
        c2 = (u32)(p0 >> 32) ^ c3 ^ k1;
        c3 = (u32)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    one = c0 | (u64)c1 << 32;
    two = c2 | (u64)c3 << 32;
}

// The three hand numbers; dealing.py explains why no division is needed.
__device__ inline void numbers(u32 k0, u32 k1, u64 number, u64& first, u64& second, u32& third) {
    u64 one, two;
    for (u32 attempt = 0;; attempt++) {
        words(k0, k1, number, attempt, one, two);
        u64 rest = two * SECOND;
        if (one * FIRST >= FIRST_REJECT && rest * THIRD >= PAIR_REJECT) {
            first = __umul64hi(one, FIRST);
            second = __umul64hi(two, SECOND);
            third = (u32)__umul64hi(rest, THIRD);
            return;
        }
    }
}

// The entry of a number, scanning from the one given by the guide.
__device__ inline u32 entry_at(const u64* entries, u32 at, u64 number) {
    while (entries[at + 1] >> 20 <= number) at++;
    return at;
}

// Divide by the radix in a suit's record: the quotient stays, the digit is returned.
__device__ inline u32 digit_of(u32& number, u64 suit) {
    u32 radix = (u32)(suit >> 32) & 2047u;
    u32 quotient = __umulhi(number, (u32)suit);
    u32 rest = number - quotient * radix;
    if (rest >= radix) {
        rest -= radix;
        quotient++;
    }
    number = quotient;
    return rest;
}

// The same for the last suit of the first hand, whose number needs more than 32 bits.
__device__ inline u32 wide_digit(u64 number, u64 suit, u64 wide, u32& quotient) {
    quotient = (u32)__umul64hi(number << 16, wide);
    return (u32)(number - (u64)quotient * ((u32)(suit >> 32) & 2047u));
}

// Step 6 on four sequences; 20 * captures + check.
__device__ inline u32 captures_of(u32 c, u32 d, u32 h, u32 s, int gap) {
    const u32 top = 7u << 29;
    int left = 6 - gap, captures = 4;
    while (captures - left < 7) {
        u32 kc = (c & top) | 3u, kd = (d & top) | 2u, kh = (h & top) | 1u, ks = s & top;
        u32 best = max(max(kc, kd), max(kh, ks));
        int cost = 7 - (int)(best >> 29);
        if (cost > left) break;
        left -= cost;
        captures++;
        c = kc == best ? c << 3 : c;
        d = kd == best ? d << 3 : d;
        h = kh == best ? h << 3 : h;
        s = ks == best ? s << 3 : s;
    }
    return 21 * captures + 6 - left;
}

template <typename T>
__device__ inline T* take(char*& shared, u32 length) {
    T* here = (T*)shared;
    shared += (length * sizeof(T) + 15) / 16 * 16;
    return here;
}

template <typename T>
__device__ inline const T* copy(char*& shared, const T* from, u32 length) {
    T* here = take<T>(shared, length);
    for (u32 i = threadIdx.x; i < length; i += blockDim.x) here[i] = from[i];
    return here;
}

// Rows of two hands: a queue entry holds the four rows and, above the first, the gap.
struct Item {
    u32 row[4];
};

__device__ inline void settle(
    const Item& item, const u16* pair, const u32* sequences, u32* held) {
    u32 gap = item.row[0] >> 24;
    u32 result = captures_of(
        sequences[pair[item.row[0] & 0xFFFFFFu]], sequences[pair[item.row[1]]],
        sequences[pair[item.row[2]]], sequences[pair[item.row[3]]], gap);
    atomicAdd(&held[gap * CELLS_OF_GAP + result], 1u);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) count_capture(
    const u16* first_guide, u32 first_cells, const u64* first_entries, u32 first_length,
    const u32* second_start, const u16* second_guide, const u64* second_entries,
    const u64* suit_table, const u64* wide_table, const u8* lead_table, u32 leads_length,
    const u32* pair_start_table, const u16* pair, const u32* sequence_table, u32 sequences_length,
    u32 k0, u32 k1, u64 start, u64 count, u64* counts) {
    extern __shared__ u64 space[];
    char* shared = (char*)space;
    const u32 warps = THREADS / WARP, warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const u64* entries1 = copy(shared, first_entries, first_length);
    const u64* suits = copy(shared, suit_table, 224);
    const u64* wide = copy(shared, wide_table, 224);
    Item* queues = take<Item>(shared, warps * 2 * WARP);
    const u32* start2 = copy(shared, second_start, 560);
    const u32* pair_start = copy(shared, pair_start_table, 256);
    const u32* sequences = copy(shared, sequence_table, sequences_length);
    u32* held = take<u32>(shared, HELD);
    u32* fails = take<u32>(shared, warps * 32);
    const u16* guide1 = copy(shared, first_guide, first_cells);
    const u8* leads_of = copy(shared, lead_table, leads_length);
    for (u32 i = threadIdx.x; i < HELD; i += THREADS) held[i] = 0;
    for (u32 i = threadIdx.x; i < warps * 32; i += THREADS) fails[i] = 0;
    __syncthreads();

    Item* queue = queues + warp * 2 * WARP;
    u32 waiting = 0;
    const u64 stride = (u64)gridDim.x * THREADS;
    for (u64 base = (u64)blockIdx.x * THREADS + warp * WARP; base < count; base += stride) {
        bool active = base + lane < count, holds = false;
        Item item;
        if (active) {
            u64 first, second;
            u32 third;
            numbers(k0, k1, start + base + lane, first, second, third);
            u32 at = entry_at(entries1, guide1[first >> 27], first);
            u64 entry = entries1[at];
            u64 wide_number = first - (entry >> 20);
            u32 lengths1 = (u32)entry & LENGTHS;
            u32 cell = at * SECOND_CELLS + (u32)(second >> 25);
            at = entry_at(second_entries, start2[at] + second_guide[cell], second);
            entry = second_entries[at];
            u32 number1 = 0, number2 = (u32)(second - (entry >> 20));
            u32 lengths2 = (u32)entry & LENGTHS;
            u32 leads = 0;
#pragma unroll
            for (int suit = 3; suit >= 0; suit--) {
                u32 c1 = lengths1 >> 5 * suit & 15, c2 = lengths2 >> 5 * suit & 15;
                u64 suit1 = suits[FULL + c1], suit2 = suits[(13 - c1) * 16 + c2];
                u32 digit1, digit2;
                if (suit == 3)
                    digit1 = wide_digit(wide_number, suit1, wide[FULL + c1], number1);
                else
                    digit1 = suit ? digit_of(number1, suit1) : number1;
                digit2 = suit ? digit_of(number2, suit2) : number2;
                u32 lead = min((u32)leads_of[(u32)(suit1 >> 43) + digit1],
                               (u32)leads_of[(u32)(suit2 >> 43) + digit2]);
                leads |= lead << 5 * suit;
                item.row[suit] = pair_start[c1 * 16 + c2] +
                                 digit1 * ((u32)(suit2 >> 32) & 2047u) + digit2;
            }
            u32 gap = leads * ONES >> 15 & 31;
            u32 above = ((lengths1 | GUARDS) - leads - ONES) & ((lengths2 | GUARDS) - leads - ONES);
            holds = gap <= 6 && (above & GUARDS) == GUARDS;
            item.row[0] |= gap << 24;
            if (!holds) atomicAdd(&fails[warp * 32 + gap], 1u);
        }
        u32 ballot = __ballot_sync(EVERY_LANE, holds);
        if (holds) queue[waiting + __popc(ballot & ((1u << lane) - 1))] = item;
        waiting += __popc(ballot);
        __syncwarp();
        if (waiting >= WARP) {
            waiting -= WARP;
            settle(queue[waiting + lane], pair, sequences, held);
            __syncwarp();
        }
    }
    if (lane < waiting) settle(queue[lane], pair, sequences, held);
    __syncthreads();
    for (u32 i = threadIdx.x; i < HELD; i += THREADS)
        if (held[i]) atomicAdd(&counts[i], (u64)held[i]);
    for (u32 gap = threadIdx.x; gap < GAPS; gap += THREADS) {
        u64 sum = 0;
        for (u32 i = 0; i < warps; i++) sum += fails[i * 32 + gap];
        if (sum) atomicAdd(&counts[gap * CELLS_OF_GAP], sum);
    }
}

// Spread a holding over the columns of a row that are not taken; and the inverse.
__device__ inline u32 spread_on(const u8* table, u32 holding, u32 taken) {
    u32 free = ~taken & ROW, low = free & 127;
    return table[low << 7 | (holding & 127)] |
           (u32)table[16384 + ((free >> 7) << 6 | (holding >> __popc(low) & 63))] << 7;
}

__device__ inline u32 gather_from(const u8* table, u32 row, u32 taken) {
    u32 free = ~taken & ROW, low = free & 127;
    return table[low << 7 | (row & 127)] |
           (u32)table[16384 + ((free >> 7) << 6 | row >> 7)] << __popc(low);
}

__device__ inline u32 row_of(u64 hand, int suit) { return (u32)(hand >> 13 * suit) & ROW; }

// The level that a hand can bid by Algorithm 1, or 0.
__device__ inline u32 level_of(const u32* rows, u64 hand, u32 gap) {
    u32 captures = captures_of(rows[row_of(hand, 0)], rows[row_of(hand, 1)], rows[row_of(hand, 2)],
                               rows[row_of(hand, 3)], gap) / 20;
    return captures > 6 ? captures - 6 : 0;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) count_game(
    const u16* first_guide, u32 first_cells, const u64* first_entries, u32 first_length,
    const u32* second_start, const u16* second_guide, const u64* second_entries,
    const u32* third_start, const u16* third_guide, const u64* third_entries,
    const u64* suit_table, const u64* wide_table, const u16* holding_table, u32 holdings_length,
    const u32* pair_start, const u16* pair, const u32* sequences, const u32* hand_rows,
    const u16* bid_table, const u8* spread_table, const u8* gather, const u32* masks,
    u32 k0, u32 k1, u64 start, u64 count, u64* counts) {
    extern __shared__ u64 space[];
    char* shared = (char*)space;
    const u64* entries1 = copy(shared, first_entries, first_length);
    const u64* suits = copy(shared, suit_table, 224);
    const u64* wide = copy(shared, wide_table, 224);
    u32* cells = take<u32>(shared, GAME_CELLS);
    const u16* guide1 = copy(shared, first_guide, first_cells);
    const u16* holdings = copy(shared, holding_table, holdings_length);
    const u16* bids = copy(shared, bid_table, 8192);
    const u8* spread = copy(shared, spread_table, 20480);
    for (u32 i = threadIdx.x; i < GAME_CELLS; i += THREADS) cells[i] = 0;
    __syncthreads();

    u32 passed = 0;
    const u64 stride = (u64)gridDim.x * THREADS;
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        u64 first, second;
        u32 third;
        numbers(k0, k1, start + i, first, second, third);
        u32 at = entry_at(entries1, guide1[first >> 27], first);
        u64 entry = entries1[at];
        u64 wide_number = first - (entry >> 20);
        u32 lengths1 = (u32)entry & LENGTHS;
        u32 cell = at * SECOND_CELLS + (u32)(second >> 25);
        at = entry_at(second_entries, second_start[at] + second_guide[cell], second);
        entry = second_entries[at];
        u32 number1 = 0, number2 = (u32)(second - (entry >> 20));
        u32 lengths2 = (u32)entry & LENGTHS;
        u32 left = 13 * ONES - lengths1 - lengths2;
        u32 block = (left & 31) << 8 | (left >> 5 & 31) << 4 | (left >> 10 & 31);
        cell = block * THIRD_CELLS + (third >> 16);
        at = entry_at(third_entries, third_start[block] + third_guide[cell], third);
        entry = third_entries[at];
        u32 number3 = third - (u32)(entry >> 20);
        u32 lengths3 = (u32)entry & LENGTHS;

        u64 hands[3] = {0, 0, 0};
        u32 bid[3] = {0, 0, 0};
#pragma unroll
        for (int suit = 3; suit >= 0; suit--) {
            u32 c1 = lengths1 >> 5 * suit & 15, c2 = lengths2 >> 5 * suit & 15;
            u32 c3 = lengths3 >> 5 * suit & 15;
            u64 suit1 = suits[FULL + c1], suit2 = suits[(13 - c1) * 16 + c2];
            u64 suit3 = suits[(13 - c1 - c2) * 16 + c3];
            u32 digit1, digit2, digit3;
            if (suit == 3)
                digit1 = wide_digit(wide_number, suit1, wide[FULL + c1], number1);
            else
                digit1 = suit ? digit_of(number1, suit1) : number1;
            digit2 = suit ? digit_of(number2, suit2) : number2;
            digit3 = suit ? digit_of(number3, suit3) : number3;
            u32 row1 = holdings[(u32)(suit1 >> 43) + digit1];
            u32 row2 = spread_on(spread, holdings[(u32)(suit2 >> 43) + digit2], row1);
            u32 row3 = spread_on(spread, holdings[(u32)(suit3 >> 43) + digit3], row1 | row2);
            bid[0] += bids[row1];
            bid[1] += bids[row2];
            bid[2] += bids[row3];
            hands[0] |= (u64)row1 << 13 * suit;
            hands[1] |= (u64)row2 << 13 * suit;
            hands[2] |= (u64)row3 << 13 * suit;
        }
        u32 level = 0, seat = 0;
        u64 declarer = 0;
#pragma unroll
        for (u32 caller = 0; caller < 3; caller++)
            if ((bid[caller] & 255) <= 6 && bid[caller] >= 7u << 8) {
                u32 own = level_of(hand_rows, hands[caller], bid[caller] & 255);
                if (own > level) {
                    level = own;
                    seat = caller;
                    declarer = hands[caller];
                }
            }
        if (!level) {
            passed++;
            continue;
        }
        u64 hidden = DECK ^ hands[0] ^ hands[1] ^ hands[2];
        u32 dummy = 0, gap = 0;
        bool fails = false;
        u32 sequence[4];
#pragma unroll
        for (int suit = 0; suit < 4; suit++) {
            u32 row1 = row_of(declarer, suit), row2 = row_of(hidden, suit);
            dummy += bids[row2];
            u32 holding = masks[gather_from(gather, row2, row1)], whole = masks[row1];
            u32 c1 = whole >> 12 & 15, c2 = holding >> 12 & 15;
            u32 lead = masks[row1 | row2] >> 16;
            gap += lead;
            fails |= min(c1, c2) <= lead;
            u32 radix = (u32)(suits[(13 - c1) * 16 + c2] >> 32) & 2047u;
            sequence[suit] = sequences[pair[pair_start[c1 * 16 + c2] + (whole & 4095) * radix +
                                            (holding & 4095)]];
        }
        dummy = (dummy & 255) <= 6 ? level_of(hand_rows, hidden, dummy & 255) : 0;
        u32 result = 0;
        if (gap <= 6)
            result = fails ? 1
                           : captures_of(sequence[0], sequence[1], sequence[2], sequence[3], gap) / 20;
        atomicAdd(&cells[((seat * 7 + level - 1) * 8 + dummy) * 14 + result], 1u);
    }
    if (passed) atomicAdd(&cells[GAME_CELLS - 1], passed);
    __syncthreads();
    for (u32 i = threadIdx.x; i < GAME_CELLS; i += THREADS)
        if (cells[i]) atomicAdd(&counts[i], (u64)cells[i]);
}

// Packed row classes, as in row_classes.py: by base-3 number (pairs) or by mask (one hand).
__device__ inline int first_at(u32 mask, int from) {
    mask = mask >> from << from;
    return mask ? __ffs(mask) - 1 : -1;
}

extern "C" __global__ void pack_rows(u32 rows, int pairs, u64* packed) {
    for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += gridDim.x * blockDim.x) {
        u32 held[2] = {row, 0};
        if (pairs) {
            held[0] = 0;
            for (u32 column = 0, rest = row; column < 13; column++, rest /= 3) {
                held[0] |= (u32)(rest % 3 == 1) << column;
                held[1] |= (u32)(rest % 3 == 2) << column;
            }
        }
        int c1 = __popc(held[0]), c2 = __popc(held[1]);
        int limit = max(c1, c2), row_budget = 13 - c1 - c2, length = 0;
        int leading = first_at(held[0] | held[1], 0), pointer = leading;
        u64 gaps = 0;
        if (leading < 0) {
            packed[row] = 13ull << 52;
            continue;
        }
        while (true) {
            // The card under the pointer is captured: the other hand loses its lowest card.
            int other = held[0] >> pointer & 1;
            int removed = held[other] ? 31 - __clz(held[other]) : -1;
            if (removed >= 0) held[other] ^= 1u << removed;
            if (0 <= removed && removed < pointer) {
                // One owned column fewer before the pointer, whose index stays the same.
                pointer = first_at(held[0] | held[1], pointer + 1);
                if (pointer < 0) break;
            }
            int following = first_at(held[0] | held[1], pointer + 1);
            if (length + 1 >= limit || following < 0) break;
            if (row_budget > 0) {
                int gap = following - pointer - 1;
                row_budget--;
                gaps |= (u64)gap << 4 * length;
            }
            length++;
            pointer = following;
        }
        packed[row] = gaps | (u64)length << 48 | (u64)leading << 52 | (u64)c1 << 56 | (u64)c2 << 60;
    }
}
