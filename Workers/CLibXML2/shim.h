// libxml2's HTML parser. Package.swift asks pkg-config where libxml/ lives, as Debian keeps it out of the default path.
#include <libxml/xmlversion.h>
// Foundation brings headers of another version of ICU, and the compiler refuses to see both. Without this only the last
// members of xmlCharEncodingHandler are hidden, which nobody here touches.
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
