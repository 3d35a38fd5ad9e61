import Bank
import BankFleet
import Dispatch
import FleetTestSupport
import Foundation

/// One run, from the first order to the audit: a single loop that does whatever is due.
final class ChaosRun {
    private(set) var tally = Tally()
    private let company: Company
    private let customers: Customers
    private var reader = StatusReader()
    private var random: SeededRandom
    private let pause: Double
    private let interval: Duration
    /// What has to be done later: processes put back or let go on, wires mended.
    private var later: [(at: ContinuousClock.Instant, what: () async throws -> Void)] = []
    private var nextOrder = ContinuousClock.now
    private var nextTrouble = ContinuousClock.now + .seconds(2)
    private var nextQuestion = ContinuousClock.now
    private var lastProgress = ContinuousClock.now
    private var lastEnded = 0
    /// When everything was up again, until the next transfer ends.
    private var wholeSince: ContinuousClock.Instant?
    private let began = ContinuousClock.now

    init(_ company: Company, seed: UInt64, rate: Double, pause: Double) {
        self.company = company
        self.pause = pause
        customers = Customers(connect: company.clientEndpoint)
        random = SeededRandom(seed: seed)
        interval = .seconds(1 / rate)
    }

    /// Orders come and trouble happens for so long.
    func trouble(for duration: Duration) async throws {
        let end = began + duration
        while ContinuousClock.now < end {
            try await turn(ordering: true, making: true)
        }
    }

    /// Lets everything come to rest, and says what is wrong.
    func settle() async throws -> [String] {
        let limit = ContinuousClock.now + Patience.limit * 2
        var idleSince: ContinuousClock.Instant?
        while ContinuousClock.now < limit {
            customers.endInterest()
            try await turn(ordering: false, making: false)
            let isWhole = later.isEmpty && company.slots.allSatisfy { $0.state == .up }
            guard isWhole, !customers.areWaiting, !customers.haveInterest, reader.status?.isIdle == true else {
                idleSince = nil
                continue
            }
            // An answer that was on its way does not know of the last orders.
            let since = idleSince ?? .now
            idleSince = since
            if ContinuousClock.now - since > .seconds(1) { break }
        }
        guard let coordinator = company.coordinator.process else { return ["There is no coordinator at the end."] }
        tally.seconds = (ContinuousClock.now - began) / .seconds(1)
        customers.count(into: &tally)
        await customers.leave()
        if customers.areWaiting || customers.haveInterest {
            return ["Not all orders were confirmed in two quiet minutes."]
        }
        let model = try await coordinator.ask("model", for: Bank.Model.self)
        tally.transfers = model.transfers.count
        let ends = try await stopOrderly() + company.verify()
        let ledgers = try company.ledgers()
        let journal = try company.journal()
        tally.bookings = Set(ledgers.map(\.entry.key)).count
        tally.repeatedBookings = ledgers.map(\.asked).reduce(0, +) - tally.bookings
        tally.epochs = journal.epochs
        tally.measure(company)
        return ends + customers.refusals
            + Verdict.complaints(about: model, journal: journal, ledgers: ledgers, confirmed: customers.confirmed)
    }

    private func stopOrderly() async throws -> [String] {
        var complaints: [String] = []
        for slot in company.workers + [company.coordinator] {
            slot.leave()
            if let end = try await slot.bury(), end != .exited(0) {
                complaints.append("\(slot.name) ended with \(end) when it was told to stop.")
            }
        }
        return complaints
    }

    // MARK: - One turn

    private func turn(ordering: Bool, making: Bool) async throws {
        let now = ContinuousClock.now
        while let index = later.indices.filter({ later[$0].at <= now }).min(by: { later[$0].at < later[$1].at }) {
            let due = later.remove(at: index)
            try await due.what()
        }
        for slot in company.slots where slot.state == .leaving && slot.hasLeft {
            try await bury(slot)
            restart(slot, in: 0.1)
        }
        for slot in company.slots where slot.state == .up && slot.hasLeft {
            throw Unexpected(what: "\(slot.name) ended by itself: \(slot.process?.errors.elements.suffix(5) ?? [])")
        }
        if making, nextTrouble <= now {
            nextTrouble = now + .seconds(-log(Double.random(in: 0.01...1, using: &random)) * pause)
            try await make(Trouble.random(using: &random))
        }
        if ordering, nextOrder <= now {
            customers.order(using: &random)
            nextOrder = max(nextOrder + interval, now - .seconds(1))
        }
        try talk(at: now)
        await Self.nextTurn()
    }

