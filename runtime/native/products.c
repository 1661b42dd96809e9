/* Products of matrices on the workers of `regions.c`: tiles of the result, each by a BLAS on one thread.

       dgemm(C, A, B)     ->   dgemm(tile of C, rows of A, columns of B), on any worker, for every tile
       dgemm(C, A, A.T)   ->   dsyrk(tile of C, rows of A) on the diagonal, a dgemm below it, and those tiles transposed

   The threads of an OpenBLAS wait for one another by spinning, many times in a product: one that the system does not let
   run holds up all of them for as long as that lasts, and so do the threads of a loop beside them.  Workers take tiles
   when they come.  While a product runs, OpenBLAS has one thread; it gets back what it had.  A number that it was not told
   by `blas_threads.py` was set by the user, and then every tile is OpenBLAS's own affair. */

#include "native.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum {
    LETTERS = 4,   /* s, d, c, z */
    TILES = 4,     /* for each thread */
    STEP = 48,     /* rows and columns of a tile are multiples, as BLAS's kernels like them */
    NARROW = 96,   /* no tile is cut below this: each packs what it reads */
    BLOCK = 16,    /* rows and columns that are transposed together */
};

#define SMALL 262144.0     /* multiplications of a product that OpenBLAS computes on one thread anyway */
#define SMALL_VECTOR 9216.0
#define TILE_WORK 1048576.0 /* multiplications of the smallest tile: BLAS has other kernels for small ones */
#define BYTES_A_NANOSECOND 10.0

typedef void Gemm(const char *, const char *, const int64_t *, const int64_t *, const int64_t *, const void *,
                  const void *, const int64_t *, const void *, const int64_t *, const void *, void *, const int64_t *);
typedef void Gemv(const char *, const int64_t *, const int64_t *, const void *, const void *, const int64_t *,
                  const void *, const int64_t *, const void *, void *, const int64_t *);
typedef void Syrk(const char *, const char *, const int64_t *, const int64_t *, const void *, const void *,
                  const int64_t *, const void *, void *, const int64_t *);

static Gemm *gemms[LETTERS];
static Gemv *gemvs[LETTERS];
static Syrk *syrks[LETTERS];
static const int64_t SIZES[LETTERS] = {4, 8, 8, 16};
static const double SPEEDS[LETTERS] = {30.0, 15.0, 7.5, 3.75}; /* multiplications in a nanosecond on one thread */

/* --- how many threads the BLAS has ------------------------------------------------------------------------------- */

static int (*ask_blas)(void);
static void (*tell_blas)(int);
static SpinLock blas_lock;
static int64_t holders;      /* products that run now */
static int former, expected; /* what the BLAS had before the first of them, and what it has unless its user says so */

/* The threads of the BLAS but for the one that products leave it. */
static int count_of_blas(void)
{
    int count = ask_blas();
    return holders > 0 && count == 1 ? former : count;
}

/* Whether the product is ours: the BLAS has as many threads as it was told, and from now on one. */
static bool hold_blas(void)
{
    lock(&blas_lock);
    bool ours = count_of_blas() == expected;
    if (ours && holders++ == 0) {
        former = expected;
        tell_blas(1);
    }
    unlock(&blas_lock);
    return ours;
}

static void release_blas(void)
{
    lock(&blas_lock);
    if (--holders == 0 && ask_blas() == 1) /* else somebody has said something meanwhile */
        tell_blas(former);
    unlock(&blas_lock);
}

/* A process forks while nobody changes any of this. */
static void before_fork(void)
{
    lock(&blas_lock);
}

static void after_fork(void)
{
    unlock(&blas_lock);
}

/* A child after fork has none of the threads that held it. */
void forget_products(void)
{
    if (holders > 0)
        tell_blas(former);
    holders = 0;
}

/* For Python, which may ask in a child before any loop has run there. */
static void lock_for_python(void)
{
    while (!is_own_process())
        sched_yield();
    lock(&blas_lock);
}

/* How many threads the BLAS has, whether a product runs or not. */
int64_t pellucid_count_of_blas(void)
{
    lock_for_python();
    int count = count_of_blas();
    unlock(&blas_lock);
    return count;
}

