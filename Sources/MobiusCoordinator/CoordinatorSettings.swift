public import MobiusEngine
public import MobiusJournal
import MobiusJournalSQLite
public import MobiusWire

/// The configuration of a coordinator.
public struct CoordinatorSettings: Sendable {
    /// The place of the journal.
    public enum Journal: Sendable, Equatable {
        /// In this file, created if it is missing: acknowledged events survive any crash.
        case file(String)
        /// In the database that this URL names, which one of ``CoordinatorSettings/journalOpeners`` opens.
        case url(String)
        /// In memory only: all loops start anew with each process.
        case none

        /// Parses the text of `--journal` or `MOBIUS_JOURNAL`: `none`, a URL, or a file.
        public init(_ text: String) {
            if text == "none" {
                self = .none
            } else {
                self = JournalOpener.scheme(of: text) == nil ? .file(text) : .url(text)
            }
        }
    }

    /// The program's name, which its journal records.
    public var name: String
    /// The ZeroMQ endpoint for workers, by default `tcp://127.0.0.1:5701`.
    ///
    /// With the port `*` the system chooses a free one.
    public var bind: String
    /// The ZeroMQ endpoint for clients; `nil` for none.
    ///
    /// The default is the port after that of ``bind``, or the ipc path of ``bind`` with the suffix `-client`.
    public var clientBind: String?
    /// The folder with the coordinator's keys and its allow-list, as created by `mobius keys`; `nil` for none.
    ///
    /// Without keys, every process on this machine may connect, and an endpoint that other hosts can reach is refused.
    /// With keys, every peer needs a key in the allow-list, also on this machine.
    public var keys: String?
    /// The most connections of each endpoint: 4096 by default, fewer if the limit of open files requires it.
    public var maximumConnections = 4096
    /// The place of the journal.
    public var journal: Journal
    /// The openers for a ``Journal/url(_:)``: `[.postgreSQL]` of the product `MobiusJournalPostgreSQL`; none by
    /// default.
    public var journalOpeners: [JournalOpener] = []
    /// The times of the lease with which one of several coordinators runs the loops of a journal in a database: 4 s by
    /// default.
    ///
    /// On the command line: `--lease`. It bounds how long the loops stand still when the host of the coordinator that runs
    /// them is lost. All coordinators of a journal have the same.
    public var lease = LeaseTiming()
    /// The endpoint at which workers reach this process while it runs the loops of a journal that several coordinators
    /// share; `nil`, the default, for a free port at the address of ``bind``.
    ///
    /// On the command line: `--owner-bind`. Clients reach it at the port after it. At ``bind`` and ``clientBind`` they are
    /// told where the loops are.
    public var ownerBind: String?
    /// The host name or address of this machine that others are told, when ``ownerBind`` listens on all addresses; `nil`,
    /// the default, for the machine's own name.
    ///
    /// On the command line: `--advertise`.
    public var advertisedHost: String?
    /// The part of the past that the journal keeps: by default only what recovery needs.
    ///
    /// On the command line: `--keep-history`.
    public var history = KeptHistory.needed
    /// Whether the journal keeps all events; `true` sets ``history`` to all, `false` to what recovery needs.
    public var keepsHistory: Bool {
        get { history == .all }
        set { history = newValue ? .all : .needed }
    }
    /// The time that the last model and the history of a loop stay readable after its end: 30 days by default; `nil`
    /// for ever.
    ///
    /// On the command line: `--keep-ended`. After that time the journal forgets the loop, and its name is new.
    public var keepEnded: Duration? = .seconds(30 * 86_400)
    /// Bounds on the journal's contents that would otherwise grow without limit; tests use smaller ones.
    package var journalLimits = JournalLimits.standard
    /// The timeouts between the coordinator and its workers.
    public var timing: SessionTiming
    /// The largest payload of an event or effect in bytes: 4 MiB by default, at most 256 MiB, to which it is clamped.
    ///
    /// On the command line: `--max-payload`. Workers receive the limit from the coordinator. Clients have their own.
    public var maximumPayload: UInt32
    /// Whether any client's event may start its loop; `false` by default, so that a misspelt name starts no loop.
    ///
    /// If `false`, `mobius send --loop NAME` starts a loop only with `--new`; `FleetClient.send` starts one unless it
    /// is called with `begins: false`. Set it to `true` for a program whose loops represent named things, such as one
    /// loop per order. Code in the coordinator's process can start loops in any case.
    public var clientsMayStartLoops = false
    /// The time that a loop without pending effects stays in memory after its last event or request: a minute by
    /// default; `nil` for ever.
    ///
    /// It returns from the journal with its next event or request. On the command line: `--idle-after`. The loop `main`,
    /// and loops whose models are watched, stay. Without a journal all loops stay.
    public var idleAfter: Duration? = .seconds(60)
    /// Loops, ended ones that are kept included, at which no further one may begin: two million by default.
    ///
    /// On the command line: `--max-loops`. An event that would begin one more is refused with that reason, and so is a
    /// `.toLoop` effect; events of loops that exist are taken, and a restart recovers all. Clients name loops: without a
    /// limit, a client that sends to new names could fill memory and disk.
    public var maximumLoops = 2_000_000
    /// Whether commands of the same user on this machine find the coordinator by itself.
    var announces = false
    /// Whether this executable, started with ``ProgramProcess/variable``, does errands with the program's code.
    package var runsErrands = false
    /// Uncommitted external events at which further external sends get `busy`: 10,000 by default.
    public var maximumIntake = 10_000
    /// Pending effects at which external sends get `busy`: one million by default.
    public var maximumBacklog = 1_000_000

