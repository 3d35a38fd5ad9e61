/// The constructor of an enum case, used in reverse to extract payloads from values.
///
/// The constructor does not reveal its case. The candidates are the cases whose payload has its type. For each of them,
/// the first payload is passed to the constructor and the result's case is compared: so several cases may have the same
/// payload type and are never confused.
final class CaseConstructor<Value, Payload>: Sendable {
    private let construct: @Sendable (Payload) -> Value
    private let cases: EnumDescription
    private let candidates: Set<Int>
    private let witnesses: EnumWitnesses

    /// Takes the constructor of a case of `Value`; a payload type that no case has is a programmer error at `site`.
    init(_ construct: @escaping @Sendable (Payload) -> Value, cases: EnumDescription?, site: CallSite) {
        guard let cases else {
            site.fail(
                """
                routeCase(_:) needs an enum with its reflection metadata, and \(Value.self) is not one. Use \
                routeEffects(withParameters:).
                """)
        }
        let candidates = cases.cases.indices.filter { index in
            let payload = cases.cases[index].payload ?? Void.self
            return TypeMetadata.sameRepresentation(payload, Payload.self)
        }
        if candidates.isEmpty {
            site.fail(
                """
                routeCase(_:) was given a function from \(Payload.self), and no case of \(Value.self) carries that. \
                Give it a case itself, as in routeCase(\(Value.self).someCase), or use routeEffects(withParameters:).
                """)
        }
        if TypeMetadata.dependsOnAbstraction(Payload.self) {
            site.fail(
                """
                routeCase(_:) cannot take \(Payload.self) out of \(Value.self): functions and metatypes are stored \
                differently from case to case. Use routeEffects(withParameters:) with a switch.
                """)
        }
        self.construct = construct
        self.cases = cases
        self.candidates = Set(candidates)
        witnesses = EnumWitnesses(of: Value.self)
    }

    /// Whether `value`, whose case is `tag`, was made by this constructor.
    func recognise(_ value: Value, tag: Int) -> RecognisedCase? {
        guard candidates.contains(tag) else { return nil }
        let recognised = RecognisedCase(tag: tag, isIndirect: cases.cases[tag].isIndirect)
        let made = witnesses.tag(of: construct(payload(of: value, recognised)))
        return made == tag ? recognised : nil
    }

    /// The payload of a value that was recognised.
    func payload(of value: Value, _ recognised: RecognisedCase) -> Payload {
        witnesses.payload(of: value, recognised, as: Payload.self)
    }
}
