/* Primitives on memory that nobody may touch outside of: each tensor ends at a page that cannot be read, then begins behind one.
 *
 * A read beyond a tensor ends the process, so cases run in children, one after the other. A child that dies is a failure of the case
 * it was at, and another child goes on with the next one. */

#ifndef GUARDED_H
#define GUARDED_H

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opencl.h"

/* Where a tensor lies. */
typedef enum {
    IN_THE_OPEN, /* amid memory that may be read */
    BEFORE_A_GUARD,
    BEHIND_A_GUARD,
    ACROSS, /* with its last element in the guard: whoever reads all of it is noticed */
} place_t;

typedef struct {
    unsigned char *mapping, *data;
    size_t length, size;
    dnnl_memory_t memory;
} tensor_t;

typedef struct {
    char name[200];
    dnnl_primitive_desc_t desc;
    int scaled;                /* the argument with scales, if any */
    dnnl_memory_desc_t scales; /* theirs */
} case_t;

typedef struct {
    opencl_t ocl;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
} device_t;

enum { MOST_ARGUMENTS = 24 };

static size_t round_up(size_t size, size_t to) {
    return (size + to - 1) / to * to;
}

/* Elements of a tensor: small whole numbers, which keep what is computed from them finite. Four bits are whatever they are. */
static void fill(unsigned char *data, size_t size, dnnl_data_type_t type, int seed) {
    for (size_t i = 0; i < size; i++) data[i] = (unsigned char)(i * 37 + (size_t)seed);
    for (size_t i = 0; type != dnnl_s4 && type != dnnl_u4 && i < size / dnnl_data_type_size(type); i++) {
        float value = (float)((i * 7 + (size_t)seed) % 5 + 1);
        unsigned bits;
        memcpy(&bits, &value, sizeof(bits));
        switch (type) {
            case dnnl_f32: ((float *)data)[i] = value; break;
            case dnnl_bf16: ((unsigned short *)data)[i] = (unsigned short)(bits >> 16); break;
            case dnnl_f16: ((unsigned short *)data)[i] = (unsigned short)(((bits >> 13) - (112 << 10)) & 0x7fff); break;
            case dnnl_s32: ((int *)data)[i] = (int)value; break;
            default: data[i] = (unsigned char)value; break;
        }
    }
}

static dnnl_data_type_t type_of(const_dnnl_memory_desc_t md) {
    dnnl_data_type_t type = dnnl_data_type_undef;
    OK(dnnl_memory_desc_query(md, dnnl_query_data_type, &type));
    return type;
}

static tensor_t new_tensor(const device_t *device, const_dnnl_memory_desc_t md, int arg, place_t place) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = dnnl_memory_desc_get_size(md), whole = round_up(size, page);
    tensor_t t = {.size = size, .length = whole + 2 * page};
    t.mapping = mmap(NULL, t.length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(t.mapping != MAP_FAILED);
    unsigned char *inside = t.mapping + page;
    if (place == IN_THE_OPEN)
        CHECK(mprotect(t.mapping, t.length, PROT_READ | PROT_WRITE) == 0);
    else
        CHECK(mprotect(inside, whole, PROT_READ | PROT_WRITE) == 0);
    t.data = place == BEFORE_A_GUARD || place == ACROSS ? inside + whole - size : inside;
    fill(t.data, size, type_of(md), arg);
    /* Positions of maxima: the first one is in every window. */
    if (arg == DNNL_ARG_WORKSPACE) memset(t.data, 0, size);
    if (place == ACROSS) t.data += dnnl_data_type_size(type_of(md));
    OK(dnnl_ocl_interop_memory_create(&t.memory, md, device->engine, dnnl_ocl_interop_usm, t.data));
    return t;
}

static void destroy_tensor(tensor_t *t) {
    OK(dnnl_memory_destroy(t->memory));
    CHECK(munmap(t->mapping, t->length) == 0);
}

/* The arguments of a primitive. */
static int descriptors(const case_t *c, int *args, const_dnnl_memory_desc_t *mds) {
    static const int known[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2, DNNL_ARG_DST_0, DNNL_ARG_DST_1,
            DNNL_ARG_DST_2, DNNL_ARG_WEIGHTS_0, DNNL_ARG_WEIGHTS_1, DNNL_ARG_BIAS, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
            DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_WORKSPACE, DNNL_ARG_SCRATCHPAD, DNNL_ARG_DIFF_SRC_0,
            DNNL_ARG_DIFF_DST_0, DNNL_ARG_DIFF_WEIGHTS_0, DNNL_ARG_DIFF_BIAS, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT};
    int count = 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(c->desc, dnnl_query_exec_arg_md, known[i]);
        if (!md || dnnl_memory_desc_get_size(md) == 0) continue;
        args[count] = known[i];
        mds[count++] = md;
    }
    if (c->scales) {
        args[count] = DNNL_ARG_ATTR_SCALES | c->scaled;
        mds[count++] = c->scales;
    }
    return count;
}

