import CLibCurl
import Foundation
import Synchronization

/// Runs transfers, any number at once, on a thread of its own by libcurl's multi interface.
///
/// libcurl works through all sockets that are ready, then the thread sleeps until one is, or until ``run(_:)`` or a
/// cancellation wakes it. It parses no pages: the task that waits for a transfer gets the body as it came.
final class TransferLoop: Sendable {
    /// The requests of other tasks to the thread.
    private struct Mail {
        var arrivals: [Transfer] = []
        var cancelled: [Transfer] = []
        var isClosed = false
    }

    private struct State {
        var mail = Mail()
        var isGone = false
        var awaitingEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// Belongs to the thread, but for `curl_multi_wakeup`, and to nobody once `isGone`.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    init() {
        multi = Multi.make()
        let thread = Thread { self.work() }
        thread.name = "transfers"
        thread.start()
    }

    /// Runs a transfer to its end, which comes at once when the task is cancelled or the loop is shut down.
    func run(_ transfer: Transfer) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.continuation = continuation
                guard post({ $0.arrivals.append(transfer) }) else { return transfer.end(CURLE_ABORTED_BY_CALLBACK) }
                // The handler may have run before the transfer was there to be cancelled.
                if Task.isCancelled { post { $0.cancelled.append(transfer) } }
            }
        } onCancel: {
            post { $0.cancelled.append(transfer) }
        }
    }

    /// Ends all transfers, closes all connections, and returns when the thread is gone.
    func shutdown() async {
        await withCheckedContinuation { continuation in
            let isGone = state.withLock { state in
                if state.isGone == false { state.awaitingEnd.append(continuation) }
                return state.isGone
            }
            if isGone { return continuation.resume() }
            post { $0.isClosed = true }
        }
    }

    /// Gives the thread something to do; returns `false` when it takes nothing any more.
    @discardableResult
    private func post(_ change: (inout Mail) -> Void) -> Bool {
        state.withLock { state in
            guard state.isGone == false, state.mail.isClosed == false else { return false }
            let isFirst = state.mail.arrivals.isEmpty && state.mail.cancelled.isEmpty
            change(&state.mail)
            if isFirst || state.mail.isClosed { curl_multi_wakeup(multi) }
            return true
        }
    }

    private func work() {
        Multi.ignoreBrokenPipes()
        var transfers = Multi(multi)
        while true {
            let mail = state.withLock { state in
                defer { (state.mail.arrivals, state.mail.cancelled) = ([], []) }
                return state.mail
            }
            for transfer in mail.arrivals { transfers.begin(transfer) }
            for transfer in mail.cancelled { transfers.abort(transfer) }
            if mail.isClosed { break }
            transfers.perform()
            // A socket, a timer of libcurl's or a wake-up ends this; the limit is for nothing.
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
        transfers.abortAll()
        let waiting = state.withLock { state in
            state.isGone = true
            return state.awaitingEnd
        }
        transfers.close()
        for continuation in waiting { continuation.resume() }
    }
}
