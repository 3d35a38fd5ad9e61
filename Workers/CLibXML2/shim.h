// libxml2's HTML parser. Package.swift asks pkg-config where libxml/ lives, as Debian keeps it out of the default path.
#include <libxml/HTMLparser.h>
