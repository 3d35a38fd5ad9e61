package import MobiusCore
package import MobiusEngine
package import MobiusJournal
package import MobiusRuntime
package import MobiusWire

extension DurableHost {
    /// What a host works with, beside its loops.
    package struct Setting {
        package let preparer: LoopPreparer<Program>
        /// Hands an input to the host, from any thread.
        let post: @Sendable (Input) -> Void
        /// Takes all inputs that were posted, in exchange for an array whose memory is used again.
        let take: (inout [Input]) -> Void
        let senders: any SenderDesk
        package let journal: any JournalWriter
        package let locals: any LocalHandlers
        let watchers: LoopWatchers<Program.Model>
        let breadcrumbs: (any Breadcrumbs)?
        /// What clients are told of the coordinator itself.
        let status: FleetStatus
        /// Whether every client's event may begin a loop.
        let loopsBegin: Bool
        /// How many bytes of events behind the last snapshot make another one worth its while, at least.
        let snapshotBytes: Int

        /// Describes what a host works with.
        package init(
            preparer: LoopPreparer<Program>, post: @escaping @Sendable (Input) -> Void,
            take: @escaping (inout [Input]) -> Void, senders: any SenderDesk, journal: any JournalWriter,
            locals: any LocalHandlers, watchers: LoopWatchers<Program.Model>, breadcrumbs: (any Breadcrumbs)?,
            status: FleetStatus, loopsBegin: Bool, snapshotBytes: Int = SnapshotPolicy.minimumBytes
        ) {
            self.preparer = preparer
            self.post = post
            self.take = take
            self.senders = senders
            self.journal = journal
            self.locals = locals
            self.watchers = watchers
            self.breadcrumbs = breadcrumbs
            self.status = status
            self.loopsBegin = loopsBegin
            self.snapshotBytes = snapshotBytes
        }
    }

    /// What other threads tell the host.
    package enum Input: Sendable {
        case journal(WriterReport)
        case local(HandlerOutcome)
        case outside(RequestID, LoopID, key: String, Payload)
        case lookedUp(RequestID, LoopID, key: String, Payload, isApplied: Bool)
        /// Somebody wants to see this loop's model.
        case watch(LoopID)
        case released(Release)
        /// A slice of the list of dead letters that is being read.
        case letters([DeadLetterHead])
        case found(RequestID, LetterWish, DeadLetter?)
        /// The journal could not be read for this request.
        case unread(RequestID, JournalError)
        case release(RequestID, LoopID, drop: Bool)
        case listHeld(@Sendable ([HeldLoop]) -> Void)
        case answer(RequestID, ClientAnswer)
        case stop
    }

    /// A held loop that was read anew.
    package struct Release: Sendable {
        let request: RequestID
        let loop: LoopID
        let outcome: HandedOver<Result<LoopPreparer<Program>.Outcome, any Error>>
    }

    /// A list of dead letters that a client asked for.
    struct LetterListing: Sendable {
        let request: RequestID
        let loop: LoopID?
        let after: EffectID?
        let limit: Int
        var found: [DeadLetterSummary] = []
    }

    /// What is to become of a dead letter.
    package enum LetterWish: Sendable {
        case show
        case retry(round: UInt32?)
        case drop(round: UInt32?)
    }
}

/// Something that one thread made for another one, and does not touch after it has handed it over.
package struct HandedOver<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
