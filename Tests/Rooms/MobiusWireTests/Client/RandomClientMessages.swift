import MobiusWire

// Frames of every kind, with every field anywhere in its range and often at its ends.
extension SeededGenerator {
    private mutating func act() -> EffectAct {
        switch number(upTo: 3) {
        case 0: .cancel
        case 1: .fail
        case 2: .complete(event: Array(#"{"a":"\#(string(upTo: 255))"}"#.utf8))
        default: .fire(due: maybe { $0.time() })
        }
    }

    mutating func clientMessage(_ command: ClientCommand) -> ClientMessage {
        switch command {
        case .send:
            return asked(
                .send(
                    loop: loop(), key: "k" + string(upTo: 254), event: payload(), begins: chance(oneIn: 2)))
        case .listEffects:
            return asked(
                .effects(
                    loop: maybe { $0.loop() }, pool: maybe { $0.string() }, after: maybe { $0.id() }, limit: integer()))
        case .listLetters:
            return asked(
                .letters(
                    loop: maybe { $0.loop() }, prefix: string(upTo: 255), after: maybe { $0.id() }, limit: integer()))
        case .showLetter: return asked(.letter(id()))
        case .retryLetter: return asked(.retry(id(), round: maybe { $0.integer() }))
        case .dropLetter: return asked(.drop(id(), round: maybe { $0.integer() }))
        case .act: return asked(.act(id(), act(), why: reason()))
        case .endLoop: return asked(.end(loop(), why: reason()))
        case .pausePool: return asked(.pausePool(string(upTo: 255), why: reason()))
        case .resumePool: return asked(.resumePool(string(upTo: 255)))
        case .listQuarantine:
            return asked(.quarantine(prefix: string(upTo: 255), after: maybe { $0.loop() }, limit: integer()))
        case .showQuarantine: return asked(.quarantined(loop()))
        case .release: return asked(.release(loop(), drop: chance(oneIn: 2), sequence: maybe { $0.integer() }))
        case .askStatus: return asked(.status)
        case .showEffect: return asked(.effect(id()))
        case .checkEvent: return asked(.check(loop: loop(), key: "k" + string(upTo: 254), event: payload()))
        case .listLoops:
            return asked(
                .loops(
                    prefix: string(upTo: 255), state: maybe { LoopSummary.State(rawValue: $0.string(upTo: 255)) },
                    after: maybe { $0.loop() }, limit: integer()))
        case .findLoops:
            return asked(
                .find(
                    FactListing(
                        prefix: string(upTo: 255), condition: maybe { $0.string(upTo: 300) },
                        sort: maybe { $0.string(upTo: 80) },
                        state: maybe { LoopSummary.State(rawValue: $0.string(upTo: 255)) },
                        after: maybe { $0.factPlace() }, limit: integer())))
        case .readModel: return asked(.model(loop(), at: maybe { $0.integer() }))
        case .readSchema: return asked(.schema)
        case .why: return asked(.why(loop()))
        case .askRights: return asked(.rights)
        case .stopWatching: return asked(.unwatch(loop()))
        case .rights:
            return answered(
                .rights(
                    CallerRights(
                        name: maybe { $0.string(upTo: 255) }, rights: some { $0.string(upTo: 20) },
                        maximumPayload: integer())))
        case .waits:
            let waits = some { random in
                LoopWaits.Wait(
                    effect: random.id(), sentence: random.reason(), ageMilliseconds: random.integer(),
                    until: random.maybe { $0.time() })
            }
            let sentence = reason()
            return answered(
                .waits(LoopWaits(loop: loop(), sentence: sentence, waits: waits, more: chance(oneIn: 2))))
        case .schema: return answered(.schema(Array(#"{"a":\#(number(upTo: 9))}"#.utf8)))
        case .watchModel: return asked(.watch(loop(), seen: maybe { $0.version() }))
        case .readHistory:
            return asked(
                .history(
                    HistoryRequest(
                        loop(), first: maybe { $0.integer() }, last: maybe { $0.integer() },
                        after: maybe { $0.place() }, limit: integer(), models: chance(oneIn: 2))))
        case .done: return answered(chance(oneIn: 4) ? .dropped : .done(confirmation()))
        case .busy: return answered(.busy(retryAfter: integer()))
        case .refused: return answered(.refused(ClientRefusal(ClientRefusal.Code(rawValue: integer()), reason())))
        case .notFound: return answered(.notFound)
        case .effects: return answered(.effects(some { $0.effect() }, more: chance(oneIn: 2)))
        case .letters: return answered(.letters(some { $0.letter() }, more: chance(oneIn: 2)))
        case .letter:
            var letter = letter()
            let effect = payload()
            (letter.kind, letter.size) = (effect.kind, UInt32(effect.bytes.count))
            return answered(.letter(letter, effect: effect))
        case .quarantine: return answered(.quarantine(some { $0.held() }, more: chance(oneIn: 2)))
        case .quarantined:
            var held = held()
            let event = payload()
            (held.kind, held.size) = (event.kind, UInt32(event.bytes.count))
            return answered(.quarantined(held, event: event))
        case .status: return answered(.status(status()))
        case .effect:
            var effect = effect()
            let payload = payload()
            (effect.kind, effect.size) = (payload.kind, UInt32(payload.bytes.count))
            return answered(.effect(effect, payload: payload))
        case .checked: return answered(.checked(payload()))
        case .found:
            return answered(
                .found(
                    FoundLoops(
                        loops: some { $0.summary() }, places: some { $0.factPlace() }, next: maybe { $0.factPlace() },
                        isComplete: chance(oneIn: 2))))
        case .loops: return answered(.loops(some { $0.summary() }, next: maybe { $0.loop() }))
        case .model:
            var model = payload()
            // A program writes valid models.
            if model.kind.contentType == PayloadKind.jsonContentType { model.bytes = Array("[1, {}]".utf8) }
            return answered(
                .model(
                    ModelSummary(
                        loop: loop(), version: version(), build: string(upTo: 255), isMasked: chance(oneIn: 2)),
                    model: model))
        case .unchanged: return answered(.unchanged)
        case .moved: return answered(.moved(endpoint: endpoint()))
        case .history:
            return answered(
                .history(HistoryPage(some { $0.entry() }, first: maybe { $0.integer() }, more: chance(oneIn: 2))))
        }
    }

    private mutating func asked(_ request: ClientRequest) -> ClientMessage {
        var traceparent = ""
        var order = SendOrder.free
        if case .send = request {
            if chance(oneIn: 2) { traceparent = string(upTo: 255) }
            order = chance(oneIn: 2) ? .ordered : .chained
        }
        return .request(
            NumberedRequest(
                number: max(1, integer()), request: request, traceparent: traceparent,
                isForPeople: request.asksForPayloads && chance(oneIn: 2), order: order,
                shards: request.isAboutAllLoops && chance(oneIn: 2) ? max(1, integer()) : 1,
                token: chance(oneIn: 2) ? string(upTo: 255) : ""))
    }

    private mutating func answered(_ answer: ClientAnswer) -> ClientMessage {
        .answer(NumberedAnswer(epoch: integer(), number: integer(), answer: answer))
    }

    private mutating func version() -> ModelVersion {
        ModelVersion(journal: .random(using: &self), sequence: integer())
    }

    private mutating func place() -> HistoryPlace { HistoryPlace(sequence: integer(), part: integer()) }

    private mutating func summary() -> LoopSummary {
        LoopSummary(
            loop: loop(), sequence: integer(), pending: integer(),
            state: LoopSummary.State(rawValue: string(upTo: 255)), time: maybe { $0.time() },
            facts: maybe { random in
                [
                    "a": .integer(Int64(random.number(upTo: 9))), "b": .bool(random.chance(oneIn: 2)),
                    "c": .text(random.string(upTo: 99)),
                ]
            })
    }

    private mutating func factPlace() -> FactPlace {
        FactPlace(key: some { $0.integer() }, loop: loop())
    }

    private mutating func entry() -> HistoryEntry {
        HistoryEntry(
            place(), of: loop(), HistoryEntry.What(rawValue: string(upTo: 255)), time: maybe { $0.time() },
            epoch: integer(),
            build: string(upTo: 255), key: maybe { $0.string(upTo: 255) }, effect: maybe { $0.id() },
            attempt: maybe { Attempt(epoch: $0.integer(), number: $0.integer()) }, report: maybe { $0.integer() },
            round: integer(), due: maybe { $0.time() }, ends: maybe { $0.id() }, failures: integer(),
            reason: reason(), event: maybe { $0.content() },
            effects: some {
                HistoryEffect($0.id(), effect: $0.content(), due: $0.maybe { $0.time() })
            }, effectCount: integer())
    }

    private mutating func content() -> HistoryPayload {
        let payload = payload()
        return HistoryPayload(kind: payload.kind, size: integer(), bytes: maybe { _ in payload.bytes })
    }

    private mutating func effect() -> EffectSummary {
        EffectSummary(
            id: id(), kind: kind(), size: integer(), pool: maybe { $0.string(upTo: 255) },
            phase: EffectSummary.Phase(rawValue: string(upTo: 255)),
            attempt: maybe { Attempt(epoch: $0.integer(), number: $0.integer()) },
            worker: maybe { .random(using: &$0) }, age: integer(), failures: integer(), reason: reason(),
            due: maybe { $0.time() }, obstacle: reason(), workerName: string(upTo: 255))
    }

    private mutating func letter() -> DeadLetterSummary {
        DeadLetterSummary(
            id: id(), round: integer(), kind: kind(), size: integer(), pool: maybe { $0.string(upTo: 255) },
            failures: integer(), reason: reason(), deadLettered: time())
    }

    private mutating func held() -> QuarantineSummary {
        QuarantineSummary(
            loop: loop(), sequence: integer(), source: string(upTo: 255), kind: kind(), size: integer(),
            crashes: integer(), build: string(upTo: 255), since: time(), pending: integer())
    }

    private mutating func status() -> FleetStatus {
        FleetStatus(
            program: string(upTo: 255), build: string(upTo: 255), journal: .random(using: &self), epoch: integer(),
            started: time(), maximumPayload: integer(), pending: integer(), letters: integer(), loopCount: integer(),
            loops: some {
                LoopStatus(loop: $0.loop(), sequence: $0.integer(), pending: $0.integer(), isHeld: $0.chance(oneIn: 2))
            },
            pools: some {
                PoolStatus(
                    pool: $0.string(upTo: 255), workers: $0.integer(), waiting: $0.integer(), running: $0.integer(),
                    credit: $0.integer(), oldest: $0.maybe { $0.integer() },
                    ready: $0.maybe { $0.integer() }, oldestReady: $0.maybe { $0.integer() },
                    pause: $0.maybe { PoolPause(by: $0.string(upTo: 255), why: $0.string(upTo: 500), since: $0.time()) }
                )
            },
            workers: some {
                WorkerStatus(
                    incarnation: .random(using: &$0), pools: $0.some { $0.string(upTo: 255) },
                    build: $0.string(upTo: 255),
                    running: $0.integer(), free: $0.integer(), silence: $0.integer(), isDraining: $0.chance(oneIn: 2),
                    name: $0.string(upTo: 255))
            },
            events: maybe { $0.integer() }, heldCount: maybe { $0.integer() })
    }

    private mutating func reason() -> String {
        string(upTo: chance(oneIn: 10) ? ClientAnswer.maximumReason : 60)
    }

    private mutating func time() -> WallTime {
        WallTime(milliseconds: Int64(bitPattern: integer()))
    }

    private mutating func loop() -> LoopID {
        LoopID(chance(oneIn: 3) ? "l" + string(upTo: LoopID.maximumLength - 1) : "main") ?? .main
    }

    private mutating func id() -> EffectID {
        EffectID(loop: loop(), sequence: integer(), index: integer())
    }

    private mutating func kind() -> PayloadKind {
        let contentType = chance(oneIn: 2) ? PayloadKind.jsonContentType : string(upTo: 255)
        return PayloadKind(type: string(upTo: 255), version: integer(), contentType: contentType)
    }

    private mutating func confirmation() -> EventConfirmation {
        let reply: SenderReply? = maybe { random in
            random.chance(oneIn: 2) ? .answer(random.payload()) : .refusal(random.reason())
        }
        return EventConfirmation(repeated: chance(oneIn: 2), number: maybe { $0.integer() }, reply: reply)
    }

    private mutating func payload() -> Payload {
        // Half of them are the JSON that they say they are, with spaces that must stay.
        if chance(oneIn: 2) {
            let text = #"{"a": [1, -2.5e3, true, null,\n "ä\#u{1F98A}\\u00e4"], "b":{}, "c" : \#(number(upTo: 9)) }"#
            return Payload(kind: PayloadKind(type: string(upTo: 255), version: integer()), bytes: Array(text.utf8))
        }
        return Payload(kind: kind(), bytes: (0..<number(upTo: 100)).map { _ in integer() })
    }

    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        chance(oneIn: 2) ? make(&self) : nil
    }

    private mutating func some<Element>(_ make: (inout Self) -> Element) -> [Element] {
        (0..<number(upTo: 4)).map { _ in make(&self) }
    }
}
