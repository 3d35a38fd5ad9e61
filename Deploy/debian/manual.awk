# Converts a manual page of swift-argument-parser to Debian's form: `mobius dead list` becomes the page
# mobius-dead-list, as with git.
/^\.Sh NAME/ { inName = 1 }
/^\.Sh SYNOPSIS/ { inName = 0; inSynopsis = 1 }
/^\.Sh DESCRIPTION/ { inSynopsis = 0 }
# `mobius serve` is a whole program's name, and in quotes.
/^\.(Dt|Xr) "/ {
    split($0, part, "\"")
    gsub(/ /, "-", part[2])
    $0 = part[1] part[2] part[3]
}
/^\.Dt / { gsub(/\./, "-", $2) }
/^\.Xr / { gsub(/\./, "-", $2) }
/^\.Xr [^ ]*-help 1/ { next }
inName && /^\.Nm / {
    command = substr($0, 5)
    name = command
    gsub(/"/, "", name)
    gsub(/ /, "-", name)
    print ".Nm " name
    next
}
inSynopsis && /^\.Nm$/ { print ".Nm " command; next }
# An empty line starts a paragraph; a line that begins with a quote must not become a request.
/^$/ { print ".Pp"; next }
/^'/ { print "\\&" $0; next }
{ print }
