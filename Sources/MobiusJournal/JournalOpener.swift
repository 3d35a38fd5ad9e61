/// Opens journals that a URL names, for coordinators that have more than files.
///
/// A store's room offers one, such as `.postgreSQL` of the product `MobiusJournalPostgreSQL`.
public struct JournalOpener: Sendable {
    /// The parameters with which a coordinator opens its journal.
    public struct Request: Sendable {
        /// The journal's URL, which may contain a password.
        public var url: String
        /// The program's name: a journal of another program is refused.
        public var application: String
        /// The program's build.
        public var build: String
        /// The part of the past that it keeps.
        public var history: KeptHistory
        /// The limits of what a store keeps.
        public var limits: JournalLimits
        /// The epoch that a lease began for this opening; `nil` to begin one, which ends every other's.
        public var epoch: UInt64?
        /// The shard of the journal: 0, the only one of most.
        public var shard: UInt32
        /// The time that leases wait for an answer of the database: 2 s.
        public var patience: Duration = .seconds(2)

        /// Describes an opening.
        public init(
            url: String, application: String, build: String, history: KeptHistory = .needed,
            limits: JournalLimits = .standard, epoch: UInt64? = nil, shard: UInt32 = 0
        ) {
            self.url = url
            self.application = application
            self.build = build
            self.history = history
            self.limits = limits
            self.epoch = epoch
            self.shard = shard
        }
    }

    /// The schemes of its URLs, such as `postgresql`.
    public let schemes: [String]
    /// Opens a journal for writing.
    public let open: @Sendable (Request) throws(JournalError) -> any JournalStore
    /// Opens a shard of a journal for reading, beside its writer; it is closed with its last reference.
    ///
    /// With `pinsSnapshot`, all calls read the state at the time of the opening.
    public let read:
        @Sendable (_ url: String, _ shard: UInt32, _ pinsSnapshot: Bool) throws(JournalError) -> any JournalReading
    /// Opens the leases of a journal that several processes share; `nil` when each journal has one process.
    ///
    /// It fails as `open` does for a journal of another program.
    public let leases: (@Sendable (Request) throws(JournalError) -> any LeaseStore)?
    /// A URL without its password, for people.
    public let show: @Sendable (_ url: String) -> String

    /// Makes an opener.
    public init(
        schemes: [String],
        open: @escaping @Sendable (Request) throws(JournalError) -> any JournalStore,
        read:
            @escaping @Sendable (_ url: String, _ shard: UInt32, _ pinsSnapshot: Bool) throws(JournalError)
            -> any JournalReading,
        leases: (@Sendable (Request) throws(JournalError) -> any LeaseStore)? = nil,
        show: @escaping @Sendable (_ url: String) -> String
    ) {
        self.schemes = schemes
        self.open = open
        self.read = read
        self.leases = leases
        self.show = show
    }

    /// The scheme of a journal's URL; `nil` for a file.
    public static func scheme(of journal: String) -> String? {
        var scheme: [UInt8] = []
        var bytes = Array(journal.utf8)[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): scheme.append(byte)
            case UInt8(ascii: ":") where bytes.starts(with: "//".utf8) && !scheme.isEmpty:
                return String(decoding: scheme, as: UTF8.self)
            default: return nil
            }
        }
        return nil
    }
}
