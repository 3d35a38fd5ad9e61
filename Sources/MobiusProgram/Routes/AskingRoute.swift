import MobiusCodec
public import MobiusCore
public import MobiusEngine
import MobiusWire

/// What became of an effect that asked another loop.
///
/// ```swift
/// switch answer {
/// case .answer(let receipt): .reserved(seats: receipt.seats)
/// case .nothing: .refused("the train did not answer")
/// case .refused(let reason): .refused(reason)
/// case .failed(let failure): .refused("it is not known whether there are seats: \(failure)")
/// }
/// ```
public enum LoopAnswer<Answer: Sendable>: Sendable {
    /// The answer of the loop, by a `.toSender` route.
    case answer(Answer)
    /// The loop applied the event, and answered nothing.
    case nothing
    /// The loop's `update` refused the event, for this reason, by a `.refuses` route.
    case refused(String)
    /// There is no answer.
    ///
    /// `failed`: the loop has ended, cannot begin or cannot read the event, or this program cannot read the answer; the reason says
    /// which. `timedOut`: it was not there in time; the loop may have applied the event, or may apply it still if it is in another
    /// shard. `outcomeUnknown`: a coordinator of another build took over in the middle; the loop has applied the event.
    case failed(EffectFailure)
}

extension LoopAnswer: Equatable where Answer: Equatable {}

extension _PartialEffectRouter {
    /// Routes effects to loops of programs that answer: each effect is an event for one loop, and its answer is an event of this one.
    ///
    /// ```swift
    /// .routeCase(Trip.Effect.reserve).asks(timeout: .seconds(10)) { train, seats in
    ///     (Address<Seats>(train), .asked(seats: seats))
    /// } answer: { _, answer in
    ///     Self.heard(answer)
    /// }
    /// ```
    /// It is sent like an event of ``toLoop(_:onFailure:)``: once the event that asked for the effect is on disk, through any crash, to a
    /// loop that may begin with it. What that loop tells the event's sender, or that it tells nothing, is one event of this loop:
    /// exactly once, over restarts, in other shards and after moves. Within a shard both events are usually in one commit.
    ///
    /// When this loop ends before, the event is delivered, and its answer is dropped. An effect that is cancelled before its event is
    /// applied is not delivered within its shard; to another shard it may be under way.
    ///
    /// - Parameters:
    ///   - timeout: The time from the event that asked for the effect, its commit included; it continues over restarts. `nil` for no limit.
    ///     Less than a commit takes is never enough.
    ///   - question: The address of the loop, and an event of its program. It must be pure. An address that names no loop is a program
    ///     error, which holds the asking loop.
    ///   - answer: The event of this loop. It must be pure.
    public func asks<Other: FleetProgram, Answer: Codable & Sendable>(
        timeout: Duration? = nil,
        _ question: @escaping @Sendable (EffectParameters) -> (loop: Address<Other>, event: Other.Event),
        answer: @escaping @Sendable (EffectParameters, LoopAnswer<Answer>) -> Event
    ) -> EffectRouter<Effect, Event> {
        let (policy, codec) = (EffectPlan.asking(for: timeout), AnswerCodecs.codec(of: Answer.self))
        return toRemote { parameters in
            let (address, event) = question(parameters)
            return AddressedRoute(EffectPlan.policy(asking: address.name, policy), address, event)
        } answer: { parameters, news in
            LoopAnswer(news, codec).map { answer(parameters, $0) }
        }
    }

    /// Routes effects to loops of the same program that answer, or of the one program of a coordinator: see
    /// the form with addresses.
    ///
    /// - Parameters:
    ///   - timeout: The time from the event that asked for the effect, its commit included; `nil` for no limit.
    ///   - question: The name of the loop, 1…128 bytes of UTF-8, and its event. It must be pure.
    ///   - answer: The event of this loop. It must be pure.
    public func asks<Answer: Codable & Sendable>(
        timeout: Duration? = nil,
        _ question: @escaping @Sendable (EffectParameters) -> (loop: String, event: Event),
        answer: @escaping @Sendable (EffectParameters, LoopAnswer<Answer>) -> Event
    ) -> EffectRouter<Effect, Event> {
        let (policy, codec) = (EffectPlan.asking(for: timeout), AnswerCodecs.codec(of: Answer.self))
        return toRemote { parameters in
            EffectPlan.policy(asking: question(parameters).loop, policy)
        } answer: { parameters, news in
            news is LoopDelivery
                ? question(parameters).event : LoopAnswer(news, codec).map { answer(parameters, $0) }
        }
    }
}

extension EffectAction {
    /// Asks a loop of a program, in an exhaustive router: see `asks` of a partial router.
    ///
    /// - Parameters:
    ///   - address: The loop.
    ///   - event: An event of its program; it must be pure.
    ///   - timeout: The time from the event that asked for the effect, its commit included; `nil` for no limit.
    ///   - answer: The event of this loop. It must be pure.
    public static func asks<Other: FleetProgram, Answer: Codable & Sendable>(
        _ address: Address<Other>, event: @autoclosure @escaping @Sendable () -> Other.Event,
        timeout: Duration? = nil, answer: @escaping @Sendable (LoopAnswer<Answer>) -> Event
    ) -> EffectAction {
        let plan = EffectPlan.policy(asking: address.name, EffectPlan.asking(for: timeout))
        return toRemote(policy: AddressedRoute(plan, address, event())) { news in
            LoopAnswer(news, AnswerCodecs.codec(of: Answer.self)).map(answer)
        }
    }
}

extension LoopAnswer where Answer: Codable {
    /// What a coordinator passes to a route that asks; `nil` for another value, which it gets only if the routes have changed since the
    /// effect was asked for.
    init?(_ news: any Sendable, _ codec: TypedCodec<Answer>) {
        if let failure = EffectFailure(news) {
            self = .failed(failure)
        } else if let told = news as? AskedLoopReplied {
            switch told.reply {
            case nil: self = .nothing
            case .refusal(let reason): self = .refused(reason)
            case .answer(let payload):
                do throws(CodingFailure) {
                    self = .answer(try codec.decode(payload))
                } catch {
                    self = .failed(.failed(reason: "the loop's answer cannot be read: \(error)"))
                }
            }
        } else {
            return nil
        }
    }
}

extension EffectPlan {
    fileprivate static func asking(for timeout: Duration?) -> SharedPolicy {
        SharedPolicy(
            EffectPolicy(
                timeouts: EffectTimeouts(startToClose: nil, scheduleToClose: timeout), keepsDeadLetters: false))
    }

    /// The plan of an event for the loop of this name that asks, or the error that says that there is no such name.
    fileprivate static func policy(asking name: String, _ policy: SharedPolicy) -> any Sendable {
        guard let loop = LoopID(name) else { return noLoop(name) }
        return EffectPlan(destination: .ask(loop), sharing: policy)
    }
}
