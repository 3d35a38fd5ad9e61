#ifndef OPAQUE_H
#define OPAQUE_H

// May read and change what it is given, for all that the optimiser knows; does nothing.
void opaque_touch(void *value);

#endif
