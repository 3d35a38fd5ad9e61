// libidn2, which writes international host names in ASCII. Package.swift asks pkg-config where it is.
#include <idn2.h>
