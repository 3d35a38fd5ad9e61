#if HTTP
    package import MobiusWire

    /// Names a model in `ETag` and in the ids of a stream: the number of its last event and the beginning of its journal's name.
    ///
    /// Another journal counts its events anew, so the number alone would not tell models of two journals apart.
    package struct ModelTag: Hashable, CustomStringConvertible {
        package let description: String

        package init(_ version: ModelVersion) {
            description = "\(version.sequence)-\("\(version.journal)".prefix(8))"
        }

        /// Whether an `If-None-Match` names it; the tags in it may be weak.
        package func isNamed(in list: String) -> Bool {
            list.split(separator: ",").contains { part in
                var tag = part.drop { $0 == " " || $0 == "\t" }
                while tag.last == " " || tag.last == "\t" { tag.removeLast() }
                if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
                return tag == "*" || tag == "\"\(description)\""
            }
        }
    }
#endif