    /// The loop looks at everything 200 times a second.
    private static func nextTurn() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { continuation.resume() }
        }
    }

    private func talk(at now: ContinuousClock.Instant) throws {
        guard let coordinator = company.coordinator.process, company.coordinator.state == .up else { return }
        reader.listen(to: coordinator)
        if nextQuestion <= now {
            nextQuestion = now + .milliseconds(100)
            try? coordinator.type("status\n")
        }
        guard let status = reader.status else { return }
        let isWhole = company.slots.allSatisfy { $0.state == .up } && later.isEmpty
        if !isWhole { wholeSince = nil } else if wholeSince == nil { wholeSince = now }
        if status.ended > lastEnded {
            tally.longestStandstill = max(tally.longestStandstill, now - lastProgress)
            lastEnded = status.ended
            lastProgress = now
            wholeSince = isWhole ? now : nil
        } else if status.isIdle, !customers.areWaiting {
            lastProgress = now
            wholeSince = nil
        } else if let wholeSince {
            tally.worstRecovery = max(tally.worstRecovery, now - wholeSince)
        }
    }

    // MARK: - Trouble

    private func make(_ trouble: Trouble) async throws {
        switch trouble {
        case .killWorker: if let worker = anyWorker() { try await kill(worker) }
        case .killCoordinator: try await kill(company.coordinator)
        case .killWire: try await kill(company.wire)
        case .killEverybody: for slot in company.slots { try await kill(slot) }
        case .stopWorker: if let worker = anyWorker() { stop(worker, upTo: 4) }
        case .stopCoordinator: stop(company.coordinator, upTo: 3)
        case .stopWire: stop(company.wire, upTo: 3)
        case .leaveWorker: if let worker = anyWorker() { leave(worker) }
        case .leaveCoordinator: leave(company.coordinator)
        case .cut: tellWire("cut")
        case .cutInMidMessage:
            tellWire(
                "cut-after \(Bool.random(using: &random) ? "up" : "down") \(Int.random(in: 0...2000, using: &random))")
        case .stall, .swallow:
            let direction = ["up", "down", "both"][Int.random(in: 0...2, using: &random)]
            tellWire("\(trouble == .stall ? "stall" : "swallow") \(direction)")
            after(Double.random(in: 0.1...3, using: &random)) { [company] in
                if trouble == .swallow { company.tellWire("cut") }
                company.tellWire("flow")
            }
        }
    }

    private func anyWorker() -> Slot? {
        company.workers.filter { $0.state == .up }.randomElement(using: &random)
    }

    private func kill(_ slot: Slot) async throws {
        guard slot.state != .down else { return }
        slot.process?.signal(SIGKILL)
        try await bury(slot)
        tally.kills[slot.name.hasPrefix("worker") ? "workers" : slot.name, default: 0] += 1
        restart(slot, in: Double.random(in: 0...1, using: &random))
    }

    private func bury(_ slot: Slot) async throws {
        try await slot.bury()
    }

    private func restart(_ slot: Slot, in seconds: Double) {
        after(seconds) { if slot.state == .down { try slot.start() } }
    }

    private func stop(_ slot: Slot, upTo seconds: Double) {
        guard slot.state == .up else { return }
        slot.stop()
        tally.stops += 1
        after(Double.random(in: 0.05...seconds, using: &random)) { slot.goOn() }
    }

    private func leave(_ slot: Slot) {
        guard slot.state == .up else { return }
        slot.leave()
        tally.orderlyStops += 1
    }

    private func tellWire(_ line: String) {
        guard company.wire.state == .up else { return }
        company.tellWire(line)
        tally.cuts += 1
    }

    private func after(_ seconds: Double, _ what: @escaping () async throws -> Void) {
        later.append((.now + .seconds(seconds), what))
    }
}

/// Something ended that nobody had touched.
struct Unexpected: Error, CustomStringConvertible {
    let what: String

    var description: String { what }
}

/// A generator with a seed (SplitMix64: Steele, Lea and Flood, 2014).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
