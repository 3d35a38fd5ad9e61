import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Processes that share the shards of a database, as ``LeaseMachine`` has them do it, with everything that goes wrong.
private struct LeaseCluster {
    private struct Row {
        var (epoch, change): (UInt64, UInt64) = (0, 0)
        var holder: LeaseHolder?
        var ends = Moment(nanoseconds: 0)
        /// The life of the process that renewed it.
        var life: UInt64 = 0
    }

    private struct Process {
        var machine: LeaseMachine
        let holder: LeaseHolder
        /// The shards that it runs, and until when it acts by each lease.
        var runs: [UInt32: (epoch: UInt64, until: Moment)] = [:]
        /// Those whose work ends soon.
        var ending: [UInt32: UInt64] = [:]
        var isStopped = false
        /// A call under way: the answer comes later, or never.
        var answer: (inputs: [LeaseInput]?, at: Moment)?
        var isCut = false
    }

    private(set) var violations: [String] = []
    private var rows: [Row]
    private var members: [Incarnation: (member: ClusterMember, until: Moment)] = [:]
    private var processes: [UInt64: Process] = [:]
    private var lives: UInt64 = 0
    /// What the database's clock is ahead.
    private var lead = Duration.zero
    private var now = Moment(nanoseconds: 1_000_000_000)
    private let timing = LeaseTiming(lease: .seconds(4))
    private var random: Random
    private var isFaulty = true

    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    init(shards: Int, processes count: Int, seed: UInt64) {
        rows = [Row](repeating: Row(), count: shards)
        random = Random(state: seed)
        for _ in 0..<count { boot() }
    }

    private mutating func happens(_ percent: Double) -> Bool { Double.random(in: 0..<100, using: &random) < percent }

    private mutating func boot() {
        lives += 1
        let holder = LeaseHolder(process: Incarnation(high: 1, low: lives), name: "p\(lives)")
        processes[lives] = Process(machine: LeaseMachine(holder, timing: timing), holder: holder)
    }

    /// Lets so much time pass, in steps of 20 ms.
    mutating func run(_ time: Duration, faulty: Bool) {
        isFaulty = faulty
        if !faulty {
            for life in processes.keys {
                processes[life]?.isStopped = false
                processes[life]?.isCut = false
            }
        }
        let end = now + time
        while now < end, violations.isEmpty {
            now = now + .milliseconds(20)
            for life in processes.keys.sorted() { step(life) }
            check()
            guard faulty else { continue }
            if happens(0.6), let life = processes.keys.sorted().randomElement(using: &random) { trouble(life) }
        }
    }

