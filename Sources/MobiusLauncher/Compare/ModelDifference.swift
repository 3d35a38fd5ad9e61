package import Foundation

/// The difference of the models in two lines of a replay, for people.
package enum ModelDifference {
    /// One line for each place that differs, in the order of their names; at most `limit`, and a last one that counts the others.
    package static func lines(_ old: Data, _ new: Data, limit: Int = 12) throws -> [String] {
        func model(_ line: Data) throws -> Any? {
            try (JSONSerialization.jsonObject(with: line) as? [String: Any])?["model"]
        }
        var found: [String] = []
        compare(try model(old), try model(new), at: "", &found)
        return found.count <= limit ? found : found.prefix(limit) + ["… and \(found.count - limit) more"]
    }

    private static func compare(_ old: Any?, _ new: Any?, at path: String, _ found: inout [String]) {
        switch (old, new) {
        case (let old as [String: Any], let new as [String: Any]):
            for key in Set(old.keys).union(new.keys).sorted() {
                compare(old[key], new[key], at: path.isEmpty ? key : "\(path).\(key)", &found)
            }
        case (let old as [Any], let new as [Any]):
            for place in 0..<max(old.count, new.count) {
                let (before, after) = (old.dropFirst(place).first, new.dropFirst(place).first)
                compare(before, after, at: "\(path)[\(place)]", &found)
            }
        default:
            let (before, after) = (text(old), text(new))
            guard before != after else { return }
            found.append("\(path.isEmpty ? "the model" : path): \(before ?? "nothing") → \(after ?? "nothing")")
        }
    }

    /// A value as it is shown; `nil` for none.
    private static func text(_ value: Any?) -> String? {
        guard let value else { return nil }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else { return "\(value)" }
        let text = String(decoding: data, as: UTF8.self)
        return text.count <= 80 ? text : "\(text.prefix(79))…"
    }
}
