import MobiusCodec
import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusWire
import Testing

/// A loop between its types and bytes.
struct TypedLoopTests {
    private func loop(_ routes: EffectRouter<Desk.Effect, Desk.Event>) -> TypedLoop<Desk> {
        TypedLoop(id: .main, model: 0, routes: routes)
    }

    private let routes = EffectRouter<Desk.Effect, Desk.Event> { effect in
        switch effect {
        case .write(let words): .toWorkers("desk") { .failed(words, $0.description) }
        case .remind: .toTimer(.after(.seconds(1))) { .reminded }
        case .local: .to {}
        }
    }

    @Test func bytesBecomeEventsAndEffectsBytesWithPlans() throws {
        let loop = loop(routes)
        let change = try loop.apply(try TypedCodec<Desk.Event>.json().encode(.wrote("a")), in: LoopContext())
        #expect(loop.model == 1 && change.changed)
        let planned = try loop.plan(change.effects + [.remind, .local])
        #expect(planned.map(\.plan.destination) == [.pool("desk"), .timer(.after(.seconds(1))), .local])
        #expect(try planned.map { try loop.plan($0.effect).destination } == planned.map(\.plan.destination))
    }

    @Test func routesMakeEventsOfFailuresAndTimers() throws {
        let loop = loop(routes)
        let effects = try loop.plan([.write("a"), .remind]).map(\.effect)
        let failed = try #require(try loop.event(of: .outcomeUnknown, effect: effects[0]))
        let events = TypedCodec<Desk.Event>.json()
        #expect(try events.decode(failed) == .failed("a", EffectFailure.outcomeUnknown.description))
        #expect(try events.decode(try #require(try loop.event(ofTimer: effects[1]))) == .reminded)
        // Today's routes may know it as something else.
        #expect(try loop.event(ofTimer: effects[0]) == nil)
        #expect(try loop.event(of: .outcomeUnknown, effect: effects[1]) == nil)
    }

    @Test func anEffectWithoutARouteIsAMistakeInTheProgram() throws {
        let loop = loop(EffectRouter<Desk.Effect, Desk.Event>().routeCase(Desk.Effect.local).to {})
        #expect(throws: ProgramError.self) { try loop.plan([.remind]) }
        let foreign = Payload(kind: PayloadKind(type: "Another.Effect"), bytes: Array("{}".utf8))
        let error = #expect(throws: ProgramError.self) { try loop.plan(foreign) }
        #expect(error?.description.contains("Run the build that wrote it.") == true)
    }

    @Test func anEventOfAnotherTypeChangesNothing() throws {
        let loop = loop(routes)
        let foreign = Payload(kind: PayloadKind(type: "Another.Event"), bytes: Array("{}".utf8))
        #expect(throws: CodingFailure.self) { try loop.apply(foreign, in: LoopContext()) }
        #expect(loop.model == 0)
    }
}

enum Desk: InPlaceLoopProgram {
    enum Event: Codable, Sendable, Equatable {
        case wrote(String)
        case failed(String, String)
        case reminded
    }

    enum Effect: Codable, Sendable {
        case write(String)
        case remind
        case local
    }

    static func initiate() -> First<Int, Effect> { First(model: 0) }

    static func update(_ model: inout Int, _ event: Event) -> Change<Effect> {
        model += 1
        guard case .wrote(let words) = event else { return .next() }
        return .next(effects: [.write(words)])
    }
}
