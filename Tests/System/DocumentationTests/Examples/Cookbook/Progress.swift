import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import TestTraits
import Testing

// example: program
/// Converts a video in a hundred parts, and shows how far it is.
enum Conversion: LoopProgram {
    enum State: String, Codable, Sendable { case idle, running, finished, failed }

    struct Model: Codable, Sendable, Equatable {
        var state = State.idle
        var percent = 0
        var reason: String?
    }

    enum Event: Codable, Sendable, Equatable {
        case requested(video: String)
        case converted(percent: Int)
        case finished
        case failed(String)
    }

    enum Effect: Codable, Sendable, Equatable { case convert(video: String) }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .requested(let video):
            guard model.state != .running else { return .noChange }
            return .next(Model(state: .running), effects: [.convert(video: video)])
        case .converted(let percent):
            // A second attempt begins again: never go back.
            guard model.state == .running, percent > model.percent else { return .noChange }
            return .next(Model(state: .running, percent: percent))
        case .finished:
            return .next(Model(state: .finished, percent: 100))
        case .failed(let reason):
            return .next(Model(state: .failed, percent: model.percent, reason: reason))
        }
    }
}
// end

// example: handler
extension Conversion {
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.convert).toWorkers(
            "converters",
            policy: EffectPolicy(timeouts: EffectTimeouts(startToClose: .seconds(7200), progress: .seconds(30)))
        ) { _, failure in .failed(failure.description) }

    /// Sends an event for each tenth only: every event costs a record in the journal.
    static func handlers(
        _ convert: @escaping @Sendable (_ part: Int, _ video: String) async throws -> Void
    ) -> EffectRouter<Effect, Event> {
        EffectRouter().routeCase(Effect.convert).toWork { video, context, send in
            for part in 1...100 {
                try context.checkCancellation()
                try await convert(part, video)
                context.progress()
                if part % 10 == 0, part < 100 { send(.converted(percent: part)) }
            }
            send(.finished)
        }
    }
}
// end

// example: stream
extension LoopHandle where Program == Conversion {
    /// The models as server-sent events: the body of a response with the content type `text/event-stream`.
    ///
    /// A slow reader gets fewer events, always the newest. The body ends with the conversion.
    var serverSentEvents: AsyncStream<String> {
        AsyncStream { body in
            let task = Task {
                for await model in models {
                    guard let json = try? JSONEncoder().encode(model) else { break }
                    body.yield("data: \(String(decoding: json, as: UTF8.self))\n\n")
                    if [.finished, .failed].contains(model.state) { break }
                }
                body.finish()
            }
            body.onTermination = { _ in task.cancel() }  // the browser has gone
        }
    }
}
// end

@Suite("Cookbook: progress to a web page", .patient)
struct ProgressRecipe {
    // example: test
    @Test func theBrowserSeesTheEnd() async throws {
        // Without a route to workers, the effect runs in the coordinator's process.
        let routes = Conversion.handlers { _, _ in await Task.yield() }
        try await withCoordinator(of: Conversion.self, routes) { loop in
            let body = loop.serverSentEvents
            try await loop.send(.requested(video: "storm"), key: "storm")
            var percents: [Int] = []
            for await event in body {
                let json = Data(event.dropFirst("data: ".count).utf8)
                percents.append(try JSONDecoder().decode(Conversion.Model.self, from: json).percent)
            }
            #expect(percents == percents.sorted() && percents.last == 100)
        }
    }
    // end

    @Test func aSecondAttemptNeverGoesBack() async throws {
        let clock = FleetClock()
        let fleet = TestFleet(
            Conversion.self, routes: Conversion.routes,
            workers: [
                .pool("converters") { Conversion.handlers { _, _ in try await clock.sleep(for: .seconds(1)) } }
            ], clock: clock)
        fleet.send(.requested(video: "storm"))
        try await fleet.run(until: { $0.percent == 50 })
        fleet.killWorker(in: "converters")
        try await fleet.run(for: .seconds(20))
        #expect(fleet.model.percent == 50)
        try await fleet.runUntilQuiet()
        #expect(fleet.model == Conversion.Model(state: .finished, percent: 100))
        try await fleet.finish()
    }
}
