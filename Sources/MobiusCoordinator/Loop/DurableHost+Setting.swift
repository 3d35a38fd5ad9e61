import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusRuntime
import MobiusTransport
import MobiusWire

extension DurableHost {
    /// What a host works with, beside its loops.
    struct Setting {
        let preparer: LoopPreparer<Program>
        let mailbox: Mailbox<Input>
        let requests: Requests
        let journal: JournalWriter
        let locals: EffectRunner
        let watchers: LoopWatchers<Program.Model>
        let breadcrumbs: BreadcrumbFile?
        /// What clients are told of the coordinator itself.
        let status: FleetStatus
        /// Whether every client's event may begin a loop.
        let loopsBegin: Bool
    }

    /// What other threads tell the socket thread.
    enum Input: Sendable {
        case journal(JournalThread.Report)
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
    struct Release: Sendable {
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
    enum LetterWish: Sendable {
        case show
        case retry(round: UInt32?)
        case drop(round: UInt32?)
    }
}

/// Something that one thread made for another one, and does not touch after it has handed it over.
struct HandedOver<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