/* Executes a case, and puts a copy of all arguments but the scratchpad into `results`; returns their size. */
static size_t execute(const device_t *device, const case_t *c, dnnl_primitive_t primitive, place_t place, unsigned char **results) {
    int numbers[MOST_ARGUMENTS];
    const_dnnl_memory_desc_t mds[MOST_ARGUMENTS];
    tensor_t tensors[MOST_ARGUMENTS];
    dnnl_exec_arg_t args[MOST_ARGUMENTS];
    int count = descriptors(c, numbers, mds);
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        tensors[i] = new_tensor(device, mds[i], numbers[i], place);
        args[i].arg = numbers[i];
        args[i].memory = tensors[i].memory;
        total += tensors[i].size;
    }
    OK(dnnl_primitive_execute(primitive, device->stream, count, args));
    OK(dnnl_stream_wait(device->stream));
    *results = malloc(total + 1);
    total = 0;
    for (int i = 0; i < count; i++) {
        void *mapped = NULL;
        OK(dnnl_memory_map_data(tensors[i].memory, &mapped));
        if (CHECK(mapped != NULL) && numbers[i] != DNNL_ARG_SCRATCHPAD) {
            memcpy(*results + total, mapped, tensors[i].size);
            total += tensors[i].size;
        }
        OK(dnnl_memory_unmap_data(tensors[i].memory, mapped));
        destroy_tensor(&tensors[i]);
    }
    return total;
}

/* What a child tells its parent, in memory of both. */
typedef struct {
    int at, failed, without_device;
    const char *place;
    char name[200];
} progress_t;

typedef case_t make_t(dnnl_engine_t engine, int number);

static void run_case(const device_t *device, const case_t *c, place_t first, place_t last, progress_t *progress) {
    static const char *const names[] = {"in the open", "before a guard", "behind a guard", "across"};
    dnnl_primitive_t primitive = NULL;
    unsigned char *expected = NULL, *got = NULL;
    if (!CHECK(c->desc != NULL) || !OK(dnnl_primitive_create(&primitive, c->desc))) return;
    size_t size = execute(device, c, primitive, IN_THE_OPEN, &expected);
    for (place_t place = first; place <= last; place++) {
        progress->place = names[place];
        CHECK(execute(device, c, primitive, place, &got) == size && memcmp(expected, got, size) == 0);
        free(got);
    }
    free(expected);
    OK(dnnl_primitive_destroy(primitive));
}

/* Opens a device that computes in the memory of the process, if there is one. */
static int open_device(device_t *device) {
    if (!open_opencl(&device->ocl)) return 0;
    device->engine = new_engine(&device->ocl);
    device->stream = new_stream(&device->ocl, device->engine);
    cl_device_type type = 0;
    CL(clGetDeviceInfo(device->ocl.device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    static float own[1];
    dnnl_memory_desc_t md = matrix(1, 1, dnnl_ab);
    dnnl_memory_t memory = NULL;
    dnnl_status_t taken = dnnl_ocl_interop_memory_create(&memory, md, device->engine, dnnl_ocl_interop_usm, own);
    OK(dnnl_memory_destroy(memory));
    OK(dnnl_memory_desc_destroy(md));
    return taken == dnnl_success && (type & CL_DEVICE_TYPE_CPU);
}

static void run_cases(make_t *make, int count, int step, place_t first, place_t last, progress_t *progress) {
    device_t device;
    progress->without_device = !open_device(&device);
    if (progress->without_device) return;
    for (; progress->at < count; progress->at += step) {
        case_t c = make(device.engine, progress->at);
        memcpy(progress->name, c.name, sizeof(c.name));
        progress->place = "in the making";
        failed_checks = 0;
        run_case(&device, &c, first, last, progress);
        if (failed_checks) printf("    in %s\n", c.name);
        progress->failed += failed_checks;
        OK(dnnl_primitive_desc_destroy(c.desc));
        OK(dnnl_memory_desc_destroy(c.scales));
    }
}

/* Runs cases in children and returns how many of these died. */
static int in_children(make_t *make, int count, place_t first, place_t last, progress_t *told) {
    const char *every = getenv("OXIDNN_TEST_EVERY");
    int step = every ? atoi(every) : 1, deaths = 0;
    progress_t *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(progress != MAP_FAILED);
    while (progress->at < count && !progress->without_device) {
        fflush(stdout);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            /* Runtimes have much to say of an end that is meant. */
            if (first == ACROSS) CHECK(freopen("/dev/null", "w", stderr) != NULL);
            run_cases(make, count, step, first, last, progress);
            fflush(stdout);
            _exit(0);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        if (status == 0) continue;
        deaths++;
        if (first != ACROSS) printf("    %s, %s: ended with status %d\n", progress->name, progress->place, status);
        progress->at += step;
    }
    *told = *progress;
    CHECK(munmap(progress, sizeof(*progress)) == 0);
    return deaths;
}

#endif
