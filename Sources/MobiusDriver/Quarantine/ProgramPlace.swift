import MobiusJournal
import MobiusWire

/// A place other than the application of events at which a coordinator calls its program's code.
///
/// A trap there is recorded like the trap of an event, under a key that no event has. So journals need no other form for it;
/// a build that does not know places reads the key as the failure of an effect, and holds the loop, too.
enum ProgramPlace: UInt32, CaseIterable {
    /// A snapshot's model is decoded, with its migrations, and its loop is recovered from it.
    case model
    /// A pending effect is decoded and planned by its route, when its loop is recovered.
    case plan
    /// An effect's `.cancels` route tests other effects.
    case cancels
    /// A loop's model is encoded, for a reader or for a snapshot.
    case encoding
    /// A replayed model is compared with a snapshot.
    case check
    /// A dead letter's effect is decoded and planned, for a reader or an operator.
    case letter
    /// A payload that people ask for is redacted.
    case masking
    /// A model's facts are computed.
    case facts

    /// Whether its traps hold the loop: the loop cannot run without that call.
    ///
    /// Any other call is skipped after its first trap, as long as the same build runs.
    var holds: Bool {
        switch self {
        case .model, .plan, .cancels, .encoding: true
        case .check, .letter, .masking, .facts: false
        }
    }
}

extension SourceKey {
    /// The key of a place that belongs to an effect.
    static func place(_ place: ProgramPlace, of effect: EffectID) -> SourceKey {
        .failure(effect, round: .max - place.rawValue)
    }

    /// The key of a place that belongs to a loop, or to its snapshot after an event.
    static func place(_ place: ProgramPlace, of loop: LoopID, after sequence: UInt64 = 0) -> SourceKey {
        .place(place, of: EffectID(loop: loop, sequence: sequence, index: .max))
    }

    /// The place of which it is the key; `nil` for an event.
    var place: ProgramPlace? {
        guard case .failure(_, let round) = self else { return nil }
        return ProgramPlace(rawValue: .max - round)
    }

    /// A description of the place for operators; `nil` for an event.
    var placeWords: String? {
        guard let place, case .failure(let effect, _) = self else { return nil }
        return switch place {
        case .model: "decoding the model after event \(effect.sequence)"
        case .plan: "planning the effect \(effect)"
        case .cancels: "the .cancels route of \(effect)"
        case .encoding: "encoding the model"
        case .check: "comparing the model after event \(effect.sequence) with its snapshot"
        case .letter: "planning the dead letter \(effect)"
        case .masking: "redacting contents"
        case .facts: "computing facts of the model"
        }
    }
}
