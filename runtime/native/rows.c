/* A list of many items that are alike, as an argument: an array for each place in them (`alike` in `pellucid/flatten.py`).

       [(w0, b0), (w1, b1), ...]      ->      slots of the array w0 w1 ..., slots of the array b0 b1 ...

   Items are read one after the other, compared with the first one and copied to the ends of the arrays, which are memory of
   the pool for as long as the call lasts.  Items that are not alike are taken apart one by one, as those of short lists. */

#include "asynchronous.h"

#include <string.h>

enum { STRUCTURE = 48, COLUMNS = 16 }; /* the most that one item may have; with both a list fits into SLACK of a key */

typedef struct {
    char *owner, *end; /* memory, and where the next item goes */
    int64_t code, bytes;
    int rank;
    npy_intp lengths[RANK];
} Column;

typedef struct {
    Scan *scan;
    Py_ssize_t count;
    bool is_first;
    int64_t words[STRUCTURE], word_count, word_at;
    PyTypeObject *classes[STRUCTURE];
    int64_t class_count, class_at;
    Column columns[COLUMNS];
    int64_t column_count, column_at;
} Rows;

/* An array as it lies in memory; strides are in bytes. */
typedef struct {
    const char *data;
    int64_t code, bytes;
    int rank;
    bool is_contiguous;
    npy_intp lengths[RANK], strides[RANK];
} Given;

static int read_part(Rows *rows, PyObject *value);

/* --- the structure ----------------------------------------------------------------------------------------------- */

static int expect(Rows *rows, int64_t word)
{
    if (!rows->is_first)
        return rows->word_at < rows->word_count && rows->words[rows->word_at++] == word ? ROWS_ALIKE : ROWS_APART;
    if (rows->word_count == STRUCTURE)
        return ROWS_UNKNOWN;
    rows->words[rows->word_count++] = word;
    return ROWS_ALIKE;
}

static int expect_class(Rows *rows, PyTypeObject *class)
{
    int found = expect(rows, TOKEN_RECORD);
    if (found != ROWS_ALIKE)
        return found;
    if (!rows->is_first)
        return rows->classes[rows->class_at++] == class ? ROWS_ALIKE : ROWS_APART;
    rows->classes[rows->class_count++] = class;
    return ROWS_ALIKE;
}

static int read_parts(Rows *rows, PyObject *tuple)
{
    int found = ROWS_ALIKE;
    for (Py_ssize_t k = 0; found == ROWS_ALIKE && k < PyTuple_GET_SIZE(tuple); k++)
        found = read_part(rows, PyTuple_GET_ITEM(tuple, k));
    return found;
}

static int read_attributes(Rows *rows, PyObject *value, PyObject *fields)
{
    int found = ROWS_ALIKE;
    for (Py_ssize_t k = 0; found == ROWS_ALIKE && k < PyTuple_GET_SIZE(fields); k++) {
        PyObject *part = PyObject_GetAttr(value, PyTuple_GET_ITEM(fields, k));
        if (part == NULL) {
            PyErr_Clear(); /* Python's way meets it again */
            return ROWS_UNKNOWN;
        }
        found = read_part(rows, part);
        Py_DECREF(part);
    }
    return found;
}

static int read_record(Rows *rows, PyObject *value)
{
    const Record *record = record_of(rows->scan->state, Py_TYPE(value));
    if (record == NULL || record->kind == RECORD_PLACES)
        return ROWS_UNKNOWN;
    if (record->known != 0)
        return ROWS_APART;
    int found = expect_class(rows, record->type);
    if (found != ROWS_ALIKE)
        return found;
    if (record->kind == RECORD_ATTRIBUTES)
        return read_attributes(rows, value, record->fields);
    return PyTuple_GET_SIZE(value) == PyTuple_GET_SIZE(record->fields) ? read_parts(rows, value) : ROWS_UNKNOWN;
}

/* --- leaves ------------------------------------------------------------------------------------------------------ */

static bool open_column(Rows *rows, const Given *given)
{
    Column *column = &rows->columns[rows->column_count];
    if (rows->column_count == COLUMNS)
        return false;
    uint64_t bytes = (uint64_t)given->bytes;
    for (int axis = 0; axis < given->rank; axis++)
        bytes *= (uint64_t)given->lengths[axis];
    *column = (Column){.code = given->code, .bytes = (int64_t)bytes, .rank = given->rank};
    if (bytes > (uint64_t)LENGTH_LIMIT / (uint64_t)rows->count)
        return false;
    column->owner = pellucid_allocate(bytes * (uint64_t)rows->count);
    if (column->owner == NULL)
        return false; /* Python's way says that there is no memory */
    column->end = column->owner + HEADER;
    memcpy(column->lengths, given->lengths, (size_t)given->rank * sizeof *given->lengths);
    rows->column_count++;
    return true;
}

