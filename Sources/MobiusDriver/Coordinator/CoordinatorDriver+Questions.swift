import MobiusCodec
import MobiusEngine
package import MobiusWire

// Questions of clients about one effect, one event or one name.
extension CoordinatorDriver {
    /// Shows a pending effect with its payload.
    func show(_ effect: EffectID, _ id: RequestID) throws {
        if let found = machine.effect(effect, at: now) {
            return try show(.effect(found.summary, payload: found.payload), to: id)
        }
        guard machine.knows(loop: effect.loop) else {
            return try refuse(id, .unknown("loop", effect.loop.name, in: machine.loopNames))
        }
        try answer(id, .notFound)
    }

    /// Reads an event without applying it.
    func check(_ event: Payload, for loop: LoopID, key: String, _ id: RequestID, _ host: any ClientHost) throws {
        let checked: Payload
        do throws(CoordinatorError) {
            checked = try host.checked(event, for: loop, key: key)
        } catch {
            return try refuse(id, ClientRefusal(.invalidEvent, error.message))
        }
        try answer(id, .checked(checked))
    }

    /// Whether no worker, effect or route has a pool of this name.
    func isUnknown(_ pool: String, _ host: any ClientHost) -> Bool {
        !machine.knows(pool: pool) && !host.poolNames.contains(pool)
    }
}

extension ClientRefusal {
    /// The refusal of a filter that names something that does not exist, with the nearest name or some that do.
    package static func unknown(_ what: String, _ name: String, in known: [String]) -> ClientRefusal {
        // A name that is longer or shorter by more than two characters is never near.
        let length = name.utf8.count
        let similar = known.lazy.filter { abs($0.utf8.count - length) <= 8 }.prefix(1000)
        var sentence = "There is no \(what) \(name)."
        if let nearest = NearestName.of(name, in: Array(Set(similar))) {
            sentence += " Did you mean \(nearest)?"
        } else if !known.isEmpty {
            let names = Set(known.prefix(1000)).sorted()
            let rest = names.count > 5 ? " and others" : ""
            sentence += " There \(names.count == 1 ? "is" : "are") \(names.prefix(5).joined(separator: ", "))\(rest)."
        }
        return ClientRefusal(.unknownName, sentence)
    }
}
