/* Results of a call: what machine code left in the slots as Python objects, put into containers by a recipe.

       slots owner, data, 3, 1        ->   Array around a value that gives the buffer back to the pool
       slot 3.5                       ->   float, or a NumPy scalar where the type is strong
       LEAF 0, LEAF 1, TUPLE 2        ->   (object of leaf 0, object of leaf 1)

   Memory of an argument is copied. */

#include "asynchronous.h"

static void drop(PyObject **objects, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        Py_DECREF(objects[k]);
}

/* --- leaves ------------------------------------------------------------------------------------------------------ */

static PyObject *array_result(const Leaf *leaf, int64_t *slots, int device)
{
    Value *value = new_value(leaf, queue_of(device));
    if (value == NULL) {
        pellucid_release((void *)(intptr_t)slots[0]);
        return NULL;
    }
    if (!fill_value(value, slots)) {
        release_value(value);
        return PyErr_NoMemory();
    }
    atomic_store_explicit(&value->state, COMPUTED, memory_order_release);
    return array_around(value, device);
}

static PyObject *object_of_leaf(const Leaf *leaf, int64_t *all, int device)
{
    int64_t *slots = all + leaf->slot;
    switch (leaf->kind & 255) {
    case LEAF_WEAK_FLOAT:
        return PyFloat_FromDouble(*(double *)(void *)slots);
    case LEAF_WEAK_INT:
        return PyLong_FromLongLong(*slots);
    case LEAF_WEAK_COMPLEX:
        return PyComplex_FromCComplex(*(Py_complex *)(void *)slots);
    case LEAF_WEAK_BOOL:
        return PyBool_FromLong(*slots != 0);
    case LEAF_SCALAR:
        return PyArray_Scalar(slots, (PyArray_Descr *)leaf->operand, NULL);
    default:
        return array_result(leaf, slots, device);
    }
}

/* All leaves as objects; false after an error, with nothing left to release. */
static bool make_leaves(const Plan *plan, int64_t *slots, int device, PyObject **made)
{
    for (int64_t k = 0; k < plan->leaf_count; k++) {
        made[k] = object_of_leaf(&plan->leaves[k], slots, device);
        if (made[k] != NULL)
            continue;
        drop(made, k);
        for (int64_t other = k + 1; other < plan->leaf_count; other++) /* nobody will see these */
            if ((plan->leaves[other].kind & 255) == LEAF_ARRAY)
                pellucid_release((void *)(intptr_t)slots[plan->leaves[other].slot]);
        return false;
    }
    return true;
}

/* --- containers -------------------------------------------------------------------------------------------------- */

/* Each takes over the references to the objects. */

static PyObject *tuple_of(PyObject **objects, int64_t count)
{
    PyObject *made = PyTuple_New(count);
    if (made == NULL)
        drop(objects, count);
    else
        for (int64_t k = 0; k < count; k++)
            PyTuple_SET_ITEM(made, k, objects[k]);
    return made;
}

static PyObject *list_of(PyObject **objects, int64_t count)
{
    PyObject *made = PyList_New(count);
    if (made == NULL)
        drop(objects, count);
    else
        for (int64_t k = 0; k < count; k++)
            PyList_SET_ITEM(made, k, objects[k]);
    return made;
}

static PyObject *dict_of(PyObject **objects, PyObject *keys, int64_t count)
{
    PyObject *made = PyDict_New();
    for (int64_t k = 0; made != NULL && k < count; k++)
        if (PyDict_SetItem(made, PyTuple_GET_ITEM(keys, k), objects[k]) < 0)
            Py_CLEAR(made);
    drop(objects, count);
    return made;
}

/* What a function of Python makes of the object on top of the stack. */
static PyObject *called(PyObject **top, PyObject *function)
{
    PyObject *made = PyObject_Vectorcall(function, top, 1, NULL);
    drop(top, 1);
    return made;
}

static PyObject *carry_out(const Step *step, PyObject **top, PyObject **leaves)
{
    switch (step->word) {
    case STEP_LEAF:
        return Py_NewRef(leaves[step->operand.leaf]);
    case STEP_STATIC:
        return Py_NewRef(step->operand.object);
    case STEP_TUPLE:
        return tuple_of(top, step->taken);
    case STEP_LIST:
        return list_of(top, step->taken);
    case STEP_DICT:
        return dict_of(top, step->operand.object, step->taken);
    default:
        return called(top, step->operand.object);
    }
}

/* Runs the recipe on leaves whose references it takes over. */
PyObject *assemble(const Plan *plan, PyObject **leaves)
{
    if (plan->recipe_count == 0)
        return leaves[0];
    PyObject *stack[RESULTS];
    int64_t depth = 0;
    for (int64_t k = 0; k < plan->recipe_count; k++) {
        depth -= plan->recipe[k].taken;
        PyObject *made = carry_out(&plan->recipe[k], &stack[depth], leaves);
        if (made == NULL) {
            drop(stack, depth);
            drop(leaves, plan->leaf_count);
            return NULL;
        }
        stack[depth++] = made;
    }
    drop(leaves, plan->leaf_count);
    return stack[0];
}

/* The result of a call that went well.  Results may show elements of arguments, so those are changed when all results are
   made. */
PyObject *give(const Plan *plan, const Scan *scan)
{
    PyObject *leaves[RESULTS];
    int64_t *slots = (int64_t *)scan->slots;
    if (!make_leaves(plan, slots, scan->device, leaves)) {
        release_targets(plan, slots);
        return NULL;
    }
    if (plan->target_count > 0 && !write_targets(plan, scan)) {
        drop(leaves, plan->leaf_count);
        return NULL;
    }
    return assemble(plan, leaves);
}
