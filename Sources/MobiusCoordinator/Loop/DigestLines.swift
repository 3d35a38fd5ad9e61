import MobiusCodec
import MobiusCore
import MobiusJournal
import MobiusProcess
import MobiusProgram
import MobiusWire

/// The lines of a replay with digests, of one loop: by them two builds are compared.
///
/// A line has the digests of the fields of the model that have changed since the line before, the names of those that are gone, and of
/// each effect its name and digest.
struct DigestLines<Program: LoopProgram> {
    private let loop: LoopID
    private let functions: any ProgramFunctions<Program>
    private var known: [String: UInt64] = [:]

    init(of loop: LoopID, _ functions: any ProgramFunctions<Program>) {
        (self.loop, self.functions) = (loop, functions)
    }

    /// The line of the next event.
    mutating func line(of event: ReplayedEvent<Program>) throws -> String {
        var line = JSONLine()
        line.set("loop", loop.name)
        line.set("sequence", event.sequence)
        line.set("event", event.record.map { $0.event?.caseName ?? ($0.source == .start ? "start" : "") } ?? "snapshot")
        let model = try functions.encode(event.model, of: loop, as: PayloadKind.jsonContentType)
        let (changed, gone) = change(FieldDigests(of: model.bytes).digests)
        if !changed.isEmpty { line.set("changed", changed) }
        if !gone.isEmpty { line.set("gone", gone) }
        let effects = try event.effects.map { try functions.encode(effect: $0, of: loop) }
        if !effects.isEmpty { line.set("effects", effects.map(Self.words)) }
        if let record = event.record, !record.effects.elementsEqual(effects) {
            let recorded = record.effects.map(Self.words)
            if recorded != effects.map(Self.words) { line.set("recorded", recorded) }
        }
        return line.text
    }

    /// The line that says why the loop cannot be replayed further.
    func line(because reason: String) -> String {
        var line = JSONLine()
        line.set("loop", loop.name)
        line.set("error", reason)
        return line.text
    }

    /// The last line, by which readers know that nothing is missing.
    static var end: String {
        var line = JSONLine()
        line.set("loop", "")
        line.set("end", true)
        return line.text
    }

    private mutating func change(_ digests: [(name: String, digest: UInt64)]) -> (changed: [String], gone: [String]) {
        var (changed, gone): ([String], [String]) = ([], [])
        for field in digests where known.updateValue(field.digest, forKey: field.name) != field.digest {
            changed.append("\(field.name) \(FNV1a.text(field.digest))")
        }
        if known.count > digests.count {
            let names = Set(digests.map(\.name))
            gone = known.keys.filter { !names.contains($0) }.sorted()
            for name in gone { known[name] = nil }
        }
        return (changed, gone)
    }

    private static func words(of effect: Payload) -> String {
        let isJSON = effect.kind.contentType == PayloadKind.jsonContentType
        let digest = isJSON ? FieldDigests.digest(of: effect.bytes) : FNV1a.hash(effect.bytes)
        return "\(effect.caseName ?? "") \(FNV1a.text(digest))"
    }
}
