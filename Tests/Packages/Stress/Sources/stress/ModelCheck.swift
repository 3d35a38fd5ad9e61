/// Somebody who gets models and expects each one, in order; one thread at a time.
// Unchecked: whoever delivers promises to do so one at a time, which ThreadSanitizer checks here.
final class ModelCheck: @unchecked Sendable {
    private let name: String
    private let stage: Stage
    private var last: (life: Int, version: Int)?

    init(_ name: String, _ stage: Stage) {
        self.name = name
        self.stage = stage
    }

    /// A model that is delivered: none may be left out, and none comes after the end of its life.
    func receive(_ model: StressLoop.Model) {
        stage.expectOpen(model.life, "\(name) got a model")
        if let last, last.life == model.life {
            Findings.expect(
                model.version == last.version + 1,
                "\(name) got version \(model.version) after \(last.version), life \(model.life)")
        } else if let last {
            Findings.expect(model.life > last.life, "\(name) went back to life \(model.life) from \(last.life)")
        }
        last = (model.life, model.version)
    }

    /// A model that was read some time: never an older one than before.
    func read(_ model: StressLoop.Model) {
        if let last {
            Findings.expect(
                (model.life, model.version) >= last,
                "\(name) read version \(model.version) of life \(model.life) after \(last.version) of \(last.life)")
        }
        last = (model.life, model.version)
    }
}
