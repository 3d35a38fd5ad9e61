package import MobiusCodec
package import MobiusWire
import Synchronization

/// The coding of one type, bound once: values to payloads and back.
///
/// Values are written in one coding and read in all codings of the type, so that a program may change its coding: each
/// payload names its coding. A type that conforms to ``PayloadEvolution`` is written under its explicit name and newest
/// version, and read in all versions that it names; any other is version 1 of its type's full name.
// A class, because generic code would copy all of a structure at every use, and look its type up.
package final class TypedCodec<Value: Codable & Sendable>: Sendable {
    /// The kind of this coding's payloads.
    package let kind: PayloadKind
    /// The form that is written, followed by those that are only read.
    private let forms: CodecEntry<Value>
    private let versions: PayloadVersions<Value>?
    private let scratches = ScratchPool()
    /// The form of the last lookup, which is usually the next one, too.
    // Only the pointer is unsafe: it always refers to one of the forms, which are constant and live as long as this
    // object.
    nonisolated(unsafe) private let latest: Atomic<UnsafeRawPointer>

    /// Binds a coding to the type, which must have it.
    ///
    /// - Parameters:
    ///   - contentType: Of the payloads that are written.
    ///   - deterministic: Whether equal values give equal bytes.
    package convenience init(_ contentType: String, deterministic: Bool = false) {
        self.init(contentType, PayloadCodecs(Value.self, deterministic: deterministic))
    }

    /// Binds these codings to the type, which must be able to write this content type.
    package init(_ contentType: String, _ codings: PayloadCodecs<Value>) {
        let versions = (Value.self as? any PayloadEvolution.Type).flatMap { Self.versions($0) }
        let (name, version) = (versions?.name ?? Self.fullName, versions?.current ?? 1)
        var forms: CodecEntry<Value>?
        for contentType in codings.contentTypes.reversed().filter({ $0 != contentType }) + [contentType] {
            guard let coding = codings[contentType] else {
                preconditionFailure("\(Value.self) has no form in \(contentType): it must conform to FastPayload.")
            }
            let kind = PayloadKind(type: name, version: version, contentType: contentType)
            forms = CodecEntry(kind, coding, next: forms)
        }
        self.versions = versions
        self.forms = forms.unsafelyUnwrapped
        kind = self.forms.kind
        latest = Atomic(UnsafeRawPointer(Unmanaged.passUnretained(self.forms).toOpaque()))
    }

    /// The type's name from its module on; of a private type without the address of its scope, which differs in each
    /// run.
    package static var fullName: String {
        let name = String(reflecting: Value.self)
        // Most types have none, and building a regular expression is slow.
        guard name.utf8.contains(UInt8(ascii: "(")) else { return name }
        return name.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }

    private static func versions<Evolving: PayloadEvolution>(_ type: Evolving.Type) -> PayloadVersions<Value>? {
        Evolving.versions as? PayloadVersions<Value>
    }

    /// The default coding: JSON.
    package static func json(sortedKeys: Bool = false) -> Self {
        Self(PayloadKind.jsonContentType, deterministic: sortedKeys)
    }

    /// The names under which payloads are read: that of the type, and former ones.
    package var names: Set<String> { (versions?.formerNames ?? []).union([kind.type]) }

    /// The content types that are read; first the one that is written.
    package var contentTypes: [String] { forms.contentTypes }

    /// The kinds of readable payloads of this version; first the kind that is written.
    package var kinds: [PayloadKind] { forms.kinds }

    /// Makes a payload of a value.
    package func encode(_ value: Value) throws(CodingFailure) -> Payload { try encode(value, forms) }

    /// Makes a payload of a value in another coding, to answer a payload in that coding.
    package func encode(_ value: Value, as contentType: String) throws(CodingFailure) -> Payload {
        guard let form = forms.form(in: contentType) else { throw unknown(contentType) }
        return try encode(value, form)
    }

    /// Makes a payload of a value in the coding of another type's payload, to answer it.
    package func encode(_ value: Value, inCodingOf kind: PayloadKind) throws(CodingFailure) -> Payload {
        try scratches.withScratch { scratch throws(CodingFailure) in
            var bytes: [UInt8] = []
            return try encode(value, inCodingOf: kind, reusing: &bytes, scratch: &scratch)
        }
    }

    /// The same for who has a scratch of its own, and an empty array whose memory the payload gets.
    package func encode(
        _ value: Value, inCodingOf kind: PayloadKind, reusing bytes: inout [UInt8], scratch: inout CodingScratch
    ) throws(CodingFailure) -> Payload {
        guard let form = form(inCodingOf: kind) else { throw unknown(kind.contentType) }
        var payload = Payload(kind: form.kind, bytes: [])
        swap(&payload.bytes, &bytes)
        try form.coding.encode(value, into: &payload.bytes, scratch: &scratch)
        return payload
    }

    private func unknown(_ contentType: String) -> CodingFailure {
        CodingFailure(.encoding, type: kind.type, reason: "it has no form in \(contentType)")
    }

    private func encode(_ value: Value, _ form: CodecEntry<Value>) throws(CodingFailure) -> Payload {
        try scratches.withScratch { scratch throws(CodingFailure) in try encode(value, form, &scratch) }
    }

    /// Makes a payload of a value, with the caller's scratch.
    package func encode(_ value: Value, scratch: inout CodingScratch) throws(CodingFailure) -> Payload {
        try encode(value, forms, &scratch)
    }

    private func encode(
        _ value: Value, _ form: CodecEntry<Value>, _ scratch: inout CodingScratch
    ) throws(CodingFailure) -> Payload {
        var payload = Payload(kind: form.kind, bytes: [])
        try form.coding.encode(value, into: &payload.bytes, scratch: &scratch)
        return payload
    }

    /// Makes a value of a payload.
    ///
    /// - Throws: a `CodingFailure` for a coding that the type does not have, for another type's payload, for a version
    ///   that the type does not name, and for invalid bytes.
    package func decode(_ payload: Payload) throws(CodingFailure) -> Value {
        try scratches.withScratch { scratch throws(CodingFailure) in try decode(payload, scratch: &scratch) }
    }

    /// Makes a value of a payload, with the caller's scratch; see ``decode(_:)``.
    package func decode(_ payload: Payload, scratch: inout CodingScratch) throws(CodingFailure) -> Value {
        try decode(payload.bytes, of: payload.kind, scratch: &scratch)
    }

    /// Makes a value of a payload's bytes.
    package func decode(
        _ bytes: [UInt8], of kind: PayloadKind, scratch: inout CodingScratch
    ) throws(CodingFailure) -> Value {
        if let form = form(of: kind) {
            return try form.coding.decode(bytes.span.bytes, scratch: &scratch)
        }
        guard forms.form(in: kind.contentType) != nil else {
            throw CodingFailure(
                .decoding, type: self.kind.type,
                reason: "it is \(kind.contentType), and this program reads \(contentTypes.joined(separator: ", "))")
        }
        return try decodeFormer(Payload(kind: kind, bytes: bytes))
    }

    /// The kind with the newest version, if it names this type, under any of its names, and the version 0.
    package func newest(_ kind: PayloadKind) -> PayloadKind {
        guard kind.version == 0, kind.type == self.kind.type || versions?.formerNames.contains(kind.type) == true else {
            return kind
        }
        return PayloadKind(type: self.kind.type, version: self.kind.version, contentType: kind.contentType)
    }

    // MARK: - Forms

    /// The form of the payloads of that kind.
    private func form(of kind: PayloadKind) -> CodecEntry<Value>? {
        let likely = likelyForm
        if likely.kind == kind { return likely }
        return note(forms.form(of: kind))
    }

    /// The form in the coding of such payloads.
    private func form(inCodingOf kind: PayloadKind) -> CodecEntry<Value>? {
        let likely = likelyForm
        if likely.kind.isCoded(as: kind) { return likely }
        return note(forms.form(in: kind.contentType))
    }

    private var likelyForm: CodecEntry<Value> {
        Unmanaged.fromOpaque(latest.load(ordering: .relaxed)).takeUnretainedValue()
    }

    private func note(_ form: CodecEntry<Value>?) -> CodecEntry<Value>? {
        if let form { latest.store(UnsafeRawPointer(Unmanaged.passUnretained(form).toOpaque()), ordering: .relaxed) }
        return form
    }

    /// Reads a payload of an earlier build.
    private func decodeFormer(_ payload: Payload) throws(CodingFailure) -> Value {
        guard let versions, payload.kind.type == versions.name || versions.formerNames.contains(payload.kind.type)
        else {
            let version = payload.kind.version == 0 ? "" : ", version \(payload.kind.version)"
            throw CodingFailure(
                .decoding, type: kind.type,
                reason: "it is \(payload.kind.type)\(version); this program reads \(kind.type)")
        }
        return try versions.read(payload)
    }
}
