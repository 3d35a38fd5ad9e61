// PostgreSQL's C library as Swift sees it; a shim, because the header's place differs between systems.
#pragma once
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "libpq is missing: run Deploy/setup --postgresql, or build without the trait PostgreSQL"
#endif
