extension EffectID {
    /// Reads what ``description`` prints, `loop/sequence/index`; `nil` for anything else.
    ///
    /// The name of a loop may hold slashes itself, so the two numbers are taken from the end.
    public init?(_ description: String) {
        guard let last = description.lastIndex(of: "/"),
            let middle = description[..<last].lastIndex(of: "/"),
            let loop = LoopID(String(description[..<middle])),
            let sequence = Self.number(description[description.index(after: middle)..<last], as: UInt64.self),
            let index = Self.number(description[description.index(after: last)...], as: UInt32.self)
        else { return nil }
        self.init(loop: loop, sequence: sequence, index: index)
    }

    /// Digits only, as they are printed: no sign and no zero ahead, so that an effect has one name.
    private static func number<Number: FixedWidthInteger>(_ text: Substring, as type: Number.Type) -> Number? {
        guard let number = Number(text), "\(number)" == text else { return nil }
        return number
    }
}
