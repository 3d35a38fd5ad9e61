#if PostgreSQL
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusWire
    import Testing

    /// A journal that has something of everything.
    enum FullJournal {
        /// Writes rows into every table, as a program would.
        static func fill(_ store: any JournalStore) throws {
            let names = try ["ended", "again", "idle", "a\0b \u{e9} e\u{301}"].map { try #require(LoopID($0)) }
            let model = Payload(kind: PayloadKind(type: "Model"), bytes: [UInt8](repeating: 7, count: 70_000))
            func start(_ loop: LoopID, _ sequence: UInt64 = 0) -> JournalRecord {
                .event(
                    EventRecord(
                        loop: loop, sequence: sequence, source: .start, event: nil, effects: [model], ends: nil))
            }
            func end(_ loop: LoopID, _ again: Bool) -> JournalRecord {
                .note(
                    EffectID(loop: loop, sequence: 0, index: 0),
                    .loopEnded(mayBeginAgain: again, outstanding: 0, at: WallTime(milliseconds: 5)))
            }
            try store.commit([History.start])
            for last in stride(from: UInt64(0), to: 400, by: 20) {
                try store.commit(History.batch(after: last, count: 20))
                try store.save(History.snapshot(at: last + 20))
            }
            try store.commit(names.map { start($0) })
            try store.commit([end(names[0], false), end(names[1], true)])
            try store.commit([start(names[1], 1)])
            var answered = EventRecord(
                loop: names[3], sequence: 1, source: .outside("key\0 of a \u{1F34F}"), event: model, effects: [],
                ends: nil)
            answered.reply = .answer(model)
            try store.commit([.event(answered)])
            for (index, isRequeued) in [(UInt32(0), false), (1, true)] {
                let id = EffectID(loop: .main, sequence: 398, index: index)
                let effect = Payload(kind: PayloadKind(type: "Effect"), bytes: Array("effect 398/\(index)".utf8))
                let letter = DeadLetter(id: id, effect: effect, reason: "no \u{e9}", failures: 3)
                try store.commit([.note(id, .deadLettered(letter))])
                if isRequeued {
                    try store.commit([
                        .note(id, .ended), .note(id, .requeued(effect, round: 1, at: WallTime(milliseconds: 9))),
                    ])
                }
            }
            try store.park([IdleLoop(loop: names[2], sequence: 0, time: nil)], [])
            try store.setPause(
                PoolPause(by: "ad\u{e9}", why: "a\0b", since: WallTime(milliseconds: 3)), of: "pool\0 \u{1F34F}")
            _ = try store.noteCrash(
                Breadcrumb(loop: .main, source: .outside("k"), event: model), build: "b", epoch: store.epoch,
                at: WallTime(milliseconds: 1))
        }
    }
#endif
