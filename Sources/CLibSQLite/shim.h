// SQLite's C library as Swift sees it; a shim, because the header's place differs between systems.
#pragma once
#include <sqlite3.h>
