import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusTestKit
import MobiusWire

/// A host with one coordinator process at a time: the production `LeaseDriver`, and the loops while it has the lease.
///
/// Its calls and threads are what `LeaseKeeper` and `Coordinator.runCluster` are in production.
final class ClusterHost<Program: LoopProgram> {
    unowned let cluster: Cluster<Program>
    let number: Int
    private let clock: HostClock
    /// The leases of the process; `nil` while there is none.
    private(set) var driver: LeaseDriver<LeaseTerm<Program>>?
    /// A number that is another one after each end of a process.
    private(set) var life = 0
    /// The shards that are run.
    private(set) var terms: [UInt32: LeaseTerm<Program>] = [:]
    /// Whether it has the scenario's earlier build.
    var isEarlier = false
    private(set) var isStopped = false
    private(set) var hasPower = true
    private(set) var isCutFromDatabase = false
    private(set) var isCutFromWorkers = false
    /// The deliveries that arrived while the process was stopped.
    private var arrivals: [() -> Void] = []
    /// The functions that wait for the database to be reachable.
    private var reconnections: [() -> Void] = []
    /// The time since which nothing has kept its machine from its work.
    var steady: Moment
    /// The time at which its process started last.
    private(set) var started: Moment
    /// The number of its name's addresses, the one at which its processes listen, and those of another host, where
    /// nobody listens.
    let addresses: Int
    let home: Int
    let strangers: Set<Int>
    // The connection of the leases, and the call that is under way on it.
    var session: UInt64?
    var calling: LeaseStep?
    var lastCall: UInt64 = 0

    init(_ cluster: Cluster<Program>, number: Int, clock: HostClock) {
        self.cluster = cluster
        self.number = number
        self.clock = clock
        (steady, started) = (cluster.world.now, cluster.world.now)
        // Drawn apart, so that the rest of the run is what it would be without.
        var draw = Chance(seed: cluster.world.seed &+ 0xADD2 &+ UInt64(number))
        let count = draw.pick([1, 2, 2, 3])
        addresses = count
        home = draw.number(0...count - 1)
        strangers = Set((0..<count).filter { _ in draw.percent(50) })
    }

    var world: World<Program> { cluster.world }
    var name: String { "host \(number)#\(life)" }
    /// This run of the process.
    var process: Incarnation { Incarnation(high: UInt64(number + 1), low: UInt64(life + 1)) }
    /// The processes that run shards in it, in the order of their numbers.
    var processes: [CoordinatorProcess<Program>] {
        terms.sorted { $0.key < $1.key }.compactMap(\.value.process)
    }
    /// The moment that its clock shows.
    var moment: Moment { clock.moment(at: world.now) }

    /// Runs `body` in this process after a while; when it is stopped then, as soon as it is continued.
    func later(_ pause: Duration, _ body: @escaping () -> Void) {
        let life = life
        world.plan(after: pause) { [self] _ in run(life, body) }
    }

    func run(_ life: Int, _ body: @escaping () -> Void) {
        guard life == self.life else { return }
        if isStopped { arrivals.append(body) } else { body() }
    }

    // MARK: - Life

    func boot() {
        guard driver == nil else { return }
        hasPower = true
        (steady, started) = (world.now, world.now)
        driver = LeaseDriver(
            LeaseHolder(process: process, name: name), timing: cluster.plan.timing,
            makeGate: { [unowned self] in LeaseTerm(self, shard: $0, epoch: $1, until: $2) })
        world.log(name, "starts")
        pump()
    }

    /// Ends the process at once.
    func kill() {
        guard driver != nil else { return }
        world.log(name, "is killed")
        closeSession(after: world.chance.milliseconds(0...2))
        end()
    }

    /// Ends the process, and the database does not find out for some time.
    func losePower() {
        guard driver != nil else { return }
        world.log(name, "loses its power")
        hasPower = false
        let lease = Int(cluster.plan.timing.lease.microseconds)
        closeSession(after: world.chance.microseconds(lease...lease * 3))
        end()
    }

    private func left() {
        world.log(name, "has left")
        closeSession(after: world.chance.milliseconds(0...2))
        end()
    }

    private func end() {
        let running = processes
        driver = nil
        life += 1
        terms = [:]
        (isStopped, calling) = (false, nil)
        arrivals = []
        lastCall += 1
        for process in running { world.remove(process) }
        let lease = Int(cluster.plan.timing.lease.microseconds)
        world.plan(after: world.chance.microseconds(1000...lease * 2)) { [self] _ in boot() }
    }

    /// Stops the process, and continues it later.
    func stop(for pause: Duration) {
        guard driver != nil, !isStopped else { return }
        world.log(name, "is stopped for \(pause)")
        isStopped = true
        for process in processes { process.stop() }
        let life = life
        world.plan(after: pause) { [self] _ in if life == self.life { wake() } }
    }

