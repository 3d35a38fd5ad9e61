import Foundation

/// What two builds of a program can read of each other, decided from the forms of their types in JSON.
package struct SchemaEvolution: Sendable, Equatable {
    /// A place in a type, and why a value there cannot be read, or may not be.
    package struct Finding: Sendable, Equatable, Codable {
        /// The place, such as `order.Event.placed._0.city`.
        package let path: String
        /// The reason, in words that follow the path and a colon.
        package let reason: String
    }

    /// What the new build cannot read of what the old one has written.
    package private(set) var back: [Finding] = []
    /// What the old build cannot read of what the new one writes: it says whether there is a way back, and what workers of the old build meet.
    package private(set) var forth: [Finding] = []
    /// What could not be decided, or is worth a look.
    package private(set) var notes: [Finding] = []

    /// Compares two builds.
    package init(from old: SchemaDocument, to new: SchemaDocument) {
        guard (old.kinds == nil) == (new.kinds == nil) else {
            let (one, other) = old.kinds == nil ? ("one program", "several") : ("several programs", "one")
            back = [
                Finding(
                    path: "programs",
                    reason: "the old build has \(one) and the new one \(other), which are not compared")
            ]
            return
        }
        let names = Set(old.names).union(new.names).sorted()
        let (isOld, isNew) = (Set(old.names), Set(new.names))
        for name in names {
            switch (isOld.contains(name), isNew.contains(name)) {
            case (true, true):
                var (reader, rollback) = (SchemaReading(of: old, by: new), SchemaReading(of: new, by: old))
                reader.read(name)
                rollback.read(name)
                back += reader.findings
                forth += rollback.findings
                notes += reader.notes
            case (true, false) where name.hasSuffix(".Event"):
                notes.append(
                    Finding(path: name, reason: "the kind is retired: its loops stay readable, and do not go on"))
            case (false, true) where name.hasSuffix(".Event"):
                forth.append(Finding(path: name, reason: "the kind is not known"))
            default: break
            }
        }
    }
}

/// Decides what one build can read of what another one writes.
private struct SchemaReading {
    private(set) var findings: [SchemaEvolution.Finding] = []
    private(set) var notes: [SchemaEvolution.Finding] = []
    private let (writer, reader): (SchemaDocument, SchemaDocument)
    /// Pairs of definitions that were compared, or are being: types may contain themselves.
    private var seen: Set<[String]> = []
    /// More references within each other than any type has: such a schema was not printed by a coordinator.
    private static let deepest = 200

    init(of writer: SchemaDocument, by reader: SchemaDocument) {
        (self.writer, self.reader) = (writer, reader)
    }

    /// Reads values of a root.
    mutating func read(_ root: String) {
        guard let written = writer.roots[root], let wanted = reader.roots[root] else { return }
        guard written.version == wanted.version else {
            if !(wanted.oldest...max(wanted.oldest, wanted.version)).contains(written.version) {
                fail(
                    root,
                    "version \(written.version) cannot be read: the versions are \(wanted.oldest)…\(wanted.version)")
            }
            // A conversion of the program reads it, of whose forms the schema tells nothing.
            return
        }
        read(.reference(root), .reference(root), at: root, 0)
    }

    private mutating func fail(_ path: String, _ reason: String) {
        findings.append(SchemaEvolution.Finding(path: path, reason: reason))
    }

    private mutating func read(_ written: SchemaForm, _ wanted: SchemaForm, at path: String, _ depth: Int) {
        guard depth < Self.deepest else { return }
        switch (written, wanted) {
        case (.reference(let from), .reference(let to)):
            guard seen.insert([from, to]).inserted else { return }
            read(writer.definitions[from] ?? .any, reader.definitions[to] ?? .any, at: path, depth + 1)
        case (.reference(let from), _): read(writer.definitions[from] ?? .any, wanted, at: path, depth + 1)
        case (_, .reference(let to)): read(written, reader.definitions[to] ?? .any, at: path, depth + 1)
        case (_, .any): break
        case (.any, _):
            notes.append(
                SchemaEvolution.Finding(path: path, reason: "it was written by code of its own, and is not compared"))
        case (.optional(let written), .optional(let wanted)): read(written, wanted, at: path, depth + 1)
        case (_, .optional(let wanted)): read(written, wanted, at: path, depth + 1)
        case (.optional(let written), _):
            fail(path, "it may be missing, and is required")
            read(written, wanted, at: path, depth + 1)
        default: readValue(written, wanted, at: path, depth + 1)
        }
    }

