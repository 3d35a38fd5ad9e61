#include "opaque.h"

// A function of another object file, compiled by another compiler run: nobody sees that it is empty.
void opaque_touch(void *value) { (void)value; }
