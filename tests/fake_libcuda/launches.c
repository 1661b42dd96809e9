/* Streams, events, modules and launches of the driver for tests, and what the fake libraries need of it: a part of fake.c. */

/* --- streams and events ------------------------------------------------------------------------------------------- */

API cuStreamCreate(void **stream, unsigned flags)
{
    BEGIN_IN_CONTEXT()
    (void)flags;
    Stream *made = calloc(1, sizeof *made);
    made->device = device_of_current();
    *stream = made;
    return 0;
}
API cuStreamSynchronize(void *given)
{
    BEGIN_IN_CONTEXT()
    pthread_mutex_lock(&mutex);
    Stream *stream = stream_of(given);
    drain(stream, stream->pushed);
    pthread_mutex_unlock(&mutex);
    return is_lost ? lost_status : 0;
}
/* Between two questions a device makes progress. */
API cuStreamQuery(void *given)
{
    BEGIN_IN_CONTEXT()
    Stream *stream = stream_of(given);
    if (is_stalled || (stream->done < stream->pushed && stream->asked < stream->pushed)) {
        stream->asked = stream->pushed;
        return NOT_READY;
    }
    return cuStreamSynchronize(given);
}
API cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    BEGIN_IN_CONTEXT()
    (void)flags;
    return ((Event *)event)->stream == NULL ? 0 : push(stream, (Operation){.kind = WAIT, .event = *(Event *)event});
}
API cuEventCreate(void **event, unsigned flags) { BEGIN_IN_CONTEXT() (void)flags; *event = calloc(1, sizeof(Event)); return 0; }
API cuEventRecord(void *event, void *stream)
{
    BEGIN_IN_CONTEXT()
    *(Event *)event = (Event){stream_of(stream), stream_of(stream)->pushed};
    return 0;
}
API cuEventSynchronize(void *event)
{
    BEGIN_IN_CONTEXT()
    Event *waited = event;
    pthread_mutex_lock(&mutex);
    if (waited->stream != NULL)
        drain(waited->stream, waited->recorded);
    pthread_mutex_unlock(&mutex);
    return is_lost ? lost_status : 0;
}
API cuEventQuery(void *event)
{
    BEGIN_IN_CONTEXT()
    return is_stalled ? NOT_READY : cuEventSynchronize(event);
}

/* --- modules and launches -------------------------------------------------------------------------------------- */

/* name size size ... */
static bool read_function(char *line, Function *function)
{
    char *rest = NULL, *word = strtok_r(line, " ", &rest);
    if (word == NULL)
        return false;
    snprintf(function->name, sizeof function->name, "%s", word);
    while ((word = strtok_r(NULL, " ", &rest)) != NULL)
        function->sizes[function->count++] = atoi(word);
    return true;
}

API cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values)
{
    BEGIN_IN_CONTEXT()
    if (strncmp(image, "fake\n", 5) != 0) {
        for (unsigned k = 0; k < count; k++)
            if (options[k] == 5)
                strcpy(values[k], "ptxas fatal: this is no image for tests");
        return INVALID_IMAGE;
    }
    Module *made = calloc(1, sizeof *made);
    char *text = strdup((const char *)image + 5), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        made->count += read_function(line, &made->functions[made->count]);
    free(text);
    *module = made;
    return 0;
}
API cuModuleGetFunction(void **function, void *given, const char *name)
{
    BEGIN_IN_CONTEXT()
    Module *module = given;
    for (int k = 0; k < module->count; k++)
        if (strcmp(module->functions[k].name, name) == 0) {
            *function = &module->functions[k];
            return 0;
        }
    return NOT_FOUND;
}
API cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)function;
    *value = attribute == 0 ? 1024 : attribute == 4 ? 32 : 0;
    return 0;
}
API cuLaunchKernel(void *given, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, void *stream, void **parameters, void **more)
{
    BEGIN_IN_CONTEXT()
    Function *function = given;
    Operation operation = {.kind = LAUNCH, .function = function, .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}};
    if (shared != 0 || more != NULL || grid_x == 0 || grid_y == 0 || grid_z == 0 || block_x * block_y * block_z == 0 ||
        block_x * block_y * block_z > 1024 || grid_y > 65535 || grid_z > 65535)
        return INVALID_VALUE;
    size_t used = 0;
    for (int k = 0; k < function->count; k++) {
        size_t size = (size_t)function->sizes[k];
        memcpy(operation.parameters + used, parameters[k], size);
        uint64_t word = 0;
        memcpy(&word, parameters[k], size < 8 ? size : 8);
        Allocation *found = size == 8 ? allocation_of((void *)(uintptr_t)word) : NULL;
        if (found != NULL && found->is_doomed)
            fault("a kernel got memory that was freed", (void *)(uintptr_t)word);
        used += (size + 7) / 8 * 8;
    }
    return push(stream, operation);
}

/* --- for the libraries (`libraries.py`) ------------------------------------------------------------------------- */

TELL int fake_device(void) { return device_of_current(); }
TELL void fake_fault(const char *what, const void *where) { fault(what, where); }
TELL void fake_forget(void) { faults[0] = '\0'; }
TELL void fake_check(const void *address, size_t bytes, int is_running) { check(address, bytes, is_running != 0); }
/* When the stream comes to it, `on_later` is called with this number. */
TELL void fake_later(void *stream, int64_t number) { push(stream, (Operation){.kind = LATER, .value = number}); }
