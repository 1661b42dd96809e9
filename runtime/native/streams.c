/* Bodies of loops whose result goes past the caches.

       for low, high in blocks of BLOCK bytes:
           body(captures with the result moved to a block that lies in the cache, context, low, high)
           the block is copied to its place without reading that (non-temporal stores)

   The place of the result must begin at a cache line; where it does not, the body runs as it is. */

#include "native.h"

#include <string.h>

enum { BLOCK = 1 << 13 };

/* `bytes` from the block to the cache line `to`. */
static void copy_past(char *to, const char *block, int64_t bytes)
{
    int64_t lines = bytes / CACHE_LINE * CACHE_LINE;
#if defined(__SSE2__)
    for (int64_t at = 0; at < lines; at += (int64_t)sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + at), _mm_load_si128((const __m128i *)(const void *)(block + at)));
#else
    memcpy(to, block, (size_t)lines);
#endif
    memcpy(to + lines, block + lines, (size_t)(bytes - lines));
}

/* Such stores may come late: others see them only after this. */
static void fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

static int64_t stream(const Loop *loop, int64_t *context, int64_t first, int64_t last)
{
    _Alignas(CACHE_LINE) char block[BLOCK];
    int64_t captures[loop->captured];
    memcpy(captures, loop->captures, sizeof captures);
    int64_t *place = &captures[loop->streamed];
    int64_t result = *place, step = BLOCK / loop->item, status = 0;
    for (int64_t low = first; low < last && status == 0; low += step) {
        int64_t high = last - low > step ? low + step : last;
        *place = (int64_t)(intptr_t)block - low * loop->item;
        status = loop->body(captures, context, low, high);
        if (status == 0)
            copy_past((char *)(intptr_t)(result + low * loop->item), block, (high - low) * loop->item);
    }
    fence();
    return status;
}

int64_t run(const Loop *loop, int64_t *context, int64_t first, int64_t last)
{
    bool streams = loop->streamed >= 0 &&
                   (loop->captures[loop->streamed] + first * loop->item) % CACHE_LINE == 0;
    return streams ? stream(loop, context, first, last) : loop->body(loop->captures, context, first, last);
}
