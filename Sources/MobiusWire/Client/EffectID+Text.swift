extension EffectID {
    /// Reads what ``description`` prints, `loop/sequence/index`; `nil` for anything else.
    ///
    /// The name of a loop may hold slashes itself, so the two numbers are taken from the end.
    public init?(_ description: String) {
        guard let last = description.lastIndex(of: "/"),
            let middle = description[..<last].lastIndex(of: "/"),
            let loop = LoopID(String(description[..<middle])),
            let sequence = UInt64(digits: description[description.index(after: middle)..<last]),
            let index = UInt32(digits: description[description.index(after: last)...])
        else { return nil }
        // As they are printed, without a zero ahead, so that an effect has one name.
        guard description.hasSuffix("/\(sequence)/\(index)") else { return nil }
        self.init(loop: loop, sequence: sequence, index: index)
    }
}

extension FixedWidthInteger {
    /// Reads decimal digits; `nil` for anything else, such as a sign, and for a number that does not fit.
    init?(digits: Substring) {
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(digits)
    }
}