/* Copies elements in C order; gives where the next ones go. */
static char *copied(char *end, const char *data, const Given *given, int axis)
{
    if (axis == given->rank) {
        memcpy(end, data, (size_t)given->bytes);
        return end + given->bytes;
    }
    for (npy_intp k = 0; k < given->lengths[axis]; k++)
        end = copied(end, data + k * given->strides[axis], given, axis + 1);
    return end;
}

static int take(Rows *rows, int64_t word, const Given *given)
{
    int found = expect(rows, word);
    if (found != ROWS_ALIKE)
        return found;
    if (rows->is_first && !open_column(rows, given))
        return ROWS_UNKNOWN;
    Column *column = &rows->columns[rows->is_first ? rows->column_count - 1 : rows->column_at++];
    if (memcmp(column->lengths, given->lengths, (size_t)given->rank * sizeof *given->lengths) != 0)
        return ROWS_APART;
    if (given->is_contiguous)
        memcpy(column->end, given->data, (size_t)column->bytes);
    else
        copied(column->end, given->data, given, 0);
    column->end += column->bytes;
    return ROWS_ALIKE;
}

static int take_number(Rows *rows, int64_t word, int64_t code, const void *data)
{
    Given given = {.data = data, .code = code, .bytes = types.scalar_bytes[code], .is_contiguous = true};
    return take(rows, word, &given);
}

static int take_array(Rows *rows, const Given *given)
{
    if (given->rank == 0)
        return ROWS_APART;
    return take(rows, given->code << 8 | (int64_t)given->rank << 16 | (int64_t)given->is_contiguous << 24 | TOKEN_ARRAY,
                given);
}

static int read_array(Rows *rows, PyArrayObject *array)
{
    const PyArray_Descr *dtype = PyArray_DESCR(array);
    unsigned number = (unsigned)dtype->type_num;
    if (number >= sizeof types.codes || types.codes[number] == 255 || dtype->byteorder == NPY_OPPBYTE ||
        !PyArray_ISALIGNED(array) || PyArray_NDIM(array) >= RANK)
        return ROWS_UNKNOWN;
    Given given = {.data = PyArray_DATA(array), .code = types.codes[number], .bytes = PyArray_ITEMSIZE(array),
                   .rank = PyArray_NDIM(array), .is_contiguous = PyArray_IS_C_CONTIGUOUS(array)};
    memcpy(given.lengths, PyArray_DIMS(array), (size_t)given.rank * sizeof *given.lengths);
    memcpy(given.strides, PyArray_STRIDES(array), (size_t)given.rank * sizeof *given.strides);
    return take_array(rows, &given);
}

static int read_own(Rows *rows, const Held *held)
{
    const Value *value = held->value;
    if (held->is_given)
        return ROWS_UNKNOWN;
    if (value == NULL)
        return held->values != NULL && PyArray_CheckExact(held->values)
                   ? read_array(rows, (PyArrayObject *)held->values)
                   : ROWS_UNKNOWN;
    if (value->kind != LEAF_ARRAY || state_of(value) != COMPUTED || value->rank >= RANK)
        return ROWS_UNKNOWN;
    Given given = {.data = (const char *)(intptr_t)value->data, .code = types.codes[value->number],
                   .bytes = (int64_t)1 << value->shift, .rank = value->rank, .is_contiguous = value->is_contiguous};
    for (int axis = 0; axis < given.rank; axis++) {
        given.lengths[axis] = value->lengths[axis];
        given.strides[axis] = value->lengths[given.rank + axis] * given.bytes;
    }
    return take_array(rows, &given);
}

static int read_int(Rows *rows, PyObject *value)
{
    int overflow;
    int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow ? ROWS_UNKNOWN : take_number(rows, TOKEN_INT, types.codes[NPY_INT64], &number);
}

