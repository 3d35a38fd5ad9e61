import MobiusCodec
import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusRuntime
import MobiusWire

/// A loop ready to run: new, or brought back from its journal by the newest snapshot and the events after it.
struct PreparedLoop<Program: LoopProgram> {
    let loop: TypedLoop<Program>
    /// What the machine is told first.
    let input: CoordinatorInput
    let identity: JournalID
    let epoch: UInt64
    /// How large the newest snapshot is; 0 without one.
    let snapshotBytes: Int
    /// How many events were replayed, and how many effects go on.
    let replayed: Int
    let pending: Int

    /// Reads the journal; may take long.
    ///
    /// - Throws: `JournalError`; ``CoordinatorError`` when the program does not fit the journal.
    init(_ id: LoopID, from store: any JournalStore, routes: EffectRouter<Program.Effect, Program.Event>) throws {
        identity = store.identity
        epoch = store.epoch
        let snapshot = try store.newestSnapshot(of: id)
        snapshotBytes = snapshot?.model.bytes.count ?? 0
        let first = Program.initiate()
        let model = try snapshot.map { snapshot throws in try Self.model(of: snapshot) } ?? first.model
        loop = TypedLoop(id: id, model: model, routes: routes)
        var recovered = RecoveredLoop(loop: id, snapshot: snapshot)
        var replayed = 0
        try store.readTail(of: id) { [loop] record in
            try recovered.apply(record)
            guard case .event(let event) = record, let payload = event.event else { return }
            do {
                _ = try loop.apply(payload)
            } catch {
                throw JournalError(
                    .foreign, "Event \(event.sequence) cannot be read: \(error). Run the build that wrote it.")
            }
            replayed += 1
        }
        self.replayed = replayed
        guard let lastSequence = recovered.lastSequence else {
            pending = first.effects.count
            input = .begin(id, effects: try loop.plan(first.effects))
            return
        }
        let effects = recovered.pending
        pending = effects.count
        var planned: [(PendingEffect, EffectPlan)] = []
        for effect in effects { planned.append((effect, try loop.plan(effect.effect))) }
        let keys = try store.outsideKeys(of: id, limit: CoordinatorConfiguration.defaultRememberedKeys)
        input = .recover(ResumedLoop(loop: id, lastSequence: lastSequence, pending: planned, outsideKeys: keys))
    }

    private static func model(of snapshot: Snapshot) throws -> Program.Model {
        do {
            return try TypedCoding<Program.Model>.json(sortedKeys: true).decode(snapshot.model)
        } catch {
            throw JournalError(
                .foreign,
                "The model of event \(snapshot.sequence) cannot be read: \(error). Run the build that wrote it.")
        }
    }

    func configuration(_ settings: CoordinatorSettings) -> CoordinatorConfiguration {
        CoordinatorConfiguration(
            journal: identity, epoch: epoch, timing: settings.timing, maximumPayload: settings.maximumPayload,
            batchBytes: 16 << 10)
    }
}
