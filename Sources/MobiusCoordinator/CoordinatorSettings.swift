public import MobiusEngine
package import MobiusJournal
import MobiusJournalSQLite
public import MobiusWire

/// How a coordinator is set up.
public struct CoordinatorSettings: Sendable {
    /// Where the journal is kept.
    public enum Journal: Sendable, Equatable {
        /// In this file, made if it is missing: what was acknowledged survives any crash.
        case file(String)
        /// Nowhere: the loop starts anew with each process.
        case none
    }

    /// The program's name, under which its journal is kept.
    public var name: String
    /// The ZeroMQ endpoint to listen on, by default `tcp://127.0.0.1:5701`.
    ///
    /// A port `*` lets the system choose.
    public var bind: String
    /// The ZeroMQ endpoint to listen on for clients; `nil` for none.
    ///
    /// By default the port after that of ``bind``, or the ipc path with `-client` behind it.
    public var clientBind: String?
    /// The folder of the coordinator's keys and its allow-list, as `mobius keys` makes it; `nil` for none.
    ///
    /// Without keys everybody on this machine may connect, and an endpoint that other hosts can reach is refused. With keys,
    /// whoever connects must hold one that the allow-list names, on this machine, too.
    public var keys: String?
    /// How many connections each of the two endpoints may have: 4096, or fewer where the limit of open files is near.
    public var maximumConnections = 4096
    /// Where the journal is kept.
    public var journal: Journal
    /// Whether the journal keeps all events; by default it keeps those that recovery needs.
    public var keepsHistory = false
    /// How much the journal keeps of what would otherwise grow for ever; smaller for tests.
    package var journalLimits = JournalLimits.standard
    /// How long the coordinator and its workers wait for each other.
    public var timing: SessionTiming
    /// The largest payload in bytes, of an event or an effect: 4 MiB, and at most 256 MiB, which more counts as.
    ///
    /// The command line's `--max-payload`. Workers are told; clients have a limit of their own.
    public var maximumPayload: UInt32
    /// Whether every client's event may begin the loop that it is sent to: `false`, so that a loop does not begin by a mistake.
    ///
    /// Without it, `mobius send --loop NAME` begins a loop only with `--new`, and `FleetClient.send` only unless it is told `begins: false`.
    /// Set it for a program whose loops stand for things with names of their own, such as one loop for each order. Code in the
    /// coordinator's process begins loops in any case.
    public var loopsBeginByThemselves = false
    /// How many events from outside may wait for their commit before their senders are told that it is busy: 10,000.
    public var maximumIntake = 10_000
    /// With how many effects that have not ended senders from outside are told that it is busy: a million.
    public var maximumBacklog = 1_000_000

    /// Where `/livez`, `/readyz` and `/metrics` are served over HTTP, such as `127.0.0.1:9464`; `nil`, the default, for
    /// nowhere.
    public var http: String?

    /// Describes a coordinator.
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

    /// Where coordinators listen and workers connect unless they are told otherwise.
    public static let defaultEndpoint = "tcp://127.0.0.1:5701"

    /// The limit in force.
    var payloadLimit: UInt32 { min(maximumPayload, PayloadLimit.range.upperBound) }
}

extension CoordinatorSettings {
    /// Opens the journal; the caller owns it until it hands it to a writer.
    func openJournal() throws(JournalError) -> any JournalStore {
        switch journal {
        case .none: InMemoryStore(remembersRecords: false)
        case .file(let path):
            try SQLiteJournal(
                path: path, application: name, build: BuildIdentity.current, keepsHistory: keepsHistory,
                limits: journalLimits)
        }
    }
}
