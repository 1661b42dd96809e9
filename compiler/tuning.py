"""The thresholds of what is worth doing, each with the rows of the benchmarks that show it.

    BLOCK = 256      ->      the sum of a million numbers takes half as long as with 32

"No row": a value far off changed none by more than its noise.  Such a number keeps work bounded, or serves what the
benchmarks do not have.  Limits of what is *right* (how long an axis may be, which ints
floats hold) stand where they are needed.
"""

# --- functions ------------------------------------------------------------------------------------------------------

LEAST_SHARED = 12  # statements of a call that becomes one of a function, with others like it.  No row
SHARED_SAVING = 200  # statements that this saves, at least.  Gradient of 16 residual blocks: first call 5.4 s, not 3.5
SHARED_SCALARS_SAVING = 1000  # the same where all are numbers: the gradient then takes 1.2 times as long.  No row

# --- nests ---------------------------------------------------------------------------------------------------------

LARGEST_GRAPH = 80  # nodes fused into one nest.  Jacobi on local copies: 1.4 times as long with 10
LARGEST_BODY = 60  # statements of a nest that is merged; a longer body would only spill registers.  No row
REACH = 24  # statements back that a nest is compared with: keeps the work linear.  No row; first calls of long programs
LIGHT_WORK, LIGHT_LOADS = 4, 2  # work and loads of an element that is recomputed rather than kept.  No row
REPEATED_LOAD = 3  # loads of one element from which on it has a name.  No row; it reads better
MOST_TESTS = 6  # runtime checks that elements are apart, before a versioned loop.  Floyd-Warshall needs 2
LEAST_TURNS = 8  # the known trip count from which a loop is worth two versions.  No row
WIDEST_EDGE = 16  # elements between the targets that nests add to as one: the rest is to be the larger part.  No row
MOST_NEIGHBOURS, MOST_EDGES = 16, 32  # nests that are taken as one, and their terms at the ends.  Gradient of heat_3d

BAND = 32  # rows of a triangle that are one product but for their own terms.  Gradient of trmm
LEAST_PRODUCT = 1000  # multiplications in loops, where they are known, that a library is asked for.  No row

# --- sums ----------------------------------------------------------------------------------------------------------

BLOCK = 256  # terms: in lanes of 8 a chain of 32 additions.  Sum of all: 2.1 times as long with 32
CHOICE_BLOCK, LEAST_CHOICE = 256, 8  # elements of which the extreme comes before its place.  argmax along rows
PART = 65536  # elements, a multiple of every block: some ten microseconds of work.  No row is long enough

# --- threads and signals -------------------------------------------------------------------------------------------

SMALL_LOOP = 30_000.0  # nanoseconds: a loop that is known to take less never needs threads.  No row
GRANULE = 64  # iterations: chunks of a vectorised loop end where vectors do, to compute elements alike.  No row
SHORT_LOOP = 20_000.0  # nanoseconds: a loop that is known to take less never looks for signals.  No row
STRIP_TURNS = 2**18  # of a loop between two looks for signals, at most.  No row
STRIP_TIME = 200_000.0  # nanoseconds between two looks, as expected.  No row, not even with 2000
CHEAP_TURN = 2.0  # nanoseconds of an iteration: such are over in one pass through memory, without a look.  No row
QUICK_ITERATIONS = 2**18  # of loops in a call that keeps the GIL.  A call with three arrays: 0.36 us, not 0.31, with 1
QUICK_ELEMENTS = 2048  # of the arguments of such a call, at most.  A call with three arrays of 4

# What is expected of an iteration, in nanoseconds; on which threads depend.  Selu, softmax, sums over rows.
STATEMENT, OPERATION, SLOW_OPERATION, FUNCTION, SPECIAL_FUNCTION = 0.01, 0.03, 0.4, 1.0, 20.0
LOAD_BYTE, STORE_BYTE = 0.004, 0.01
ALLOCATION = 100.0
PRODUCT = 0.1  # a multiplication and an addition in a library
UNKNOWN_TRIPS = 16.0
NOT_VECTORISED = 8.0  # elements that a vector instruction would have taken at once

LANES = 16  # elements that iterate together: two vectors of 64 bytes, for the one waits where the other works.  Newton
FEW_LANES, SPARE_TURNS = 4, 8  # fewer lanes than that are left one after the other, but for so many iterations.  No row
LARGEST_TURN = 300  # expressions of an iteration in lanes.  Runge and Kutta's method with its step as it needs
UNROLLED = 256  # operations of a counted loop that LLVM unrolls.  Twenty iterations of Newton: 1.2 times as long with 0
MANY_NUMBERS = 16  # elements of an array that may as well be written each, or once more.  First calls of solvers
STACK_BYTES, STACK_TOTAL = 1024, 16384  # of an array of known length on the stack, and of all of a function.  Newton

# --- what LLVM gets ------------------------------------------------------------------------------------------------

LEAST_TEXT = 8000  # characters of a module.  First calls: with 4000 that of the digits gradient costs 7 % more
COST_AS_IT_STANDS = 0.1  # cost of translating a function; to optimise and translate it costs 1.  Order of work alone
SHORT_BODY = 12  # statements of a function that is optimised as a whole: with 30, LLVM takes 1.12 times as long
FEW_TURNS = 4  # iterations of a loop that stays in a function without optimisation.  First calls of the digits network
LARGE_PART = 4096  # elements, each an iteration of the loop that does the work.  As FEW_TURNS
LONG_BODY = 100  # instructions of a loop of which LLVM takes one vector at a time, not two.  No row; first calls
