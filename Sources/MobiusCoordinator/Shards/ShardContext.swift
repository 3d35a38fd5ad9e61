import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProcess
import MobiusTransport
import MobiusWire
import Synchronization

/// The state of a coordinator process for one shard of its journal: the way to its loops, and whatever must outlast
/// each time that they are run here.
///
/// A journal that is not shared has one shard, which is run here always.
final class ShardContext<Program: LoopProgram>: Sendable {
    let shard: UInt32
    /// The senders in this process that wait for the commit of their events.
    let requests = Requests()
    /// The mailbox through which code in this process reaches the loops.
    let currentMailbox: CurrentMailbox<DurableHost<Program>.Input>
    /// `nil` without metrics.
    let views: FleetViews?
    /// The newest event that this process has seen committed, in a journal that it may open again.
    let newest: NewestCommit?
    /// Whether the loops are run here.
    let terms = TermSignal()
    /// The newest epoch whose work was asked to end.
    private let ending = Atomic<UInt64>(0)

    /// Makes a context.
    ///
    /// - Parameter isShared: Whether the loops are run here only now and then.
    init(_ shard: UInt32, isShared: Bool, hasViews: Bool) {
        self.shard = shard
        currentMailbox = CurrentMailbox(isOpen: !isShared)
        views = hasViews ? FleetViews(currentMailbox.wakeUp) : nil
        newest = isShared ? NewestCommit() : nil
        if isShared { views?.serve(false) } else { terms.begin() }
    }

    /// Asks the work under this epoch to end in order, also when it has not begun.
    func end(_ epoch: UInt64) {
        ending.store(epoch, ordering: .releasing)
        currentMailbox.post(.stop)
    }

    /// Whether the work under this epoch was asked to end.
    func isEnding(_ epoch: UInt64) -> Bool { ending.load(ordering: .acquiring) == epoch }

    /// The loops are run here from now on.
    func begin() {
        views?.serve(true)
        terms.begin()
    }

    /// The loops are run here no more: nobody waits for them.
    func pause() {
        currentMailbox.close()
        terms.end()
        requests.fail(.standsBy)
        views?.serve(false)
    }

    /// Sends an event to a loop; its confirmation resumes the continuation.
    ///
    /// - Parameter relay: For loops that are not run here.
    func send(
        _ event: Payload, to loop: LoopID, key: String, traceparent: String, by relay: ClusterRelay,
        _ continuation: CheckedContinuation<EventConfirmation, any Error>
    ) {
        guard terms.isOurs || !relay.send(event, to: loop, key: key, traceparent: traceparent, continuation) else {
            return
        }
        guard let request = requests.open(continuation, traceparent: traceparent) else { return }
        guard !currentMailbox.post(.outside(request, loop, key: key, event)) else { return }
        requests.answer(request, .moved(endpoint: nil))
    }
}
