import MobiusWire

/// The frames that ClientProtocol.md shows byte for byte, as values.
enum ClientExamples {
    static let all: [ClientMessage] = requests.map { .request($0) } + answers.map { .answer($0) }

    static func command(_ command: ClientCommand) -> ClientMessage {
        guard let example = all.first(where: { $0.command == command }) else {
            preconditionFailure("Add an example of \(command).")
        }
        return example
    }

    /// SEND once more, to a loop that must be there.
    static let existing = ClientMessage.request(
        asked(
            11,
            .send(
                loop: .main, key: "1", event: Payload(kind: PayloadKind(type: ""), bytes: Array("1".utf8)),
                begins: false)))

    /// SEND once more, in a chain.
    static let chained = ClientMessage.request(
        NumberedRequest(
            number: 18,
            request: .send(
                loop: .main, key: "1", event: Payload(kind: PayloadKind(type: ""), bytes: Array("1".utf8))),
            order: .chained))

    static let effect = EffectID(loop: .main, sequence: 2, index: 0)
    static let time = WallTime(milliseconds: 1_772_366_400_000)
    static let worker = Incarnation(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

    private static let effectKind = PayloadKind(type: "Greeter.Effect")
    private static let eventKind = PayloadKind(type: "Greeter.Event")

    private static let requests: [NumberedRequest] = [
        asked(
            1,
            .send(
                loop: .main, key: "visit-4711",
                event: Payload(kind: PayloadKind(type: ""), bytes: Array(#"{"visited":"ada"}"#.utf8)))),
        asked(
            2,
            .effects(
                loop: nil, pool: "greeters", after: EffectID(loop: .main, sequence: 4, index: 0), limit: 2)),
        asked(3, .letters(loop: .main, after: nil, limit: 0)),
        asked(4, .letter(effect)),
        asked(5, .retry(effect, round: 0)),
        asked(6, .drop(effect, round: nil)),
        asked(
            19, .act(EffectID(loop: .main, sequence: 6, index: 1), .fire(due: time), why: "the customer called")),
        asked(22, .end(.main, why: "a test order")),
        asked(23, .pausePool("greeters", why: "their provider is down")),
        asked(24, .resumePool("greeters")),
        asked(7, .quarantine(after: nil, limit: 0)),
        asked(8, .quarantined(.main)),
        asked(9, .release(.main, drop: true, sequence: 8)),
        asked(10, .status),
        asked(12, .effect(EffectID(loop: .main, sequence: 6, index: 1))),
        asked(
            13,
            .check(
                loop: .main, key: "1",
                event: Payload(kind: PayloadKind(type: "", version: 0), bytes: Array(#"{"visited":"ada"}"#.utf8)))),
        asked(
            12,
            .loops(prefix: "shop/", state: .running, after: .main, limit: 2)),
        asked(23, .find(FactListing(prefix: "shop/", condition: "stage = packed", sort: "-total", limit: 2))),
        asked(13, .model(.main)),
        asked(14, .watch(.main, seen: version)),
        asked(
            15,
            .history(
                HistoryRequest(.main, first: 5, last: 9, after: HistoryPlace(sequence: 5, part: 1), limit: 2))),
        asked(16, .schema),
        asked(20, .why(.main)),
        NumberedRequest(number: 21, request: .rights, token: "mft_0123456789abcdef"),
        asked(14, .unwatch(.main)),
    ]

    /// READ-MODEL once more, for a model of the past that people will see.
    static let past = ClientMessage.request(
        NumberedRequest(number: 17, request: .model(.main, at: 5), isForPeople: true))

    /// DONE once more, for an event that an operator dropped.
    static let dropped = ClientMessage.answer(answered(1, .dropped))
    /// DONE once more, with the program's answer.
    static let replied = ClientMessage.answer(
        answered(
            1,
            .done(
                EventConfirmation(
                    repeated: true, number: 6,
                    reply: .answer(
                        Payload(kind: PayloadKind(type: "Greeter.Seat"), bytes: Array(#"{"seat":12}"#.utf8)))))))
    /// DONE once more, for an event that the program refused.
    static let refused = ClientMessage.answer(
        answered(1, .done(EventConfirmation(repeated: false, number: 7, reply: .refusal("no seat is free")))))

    private static let letter = DeadLetterSummary(
        id: effect, kind: effectKind, size: 15, pool: "greeters", failures: 5, reason: "no route to host",
        deadLettered: time)
    private static let held = QuarantineSummary(
        loop: .main, sequence: 8, source: "key visit-4712", kind: eventKind, size: 17, crashes: 2,
        build: "greeter 1.0", since: time, pending: 3)

    private static let effects = [
        EffectSummary(
            id: EffectID(loop: .main, sequence: 5, index: 0), kind: effectKind, size: 15, pool: "greeters",
            phase: .running, attempt: Attempt(epoch: 3, number: 1), worker: worker, age: 250),
        EffectSummary(
            id: EffectID(loop: .main, sequence: 6, index: 1), kind: effectKind, size: 15, pool: "greeters",
            phase: .pausing, age: 90_000, failures: 2, reason: "no route to host", due: time),
    ]

    private static let status = FleetStatus(
        program: "greeter", build: "greeter 1.0", journal: Examples.journal, epoch: 3, started: time,
        maximumPayload: 4 << 20, pending: 2, letters: 1, loopCount: 1,
        loops: [LoopStatus(loop: .main, sequence: 6, pending: 2)],
        pools: [PoolStatus(pool: "greeters", workers: 1, waiting: 1, running: 1, credit: 15, oldest: 1500)],
        workers: [
            WorkerStatus(
                incarnation: worker, pools: ["greeters"], build: "greeter-worker 1.0", running: 1, free: 15,
                silence: 40)
        ])

    private static let version = ModelVersion(journal: Examples.journal, sequence: 6)
    private static let shop =
        LoopID("shop/41").map { [LoopSummary(loop: $0, sequence: 6, pending: 2, state: .running, time: time)] } ?? []
    private static let found = FoundLoops(
        loops: shop.map { loop in
            var loop = loop
            loop.facts = ["total": .integer(120)]
            return loop
        }, places: shop.map { FactPlace(key: FactValue.integer(120).key, loop: $0.loop) }, next: nil, isComplete: true)
    private static let entries = [
        HistoryEntry(
            HistoryPlace(sequence: 6), of: .main, .outside, time: time, epoch: 3, build: "greeter 1.0",
            key: "visit-4711",
            event: HistoryPayload(kind: eventKind, size: 17, bytes: Array(#"{"visited":"ada"}"#.utf8)),
            effects: [
                HistoryEffect(
                    EffectID(loop: .main, sequence: 6, index: 0),
                    effect: HistoryPayload(kind: effectKind, size: 15, bytes: Array(#"{"greet":"ada"}"#.utf8)))
            ], effectCount: 1),
        HistoryEntry(
            HistoryPlace(sequence: 6, part: 1), of: .main, .retried, epoch: 3, build: "greeter 1.0",
            effect: EffectID(loop: .main, sequence: 6, index: 0), failures: 2),
    ]

    private static let answers: [NumberedAnswer] = [
        answered(1, .done(repeated: false)),
        answered(1, .busy(retryAfter: 100)),
        answered(1, .refused(ClientRefusal(.invalidEvent, "the key visited is missing"))),
        answered(2, .effects(effects, more: true)),
        answered(3, .letters([letter], more: false)),
        answered(4, .letter(letter, effect: Payload(kind: effectKind, bytes: Array(#"{"greet":"ada"}"#.utf8)))),
        answered(6, .notFound),
        answered(7, .quarantine([held], more: false)),
        answered(8, .quarantined(held, event: Payload(kind: eventKind, bytes: Array(#"{"visited":"eve"}"#.utf8)))),
        answered(10, .status(status)),
        answered(
            12,
            .effect(
                EffectSummary(
                    id: EffectID(loop: .main, sequence: 6, index: 1), kind: effectKind, size: 15, pool: "greeters",
                    phase: .waiting, worker: worker, age: 90_000, obstacle: "no worker serves greeters",
                    workerName: "greeters.1"),
                payload: Payload(kind: effectKind, bytes: Array(#"{"greet":"ada"}"#.utf8)))),
        answered(13, .checked(Payload(kind: eventKind, bytes: Array(#"{"visited":"ada"}"#.utf8)))),
        answered(12, .loops(shop, next: shop.last?.loop)),
        answered(23, .found(found)),
        answered(
            13,
            .model(
                ModelSummary(loop: .main, version: version, build: "greeter 1.0"),
                model: Payload(
                    kind: PayloadKind(type: "Greeter.Model"), bytes: Array(#"{"greeted":["ada"]}"#.utf8)))),
        answered(14, .unchanged),
        answered(15, .history(HistoryPage(entries, first: 0, more: true))),
        answered(
            20,
            .waits(
                LoopWaits(
                    loop: .main, sentence: "It waits for one effect, or for an event.",
                    waits: [
                        LoopWaits.Wait(
                            effect: EffectID(loop: .main, sequence: 6, index: 1),
                            sentence: "greet waits for pool greeters: no worker serves greeters.",
                            ageMilliseconds: 90_000,
                            until: time)
                    ]))),
        answered(21, .rights(CallerRights(name: "shop", rights: ["send", "models"], maximumPayload: 4 << 20))),
        answered(16, .schema(Array(##"{"$ref":"#/$defs/Event"}"##.utf8))),
        NumberedAnswer(epoch: 0, number: 19, answer: .moved(endpoint: "tcp://10.0.0.2:5712")),
    ]

    private static func asked(_ number: UInt64, _ request: ClientRequest) -> NumberedRequest {
        NumberedRequest(number: number, request: request)
    }

    private static func answered(_ number: UInt64, _ answer: ClientAnswer) -> NumberedAnswer {
        NumberedAnswer(epoch: 3, number: number, answer: answer)
    }
}
