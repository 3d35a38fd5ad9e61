/// A case without payload, known by its tag.
struct CaseConstant: Sendable {
    let tag: Int

    /// The case of `value`, or `nil` if it has a payload or is not a described enum.
    init?<Value>(_ value: Value, cases: EnumDescription?) {
        guard let cases, !cases.cases.isEmpty else { return nil }
        let tag = EnumWitnesses(of: Value.self).tag(of: value)
        guard cases.cases[tag].payload == nil else { return nil }
        self.tag = tag
    }
}