    private mutating func readValue(_ written: SchemaForm, _ wanted: SchemaForm, at path: String, _ depth: Int) {
        switch (written, wanted) {
        case (.choice(let cases), .choice(let known)):
            for (name, form) in cases.sorted(by: { $0.key < $1.key }) {
                guard let wanted = known[name] else {
                    fail("\(path).\(name)", "the case is not known")
                    continue
                }
                read(form, wanted, at: "\(path).\(name)", depth)
            }
        case (.record(let fields, let isPartial), .record(let wanted, _)):
            readFields(fields, isPartial, wanted, at: path, depth)
        case (.record(let fields, false), .map(let value)):
            for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
                read(field.form, value, at: "\(path).\(name)", depth)
            }
        case (.map(let written), .map(let wanted)): read(written, wanted, at: "\(path).KEY", depth)
        case (.list(let written), .list(let wanted)): read(written, wanted, at: "\(path)[]", depth)
        case (.tuple(let elements), .list(let wanted)):
            for (place, element) in elements.enumerated() { read(element, wanted, at: "\(path)[\(place)]", depth) }
        case (.tuple(let elements), .tuple(let wanted)):
            if wanted.count > elements.count {
                fail(path, "it has \(elements.count) elements, and \(wanted.count) are required")
            }
            for (place, pair) in zip(elements, wanted).enumerated() {
                read(pair.0, pair.1, at: "\(path)[\(place)]", depth)
            }
        case (.values(let written, let wasText), .values(let known, let isText)) where wasText == isText:
            for value in written where !known.contains(value) { fail(path, "the value \(value) is not known") }
        case (.values(_, ofText: true), .text(format: nil)), (.values(_, ofText: false), .number): break
        case (.values(let written, ofText: false), .integer(let low, let high)):
            for value in written where !Self.fits(value, low, high) { fail(path, "the value \(value) does not fit") }
        case (.integer(let low, let high), .integer(let least, let most)):
            if !Self.isWithin(low, high, least, most) { fail(path, "integers that the other type has do not fit") }
        case (.integer, .number), (.number, .number), (.bool, .bool), (.text, .text(format: nil)): break
        case (.number, .integer): fail(path, "it may be a fraction, and an integer is required")
        case (.text(let written), .text(let wanted)) where written == wanted: break
        default: fail(path, "it is \(written.name), and \(wanted.name) is required")
        }
    }

    private mutating func readFields(
        _ fields: [String: SchemaForm.Field], _ isPartial: Bool, _ wanted: [String: SchemaForm.Field], at path: String,
        _ depth: Int
    ) {
        for (name, field) in wanted.sorted(by: { $0.key < $1.key }) {
            let place = "\(path).\(name)"
            guard let written = fields[name] else {
                if field.isRequired {
                    fail(place, isPartial ? "it may be missing, and is required" : "it is missing, and is required")
                }
                continue
            }
            // One that may be missing may also be null, on both sides.
            guard field.isRequired else {
                read(written.form, .optional(field.form), at: place, depth)
                continue
            }
            if written.isRequired {
                read(written.form, field.form, at: place, depth)
            } else {
                fail(place, "it may be missing, and is required")
                var form = written.form
                if case .optional(let within) = form { form = within }
                read(form, field.form, at: place, depth)
            }
        }
    }

    private static func fits(_ value: String, _ low: Int64?, _ high: UInt64?) -> Bool {
        guard let value = Int64(value) else { return false }
        return value >= low ?? .min && (value < 0 || UInt64(value) <= high ?? UInt64(Int64.max))
    }

    /// Whether bounds are within others; a type without bounds is that of 64 bits with a sign.
    private static func isWithin(_ low: Int64?, _ high: UInt64?, _ least: Int64?, _ most: UInt64?) -> Bool {
        let limit = UInt64(Int64.max)
        func upper(_ low: Int64?, _ high: UInt64?) -> UInt64 { high ?? (low.map { $0 >= 0 } == true ? .max : limit) }
        return low ?? .min >= least ?? .min && upper(low, high) <= upper(least, most)
    }
}