    /// Stops the process in some cases in which it is about to tell others something.
    func mayStop(before action: CoordinatorAction) {
        guard cluster.plan.stops > 0, action.tellsOthers else { return }
        // Handlers start in the coordinator far more seldom than messages leave it.
        let rate = if case .runLocal = action { cluster.plan.stops * 20 } else { cluster.plan.stops }
        if world.chance.happens(rate) { stop(for: cluster.pause()) }
    }

    private func wake() {
        guard isStopped else { return }
        world.log(name, "is continued")
        isStopped = false
        disturbed()
        let (running, life) = (processes, life)
        // Its threads go on in any order.
        for process in running where world.chance.percent(50) { process.wake() }
        let arrived = arrivals
        arrivals = []
        for body in arrived { run(life, body) }
        for process in running where life == self.life && !isStopped { process.wake() }
    }

    /// Asks the process to stop in an orderly way.
    func leave() {
        guard driver != nil, !isLeaving, !isStopped else { return }
        world.log(name, "is asked to stop")
        driver?.leave()
        pumpSoon()
        for term in terms.values.sorted(by: { $0.shard < $1.shard }) { end(term) }
        later(cluster.plan.timing.lease * 3) { [self] in kill() }
    }

    /// Asks the work of a term to end in order.
    private func end(_ term: LeaseTerm<Program>) {
        term.isAskedToEnd = true
        guard let process = term.process else { return }
        process.isAtGate ? gaveUp(process, term, LeaseTerm<Program>.Closed()) : process.stopOrderly()
    }

    // MARK: - Troubles of its connections

    /// Whether messages between it and the database arrive.
    var reachesDatabase: Bool { !isCutFromDatabase && !cluster.isDatabaseAway && hasPower }

    func cutFromDatabase(for pause: Duration) {
        guard !isCutFromDatabase else { return }
        world.log(name, "is cut off from the database for \(pause)")
        isCutFromDatabase = true
        // Its host may give the connection up before it is whole again.
        let patience = world.chance.microseconds(1000...Int(cluster.plan.timing.lease.microseconds))
        let end = world.now + pause
        world.plan(after: patience) { [self] _ in
            guard isCutFromDatabase, world.now < end else { return }
            for process in processes { process.loseJournal() }
        }
        world.plan(after: pause) { [self] _ in healDatabase() }
    }

    private func healDatabase() {
        guard isCutFromDatabase else { return }
        world.log(name, "reaches the database again")
        isCutFromDatabase = false
        disturbed()
        let waiting = reconnections
        reconnections = []
        for body in waiting { body() }
    }

    /// Calls `body` when nothing is cut off any more.
    func whenReachable(_ body: @escaping () -> Void) { reconnections.append(body) }

    func cutFromWorkers(for pause: Duration) {
        guard !isCutFromWorkers, !terms.isEmpty else { return }
        world.log(name, "is cut off from the workers for \(pause)")
        isCutFromWorkers = true
        for term in terms.values { world.mute(term.epoch, true) }
        world.plan(after: pause) { [self] _ in healWorkers() }
    }

    private func healWorkers() {
        guard isCutFromWorkers else { return }
        world.log(name, "reaches the workers again")
        isCutFromWorkers = false
        for term in terms.values { world.mute(term.epoch, false) }
    }

    /// The database ends the leases' connection.
    func loseSession() {
        guard let session else { return }
        world.log(name, "loses the connection of its leases")
        cluster.table.close(session)
        notice(session)
    }

    /// The database has ended all connections.
    func connectionsEnded() {
        if let session { notice(session) }
        for process in processes { process.loseJournal() }
    }

    /// The end of a connection becomes known, if nothing is in between.
    private func notice(_ session: UInt64) {
        later(world.chance.microseconds(50...20_000)) { [self] in
            if self.session == session, !isCutFromDatabase { failed() }
        }
    }

    func recover() {
        healDatabase()
        healWorkers()
        for process in processes { process.cancelFault() }
        wake()
        // A slow answer is no longer waited for.
        if calling != nil { failed() }
    }

    // MARK: - The machine

    var isLeaving: Bool { driver?.isLeaving ?? false }

    /// Hands an input in before the next call.
    func post(_ input: LeaseInput) {
        driver?.post(input)
        pumpSoon()
    }

    private func pumpSoon() {
        guard calling == nil else { return }
        let wait = lastCall
        later(world.chance.microseconds(0...200)) { [self] in if wait == lastCall { pump() } }
    }

    /// Something was released.
    func notify() {
        guard session != nil else { return }
        later(world.chance.microseconds(50...2000)) { [self] in
            // Somebody who calls will read what is new anyway, or has a notification less.
            if calling == nil, session != nil, reachesDatabase { post(.woken) }
        }
    }

