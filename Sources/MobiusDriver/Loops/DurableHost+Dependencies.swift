package import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusJournal
package import MobiusRuntime
package import MobiusWire

extension DurableHost {
    /// The parts that a host needs besides its loops.
    package struct Dependencies {
        package let preparer: LoopRecovery<Program>
        /// Posts an input to the host; can be called from any thread.
        let post: @Sendable (Input) -> Void
        /// Swaps all posted inputs into the given array, whose memory is reused.
        let drain: (inout [Input]) -> Void
        let senders: any LocalSenders
        package let journal: any JournalWriter
        package let locals: any LocalHandlers
        let watchers: LoopWatchers<Program.Model>
        let breadcrumbs: (any Breadcrumbs)?
        /// The coordinator's own part of the status that clients request.
        let status: FleetStatus
        /// Whether any event from a client may start a new loop.
        let loopsBegin: Bool
        /// The minimum number of event bytes after the last snapshot before the next snapshot is made.
        let snapshotBytes: Int
        /// Runs work on another thread, so that a large model does not delay events.
        let background: @Sendable (@escaping @Sendable () -> Void) -> Void
        /// Reads the journal for clients.
        package let queries: any JournalQueries
        /// Reads one state of the journal for each model of the past; `nil` where there is none.
        let past: (any JournalQueries)?
        /// Another process for what readers ask for; `nil` where this one must do it.
        let sandbox: (any ProgramSandbox)?
        /// Takes events to loops of other shards; `nil` for a journal of one shard.
        let crossShardSender: (any CrossShardSender)?
        /// Called when a loop has returned to memory, or was released.
        let returned: (PreparedLoop<Program>) -> Void

        package init(
            preparer: LoopRecovery<Program>, post: @escaping @Sendable (Input) -> Void,
            drain: @escaping (inout [Input]) -> Void, senders: any LocalSenders, journal: any JournalWriter,
            locals: any LocalHandlers, watchers: LoopWatchers<Program.Model>, breadcrumbs: (any Breadcrumbs)?,
            status: FleetStatus, loopsBegin: Bool, snapshotBytes: Int = SnapshotPolicy.minimumBytes,
            background: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, queries: any JournalQueries,
            past: (any JournalQueries)? = nil, sandbox: (any ProgramSandbox)? = nil,
            crossShardSender: (any CrossShardSender)? = nil,
            returned: @escaping (PreparedLoop<Program>) -> Void = { _ in }
        ) {
            self.preparer = preparer
            self.post = post
            self.drain = drain
            self.senders = senders
            self.journal = journal
            self.locals = locals
            self.watchers = watchers
            self.breadcrumbs = breadcrumbs
            self.status = status
            self.loopsBegin = loopsBegin
            self.snapshotBytes = snapshotBytes
            self.background = background
            self.queries = queries
            self.past = past
            self.sandbox = sandbox
            self.crossShardSender = crossShardSender
            self.returned = returned
        }
    }

    /// Messages from other threads to the host.
    package enum Input: Sendable {
        case journal(WriterReport)
        case local(HandlerOutcome)
        case outside(RequestID, LoopID, key: String, Payload)
        case lookedUp(RequestID, LoopID, key: String, Payload, isApplied: Bool)
        /// A watcher was added for this loop's models.
        case watch(LoopID)
        case released(Release)
        /// The pause of a pool, or that it has none, is on disk.
        case paused(String, PoolPause?, by: String, repeated: Bool, RequestID)
        /// A loop that was not in memory was read.
        case fetched(Fetched)
        /// The event of an effect is on disk in another shard, or is refused there for this reason.
        case carried(EffectID, to: LoopID, CrossShardParcel, DeliveryOutcome)
        /// The shard has other units of a limit of the cluster.
        case share(LimitGrant)
        /// A page of the journal's loops for a client.
        case stored(RequestID, LoopListing, [StoredLoop])
        /// A page of the journal's dead letters for a client, with one more if there are more.
        case letters(RequestID, [DeadLetterHead], limit: Int)
        /// A model is encoded for the clients that requested it.
        case encoded(LoopID, sequence: UInt64, Result<Payload, CodingFailure>)
        /// The forms of the program's types.
        case schema(Result<[UInt8], SandboxFailure>)
        case found(RequestID, DeadLetterCommand, DeadLetter?)
        /// The journal could not be read for this request.
        case readFailed(RequestID, JournalError)
        case release(RequestID, LoopID, drop: Bool)
        case listHeld(@Sendable ([HeldLoop]) -> Void)
        case answer(RequestID, ClientAnswer)
        /// The last model of an ended loop was read for this request.
        case endedModel(EndedLoop, RequestID, Result<Payload, CoordinatorError>)
        /// Nothing of these ended loops is left in the journal; the others are still to be removed.
        case removed([LoopID], left: [LoopID])
        /// A step of the computing of facts is done.
        case facts(FactReport)
        /// Loops were found by their facts.
        case foundLoops(RequestID, FoundPage)
        case stop
    }

    /// The result of recovering a held loop again.
    package struct Release: Sendable {
        let request: RequestID
        let loop: LoopID
        let outcome: HandedOver<Result<LoopRecovery<Program>.Outcome, any Error>>
    }

    /// The operation requested on a dead letter.
    package enum DeadLetterCommand: Sendable {
        case show
        case retry(round: UInt32?, by: String?)
        case drop(round: UInt32?, by: String?)
    }
}

/// A value that one thread passes to another and does not use afterwards.
package struct HandedOver<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
