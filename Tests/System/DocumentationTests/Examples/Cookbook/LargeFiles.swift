import FleetTestSupport
import Foundation
import MobiusCore
import MobiusTestKit
import Testing

// example: program
/// Renders videos: events and effects name files, which are in a folder that all workers share.
enum Rendering: LoopProgram {
    /// A file in the shared folder.
    struct File: Codable, Sendable, Equatable {
        var name: String
        var bytes: Int
    }

    struct Model: Codable, Sendable, Equatable {
        var videos: [File] = []
        var failures: [String] = []
    }

    enum Event: Codable, Sendable, Equatable {
        case uploaded(File)
        case rendered(File)
        case failed(File, String)
        case deleted(File)
        case notDeleted(File, String)
    }

    enum Effect: Codable, Sendable, Equatable {
        case render(File)
        case delete(File)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .uploaded(let file):
            return .dispatchEffects([.render(file)])
        case .rendered(let video):
            model.videos.append(video)
            return .next(model)
        case .failed(let file, let reason):
            model.failures.append("\(file.name): \(reason)")
            return .next(model, effects: [.delete(file)])
        case .deleted, .notDeleted:
            return .noChange  // a file that could not be deleted is a dead letter
        }
    }
}
// end

// example: store
/// A folder of files, each written once and never changed.
struct FileStore: Sendable {
    let folder: URL

    func read(_ file: Rendering.File) throws -> Data {
        try Data(contentsOf: folder.appending(path: file.name))
    }

    /// Writes a file under a name that is the same in every attempt, and complete whenever it is there.
    func write(_ data: Data, name: String) throws -> Rendering.File {
        try data.write(to: folder.appending(path: name), options: .atomic)
        return Rendering.File(name: name, bytes: data.count)
    }

    /// Deletes a file, or does nothing when it was deleted before.
    func delete(_ file: Rendering.File) throws {
        let path = folder.appending(path: file.name).path
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
}

extension Rendering {
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.render).toWorkers("renderers", timeout: .seconds(7200)) { file, failure in
            .failed(file, failure.description)
        }
        .routeCase(Effect.delete).toWorkers("renderers") { file, failure in
            .notDeleted(file, failure.description)
        }

    static func handlers(_ store: FileStore, _ render: @escaping Renderer) -> EffectRouter<Effect, Event> {
        EffectRouter()
            .routeCase(Effect.render).toWork { file, context in
                let video = try await render(try store.read(file))
                let name = context.idempotencyKey.replacing("/", with: "-") + ".mp4"
                return .rendered(try store.write(video, name: name))
            }
            .routeCase(Effect.delete).toWork { file, _ in
                try store.delete(file)
                return .deleted(file)
            }
    }

    typealias Renderer = @Sendable (Data) async throws -> Data
}
// end

@Suite("Cookbook: large files")
struct LargeFilesRecipe {
    // example: test
    @Test func aKilledWorkerLeavesOneVideo() async throws {
        let folder = try TestFolder()
        let store = FileStore(folder: URL(filePath: folder.path))
        let upload = try store.write(Data(count: 20_000_000), name: "upload-1")
        let clock = FleetClock()
        let fleet = TestFleet(
            Rendering.self, routes: Rendering.routes,
            workers: [
                .pool("renderers") {
                    Rendering.handlers(store) { source in
                        try await clock.sleep(for: .seconds(60))
                        return source.prefix(10_000_000)
                    }
                }
            ], clock: clock)
        fleet.send(.uploaded(upload))
        try await fleet.run(for: .seconds(30))
        fleet.killWorker(in: "renderers")
        try await fleet.runUntilQuiet()
        #expect(fleet.model.videos == [Rendering.File(name: "main-1-0.mp4", bytes: 10_000_000)])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        try await fleet.finish()
    }
    // end

    @Test func theFileOfAFailureIsDeleted() async throws {
        let folder = try TestFolder()
        let store = FileStore(folder: URL(filePath: folder.path))
        let upload = try store.write(Data("text".utf8), name: "upload-1")
        let fleet = TestFleet(
            Rendering.self, routes: Rendering.routes,
            workers: [
                .pool("renderers") {
                    Rendering.handlers(store) { _ in throw EffectFailed("no video", retryable: false) }
                }
            ])
        fleet.send(.uploaded(upload))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.failures == ["upload-1: no video"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        try await fleet.finish()
    }
}
