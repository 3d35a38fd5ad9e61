import MobiusCodec
import MobiusWire

/// One of a type's codings with the kind of its payloads, as a node of a linked list of all codings.
// A linked list, because generic code looks up an array's type at every use.
final class CodecEntry<Value: Codable & Sendable>: Sendable {
    let kind: PayloadKind
    let coding: any PayloadCodec<Value>
    let next: CodecEntry?

    init(_ kind: PayloadKind, _ coding: any PayloadCodec<Value>, next: CodecEntry?) {
        self.kind = kind
        self.coding = coding
        self.next = next
    }

    /// The form, this one or one behind it, of the payloads of that kind.
    func form(of kind: PayloadKind) -> CodecEntry? { self.kind == kind ? self : next?.form(of: kind) }

    /// The kinds of this form and of those behind it.
    var kinds: [PayloadKind] { [kind] + (next?.kinds ?? []) }

    /// The form, this one or one behind it, in that coding.
    func form(in contentType: String) -> CodecEntry? {
        kind.contentType == contentType ? self : next?.form(in: contentType)
    }

    /// The content types of this form and those behind it.
    var contentTypes: [String] { kinds.map(\.contentType) }
}
