public import MobiusCore
import MobiusProgram

extension Audit {
    /// Who carries out the effects: the pools `page-fetcher` and `report-writer`, and the coordinator itself.
    ///
    /// - Parameters:
    ///   - timeout: How long one request may take, as the audit's request says it to fetchers.
    ///   - clock: What pauses are measured by.
    ///   - show: Shows how far an audit is; may be called on any thread.
    ///   - finish: Tells the one who asked how it ended; may be called on any thread.
    public static func routes(
        timeout: Duration, clock: any Clock<Duration>, show: @escaping @Sendable (AuditProgress) -> Void,
        finish: @escaping @Sendable (Finish) -> Void
    ) -> EffectRouter<Effect, Event> {
        // A worker ends each request in its time: what takes longer is the worker's fault, and another one's chance.
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
                // Cancelled only when the coordinator stops; the pause begins again when it comes back.
                try? await clock.sleep(for: .milliseconds(wait.milliseconds))
                return .waited(wait)
            }
            .routeCase(Effect.showProgress).to { progress in show(progress) }
            .routeCase(Effect.finish).to { outcome in finish(outcome) }
    }
}

extension EffectPolicy {
    /// A writer that is lost, or takes too long, is not the last one.
    fileprivate static func writing(_ limit: Duration) -> EffectPolicy {
        EffectPolicy(timeouts: EffectTimeouts(startToClose: limit))
    }
}