static int read_part(Rows *rows, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyArray_Type)
        return read_array(rows, (PyArrayObject *)value);
    if (type == &PyFloat_Type)
        return take_number(rows, TOKEN_FLOAT, types.codes[NPY_DOUBLE], &((PyFloatObject *)value)->ob_fval);
    if (type == types.array)
        return read_own(rows, (const Held *)value);
    if (type == &PyLong_Type)
        return read_int(rows, value);
    if (type == &PyBool_Type)
        return take_number(rows, TOKEN_BOOL, types.codes[NPY_BOOL], &(uint8_t){value == Py_True});
    int64_t code = code_of_scalar(type);
    if (code >= 0)
        return take_number(rows, code << 8 | TOKEN_SCALAR, code, (char *)value + sizeof(PyObject));
    if (type == &PyComplex_Type)
        return take_number(rows, TOKEN_COMPLEX, types.codes[NPY_CDOUBLE], &((PyComplexObject *)value)->cval);
    if (type == &PyTuple_Type) {
        int found = expect(rows, (int64_t)PyTuple_GET_SIZE(value) << 8 | TOKEN_TUPLE);
        return found == ROWS_ALIKE ? read_parts(rows, value) : found;
    }
    if (type == &PyList_Type || type == &PyDict_Type || is_known_by_identity(type))
        return ROWS_APART;
    return read_record(rows, value);
}

/* --- the list ---------------------------------------------------------------------------------------------------- */

static int read_item(Rows *rows, PyObject *item, const PyTypeObject *type)
{
    rows->word_at = rows->class_at = rows->column_at = 0;
    if (Py_TYPE(item) != type)
        return ROWS_APART;
    Py_INCREF(item); /* reading it may run Python code, which may take it out of the list */
    int found = read_part(rows, item);
    Py_DECREF(item);
    return found;
}

static int read_items(Rows *rows, PyObject *list)
{
    int found = ROWS_ALIKE;
    PyObject *first = Py_NewRef(PyList_GET_ITEM(list, 0));
    for (Py_ssize_t k = 0; found == ROWS_ALIKE && k < rows->count; k++) {
        rows->is_first = k == 0;
        found = k < PyList_GET_SIZE(list) ? read_item(rows, PyList_GET_ITEM(list, k), Py_TYPE(first)) : ROWS_UNKNOWN;
        if (k == 0 && found == ROWS_ALIKE && rows->column_count == 0)
            found = ROWS_APART;
    }
    Py_DECREF(first);
    return found;
}

static void push_column(Scan *scan, const Column *column, Py_ssize_t count)
{
    uint64_t ones = 0;
    int64_t elements = count, rank = column->rank + 1;
    *scan->slot++ = (int64_t)(intptr_t)column->owner + HEADER;
    *scan->slot++ = count;
    for (int axis = 0; axis < column->rank; axis++) {
        *scan->slot++ = column->lengths[axis];
        ones |= (uint64_t)(column->lengths[axis] == 1) << (axis + 1);
        elements *= column->lengths[axis];
    }
    scan->slot += rank;
    scan->elements += elements;
    *scan->key++ = (int64_t)(ones << 32 | UINT64_C(1) << 24 | (uint64_t)rank << 16 | (uint64_t)column->code << 8 |
                             TOKEN_ARRAY);
    scan->stacked[scan->stacked_count++] = column->owner;
}

/* Writes keys and slots of the arrays, which the scan owns from now on; false where there is no room for them. */
static bool push_rows(Rows *rows)
{
    Scan *scan = rows->scan;
    if (!has_room(scan) || scan->stacked_count + rows->column_count > STACKED)
        return false;
    *scan->key++ = rows->word_count << 8 | TOKEN_ROWS;
    memcpy(scan->key, rows->words, (size_t)rows->word_count * sizeof *rows->words);
    scan->key += rows->word_count;
    for (int64_t k = 0; k < rows->class_count; k++)
        *scan->object++ = Py_NewRef((PyObject *)rows->classes[k]);
    for (; rows->column_at < rows->column_count; rows->column_at++) {
        if (scan->slot >= scan->slots + SLOTS)
            return false;
        push_column(scan, &rows->columns[rows->column_at], rows->count);
    }
    return true;
}

int scan_rows(Scan *scan, PyObject *list)
{
    Rows rows;
    rows.scan = scan;
    rows.count = PyList_GET_SIZE(list);
    rows.word_count = rows.class_count = rows.column_count = 0;
    int found = read_items(&rows, list);
    rows.column_at = 0; /* those before are the scan's */
    if (found == ROWS_ALIKE && !push_rows(&rows))
        found = ROWS_UNKNOWN;
    for (int64_t k = rows.column_at; found != ROWS_ALIKE && k < rows.column_count; k++)
        pellucid_release(rows.columns[k].owner);
    return found;
}
