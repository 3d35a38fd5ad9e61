# Makes a page of swift-argument-parser's one of Debian's: `mobius dead list` is the page mobius-dead-list, as with git.
/^\.Sh NAME/ { inName = 1 }
/^\.Sh SYNOPSIS/ { inName = 0; inSynopsis = 1 }
/^\.Sh DESCRIPTION/ { inSynopsis = 0 }
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
# An empty line is a paragraph, and a line that begins with a quote no request.
/^$/ { print ".Pp"; next }
/^'/ { print "\\&" $0; next }
{ print }
