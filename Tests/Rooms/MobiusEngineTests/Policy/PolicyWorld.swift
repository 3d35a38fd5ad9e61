import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// A world of chance around a machine whose effects have all kinds of policies: workers that come, go, answer, fail and
/// fall silent, commits that take their time, calendars that jump, coordinators that are killed.
struct PolicyWorld: ~Copyable {
    struct Worker {
        let number: Int
        let peer: Peer
        var session: UInt64
        var credit: UInt64
        var received: UInt64 = 0
        var held: [AttemptID: UInt32] = [:]
        var isDraining = false
    }

    var stage: Stage
    var random: SplitMix64
    var workers: [Worker] = []
    var sessions: UInt64 = 0
    var people = 0
    var events: UInt64 = 0
    var ahead = Duration.zero
    let restarts: Bool
    /// The only attempt at each effect that runs at most once.
    var only: [EffectID: AttemptID] = [:]
    /// Effects that were requeued by a plan of another kind.
    var requeued: Set<EffectID> = []
    var faults: [String] = []

    static let limit = EffectLimit("few", concurrency: 2, scope: .cluster)
    static let rate = EffectLimit("rate", rate: .init(3, per: .seconds(2)), scope: .cluster)

    init(seed: UInt64, restarts: Bool) {
        random = SplitMix64(seed: seed)
        self.restarts = restarts
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1, seed: seed)
        configuration.sharesLimits = seed.isMultiple(of: 2)
        stage = Stage(configuration)
        stage.play(.wallClock(WallTime(milliseconds: 0)), .begin(.main, effects: []))
    }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    /// The cluster grants other units of a limit.
    mutating func grant() {
        let key = chance(2) ? LimitKey(Self.limit.name, .concurrency) : LimitKey(Self.rate.name, .rate)
        let units = Int.random(in: 0...3, using: &random)
        hear(stage.play(.share(LimitGrant(key, units: units, isFull: chance(2)))))
    }

    mutating func step() {
        if chance(5) { grant() }
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1, 2: ask()
        case 3: join()
        case 4: leave()
        case 5, 6, 7, 8, 9: report()
        case 10, 11: pass(.milliseconds(Int64.random(in: 1...900, using: &random)))
        case 12: heartbeat()
        case 13: hear(stage.commit())
        case 14: stage.commits = chance(2)
        case 15: jump()
        case 16: cancel()
        case 17: requeue()
        case 18: if chance(4) { pass(.seconds(Int64.random(in: 1...12, using: &random))) }
        default: if restarts, chance(12) { restart() }
        }
        check()
    }

    /// Effects with keys: of their own, under limits of their own, of all at once, with affinity, and only once.
    mutating func keyed() -> PlannedEffect {
        let tenant = Int.random(in: 0..<3, using: &random)
        let few = EffectLimit("few of each", concurrency: 1)
        let rare = EffectLimit("rare", concurrency: 2, rate: .init(2, per: .seconds(3)))
        let retry = RetryPolicy(attempts: 3, initial: .milliseconds(300), onTimeout: chance(2))
        let policy: EffectPolicy =
            switch Int.random(in: 0..<5, using: &random) {
            case 0: .plain(retry: retry)
            case 1: .plain(attempt: .seconds(4), retry: retry, perKey: few)
            case 2: .plain(retry: retry, perKey: rare, keeps: true)
            case 3: .plain(.atMostOnce, attempt: .seconds(3), limit: Self.limit, perKey: few)
            default: .plain(start: .seconds(3), all: .seconds(5), retry: retry, priority: 5, perKey: few)
            }
        let once = policy.delivery == .atMostOnce ? "once" : "often"
        return .work(
            "keyed \(once) \(events)", pool: chance(3) ? "other" : "pool", policy,
            affinity: chance(4) ? "\(tenant)" : nil, key: "tenant \(tenant)")
    }

    mutating func policy() -> (String, EffectPolicy, String?) {
        let retry = RetryPolicy(attempts: 3, initial: .milliseconds(300), onTimeout: chance(2))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return ("once", .plain(.atMostOnce, attempt: .seconds(3), keeps: true), nil)
        case 1: return ("few", .plain(retry: retry, limit: Self.limit), nil)
        case 2: return ("few once", .plain(.atMostOnce, all: .seconds(6), limit: Self.limit), nil)
        case 3:
            return ("rate", .plain(limit: Self.rate, keeps: true), nil)
        case 4:
            return ("sticky", .plain(attempt: .seconds(4), retry: retry), "\(Int.random(in: 0..<4, using: &random))")
        case 5: return ("timed", .plain(start: .seconds(3), attempt: .seconds(1), all: .seconds(5), retry: retry), nil)
        case 6: return ("high", .plain(progress: .seconds(2), retry: retry, priority: 5, keeps: true), nil)
        default: return ("plain", .plain(), nil)
        }
    }

    mutating func ask() {
        var planned: [PlannedEffect] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let (words, policy, affinity) = policy()
            planned.append(
                .work(
                    "\(words) \(events) \(planned.count)", pool: chance(3) ? "other" : "pool", policy,
                    affinity: affinity))
        }
        while chance(2) { planned.append(keyed()) }
        if chance(4) {
            planned.append(.timer(chance(2) ? .after(.seconds(2)) : .every(.seconds(3)), "timer \(events)"))
        }
        if chance(6) {
            planned.append(.timer(.at(WallTime(milliseconds: stage.now.nanoseconds / 1_000_000 + 700)), "at \(events)"))
        }
        if chance(12) { planned.append(.local("local \(events)")) }
        events += 1
        stage.update["ask \(events)"] = planned
        hear(stage.play(.outside(RequestID(events), .main, key: "\(events)", event: .news("ask \(events)"))))
    }

    mutating func join() {
        guard workers.count < 4 else { return }
        people += 1
        sessions += 1
        let credit = UInt64.random(in: 1...4, using: &random)
        let worker = Worker(number: people, peer: Peer(UInt64(people)), session: sessions, credit: credit)
        workers.append(worker)
        let pools = chance(2) ? ["pool", "other"] : ["pool"]
        hear(stage.play(.hello(.worker(people), from: worker.peer, pools: pools, credit: credit)))
    }

    mutating func leave() {
        guard let place = workers.indices.randomElement(using: &random), chance(2) else { return }
        let worker = workers[place]
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            workers[place].isDraining = true
            hear(say(.draining(held: worker.held.keys.map { HeldAttempt(id: $0) }), place))
        case 1:
            let answer = say(.bye, place)
            workers.remove(at: place)
            hear(answer)
        default:
            workers.remove(at: place)
            hear(stage.play(.unreachable(worker.peer)))
        }
    }

    mutating func say(_ message: WorkerMessage, _ place: Int) -> [CoordinatorAction] {
        stage.play(.says(message, from: workers[place].peer, session: workers[place].session, epoch: stage.epoch))
    }

    mutating func report() {
        guard let place = workers.indices.randomElement(using: &random),
            let attempt = workers[place].held.keys.sorted(by: { $0.description < $1.description })
                .randomElement(using: &random), let sent = workers[place].held[attempt]
        else { return }
        let final = !chance(4)
        let kind = Int.random(in: 0..<6, using: &random)
        workers[place].held[attempt] = final || kind < 2 ? nil : sent + 1
        if final || kind < 2, !workers[place].isDraining { workers[place].credit += 1 }
        let total = workers[place].credit
        if kind < 2 {
            hear(
                say(
                    .failures(creditTotal: total, [attempt.failure(sent + 1, retryable: kind == 0 || chance(2))]), place
                ))
        } else {
            let words: String? = kind == 2 && final ? nil : kind == 3 && chance(3) ? "unreadable" : "done"
            hear(say(.events(creditTotal: total, [attempt.event(sent + 1, words, final: final)]), place))
        }
    }

    mutating func heartbeat() {
        for place in workers.indices {
            let held = workers[place].held.keys.map { attempt in
                HeldAttempt(id: attempt, progressAge: chance(2) ? 100 : HeldAttempt.noProgress)
            }
            hear(say(.heartbeat(creditTotal: workers[place].credit, held: held), place))
        }
    }

    mutating func pass(_ time: Duration) {
        stage.now = stage.now + time
        if !chance(3) { for place in workers.indices { hear(say(.credit(total: workers[place].credit), place)) } }
        hear(stage.play(.tick))
    }

    mutating func jump() {
        if chance(10) { ahead += .seconds(Int64.random(in: -20...20, using: &random)) }
        let time = WallTime(milliseconds: stage.now.nanoseconds / 1_000_000) + ahead
        hear(stage.play(.wallClock(time)))
    }

    mutating func cancel() {
        guard chance(3),
            let found = stage.machine.underWay(of: .main).sorted(by: { $0.id < $1.id }).randomElement(using: &random)
        else { return }
        hear(stage.play(.cancel(found.id)))
    }

    mutating func requeue() {
        let letters = stage.notes.compactMap { if case .deadLettered(let letter) = $0 { letter } else { nil } }
        guard let letter = letters.last, !stage.machine.isUnderWay(letter.id), stage.commits,
            stage.durable.contains(.note(letter.id, .deadLettered(letter)))
        else { return }
        events += 1
        let plan = EffectPlan(destination: .pool("pool"), policy: .plain(attempt: .seconds(3), keeps: true))
        requeued.insert(letter.id)
        hear(stage.play(.requeue(RequestID(events), letter, plan)))
    }

    mutating func restart() {
        hear((try? stage.restart(at: WallTime(milliseconds: stage.now.nanoseconds / 1_000_000) + ahead)) ?? [])
        sessions = 0
        for place in workers.indices {
            sessions += 1
            workers[place].session = sessions
            workers[place].received = 0
            let free = workers[place].isDraining ? 0 : UInt64.random(in: 1...3, using: &random)
            workers[place].credit = free
            // What it reported and was not acknowledged it has forgotten: it is a new attempt's then.
            let held = chance(8) ? [] : Array(workers[place].held.keys)
            if held.isEmpty { workers[place].held = [:] }
            hear(
                stage.play(
                    .hello(
                        .worker(workers[place].number), from: workers[place].peer, pools: ["pool", "other"],
                        credit: free, epoch: stage.epoch - 1, held: held)))
        }
    }
}