    /// Makes the next call, if none is under way.
    func pump() {
        guard calling == nil, !isStopped, let (step, events) = driver?.next(at: moment) else { return }
        lastCall += 1
        for event in events { perform(event) }
        switch step {
        case .wait(let end):
            let wait = lastCall
            later(clock.time(until: end, at: world.now)) { [self] in if wait == lastCall { pump() } }
        case .leave: left()
        default: call(step)
        }
    }

    /// A call has returned.
    func answered(_ step: LeaseStep, _ answer: LeaseDriver<LeaseTerm<Program>>.Answer, asked: Moment) {
        for event in driver?.answered(step, answer, asked: asked, at: moment) ?? [] { perform(event) }
    }

    /// The call that was under way has failed, or the connection without one.
    func callFailed(_ step: LeaseStep?) {
        for event in driver?.failed(step, at: moment).events ?? [] { perform(event) }
    }

    private func perform(_ event: LeaseDriver<LeaseTerm<Program>>.Event) {
        switch event {
        case .acquired:
            cluster.counts.takeOvers += 1
            beginTerms()
        case .lost(let shard, let epoch):
            world.log(name, "has lost the lease of epoch \(epoch)")
            cluster.counts.lostLeases += 1
            // Its work finds out by itself, or is told.
            guard let term = terms[shard], term.isClosed else { return }
            later(world.chance.microseconds(0...1000)) { [self] in finish(term, isFailure: false) }
        case .handOver(let shard, let epoch):
            world.log(name, "hands over shard \(shard)")
            cluster.counts.moves += 1
            if let term = terms[shard], term.epoch == epoch { end(term) }
        case .share, .damaged: break  // nobody asks for one, and no row is damaged
        case .probe(let number, let endpoint): probe(number, endpoint)
        }
    }

    // MARK: - The loops

    /// Runs what was taken: one thread runs the loops of a shard, so the earlier ones end first.
    private func beginTerms() {
        while let term = driver?.nextTerm() { begin(term) }
    }

    private func begin(_ term: ShardTerm<LeaseTerm<Program>>) {
        let new = term.gate
        new.possibleHolders = term.possibleHolders
        terms[new.shard] = new
        later(world.chance.microseconds(100...20_000)) { [self] in open(new) }
    }

    private func open(_ new: LeaseTerm<Program>) {
        guard terms[new.shard] === new else { return }
        guard !new.isClosed, !new.isAskedToEnd else { return finish(new, isFailure: false) }
        guard world.disks[Int(new.shard)].epoch == new.epoch else { return finish(new, isFailure: false) }
        guard reachesDatabase else { return finish(new, isFailure: true) }
        guard !cluster.unfit.contains(new.shard) else {
            cluster.counts.unfit += 1
            return finish(new) { $0.unfit($1) }
        }
        world.startCoordinator(epoch: new.epoch, new)
        later(world.chance.microseconds(100...5000)) { [self] in
            guard terms[new.shard] === new, new.process?.isAlive == true else { return }
            post(.serves(new.shard, epoch: new.epoch, workers: new.endpoint, clients: new.endpoint))
        }
    }

    /// The work of a term has ended: its lease is released, if it is still this process's.
    func finish(_ ended: LeaseTerm<Program>, isFailure: Bool) {
        let possibleHolders = isFailure ? nil : ended.process?.possibleHolders
        // It gets no more shards for a while.
        if isFailure { disturbed(for: cluster.plan.timing.lease * 10) }
        finish(ended) { $0.ended($1, isFailure: isFailure, possibleHolders: possibleHolders) }
    }

    private func finish(
        _ ended: LeaseTerm<Program>,
        _ tell: (inout LeaseDriver<LeaseTerm<Program>>, ShardTerm<LeaseTerm<Program>>) -> Void
    ) {
        guard terms[ended.shard] === ended else { return }
        terms[ended.shard] = nil
        if let process = ended.process { world.remove(process) }
        if driver != nil { tell(&driver!, ended.term) }
        pumpSoon()
        beginTerms()
    }

    /// The process of its loops waits for its lease; one that is to end does not.
    func waits(_ process: CoordinatorProcess<Program>, _ term: LeaseTerm<Program>) {
        cluster.counts.waits += 1
        if isLeaving || term.isAskedToEnd { gaveUp(process, term, LeaseTerm<Program>.Closed()) }
    }

    /// A process of its loops gave up, as by an error of the journal.
    func gaveUp(_ process: CoordinatorProcess<Program>, _ term: LeaseTerm<Program>, _ error: any Error) {
        process.die()
        later(world.chance.microseconds(0...500)) { [self] in
            guard terms[term.shard] === term else { return }
            switch error {
            case is LeaseTerm<Program>.Closed:
                cluster.counts.refusals += 1
                finish(term, isFailure: false)
            case let error as JournalError where error.isPassing: finish(term, isFailure: error.code != .fenced)
            default: kill()
            }
        }
    }
}
