/// Finds out the JSON form of types by letting them decode from a decoder that records what they ask for.
///
/// Each type's `init(from:)` runs a few times with samples such as "a" and 1. What a synthesized decoder reads is found
/// completely: keys, optional values, cases with their values, types that contain themselves. A type that decodes by hand is
/// described as far as it asks for the same in every run, and marked as such otherwise.
package final class SchemaReader {
    private final class Entry {
        let place: Int
        var shape: SchemaShape
        var sample: Any?
        /// Explores the type again, if it lacked a value of a type that is being explored.
        var again: (() -> Void)?

        init(place: Int) {
            self.place = place
            shape = .any("it decodes by hand")
        }
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var names: [String] = []
    private var inOrder: [Entry] = []

    /// Knows no types.
    package init() {}

    /// The types found so far; `.type` counts their places.
    package var definitions: [SchemaDefinition] {
        inOrder.map { SchemaDefinition(name: names[$0.place], shape: $0.shape) }
    }

    /// The form of a type.
    package func shape<Value: Decodable>(of type: Value.Type) -> SchemaShape {
        let shape = explore(type, SchemaSamples.usual[0]).shape
        // Each round finds a value of at least one more type, or is the last.
        for _ in 0..<16 {
            let blocked = inOrder.filter { $0.again != nil }
            for entry in blocked { entry.again?() }
            if blocked.allSatisfy({ $0.again != nil && $0.sample == nil }) { break }
        }
        return shape
    }

    /// The form of a type, and a value of it unless there is none yet.
    func explore<Value: Decodable>(
        _ type: Value.Type, _ samples: SchemaSamples
    ) -> (shape: SchemaShape, sample: Value?) {
        if let leaf = SchemaLeaf.of(type, samples) { return leaf }
        if let whole = type as? any SchemaWhole.Type {
            let (shape, sample) = whole.explored(by: self, samples)
            return (shape, sample as? Value)
        }
        let id = ObjectIdentifier(type)
        if let entry = entries[id] { return (.type(entry.place), entry.sample as? Value) }
        let entry = Entry(place: inOrder.count)
        entries[id] = entry
        inOrder.append(entry)
        names.append(SchemaName.of(type))
        explore(type, entry)
        return (.type(entry.place), entry.sample as? Value)
    }

    /// One run of a type's decoding.
    private struct Run<Value> {
        let recorder: SchemaRecorder
        let value: Value?
        var isBlocked = false

        func shape(_ probe: SchemaProbe) -> SchemaShape {
            recorder.shape(isComplete: value != nil, isLenient: probe.isLenient)
        }
    }

    private func explore<Value: Decodable>(_ type: Value.Type, _ entry: Entry) {
        let raw = SchemaRawCases(type)
        let first = run(type, choice: 0, raw, entry)
        let probe = probe(type)
        var isBlocked = first.isBlocked
        if probe.hasAlternatives {
            entry.shape = .any("it decodes by hand, and has several forms")
        } else if first.recorder.cases.isEmpty {
            let isClosed = raw.map { (try? Value(from: decoder($0.stranger))) == nil } ?? false
            entry.shape = raw.flatMap { isClosed ? $0.shape : nil } ?? first.shape(probe)
        } else {
            var runs = [first]
            for choice in 1..<max(1, first.recorder.cases.count) {
                runs.append(run(type, choice: choice, raw, entry))
            }
            // Cases that contain the type itself, once there is a value of it.
            for choice in runs.indices where runs[choice].isBlocked && entry.sample != nil {
                runs[choice] = run(type, choice: choice, raw, entry)
            }
            isBlocked = runs.contains { $0.isBlocked }
            entry.shape = choice(runs, probe)
        }
        entry.again = isBlocked ? { [unowned self] in explore(type, entry) } : nil
    }

    private func choice<Value>(_ runs: [Run<Value>], _ probe: SchemaProbe) -> SchemaShape {
        let cases = runs.compactMap { $0.recorder.chosenCase }
        if cases.count == runs.count { return .choice(cases) }
        // It asks for all keys, but does not choose by them.
        return runs.map { $0.recorder.shape(isComplete: false) }.max { size($0) < size($1) } ?? runs[0].shape(probe)
    }

    private func size(_ shape: SchemaShape) -> Int {
        if case .record(let fields, _) = shape { fields.count } else { 0 }
    }

    private func run<Value: Decodable>(
        _ type: Value.Type, choice: Int, _ raw: SchemaRawCases?, _ entry: Entry
    ) -> Run<Value> {
        var best: Run<Value>?
        for samples in [raw?.first].compactMap(\.self) + SchemaSamples.usual {
            let recorder = SchemaRecorder(self, samples, choice: choice)
            var isBlocked = false
            do {
                let value = try Value(from: ExploringDecoder(recorder: recorder))
                if entry.sample == nil { entry.sample = value }
                return Run(recorder: recorder, value: value)
            } catch {
                isBlocked = error is SchemaBlocked
            }
            if best.map({ $0.recorder.count < recorder.count || isBlocked }) ?? true {
                best = Run(recorder: recorder, value: nil, isBlocked: isBlocked)
            }
            if isBlocked { break }
        }
        return best ?? Run(recorder: SchemaRecorder(self, SchemaSamples.usual[0]), value: nil)
    }

    private func decoder(_ samples: SchemaSamples) -> ExploringDecoder {
        ExploringDecoder(recorder: SchemaRecorder(self, samples))
    }

    private func probe<Value: Decodable>(_ type: Value.Type) -> SchemaProbe {
        let probe = SchemaProbe()
        let recorder = SchemaRecorder(self, SchemaSamples.usual[0], probe: probe)
        _ = try? Value(from: ExploringDecoder(recorder: recorder))
        return probe
    }
}

/// Names of types for people and for references.
enum SchemaName {
    /// The type's name without its module, with letters that a reference need not escape.
    static func of(_ type: any Any.Type) -> String {
        // Private types have a part such as `(unknown context at $10)`.
        var parts = String(reflecting: type).split(separator: ".", omittingEmptySubsequences: true).map(String.init)
        if parts.count > 1, !parts[0].contains("<") { parts.removeFirst() }
        parts.removeAll { $0.hasPrefix("(") }
        let name = parts.joined(separator: ".").map { character in
            let isPlain = character.isLetter || character.isNumber || "._-".contains(character)
            return character.isASCII && isPlain ? character : "_"
        }
        return name.isEmpty ? "Value" : String(name)
    }
}
