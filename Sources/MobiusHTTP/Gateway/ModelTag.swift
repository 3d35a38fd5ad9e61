#if HTTP
    package import MobiusWire

    /// Names a model as a caller gets it, in `ETag` and in the ids of a stream: the number of its last event, the beginning of its
    /// journal's name, and a hash of the build that wrote it and of whether it is masked.
    ///
    /// Another journal counts its events anew, and another build may write the same model in another form.
    package struct ModelTag: Hashable, CustomStringConvertible {
        package let description: String

        package init(_ summary: ModelSummary) {
            // FNV-1a, 32 bits (Fowler, Noll and Vo).
            var hash: UInt32 = 2_166_136_261
            for byte in Array(summary.build.utf8) + [summary.isMasked ? 1 : 0] {
                hash = (hash ^ UInt32(byte)) &* 16_777_619
            }
            let digits = String(hash, radix: 16)
            let form = String(repeating: "0", count: 8 - digits.count) + digits
            description = "\(summary.sequence)-\("\(summary.journal)".prefix(8))-\(form)"
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