/* Gives the BLAS threads: at once, or at the end of the products that run. */
void pellucid_give_to_blas(int64_t count)
{
    lock_for_python();
    tell_blas((int)count);
    former = expected = ask_blas(); /* it has a limit */
    if (holders > 0)
        tell_blas(1);
    unlock(&blas_lock);
}

/* --- matrices ---------------------------------------------------------------------------------------------------- */

typedef struct {
    Gemm *gemm;
    Syrk *syrk; /* of a symmetric result, else NULL */
    const char *of_a, *of_b;
    const int64_t *m, *n, *k, *lda, *ldb, *ldc;
    const void *alpha, *a, *b, *beta;
    char *c;
    int64_t size, rows, columns; /* of an element in bytes, of a tile in elements */
} Product;

static bool is_plain(const char *way)
{
    return *way == 'N' || *way == 'n';
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t pieces(int64_t length, int64_t piece)
{
    return (length + piece - 1) / piece;
}

#define TRANSPOSE(type)                                                                                                \
    for (int64_t j = j0; j < j1; j++)                                                                                  \
        for (int64_t i = to == from && i0 == j0 ? j + 1 : i0; i < i1; i++)                                             \
            ((type *)to)[j + i * ld] = ((const type *)from)[i + j * ld];

typedef struct {
    int64_t parts[2];
} Two;

/* Copies m x n elements to their places on the other side of the diagonal; of a tile on it those below it. */
static void mirror(const char *from, char *to, int64_t m, int64_t n, int64_t ld, int64_t size)
{
    for (int64_t j0 = 0; j0 < n; j0 += BLOCK)
        for (int64_t i0 = to == from ? j0 : 0; i0 < m; i0 += BLOCK) {
            int64_t j1 = smaller(n, j0 + BLOCK), i1 = smaller(m, i0 + BLOCK);
            if (size == 4) {
                TRANSPOSE(int32_t)
            } else if (size == 8) {
                TRANSPOSE(int64_t)
            } else {
                TRANSPOSE(Two)
            }
        }
}

static void tile_at(const Product *p, int64_t row, int64_t column)
{
    int64_t m = smaller(p->rows, *p->m - row), n = smaller(p->columns, *p->n - column);
    const char *a = (const char *)p->a + row * (is_plain(p->of_a) ? 1 : *p->lda) * p->size;
    const char *b = (const char *)p->b + column * (is_plain(p->of_b) ? *p->ldb : 1) * p->size;
    char *c = p->c + (row + column * *p->ldc) * p->size;
    if (p->syrk != NULL && row == column)
        p->syrk("L", p->of_a, &m, p->k, p->alpha, a, p->lda, p->beta, c, p->ldc);
    else
        p->gemm(p->of_a, p->of_b, &m, &n, p->k, p->alpha, a, p->lda, b, p->ldb, p->beta, c, p->ldc);
    if (p->syrk != NULL)
        mirror(c, p->c + (column + row * *p->ldc) * p->size, m, n, *p->ldc, p->size);
}

static int64_t tiles(int64_t *captures, int64_t *context, int64_t first, int64_t last)
{
    const Product *p = (const Product *)(intptr_t)captures[0];
    int64_t across = pieces(*p->n, p->columns);
    (void)context;
    for (int64_t tile = first; tile < last; tile++)
        tile_at(p, tile / across * p->rows, tile % across * p->columns);
    return 0;
}

/* Of a symmetric result, row by row those up to the diagonal. */
static int64_t half_of_tiles(int64_t *captures, int64_t *context, int64_t first, int64_t last)
{
    const Product *p = (const Product *)(intptr_t)captures[0];
    int64_t row = 0, tile = 0;
    (void)context;
    for (; tile < last; tile += ++row)
        for (int64_t column = 0; column <= row; column++)
            if (first <= tile + column && tile + column < last)
                tile_at(p, row * p->rows, column * p->columns);
    return 0;
}

static int64_t half(int64_t length)
{
    return pieces(pieces(length, 2), STEP) * STEP;
}

/* Halves tiles along their longer side until there are some for each thread. */
static int64_t cut(Product *p, int64_t wanted)
{
    for (;;) {
        int64_t count = pieces(*p->m, p->rows) * pieces(*p->n, p->columns);
        int64_t *longer = p->rows >= p->columns ? &p->rows : &p->columns;
        double left = (double)half(*longer) * (double)(p->rows + p->columns - *longer) * (double)*p->k;
        if (count >= wanted || *longer < 2 * NARROW || left < TILE_WORK)
            return count;
        *longer = half(*longer);
    }
}

/* The side of the square tiles of a symmetric result. */
static int64_t cut_symmetric(Product *p, int64_t wanted)
{
    int64_t side = 1;
    while (side * (side + 1) / 2 < wanted)
        side++;
    int64_t length = pieces(pieces(*p->m, side), STEP) * STEP;
    p->rows = p->columns = length < NARROW ? NARROW : length;
    side = pieces(*p->m, p->rows);
    return side * (side + 1) / 2;
}

/* No signal ends it: what it leaves has to be whole. */
static void share_out(Body *body, void *what, int64_t count, double cost)
{
    int64_t captures[] = {(int64_t)(intptr_t)what}, context[CONTEXT_VALUES] = {0};
    pellucid_parallel_for(body, captures, context, CONTEXT_VALUES, 0, count, 1, cost, 1, -1, 0);
}

static bool is_zero(const void *number, int64_t size)
{
    static const char ZERO[16];
    return memcmp(number, ZERO, (size_t)size) == 0;
}

/* How many rows and columns of a result, from the first on, are those of a matrix and its own transpose. */
static int64_t symmetric_part(const Product *p)
{
    bool is_turned = (is_plain(p->of_a) && *p->of_b == 'T') || (*p->of_a == 'T' && is_plain(p->of_b));
    int64_t length = smaller(*p->m, *p->n);
    if (!is_turned || p->syrk == NULL || p->a != p->b || *p->lda != *p->ldb || !is_zero(p->beta, p->size))
        return 0;
    return (double)length * (double)length * (double)*p->k > SMALL ? length : 0;
}

static void share_tiles(Product *p, int letter, double work, Body *body, int64_t (*divide)(Product *, int64_t))
{
    int64_t share = share_of_threads();
    bool held = work > SMALL && share > 1 && is_own_process() && hold_blas();
    p->rows = *p->m, p->columns = *p->n;
    int64_t count = held ? divide(p, share * TILES) : 1;
    if (count > 1)
        share_out(body, p, count, work / SPEEDS[letter] / (double)count);
    else
        tile_at(p, 0, 0);
    if (held)
        release_blas();
}

static void gemm(int letter, const char *of_a, const char *of_b, const int64_t *m, const int64_t *n, const int64_t *k,
                 const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,
                 const void *beta, void *c, const int64_t *ldc)
{
    double work = (double)*m * (double)*n * (double)*k;
    Product product = {gemms[letter], syrks[letter], of_a, of_b, m, n, k, lda, ldb, ldc, alpha, a, b, beta, c,
                       SIZES[letter], 0, 0};
    int64_t square = symmetric_part(&product);
    if (square == 0) {
        product.syrk = NULL;
        share_tiles(&product, letter, work, tiles, cut);
        return;
    }
    int64_t rows = *m - square, columns = *n - square, across = columns > 0 ? columns : *n;
    product.m = product.n = &square;
    share_tiles(&product, letter, (double)square * (double)square * (double)*k / 2.0, half_of_tiles, cut_symmetric);
    if (rows > 0 || columns > 0) { /* what is below or beside of it */
        a = (const char *)a + (rows > 0 ? square * (is_plain(of_a) ? 1 : *lda) : 0) * product.size;
        b = (const char *)b + (columns > 0 ? square * (is_plain(of_b) ? *ldb : 1) : 0) * product.size;
        c = (char *)c + square * (rows > 0 ? 1 : *ldc) * product.size;
        gemm(letter, of_a, of_b, rows > 0 ? &rows : m, &across, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
}

/* --- a matrix and a vector --------------------------------------------------------------------------------------- */

typedef struct {
    Gemv *gemv;
    const char *of_a;
    const int64_t *m, *n, *lda, *step_x, *step_y;
    const void *alpha, *a, *x, *beta;
    char *y;
    int64_t size, length; /* of an element in bytes, of a piece of y in elements */
} VectorProduct;

static int64_t stretches(int64_t *captures, int64_t *context, int64_t first, int64_t last)
{
    const VectorProduct *p = (const VectorProduct *)(intptr_t)captures[0];
    (void)context;
    bool plain = is_plain(p->of_a);
    for (int64_t piece = first; piece < last; piece++) {
        int64_t begin = piece * p->length, length = smaller(p->length, (plain ? *p->m : *p->n) - begin);
        const char *a = (const char *)p->a + begin * (plain ? 1 : *p->lda) * p->size;
        p->gemv(p->of_a, plain ? &length : p->m, plain ? p->n : &length, p->alpha, a, p->lda, p->x, p->step_x, p->beta,
                p->y + begin * *p->step_y * p->size, p->step_y);
    }
    return 0;
}

static void gemv(int letter, const char *of_a, const int64_t *m, const int64_t *n, const void *alpha, const void *a,
                 const int64_t *lda, const void *x, const int64_t *step_x, const void *beta, void *y,
                 const int64_t *step_y)
{
    double work = (double)*m * (double)*n;
    int64_t share = share_of_threads(), length = is_plain(of_a) ? *m : *n;
    bool held = work > SMALL_VECTOR && share > 1 && is_own_process() && hold_blas();
    int64_t piece = pieces(pieces(length, share * TILES), STEP) * STEP;
    VectorProduct product = {gemvs[letter], of_a, m, n, lda, step_x, step_y, alpha, a, x, beta, y, SIZES[letter], piece};
    double time = work * (double)SIZES[letter] / BYTES_A_NANOSECOND;
    if (held && piece < length && *step_y > 0)
        share_out(stretches, &product, pieces(length, piece), time * (double)piece / (double)length);
    else
        product.gemv(of_a, m, n, alpha, a, lda, x, step_x, beta, y, step_y);
    if (held)
        release_blas();
}

/* --- as BLAS calls them ------------------------------------------------------------------------------------------ */

#define PRODUCTS(letter, number)                                                                                       \
    static void letter##gemm(const char *of_a, const char *of_b, const int64_t *m, const int64_t *n, const int64_t *k, \
                             const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,  \
                             const void *beta, void *c, const int64_t *ldc)                                            \
    {                                                                                                                  \
        gemm(number, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                        \
    }                                                                                                                  \
    static void letter##gemv(const char *of_a, const int64_t *m, const int64_t *n, const void *alpha, const void *a,   \
                             const int64_t *lda, const void *x, const int64_t *step_x, const void *beta, void *y,      \
                             const int64_t *step_y)                                                                    \
    {                                                                                                                  \
        gemv(number, of_a, m, n, alpha, a, lda, x, step_x, beta, y, step_y);                                           \
    }

PRODUCTS(s, 0)
PRODUCTS(d, 1)
PRODUCTS(c, 2)
PRODUCTS(z, 3)

/* What to call instead of a `gemm` or a `gemv` of an OpenBLAS, which says how many threads it has and is told so; NULL for
   another library than the first.  `syrk` may be NULL. */
void *pellucid_product(int64_t letter, int64_t of_vector, void *routine, void *syrk, void *ask, void *tell,
                       int64_t threads)
{
    static Gemm *const BY_GEMM[LETTERS] = {sgemm, dgemm, cgemm, zgemm};
    static Gemv *const BY_GEMV[LETTERS] = {sgemv, dgemv, cgemv, zgemv};
    if (ask_blas == NULL) {
        if (pthread_atfork(before_fork, after_fork, after_fork) != 0)
            return NULL;
        *(void **)&ask_blas = ask;
        *(void **)&tell_blas = tell;
        expected = (int)threads;
    } else if (*(void *const *)&tell_blas != tell) {
        return NULL;
    }
    if (!of_vector)
        *(void **)&syrks[letter] = syrk;
    *(of_vector ? (void **)&gemvs[letter] : (void **)&gemms[letter]) = routine;
    return of_vector ? *(void *const *)&BY_GEMV[letter] : *(void *const *)&BY_GEMM[letter];
}
