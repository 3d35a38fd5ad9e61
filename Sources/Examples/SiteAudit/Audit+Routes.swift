public import MobiusCore
import MobiusProgram

extension Audit {
    /// The routes of the effects: the pools `page-fetcher` and `report-writer`, and the coordinator itself.
    ///
    /// - Parameters:
    ///   - timeout: The time that one request may take, as in the audit's request.
    ///   - clock: The clock of pauses.
    ///   - show: Shows an audit's progress; may be called on any thread.
    ///   - finish: Reports the outcome to the caller; may be called on any thread.
    public static func routes(
        timeout: Duration, clock: any Clock<Duration>, show: @escaping @Sendable (AuditProgress) -> Void,
        finish: @escaping @Sendable (Finish) -> Void
    ) -> EffectRouter<Effect, Event> {
        // A worker ends each request in time: a longer attempt is a fault of the worker, and another worker gets it.
        let fetching = EffectPolicy(
            timeouts: EffectTimeouts(startToClose: timeout + .seconds(10)), retry: RetryPolicy(onTimeout: true))
        return EffectRouter()
            .routeCase(Effect.fetch).toWorkers("page-fetcher", policy: fetching) { request, failure in
                switch failure {
                case .timedOut(.startToClose, _): .fetchFailed(request, .workerTimedOut)
                case .timedOut, .workerLost, .failed, .outcomeUnknown: .fetchFailed(request, .workerFailed)
                }
            }
            .routeCase(Effect.writePart).toWorkers("report-writer", policy: .writing(.seconds(120)), affinity: \.report)
        {
            part, failure in .reportFailed(failure.description, report: part.report)
        }
            // Ten million rows take a minute or two.
            .routeCase(Effect.assembleReport).toWorkers(
                "report-writer", policy: .writing(.seconds(3600)), affinity: \.report
            ) { assembly, failure in .reportFailed(failure.description, report: assembly.report) }
            .routeCase(Effect.wait).toEvent { wait in
                // Cancelled only when the coordinator stops; the pause starts again at the next start.
                try? await clock.sleep(for: .milliseconds(wait.milliseconds))
                return .waited(wait)
            }
            .routeCase(Effect.showProgress).to { progress in show(progress) }
            .routeCase(Effect.finish).to { outcome in finish(outcome) }
    }
}

extension EffectPolicy {
    /// After a lost or slow writer, another one tries.
    fileprivate static func writing(_ limit: Duration) -> EffectPolicy {
        EffectPolicy(timeouts: EffectTimeouts(startToClose: limit))
    }
}
