#if HTTP
    import MobiusWire

    /// The parameters of a request's query, of which each is known and given once.
    package struct QueryParameters: Sendable {
        private var values: [String: String] = [:]

        /// Reads a query.
        ///
        /// - Throws: ``Problem`` for a parameter that is not one of `known`, and for one that is not encoded rightly.
        package init(_ query: String?, known: [String]) throws(Problem) {
            for pair in (query ?? "").split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard let name = Percent.decoded(parts[0], isQuery: true),
                    let value = Percent.decoded(parts.count == 2 ? parts[1] : "", isQuery: true)
                else { throw Problem(.invalidRequest, "The query is not percent-encoded UTF-8.") }
                guard known.contains(name) else {
                    let names = known.isEmpty ? "none" : known.joined(separator: ", ")
                    throw Problem(
                        .invalidRequest,
                        "There is no parameter '\(name.prefix(64))' here; the parameters are: \(names).")
                }
                guard values.updateValue(value, forKey: name) == nil else {
                    throw Problem(.invalidRequest, "The parameter '\(name)' is there twice.")
                }
            }
        }

        /// A text; `nil` when absent.
        package func text(_ name: String) -> String? { values[name] }

        /// A whole number; `nil` when absent.
        package func number(_ name: String, in range: ClosedRange<UInt64> = 0...UInt64(Int64.max)) throws(Problem)
            -> UInt64?
        {
            guard let text = values[name] else { return nil }
            guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = UInt64(text), range.contains(number)
            else {
                throw Problem(
                    .invalidRequest,
                    "'\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text.prefix(64))'."
                )
            }
            return number
        }

        /// Yes or no; `nil` when absent.
        package func flag(_ name: String) throws(Problem) -> Bool? {
            switch values[name] {
            case nil: return nil
            case "true": return true
            case "false": return false
            case let text?: throw Problem(.invalidRequest, "'\(name)' is true or false, not '\(text.prefix(64))'.")
            }
        }
    }
#endif
