#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

// Whether allocations are counted on this system: on Linux with glibc.
bool allocation_counter_works(void);

// How many pieces of memory this process has asked for so far, in all threads.
uint64_t allocation_counter_value(void);

#endif
