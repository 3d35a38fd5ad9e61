import MobiusJournal
import MobiusWire

// Events from outside.
extension CoordinatorMachine {
    /// Whether outside events are accepted now that begin a loop: not while too many wait, or too many effects are pending.
    package var takesEvents: Bool {
        stopping == .no && intake < configuration.maximumIntake && hasRoom(exists: false)
    }

    /// Whether there is room for the effects of an event, whose loop `exists` or would begin with it.
    ///
    /// Effects that wait for their time or for another loop have room of their own, four times as much: they must not
    /// keep out the events that can end them. Neither must effects that new loops ask for: events of loops that exist
    /// have a quarter more.
    func hasRoom(exists: Bool) -> Bool {
        let room = configuration.maximumBacklog.saturatingAdding(exists ? max(1, configuration.maximumBacklog / 4) : 0)
        return effects.count - deferred < room && deferred / 4 < room
    }

    /// An event from outside; `isNew` is the result of the journal's lookup of its key, if there was one.
    mutating func outside(
        _ request: RequestID, _ loop: LoopID, _ key: String, _ event: Payload, isNew: Bool?, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        guard stopping == .no else {
            actions.append(.stopping(request))
            return
        }
        let slot: LoopSlot
        switch residency.place(of: loop) {
        case .inMemory(let place): slot = place
        case .held:
            let reason = "The loop \(loop) is held: `mobius quarantine show \(loop)` says why and what to do."
            actions.append(.refuse(request, ClientRefusal(.held, reason)))
            return
        case .ended(let end):
            outside(request, ended: loop, end, key, event, isNew: isNew, &actions)
            return
        case .stored:
            actions.append(.await(request, loop, key: key, event: event))
            return
        case .nowhere:
            actions.append(.refuse(request, ClientRefusal(.unsupported, "There is no loop named \(loop).")))
            return
        }
        guard isNew ?? true, !residency[slot].outsideKeys.contains(ExactText(key)) else {
            // Applied before: certain once all earlier records are on disk.
            batch.postCommitActions.append(.confirmAgain(request, loop, key: key, event: event))
            return
        }
        guard intake < configuration.maximumIntake, !isFull, hasRoom(exists: true) else {
            actions.append(.busy(request))
            return
        }
        residency.use(loop, at: now)
        guard isNew != nil || !residency[slot].forgetsAnyKey else {
            actions.append(.lookUp(request, loop, key: key, event: event))
            return
        }
        let application = EventApplication(
            loop: loop, source: .outside(key), event: event, ends: nil, origin: .outside(request))
        actions.append(.apply(application))
    }
}
