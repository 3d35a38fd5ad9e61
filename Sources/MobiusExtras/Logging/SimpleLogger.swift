public import MobiusCore

/// Writes a line for each step of a loop: to the standard output, or to its consumer.
///
/// The lines begin with the tag: `Mobius: Event received: increment`. The consumer is called on the thread that runs the
/// loop.
public final class SimpleLogger<Model, Event, Effect>: MobiusLogger {
    private let tag: String
    private let consumer: Consumer<String>

    /// A logger that begins each line with `tag` and passes it to `consumer`.
    @preconcurrency
    public init(tag: String = "Mobius", consumer: @escaping Consumer<String> = { print($0) }) {
        self.tag = tag
        self.consumer = consumer
    }

    /// Writes `Initializing loop`.
    public func willInitiate(model: Model) {
        write("Initializing loop")
    }

    /// Writes the model that the loop starts from, and a line for each effect.
    public func didInitiate(model: Model, first: First<Model, Effect>) {
        write("Loop initialized, starting from model: \(first.model)")
        write(first.effects)
    }

    /// Writes the event.
    public func willUpdate(model: Model, event: Event) {
        write("Event received: \(event)")
    }

    /// Writes the new model, if there is one, and a line for each effect.
    public func didUpdate(model: Model, event: Event, next: Next<Model, Effect>) {
        if let model = next.model { write("Model updated: \(model)") }
        write(next.effects)
    }

    private func write(_ effects: [Effect]) {
        for effect in effects { write("Effect dispatched: \(effect)") }
    }

    private func write(_ line: String) {
        consumer("\(tag): \(line)")
    }
}
