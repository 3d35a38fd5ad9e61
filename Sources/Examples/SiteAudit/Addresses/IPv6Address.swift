/// An IPv6 address in the form that RFC 5952 recommends.
struct IPv6Address {
    private let groups: [UInt16]

    /// Reads the text between the brackets: eight groups, `::` for zeros, perhaps an IPv4 address at the end.
    init?(_ bytes: some Collection<UInt8>) {
        let text = Array(bytes)
        let colons = zip(text.indices, text.indices.dropFirst()).first {
            text[$0] == UInt8(ascii: ":") && text[$1] == UInt8(ascii: ":")
        }
        guard let gap = colons?.0 else {
            guard let all = Self.groups(text[...]), all.count == 8 else { return nil }
            groups = all
            return
        }
        // An IPv4 address stands at the end alone.
        guard text[..<gap].contains(UInt8(ascii: ".")) == false else { return nil }
        guard let front = Self.groups(text[..<gap]), let back = Self.groups(text[(gap + 2)...]) else { return nil }
        guard front.count + back.count < 8 else { return nil }
        groups = front + [UInt16](repeating: 0, count: 8 - front.count - back.count) + back
    }

    /// The shortest form, in lower case.
    var text: String {
        let hexadecimal = groups.map { String($0, radix: 16) }
        guard let zeros = longestZeros else { return hexadecimal.joined(separator: ":") }
        return hexadecimal[..<zeros.lowerBound].joined(separator: ":") + "::"
            + hexadecimal[zeros.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of two or more zero groups.
    private var longestZeros: Range<Int>? {
        var longest = 0..<0
        var start: Int?
        for index in 0...8 {
            if index < 8, groups[index] == 0 {
                start = start ?? index
            } else if let begin = start {
                if index - begin > longest.count { longest = begin..<index }
                start = nil
            }
        }
        return longest.count > 1 ? longest : nil
    }

    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        if text.isEmpty { return [] }
        var result: [UInt16] = []
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let pair = embedded(part) else { return nil }
                result += pair
            } else {
                let digits = part.compactMap(PercentCoding.hexadecimal)
                guard 1...4 ~= part.count, digits.count == part.count else { return nil }
                result.append(digits.reduce(0) { $0 << 4 | UInt16($1) })
            }
        }
        return result.count <= 8 ? result : nil
    }

    /// An IPv4 address, here in decimal numbers without leading zeros only, as two groups.
    private static func embedded(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> UInt16? in
            let text = String(decoding: part, as: UTF8.self)
            // Whatever does not come out as it was is written in another way, such as `+1` or `01`.
            return UInt8(text).flatMap { String($0) == text ? UInt16($0) : nil }
        }
        guard parts.count == 4, numbers.count == 4 else { return nil }
        return [numbers[0] << 8 | numbers[1], numbers[2] << 8 | numbers[3]]
    }
}
