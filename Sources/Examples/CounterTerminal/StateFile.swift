public import Counter
import Foundation
import MobiusProcess

/// A model that is stored in a JSON file between the runs of a program.
public struct StateFile: Sendable {
    /// The file's path.
    public let path: String

    /// Names the file, which need not exist.
    public init(path: String) {
        self.path = path
    }

    /// The model that was saved; nil when there is no file.
    ///
    /// - Throws: `FleetExit` 66 when the file cannot be read, 74 when it holds no counter's model.
    public func load() throws -> Counter.Model? {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw FleetExit(
                .noInput, "The state file \(path) cannot be read: check its permissions, or name another with --state.")
        }
        let model = try? JSONDecoder().decode(Counter.Model.self, from: data)
        guard let model, (0...Self.most).contains(model.count) else {
            throw FleetExit(
                .dataError,
                "The state file \(path) does not hold a counter's model, such as {\"count\": 3}: remove it, or name another "
                    + "with --state.")
        }
        return model
    }

    /// Saves the model atomically, replacing the former one.
    ///
    /// - Throws: `FleetExit` 73 when the file cannot be written.
    public func save(_ model: Counter.Model) throws {
        do {
            try JSONEncoder().encode(model).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw FleetExit(
                .cannotCreate,
                "The state file \(path) cannot be written: check its folder, or name another with --state.")
        }
    }

    /// Far below the largest `Int`, where counting would trap.
    private static let most = 1_000_000_000_000
}
