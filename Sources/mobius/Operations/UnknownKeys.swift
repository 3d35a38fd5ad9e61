import Foundation
import MobiusCodec

/// Finds the keys of an event that its program does not read: those that are missing when the program writes the event.
package enum UnknownKeys {
    /// The unknown keys with their places, and with the nearest known one, such as `issued.amuont (did you mean amount?)`;
    /// at most ten.
    ///
    /// Null values are ignored, because an absent value is often not written. Elements of an array are compared with all
    /// elements of its counterpart, because a set has no order.
    package static func of(_ event: [UInt8], writtenAs written: [UInt8]) -> [String] {
        guard let event = value(event), let written = value(written) else { return [] }
        var found: [String] = []
        compare(event, [written], at: "", &found)
        return Array(found.prefix(10))
    }

    private static func value(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    }

    private static func compare(_ value: Any, _ known: [Any], at path: String, _ found: inout [String]) {
        switch value {
        case let members as [String: Any]:
            let objects = known.compactMap { $0 as? [String: Any] }
            // The program writes something else than an object in this place.
            guard !objects.isEmpty else { return }
            let names = Set(objects.flatMap(\.keys))
            for (name, member) in members.sorted(by: { $0.key < $1.key }) where !(member is NSNull) {
                let place = path.isEmpty ? name : "\(path).\(name)"
                let counterparts = objects.compactMap { $0[name] }
                guard counterparts.isEmpty else {
                    compare(member, counterparts, at: place, &found)
                    continue
                }
                let meant = NearestName.of(name, in: names.sorted()).map { " (did you mean \($0)?)" } ?? ""
                found.append("\(place)\(meant)")
            }
        case let elements as [Any]:
            let counterparts = known.compactMap { $0 as? [Any] }.flatMap { $0 }
            for element in elements { compare(element, counterparts, at: "\(path)[]", &found) }
        default: break
        }
    }
}
