import MobiusCore
import MobiusTestKit
import Testing

// example: program
/// Resizes the images of an album, all at once, and packs them when the last one is done.
enum Album: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var open: Set<String> = []
        var done: [String] = []
        var missing: [String: String] = [:]
        var archive: String?
    }

    enum Event: Codable, Sendable, Equatable {
        case submitted([String])
        case resized(String)
        case failed(String, String)
        case packed(String)
    }

    enum Effect: Codable, Sendable, Equatable {
        case resize(String)
        case pack([String])
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .submitted(let images):
            guard model == Model() else { return .noChange }
            model.open = Set(images)
            return .next(model, effects: model.open.sorted().map { .resize($0) })
        case .resized(let image):
            guard model.open.remove(image) != nil else { return .noChange }
            model.done.append(image)
        case .failed(let image, let reason):
            guard model.open.remove(image) != nil else { return .noChange }
            model.missing[image] = reason
        case .packed(let archive):
            model.archive = archive
            return .next(model)
        }
        return .next(model, effects: model.open.isEmpty ? [.pack(model.done.sorted())] : [])
    }
}
// end

// example: routes
extension Album {
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.resize).toWorkers("resizers", timeout: .seconds(30)) { image, failure in
            .failed(image, failure.description)
        }
        .routeCase(Effect.pack).toEvent { images in .packed(images.joined(separator: "+")) }
}
// end

@Suite("Cookbook: fan-out and join")
struct FanOutRecipe {
    private static func handlers(_ clock: FleetClock) -> EffectRouter<Album.Effect, Album.Event> {
        EffectRouter().routeCase(Album.Effect.resize).toWork { image, _ in
            guard image != "broken" else { throw EffectFailed("no image", retryable: false) }
            try await clock.sleep(for: .seconds(2))
            return .resized(image)
        }
    }

    // example: test
    @Test func theAlbumIsPackedOnceWhenAllImagesHaveEnded() async throws {
        let clock = FleetClock()
        let fleet = TestFleet(
            Album.self, routes: Album.routes,
            workers: [.pool("resizers", processes: 3, concurrency: 1) { Self.handlers(clock) }], clock: clock)
        fleet.send(.submitted(["a", "b", "broken", "c"]))
        try await fleet.run(for: .seconds(1))
        fleet.killWorker(in: "resizers")
        try await fleet.runUntilQuiet()
        #expect(fleet.model.archive == "a+b+c")
        #expect(fleet.model.missing == ["broken": "no image"])
        #expect(fleet.events.count { if case .packed = $0 { true } else { false } } == 1)
        try await fleet.finish()
    }
    // end
}
