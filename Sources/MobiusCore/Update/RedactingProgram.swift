/// A program that masks what people must not see.
///
/// ```swift
/// extension Purchase: RedactingProgram {
///     static func redact(_ model: Model) -> Model {
///         var masked = model
///         masked.cardNumber = "***"
///         return masked
///     }
/// }
/// ```
/// A coordinator applies `redact` to the models, events and effects in its answers to clients for people, such as the command
/// `mobius` and HTTP, and to all clients whose keys lack the right `unmasked`. Models that programs read with
/// `FleetClient.model(of:)` are not masked; without the right they get an error instead. The journal always contains the real
/// values, and so does what is sent to workers.
///
/// The sender of an event gets the program's answer or refusal unmasked, also when it sends the event again under its key.
/// In histories the effect that answers is masked like any other.
///
/// A function returns its argument with other values in the places to mask. The functions are called on another thread than
/// `update`, and are pure, too.
public protocol RedactingProgram: LoopProgram {
    /// The model as people may see it.
    static func redact(_ model: Model) -> Model
    /// The event as people may see it.
    static func redact(_ event: Event) -> Event
    /// The effect as people may see it.
    static func redact(_ effect: Effect) -> Effect
}

extension RedactingProgram {
    /// The whole model.
    public static func redact(_ model: Model) -> Model { model }

    /// The whole event.
    public static func redact(_ event: Event) -> Event { event }

    /// The whole effect.
    public static func redact(_ effect: Effect) -> Effect { effect }
}
