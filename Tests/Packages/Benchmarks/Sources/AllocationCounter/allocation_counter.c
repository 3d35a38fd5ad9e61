// Takes the place of glibc's allocating functions in the process that links or preloads this file, counts, and passes on.
// At its end the process writes the number to a new file in the folder that ALLOCATION_COUNTS names, if any.
#include "allocation_counter.h"

#include <stdlib.h>

#ifdef __GLIBC__

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t allocations;

static void count_one(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

bool allocation_counter_works(void) { return true; }

__attribute__((destructor)) static void write_count(void) {
    const char *folder = getenv("ALLOCATION_COUNTS");
    if (folder == NULL) return;
    uint64_t count = allocation_counter_value();
    char name[4096];
    if (snprintf(name, sizeof name, "%s/%d", folder, (int)getpid()) >= (int)sizeof name) return;
    FILE *file = fopen(name, "w");
    if (file == NULL) return;
    fprintf(file, "%llu", (unsigned long long)count);
    fclose(file);
}

uint64_t allocation_counter_value(void) { return atomic_load_explicit(&allocations, memory_order_relaxed); }

void *malloc(size_t size) {
    count_one();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_one();
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    count_one();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count_one();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_one();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count_one();
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *found = __libc_memalign(alignment, size);
    if (found == NULL) return ENOMEM;
    *memory = found;
    return 0;
}

#else

bool allocation_counter_works(void) { return false; }

uint64_t allocation_counter_value(void) { return 0; }

#endif