    /// The address at which `/livez`, `/readyz` and `/metrics` are served over HTTP, such as `127.0.0.1:9464`; `nil`,
    /// the default, for none.
    public var http: String?

    /// Makes settings; the client endpoint is derived from `bind`.
    public init(
        name: String, bind: String = CoordinatorSettings.defaultEndpoint, journal: Journal,
        timing: SessionTiming = SessionTiming(), maximumPayload: UInt32 = PayloadLimit.standard
    ) {
        self.name = name
        self.bind = bind
        clientBind = ClientEndpoint.beside(bind)
        self.journal = journal
        self.timing = timing
        self.maximumPayload = maximumPayload
    }

    /// The endpoint at which coordinators listen and workers connect by default.
    public static let defaultEndpoint = "tcp://127.0.0.1:5701"

    /// The effective payload limit in bytes.
    var payloadLimit: UInt32 { min(maximumPayload, PayloadLimit.range.upperBound) }
}

extension CoordinatorSettings {
    /// Opens the journal; the caller owns it until it passes it to a writer.
    ///
    /// - Parameter epoch: The epoch that a lease began for it.
    func openJournal(epoch: UInt64? = nil, shard: UInt32 = 0) throws(JournalError) -> any JournalStore {
        switch journal {
        case .none: InMemoryStore(remembersRecords: false)
        case .file(let path):
            try SQLiteJournal(
                path: path, application: name, build: BuildIdentity.current, history: history,
                limits: journalLimits)
        case .url(let url):
            try opener(of: url).open(request(url, epoch: epoch, shard: shard))
        }
    }

    private func request(_ url: String, epoch: UInt64?, shard: UInt32 = 0) -> JournalOpener.Request {
        JournalOpener.Request(
            url: url, application: name, build: BuildIdentity.current, history: history, limits: journalLimits,
            epoch: epoch, shard: shard)
    }

    /// Whether several coordinators may share the journal, one of which runs the loops at a time.
    var isClustered: Bool {
        guard case .url(let url) = journal, let opener = try? opener(of: url) else { return false }
        return opener.leases != nil
    }

    /// The times of sessions: with other coordinators beside it, workers look for them as soon as this one may have lost its
    /// lease, and the next owner waits for them for half of a lease's time at most.
    var sessionTiming: SessionTiming { isClustered ? timing.following(lease) : timing }

    /// Opens the leases of a journal that several coordinators share.
    func openLeases() throws(JournalError) -> any LeaseStore {
        guard case .url(let url) = journal, let open = try opener(of: url).leases else {
            preconditionFailure("Only a clustered journal has leases.")
        }
        var request = request(url, epoch: nil)
        request.patience = lease.lease / 2
        return try open(request)
    }

    /// Returns a function that opens a shard of the journal once more for reading; `nil` for one in memory.
    ///
    /// - Parameter pinsSnapshot: Whether all calls read the journal's state at the time of its opening.
    func journalReader(
        of shard: UInt32, pinsSnapshot: Bool = true
    ) -> (@Sendable () throws(JournalError) -> any JournalReading)? {
        switch journal {
        case .none: nil
        case .file(let path):
            { () throws(JournalError) in try JournalInspector(path: path, pinsSnapshot: pinsSnapshot) }
        case .url(let url): { () throws(JournalError) in try opener(of: url).read(url, shard, pinsSnapshot) }
        }
    }

    /// The shards of the journal, with their slices, in the order of their numbers.
    func journalShards() throws(JournalError) -> [(shard: UInt32, slices: SliceSet)] {
        guard isClustered else { return [(0, .all)] }
        let leases = try openLeases()
        defer { leases.close() }
        return try leases.shards().map { ($0.shard, $0.slices) }
    }

    private func opener(of url: String) throws(JournalError) -> JournalOpener {
        let scheme = JournalOpener.scheme(of: url) ?? ""
        if let opener = journalOpeners.first(where: { $0.schemes.contains(scheme) }) { return opener }
        let known = journalOpeners.flatMap(\.schemes).map { "\($0)://" }.joined(separator: ", ")
        throw JournalError(
            .unsupported,
            "This program cannot open journals of \(scheme)://; "
                + (known.isEmpty
                    ? "it knows files only. For PostgreSQL, its package names the product MobiusJournalPostgreSQL, and "
                        + "its configure(_:) sets settings.journalOpeners = [.postgreSQL]."
                    : "it knows files and \(known)."))
    }
}
