import ArgumentParser
import Foundation
import MobiusCore
import MobiusWorker
import PageFetching
import SiteAudit
import Synchronization

/// The worker that asks web servers on the audit's behalf: fetches pages and finds their links, checks addresses, reads
/// `robots.txt`.
@main
struct PageFetcher: WorkerCommand {
    typealias Effect = Audit.Effect
    typealias Event = Audit.Event

    static let pool = "page-fetcher"
    static let abstract = """
        Fetches pages and checks addresses for site-audit. A request that a dead connection ends is made again on a fresh \
        one; what else may pass is site-audit's to try again. HEAD that is refused or fails is followed by GET. Proxies are \
        those of the environment: http_proxy, https_proxy, all_proxy, no_proxy.
        """

    @Option(help: ArgumentHelp("How long a request may take when the audit does not say.", valueName: "seconds"))
    var timeout = 10.0

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "Certificate authorities to trust, in PEM; otherwise SSL_CERT_FILE and SSL_CERT_DIR, or the system's.",
            valueName: "file"))
    var authorities: String?

    /// One client for the process; set when the handler is read, and taken when the worker has left.
    private static let fetcher = Mutex<Fetcher?>(nil)

    var handler: EffectRouter<Audit.Effect, Audit.Event> {
        var limits = FetchLimits()
        limits.timeout = .seconds(timeout)
        let trust = Trust(file: authorities, environment: ProcessInfo.processInfo.environment)
        let fetcher = Fetcher(limits: limits, trust: trust)
        Self.fetcher.withLock { $0 = fetcher }
        return EffectRouter().routeCase(Audit.Effect.fetch).toWork { request, context, send in
            let attempt = "\(context.attempt.epoch).\(context.attempt.number)"
            switch await fetcher.fetch(request, by: context.deadline) {
            case .answered(let answer):
                for event in PageEvents.events(request, answer, by: attempt) { send(event) }
            case .failed(let failure):
                // A worker that leaves has learnt nothing of the URL: another one shall ask.
                if context.isCancelled { throw EffectFailed("the worker leaves") }
                send(.fetchFailed(request, failure))
            }
        }
    }

    func validate() throws {
        guard timeout > 0, timeout <= 3_600 else {
            throw ValidationError("--timeout is the number of seconds a request may take: more than 0, at most 3600.")
        }
        if let authorities, FileManager.default.isReadableFile(atPath: authorities) == false {
            throw ValidationError("--cacert \(authorities): there is no such file, or it cannot be read.")
        }
    }

    func shutdown() async {
        let fetcher = Self.fetcher.withLock { fetcher in
            defer { fetcher = nil }
            return fetcher
        }
        await fetcher?.shutdown()
    }
}
