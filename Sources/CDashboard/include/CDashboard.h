#pragma once

#include <stddef.h>

/// A file of the dashboard, as a browser gets it.
struct DashboardFile {
    /// The path in an address, such as `/dashboard/style.css`.
    const char *path;
    /// The media type.
    const char *type;
    /// The contents.
    const unsigned char *bytes;
    /// The number of bytes.
    size_t size;
};

/// Returns all files of the dashboard, which exist as long as the process.
const struct DashboardFile *dashboardFiles(size_t *count);
