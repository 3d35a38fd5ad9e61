import Foundation
import MobiusCodec
import MobiusWire

/// Decides whether two models are equal although their encoded bytes differ.
///
/// The order of a `Set`, and of a dictionary whose keys are not strings, differs between processes, and so do their
/// encoded bytes.
enum ModelEquality {
    /// Compares by `==` if the type is `Equatable`, otherwise by JSON in which the order of every array is ignored.
    static func holds<Model>(_ one: Model, _ other: Model, coded: Payload, _ otherCoded: Payload) -> Bool {
        if let one = one as? any Equatable { return isEqual(one, other) }
        guard let one = json(coded), let other = json(otherCoded) else { return false }
        return withoutOrder(one) == withoutOrder(other)
    }

    private static func json(_ payload: Payload) -> Any? {
        PayloadText.json(of: payload.bytes, contentType: payload.kind.contentType).flatMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
        }
    }

    private static func isEqual<Model: Equatable>(_ one: Model, _ other: Any) -> Bool {
        one == other as? Model
    }

    private static func withoutOrder(_ json: Any) -> String {
        switch json {
        case let list as [Any]: "[\(list.map(withoutOrder).sorted().joined(separator: ","))]"
        case let object as [String: Any]:
            "{\(object.map { "\($0.key.debugDescription):\(withoutOrder($0.value))" }.sorted().joined(separator: ","))}"
        case let text as String: text.debugDescription
        default: "\(json)"
        }
    }
}
