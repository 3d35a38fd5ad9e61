#if PostgreSQL
    import CLibPQ
    import Logging
    import MobiusJournal
    import MobiusJournalTables

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A connection to PostgreSQL in libpq's pipeline mode, for one thread, which waits for each pipeline's answers.
    final class Connection {
        /// The URL that it was made with.
        let url: JournalURL
        let handle: OpaquePointer
        /// The time at which the answers to what is run must be there; `nil` to wait for as long as it takes.
        ///
        /// A connection whose answers came too late cannot be used any more.
        var deadline: ContinuousClock.Instant?
        /// The number of pipelines that were sent, each of which is a round trip.
        private(set) var pipelines = 0
        private var isGivenUp = false
        private let isEncrypted: Bool
        private let notices: Notices
        private var isClosed = false
        // Names of prepared statements by the addresses of their texts, which are static.
        private var prepared: [UnsafePointer<UInt8>: String] = [:]

        /// Passes the server's notices to the log, and keeps the last one.
        private final class Notices {
            let logger: Logger
            var last: String?
            init(_ logger: Logger) { self.logger = logger }
        }

        /// Connects.
        ///
        /// A server that does not answer within `connect_timeout` of the URL, 10 s unless it is set, is given up. A host
        /// that is lost later is noticed after 15 s at most. With `patience`, each host of the URL has that long, rounded up
        /// to seconds and at least 2 s, which is what libpq can do.
        ///
        /// - Throws: ``JournalError`` with code `notReadable`.
        init(_ url: JournalURL, logger: Logger, patience: Duration? = nil) throws(JournalError) {
            self.url = url
            notices = Notices(logger)
            // What the URL says comes later and wins.
            var parameters = [
                ("connect_timeout", "10"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
                ("keepalives_count", "3"), ("tcp_user_timeout", "15000"), ("fallback_application_name", "mobius"),
                ("dbname", url.connection), ("client_encoding", "UTF8"),
            ]
            if let patience {
                let seconds = max(2, (patience.milliseconds + 999) / 1000)
                parameters.append(("connect_timeout", "\(seconds)"))
            }
            guard let handle = Self.connect(parameters) else {
                throw JournalError(.notReadable, "There is no memory for a connection to PostgreSQL.")
            }
            self.handle = handle
            isEncrypted = PQsslInUse(handle) == 1 || PQgssEncInUse(handle) == 1
            guard PQstatus(handle) == CONNECTION_OK else {
                let words = url.redact(PostgreSQLError.line(String(cString: PQerrorMessage(handle))))
                throw JournalError(
                    .notReadable,
                    "PostgreSQL cannot be reached at \(url.shown): \(words). Check that it runs and accepts this user, "
                        + "and start again.")
            }
            PQsetNoticeProcessor(
                handle,
                { context, message in
                    guard let context, let message else { return }
                    let notices = Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
                    let words = PostgreSQLError.line(String(cString: message))
                    notices.last = words
                    notices.logger.notice("PostgreSQL sent a notice", metadata: ["notice": "\(words)"])
                }, Unmanaged.passUnretained(notices).toOpaque())
            PQsetnonblocking(handle, 1)
            PQenterPipelineMode(handle)
        }

        deinit { close() }

        /// Ends the connection; nothing may be run after it.
        func close() {
            guard !isClosed else { return }
            isClosed = true
            PQfinish(handle)
        }

        private static func connect(_ parameters: [(String, String)]) -> OpaquePointer? {
            var keys = parameters.map { UnsafePointer(strdup($0.0)) } + [nil]
            var values = parameters.map { UnsafePointer(strdup($0.1)) } + [nil]
            defer { for text in keys + values { free(UnsafeMutablePointer(mutating: text)) } }
            return PQconnectdbParams(&keys, &values, 1)
        }

        /// The process of the server that serves this connection.
        var backend: Int32 { PQbackendPID(handle) }

        /// The server's version, as 150004 for 15.4.
        var serverVersion: Int32 { PQserverVersion(handle) }

        /// Whether the connection is still there, as far as is known.
        var isAlive: Bool { PQstatus(handle) == CONNECTION_OK && !isGivenUp }

        // MARK: Pipelines

        /// Sends statements in one pipeline with one sync, and returns their results in order.
        ///
        /// After an error the server does none of the later ones.
        func run(_ statements: [SQLStatement]) throws(PipelineError) -> [Rows] {
            try require(isGivenUp ? 0 : 1, at: 0)
            // Each statement's index, twice where it is prepared first.
            var sent: [(index: Int, isPrepare: Bool)] = []
            for (index, statement) in statements.enumerated() {
                let (name, isNew) = name(of: statement)
                if isNew {
                    try require(prepare(statement, as: name), at: index)
                    sent.append((index, true))
                }
                try require(send(statement, as: name), at: index)
                sent.append((index, false))
            }
            return try receive(sent, statements.count)
        }

        /// Runs one statement.
        func query(_ statement: SQLStatement) throws(PipelineError) -> Rows {
            try run([statement])[0]
        }

        /// Runs statements without parameters, of which some texts are made at run time, and returns their results in order.
        @discardableResult
        func execute(_ texts: [String]) throws(PipelineError) -> [Rows] {
            try require(isGivenUp ? 0 : 1, at: 0)
            for (index, text) in texts.enumerated() {
                try require(PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 1), at: index)
            }
            return try receive(texts.indices.map { ($0, false) }, texts.count)
        }

        private func name(of statement: SQLStatement) -> (name: String, isNew: Bool) {
            if let known = prepared[statement.sql.utf8Start] { return (known, false) }
            let name = "m\(prepared.count)"
            prepared[statement.sql.utf8Start] = name
            return (name, true)
        }

        private func prepare(_ statement: SQLStatement, as name: String) -> Int32 {
            let types = statement.values.map(\.type)
            return statement.sql.withUTF8Buffer { text in
                PQsendPrepare(handle, name, String(decoding: text, as: UTF8.self), Int32(types.count), types)
            }
        }

        private func send(_ statement: SQLStatement, as name: String) -> Int32 {
            // Numbers first as bytes, one after the other, so that all pointers stay valid during the call.
            var numbers = statement.values.map { value -> UInt64 in
                if case .number(let number) = value { return UInt64(bitPattern: number).bigEndian }
                return 0
            }
            let count = statement.values.count
            let formats = [Int32](repeating: 1, count: count)
            return numbers.withUnsafeMutableBytes { numbers in
                var pointers = [UnsafePointer<CChar>?](repeating: nil, count: count)
                var lengths = [Int32](repeating: 8, count: count)
                func fill(_ index: Int) -> Int32 {
                    guard index < count else {
                        return PQsendQueryPrepared(handle, name, Int32(count), pointers, lengths, formats, 1)
                    }
                    switch statement.values[index] {
                    case .number:
                        pointers[index] = UnsafePointer(
                            numbers.baseAddress?.advanced(by: 8 * index).assumingMemoryBound(to: CChar.self))
                        return fill(index + 1)
                    case .bytes, .utf8, .name, .numbers, .texts:
                        let bytes = statement.values[index].content
                        lengths[index] = Int32(clamping: bytes.count)
                        return bytes.withUnsafeBytes { bytes in
                            // An empty array has no address, and libpq takes a missing one for NULL.
                            pointers[index] =
                                bytes.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }
                                ?? UnsafePointer(numbers.baseAddress?.assumingMemoryBound(to: CChar.self))
                            return fill(index + 1)
                        }
                    }
                }
                return fill(0)
            }
        }

        // MARK: Answers

        /// Ends the pipeline of what was sent, and waits for its results.
        private func receive(
            _ sent: [(index: Int, isPrepare: Bool)], _ count: Int
        ) throws(PipelineError) -> [Rows] {
            try require(PQpipelineSync(handle), at: max(0, count - 1))
            pipelines += 1
            notices.last = nil
            var results: [QueryResult] = []
            results.reserveCapacity(count)
            var failure: PipelineError?
            for (index, isPrepare) in sent {
                do throws(PostgreSQLError) {
                    guard let result = try next() else { throw lost }
                    switch result.status {
                    case PGRES_TUPLES_OK, PGRES_COMMAND_OK: if !isPrepare { results.append(result) }
                    case PGRES_PIPELINE_ABORTED: break
                    default:
                        let error = result.error
                        failure = failure ?? PipelineError(statement: index, error: redacted(error))
                        if error.isFatal || !isAlive { throw error }
                    }
                    guard try next() == nil else { throw lost }
                } catch {
                    throw failure ?? PipelineError(statement: index, error: redacted(error))
                }
            }
            let end: QueryResult?
            do throws(PostgreSQLError) { end = try next() } catch {
                throw failure ?? PipelineError(statement: max(0, count - 1), error: redacted(error))
            }
            if let failure {
                recover(sent)
                throw failure
            }
            guard end?.status == PGRES_PIPELINE_SYNC, results.count == count else {
                throw PipelineError(statement: max(0, count - 1), error: lost)
            }
            // The server says only so that a wait for its replica was cancelled: what it has committed, that may not have. It
            // cannot be told from other warnings, for it is in the server's language.
            if let warning = notices.last, PQtransactionStatus(handle) == PQTRANS_IDLE,
                results.contains(where: \.isWritten)
            {
                let error = PostgreSQLError(state: PostgreSQLError.unconfirmed, isFatal: true, message: warning)
                throw PipelineError(statement: max(0, count - 1), error: redacted(error))
            }
            return results.map { Rows($0) }
        }

        /// Ends the failed transaction, and forgets which statements were prepared if some may not have been.
        private func recover(_ sent: [(index: Int, isPrepare: Bool)]) {
            var texts: [String] = []
            if PQtransactionStatus(handle) != PQTRANS_IDLE { texts.append("ROLLBACK") }
            if sent.contains(where: { $0.isPrepare }) {
                prepared = [:]
                // Their names are taken on the server.
                texts.append("DEALLOCATE ALL")
            }
            if !texts.isEmpty { _ = try? execute(texts) }
        }

        private func next() throws(PostgreSQLError) -> QueryResult? {
            while PQisBusy(handle) == 1 { try wait() }
            return PQgetResult(handle).map(QueryResult.init)
        }

        /// Sends what is left to send and waits for bytes.
        private func wait() throws(PostgreSQLError) {
            let rest = PQflush(handle)
            guard rest >= 0 else {
                // What the server said before it closed the connection may still be there.
                guard PQconsumeInput(handle) == 1 else { throw lost }
                return
            }
            var descriptor = pollfd(
                fd: PQsocket(handle), events: Int16(POLLIN) | (rest == 1 ? Int16(POLLOUT) : 0), revents: 0)
            guard descriptor.fd >= 0 else { throw lost }
            guard poll(&descriptor, 1, try patience()) >= 0 || errno == EINTR else { throw lost }
            let readable = Int16(POLLIN) | Int16(POLLHUP) | Int16(POLLERR)
            guard isEncrypted || descriptor.revents & readable != 0 else { return }
            // Of an encrypted record, which has 16 KiB at most, libpq may take 8 KiB only; `poll` does not see the rest.
            for _ in 0..<(isEncrypted ? 3 : 1) where PQisBusy(handle) == 1 {
                guard PQconsumeInput(handle) == 1 else { throw lost }
            }
        }

        /// The milliseconds that are left to wait; -1 for no limit.
        private func patience() throws(PostgreSQLError) -> Int32 {
            // A record that comes between two reads may be taken in part again: then the next read is not far.
            let most: Int32 = isEncrypted ? 10 : -1
            guard let deadline else { return most }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else {
                isGivenUp = true
                throw lost
            }
            let milliseconds = Int32(clamping: left.milliseconds + 1)
            return isEncrypted ? min(milliseconds, most) : milliseconds
        }

        private func require(_ outcome: Int32, at index: Int) throws(PipelineError) {
            guard outcome != 1 else { return }
            throw PipelineError(statement: index, error: redacted(lost))
        }

        var lost: PostgreSQLError {
            isGivenUp
                ? .lost("the server did not answer in time")
                : .lost(PostgreSQLError.line(String(cString: PQerrorMessage(handle))))
        }

        func redacted(_ error: PostgreSQLError) -> PostgreSQLError {
            PostgreSQLError(state: error.state, isFatal: error.isFatal, message: url.redact(error.message))
        }
    }
#endif
