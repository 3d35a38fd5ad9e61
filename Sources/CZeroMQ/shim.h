// The C library as Swift sees it; a shim, because the header's place differs between systems.
#pragma once
#include <zmq.h>

#ifdef __linux__
// Two calls of Linux that Swift's Glibc module leaves out.
#include <sys/eventfd.h>
#include <sys/prctl.h>

static inline void czeromq_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
#endif