    private mutating func trouble(_ life: UInt64) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            processes[life] = nil
            boot()
        case 1: processes[life]?.isStopped.toggle()
        case 2: processes[life]?.isCut.toggle()
        case 3: tell(life, .leave)
        case 4: lead += .milliseconds(Int.random(in: -4_000_000...4_000_000, using: &random))
        default:
            if let shard = processes[life]?.runs.keys.sorted().randomElement(using: &random),
                let epoch = processes[life]?.runs[shard]?.epoch
            {
                let isUnfit = Bool.random(using: &random)
                end(life, shard, isUnfit ? .unfit(shard, epoch: epoch) : .ended(shard, epoch: epoch, isFailure: true))
            }
        }
    }

    private mutating func step(_ life: UInt64) {
        guard let process = processes[life], !process.isStopped else { return }
        for (shard, epoch) in process.ending.sorted(by: { $0.key < $1.key }) where happens(20) {
            end(life, shard, .ended(shard, epoch: epoch, isFailure: false))
        }
        if let answer = processes[life]?.answer {
            guard answer.at <= now else { return }
            processes[life]?.answer = nil
            for input in answer.inputs ?? [.failed] { tell(life, input) }
        }
        guard let next = processes[life]?.machine.next(at: now) else { return }
        switch next {
        case .wait(let end): if end <= now { violations.append("it waits for the past") }
        case .leave:
            processes[life] = nil
            boot()
        default: call(life, next)
        }
    }

    /// Makes a call: it takes time both ways, and may be lost before or after it took effect.
    private mutating func call(_ life: UInt64, _ step: LeaseStep) {
        let isCut = processes[life]?.isCut == true
        let isLost = isFaulty && happens(2)
        let slow =
            isFaulty && happens(3)
            ? Int64.random(in: 500...3000, using: &random) : Int64.random(in: 0...20, using: &random)
        let input = isCut || isLost && Bool.random(using: &random) ? nil : perform(step, life)
        let wait = input == nil || isLost ? Duration.seconds(2) : .milliseconds(slow)
        processes[life]?.answer = (isLost || slow > 2000 ? nil : input, now + wait)
    }

    private mutating func perform(_ step: LeaseStep, _ life: UInt64) -> [LeaseInput]? {
        let asked = now
        switch step {
        case .connect: return [.connected]
        case .read: return [.read(states)]
        case .attend(let holder, let isReady):
            members[holder.process] = (
                ClusterMember(process: holder.process, name: holder.name, isReady: isReady), now + timing.lease
            )
            return [.attended(members.values.filter { now < $0.until }.map(\.member).sorted { $0.name < $1.name })]
        case .resign(let process):
            members[process] = nil
            return [.resigned]
        case .acquire(let seen, let holder, _):
            let shard = Int(seen.shard)
            guard rows[shard].change == seen.change, rows[shard].epoch == seen.epoch else {
                return [.acquired(seen, epoch: nil, asked: asked)]
            }
            rows[shard] = Row(
                epoch: seen.epoch + 1, change: seen.change + 1, holder: holder, ends: now + lead + timing.lease,
                life: life)
            return [.acquired(seen, epoch: rows[shard].epoch, asked: asked)]
        case .renew(let leases):
            return leases.map { lease in
                let row = rows[Int(lease.shard)]
                guard row.epoch == lease.epoch, row.holder != nil else {
                    return .renewed(lease.shard, epoch: lease.epoch, .lost, asked: asked)
                }
                rows[Int(lease.shard)] = Row(
                    epoch: lease.epoch, change: row.change + 1, holder: lease.holder,
                    ends: now + lead + timing.lease, life: life)
                return .renewed(lease.shard, epoch: lease.epoch, .kept, asked: asked)
            }
        case .release(let shard, let epoch, _):
            if rows[Int(shard)].epoch == epoch {
                rows[Int(shard)].holder = nil
                rows[Int(shard)].change += 1
            }
            return [.released(shard, epoch: epoch)]
        case .wait, .leave, .readShares, .claimShares: return nil
        }
    }

    private var states: [ShardState] {
        rows.enumerated().map { place, row in
            let lease = row.holder.map {
                Lease(
                    holder: $0, remaining: row.ends - (now + lead),
                    isConnected: processes[row.life].map { !$0.isCut } ?? false)
            }
            return ShardState(shard: UInt32(place), epoch: row.epoch, change: row.change, lease: lease)
        }
    }

    private mutating func end(_ life: UInt64, _ shard: UInt32, _ input: LeaseInput) {
        processes[life]?.ending[shard] = nil
        processes[life]?.runs[shard] = nil
        tell(life, input)
    }

    private mutating func tell(_ life: UInt64, _ input: LeaseInput) {
        if input == .leave {
            for (shard, run) in processes[life]?.runs ?? [:] { processes[life]?.ending[shard] = run.epoch }
        }
        for action in processes[life]?.machine.handle(input, at: now) ?? [] {
            switch action {
            case .start(let shard, let epoch, let until):
                processes[life]?.runs[shard] = (epoch, until)
                processes[life]?.ending[shard] = nil
                tell(life, .serves(shard, epoch: epoch, workers: "\(life)", clients: ""))
            case .trust(let shard, let until): processes[life]?.runs[shard]?.until = until
            case .handOver(let shard, let epoch): processes[life]?.ending[shard] = epoch
            case .lost(let shard, _):
                processes[life]?.runs[shard] = nil
                processes[life]?.ending[shard] = nil
            case .probe(let number, let endpoint):
                let isRefused = UInt64(endpoint).map { processes[$0] == nil } ?? false
                tell(life, .probed(number, isRefused: isRefused))
            case .share: violations.append("a shard that wants nothing of a limit gets some")
            }
        }
    }

    // MARK: - Checks

    private mutating func check() {
        for shard in rows.indices {
            let acting = processes.filter { $0.value.runs[UInt32(shard)].map { now < $0.until } ?? false }
            guard acting.count < 2 else {
                return violations.append("shard \(shard) is run by \(acting.keys.sorted()) at \(now)")
            }
        }
    }

    /// How many shards each process runs.
    var shares: [Int] { processes.values.map(\.runs.count).sorted() }
}

@Suite("Shards shared out between processes") struct LeaseClusterTests {
    @Test(
        "never two run a shard, and after all troubles everyone has a share", arguments: 1...30 as ClosedRange<UInt64>)
    func anything(seed: UInt64) {
        let (shards, processes) = (Int(seed % 9) + 1, Int(seed / 9 % 4) + 1)
        var cluster = LeaseCluster(shards: shards, processes: processes, seed: seed)
        for _ in 0..<2 {
            cluster.run(.seconds(30), faulty: true)
            // The longest time for which a process leaves a shard to others after failures, and hand-overs.
            cluster.run(.seconds(80), faulty: false)
            #expect(cluster.violations == [])
            let share = (shards + processes - 1) / processes
            #expect(
                cluster.shares.reduce(0, +) == shards && cluster.shares.allSatisfy { $0 <= share }, "\(cluster.shares)")
        }
    }
}
