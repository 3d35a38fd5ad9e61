import MobiusCodec
import MobiusWire

/// One of the codings in which a type's values may come, with what its payloads are; and behind it the others.
// A list of objects and not an array: in generic code the runtime would look up the array's type at every use.
final class PayloadForm<Value: Codable & Sendable>: Sendable {
    let kind: PayloadKind
    let coding: any PayloadCoding<Value>
    let next: PayloadForm?

    init(_ kind: PayloadKind, _ coding: any PayloadCoding<Value>, next: PayloadForm?) {
        self.kind = kind
        self.coding = coding
        self.next = next
    }

    /// The form, this one or one behind it, of the payloads of that kind.
    func form(of kind: PayloadKind) -> PayloadForm? { self.kind == kind ? self : next?.form(of: kind) }

    /// What the payloads of this form and those behind it are.
    var kinds: [PayloadKind] { [kind] + (next?.kinds ?? []) }

    /// The form, this one or one behind it, in that coding.
    func form(in contentType: String) -> PayloadForm? {
        kind.contentType == contentType ? self : next?.form(in: contentType)
    }

    /// The content types of this form and those behind it.
    var contentTypes: [String] { kinds.map(\.contentType) }
}
