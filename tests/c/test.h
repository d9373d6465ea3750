/* A small frame for tests in C: checks that say what failed, and a closing line with the counts. */

#ifndef TEST_H
#define TEST_H

#include <stdio.h>
#include <string.h>

#include "oneapi/dnnl/dnnl.h"

typedef struct {
    const char *name;
    void (*run)(void);
} test_t;

#define TEST(function) \
    { #function, function }

static int failed_checks;
static const char *skip_reason;

static inline int check(int holds, const char *file, int line, const char *what) {
    if (!holds) {
        printf("    %s:%d: %s\n", file, line, what);
        failed_checks++;
    }
    return holds;
}

static inline int check_status(dnnl_status_t expected, dnnl_status_t got, const char *file, int line, const char *what) {
    if (expected != got) {
        printf("    %s:%d: %s\n        is %d, expected %d\n", file, line, what, (int)got, (int)expected);
        failed_checks++;
    }
    return expected == got;
}

/* Something that must hold. */
#define CHECK(condition) check((condition), __FILE__, __LINE__, #condition)

/* A call that must return a status. */
#define STATUS(expected, call) check_status((expected), (call), __FILE__, __LINE__, #call)

/* A call that must succeed. */
#define OK(call) STATUS(dnnl_success, call)

/* A call that must be refused for its arguments. */
#define INVALID(call) STATUS(dnnl_invalid_arguments, call)

/* Leaves the test: what it needs is not here. */
#define SKIP(reason) \
    do { \
        skip_reason = (reason); \
        return; \
    } while (0)

static inline int run_tests(const test_t *tests, int count) {
    int passed = 0, failed = 0, skipped = 0;
    for (int i = 0; i < count; i++) {
        failed_checks = 0;
        skip_reason = NULL;
        tests[i].run();
        if (failed_checks) {
            failed++;
            printf("%s ... FAILED\n", tests[i].name);
        } else if (skip_reason) {
            skipped++;
            printf("%s ... skipped: %s\n", tests[i].name, skip_reason);
        } else {
            passed++;
            printf("%s ... ok\n", tests[i].name);
        }
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}

#define RUN(tests) run_tests(tests, (int)(sizeof(tests) / sizeof(tests[0])))

#endif
