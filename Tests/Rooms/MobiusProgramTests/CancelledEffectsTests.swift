import MobiusCore
import MobiusProgram
import MobiusWire
import Synchronization
import Testing

/// What `.cancels` routes look at.
struct CancelledEffectsTests {
    private func effect(_ sequence: UInt64) -> EffectID { EffectID(loop: .main, sequence: sequence, index: 0) }

    @Test func eachEffectIsDecodedOnceHoweverManyLookAtIt() throws {
        let routes = EffectRouter<Yard.Effect, Yard.Event>()
            .routeCase(Yard.Effect.water).toWorkers("yard") { _, _ in .done }
            .routeCase(Yard.Effect.stop).cancels { plant, underWay in underWay == .water(plant) }
        let loop = TypedLoop<Yard>(id: .main, model: 0, routes: routes)
        let planned = try loop.plan((0..<100).map { .water($0) } + [.stop(7), .stop(30)])
        var underWay = planned.prefix(100).enumerated().map { (id: effect(UInt64($0)), effect: $1.effect) }
        underWay.shuffle()

        let before = Yard.decoded.load(ordering: .relaxed)
        #expect(try loop.cancelled(by: planned[100].effect, among: underWay) == [effect(7)])
        #expect(try loop.cancelled(by: planned[101].effect, among: underWay) == [effect(30)])
        #expect(Yard.decoded.load(ordering: .relaxed) - before == 100 + 2)

        // Those of long ago are forgotten; the same effect under another number is another one.
        let later = (0..<300).map { (id: effect(1000 + $0), effect: planned[7].effect) }
        #expect(try loop.cancelled(by: planned[100].effect, among: later) == later.map(\.id))
        #expect(try loop.cancelled(by: planned[100].effect, among: Array(later.prefix(1))) == [effect(1000)])
        #expect(try loop.cancelled(by: planned[100].effect, among: underWay) == [effect(7)])
    }
}

/// Effects that count how often they are decoded.
private enum Yard: InPlaceLoopProgram {
    static let decoded = Atomic(0)

    enum Event: Codable, Sendable { case done }

    enum Effect: Codable, Sendable, Equatable {
        case water(Int)
        case stop(Int)

        init(from decoder: any Decoder) throws {
            Yard.decoded.add(1, ordering: .relaxed)
            let number = try decoder.singleValueContainer().decode(Int.self)
            self = number < 0 ? .stop(-number) : .water(number)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .water(let plant): try container.encode(plant)
            case .stop(let plant): try container.encode(-plant)
            }
        }
    }

    static func initiate() -> First<Int, Effect> { First(model: 0) }

    static func update(_ model: inout Int, _ event: Event) -> Change<Effect> { .next() }
}
