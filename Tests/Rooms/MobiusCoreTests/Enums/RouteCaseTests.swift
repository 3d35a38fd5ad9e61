import Foundation
import MobiusCore
import Testing

/// `routeCase` takes the payload of each kind of case, and of no other case.
@Suite struct RouteCaseTests {
    typealias Texts<Effect> = EffectRouter<Effect, String>

    @Test func `cases with the same payload type are never confused`() {
        enum Effect { case a(String), b(String), c, d(String), e(Substring) }
        let router = Texts<Effect>()
            .routeCase(Effect.b).toEvent { "b \($0)" }
            .routeCase(Effect.a).toEvent { "a \($0)" }
            .routeCase(Effect.c).toEvent { "c" }
            .routeCase(Effect.d).toEvent { "d \($0)" }
            .routeCase(Effect.e).toEvent { "e \($0)" }
        for _ in 0..<2 {
            #expect(
                router.eventsTwice(for: .a("1"), .b("2"), .c, .d("3"), .e("4"), .a("5")) == [
                    "a 1", "b 2", "c", "d 3", "e 4", "a 5",
                ])
        }
    }

    @Test func `labelled values and tuples`() {
        enum Effect {
            case one(x: Int), other(y: Int), pair(x: Int, y: String), swapped(y: Int, x: String), plain(Int, String)
            case nested((a: Int, b: Int), c: Int), triple(Int, Int, Int)
        }
        let router = Texts<Effect>()
            .routeCase(Effect.one).toEvent { "one \($0)" }
            .routeCase(Effect.other).toEvent { "other \($0)" }
            .routeCase(Effect.pair).toEvent { x, y in "pair \(x) \(y)" }
            .routeCase(Effect.swapped).toEvent { "swapped \($0) \($1)" }
            .routeCase(Effect.plain).toEvent { parameters in "plain \(parameters.0) \(parameters.1)" }
            .routeCase(Effect.nested).toEvent { pair, c in "nested \(pair.a) \(pair.b) \(c)" }
            .routeCase(Effect.triple).toEvent { "triple \($0) \($1) \($2)" }
        #expect(
            router.eventsTwice(
                for: .one(x: 1), .other(y: 2), .pair(x: 3, y: "p"), .swapped(y: 4, x: "s"), .plain(5, "q"),
                .nested((a: 6, b: 7), c: 8), .triple(9, 10, 11)) == [
                    "one 1", "other 2", "pair 3 p", "swapped 4 s", "plain 5 q", "nested 6 7 8", "triple 9 10 11",
                ])
    }

    @Test func `indirect cases`() {
        enum Effect {
            case leaf(Int), end
            indirect case wrapped(Effect), boxed(Int), pair(Effect, SIMD8<Double>), flag(UInt8)
        }
        let router = Texts<Effect>()
            .routeCase(Effect.leaf).toEvent { "leaf \($0)" }
            .routeCase(Effect.end).toEvent { "end" }
            .routeCase(Effect.wrapped).toEvent { "wrapped \($0)" }
            .routeCase(Effect.boxed).toEvent { "boxed \($0)" }
            .routeCase(Effect.pair).toEvent { inner, wide in "pair \(inner) \(wide.sum())" }
            .routeCase(Effect.flag).toEvent { "flag \($0)" }
        #expect(
            router.eventsTwice(
                for: .leaf(1), .end, .wrapped(.leaf(2)), .wrapped(.end), .boxed(3),
                .pair(.end, SIMD8(repeating: 0.5)), .flag(4)) == [
                    "leaf 1", "end", "wrapped leaf(2)", "wrapped end", "boxed 3", "pair end 4.0", "flag 4",
                ])
    }

    @Test func `an indirect enum`() {
        indirect enum Effect { case number(Int), sum(Effect, Effect), text(String) }
        let router = Texts<Effect>()
            .routeCase(Effect.number).toEvent { "\($0)" }
            .routeCase(Effect.sum).toEvent { "\($0) + \($1)" }
            .routeCase(Effect.text).toEvent { $0 }
        #expect(
            router.eventsTwice(for: .number(1), .sum(.number(2), .text("x")), .text("t")) == [
                "1", #"number(2) + text("x")"#, "t",
            ])
    }

    @Test func `cases without payload of an enum that is not Equatable`() {
        enum Effect { case a, b(any Sendable), c }
        let router = Texts<Effect>()
            .routeCase(Effect.c).toEvent { "c" }
            .routeCase(Effect.a).toEvent { "a" }
            .routeCase(Effect.b).toEvent { "b \($0)" }
        #expect(router.eventsTwice(for: .a, .c, .b(1), .b("two"), .a) == ["a", "c", "b 1", "b two", "a"])
    }

    @Test func `enums with cases without payload only`() {
        enum Effect { case a, b, c }
        let router = Texts<Effect>()
            .routeCase(Effect.a).toEvent { "a" }
            .routeCase(Effect.b).toEvent { "b" }
            .routeCase(Effect.c).toEvent { "c" }
        #expect(router.eventsTwice(for: .c, .b, .a) == ["c", "b", "a"])
    }

    @Test func `enums with one case`() {
        enum Text { case only(String) }
        enum Nothing { case only }
        enum Boxed { indirect case only(Int) }
        enum Unit { case only(Void) }
        #expect(Texts<Text>().routeCase(Text.only).toEvent { $0 }.events(for: .only("t")) == ["t"])
        #expect(Texts<Nothing>().routeCase(Nothing.only).toEvent { "n" }.events(for: .only) == ["n"])
        #expect(Texts<Boxed>().routeCase(Boxed.only).toEvent { "\($0)" }.events(for: .only(7)) == ["7"])
        #expect(Texts<Unit>().routeCase(Unit.only).toEvent { "u" }.events(for: .only(())) == ["u"])
    }

    @Test func `payloads of no size`() {
        struct Empty {}
        enum One { case only }
        enum Effect { case a(Void), b, c(Empty), d(Int), e(Void), f(Empty, One), g(One) }
        let router = Texts<Effect>()
            .routeCase(Effect.e).toEvent { "e" }
            .routeCase(Effect.a).toEvent { "a" }
            .routeCase(Effect.b).toEvent { "b" }
            .routeCase(Effect.c).toEvent { "c \($0)" }
            .routeCase(Effect.d).toEvent { "d \($0)" }
            .routeCase(Effect.f).toEvent { "f \($0) \($1)" }
            .routeCase(Effect.g).toEvent { "g \($0)" }
        #expect(
            router.eventsTwice(for: .a(()), .b, .c(Empty()), .d(1), .e(()), .f(Empty(), .only), .g(.only)) == [
                "a", "b", "c Empty()", "d 1", "e", "f Empty() only", "g only",
            ])
    }

    @Test func `indirect payloads of no size`() {
        struct Empty {}
        indirect enum Effect { case a(Void), b(Empty), c(Effect), d }
        let router = Texts<Effect>()
            .routeCase(Effect.a).toEvent { "a" }
            .routeCase(Effect.b).toEvent { "b \($0)" }
            .routeCase(Effect.c).toEvent { "c \($0)" }
            .routeCase(Effect.d).toEvent { "d" }
        #expect(router.eventsTwice(for: .a(()), .b(Empty()), .c(.d), .d) == ["a", "b Empty()", "c d", "d"])
    }

    @Test func `generic enums`() {
        enum Effect<Value, Failure> { case value(Value), failure(Failure), both(Value, [Failure]), none }
        func router<Value, Failure>(_: Value.Type, _: Failure.Type) -> Texts<Effect<Value, Failure>> {
            Texts()
                .routeCase(Effect<Value, Failure>.value).toEvent { "value \($0)" }
                .routeCase(Effect<Value, Failure>.failure).toEvent { "failure \($0)" }
                .routeCase(Effect<Value, Failure>.both).toEvent { "both \($0) \($1)" }
                .routeCase(Effect<Value, Failure>.none).toEvent { "none" }
        }
        let same = router(String.self, String.self)
        #expect(
            same.events(for: .value("v"), .failure("f"), .both("b", ["c"]), .none) == [
                "value v", "failure f", "both b [\"c\"]", "none",
            ])
        let different = router(Int8.self, [String: Double].self)
        #expect(
            different.events(for: .value(-1), .failure(["x": 0.5]), .both(2, []), .none) == [
                "value -1", "failure [\"x\": 0.5]", "both 2 []", "none",
            ])
    }

    @Test func `classes, existentials and closures`() {
        final class Box: Sendable { let text: String; init(_ text: String) { self.text = text } }
        enum Effect {
            case box(Box), otherBox(Box), object(AnyObject), any(Any), error(any Error)
            case named(any CustomStringConvertible), run(() -> Void), send(@Sendable () -> Void), type(any Any.Type)
            case maybe((() -> Void)?)
        }
        let ran = Recorder<String>()
        let router = Texts<Effect>()
            .routeCase(Effect.box).toEvent { "box \($0.text)" }
            .routeCase(Effect.otherBox).toEvent { "otherBox \($0.text)" }
            .routeCase(Effect.object).toEvent { "object \(($0 as? Box)?.text ?? "")" }
            .routeCase(Effect.any).toEvent { "any \($0)" }
            .routeCase(Effect.error).toEvent { "error \($0)" }
            .routeCase(Effect.named).toEvent { "named \($0)" }
            .routeCase(Effect.run).toEvent {
                $0()
                return "run"
            }
            .routeCase(Effect.send).toEvent {
                $0()
                return "send"
            }
            .routeCase(Effect.type).toEvent { "type \($0)" }
            .routeCase(Effect.maybe).toEvent {
                $0?()
                return "maybe"
            }
        #expect(
            router.eventsTwice(
                for: .box(Box("1")), .otherBox(Box("2")), .object(Box("3")), .any(4), .any("5"),
                .error(CancellationError()), .named(6), .run { ran.record("r") }, .send { ran.record("s") },
                .type(Int.self), .maybe { ran.record("m") }, .maybe(nil)) == [
                    "box 1", "otherBox 2", "object 3", "any 4", "any 5", "error CancellationError()", "named 6", "run",
                    "send", "type Int", "maybe", "maybe",
                ])
        #expect(ran.values == ["r", "s", "m", "r", "s", "m"])
    }

    @Test func `optional payloads`() {
        enum Effect { case a(Int?), b(Int), c(String??), d(Int?), e(Bool?) }
        let router = Texts<Effect>()
            .routeCase(Effect.b).toEvent { "b \($0)" }
            .routeCase(Effect.a).toEvent { "a \(String(describing: $0))" }
            .routeCase(Effect.c).toEvent { "c \(String(describing: $0))" }
            .routeCase(Effect.d).toEvent { "d \(String(describing: $0))" }
            .routeCase(Effect.e).toEvent { "e \(String(describing: $0))" }
        #expect(
            router.eventsTwice(for: .a(nil), .a(1), .b(2), .c(nil), .c(.some(nil)), .c("x"), .d(3), .e(nil), .e(true))
                == [
                    "a nil", "a Optional(1)", "b 2", "c nil", "c Optional(nil)", #"c Optional(Optional("x"))"#,
                    "d Optional(3)", "e nil", "e Optional(true)",
                ])
    }

    @Test func `an optional enum`() {
        let router = Texts<Int?>()
            .routeCase(Int?.some).toEvent { "some \($0)" }
            .routeCase(Int?.none).toEvent { "none" }
        #expect(router.eventsTwice(for: 1, nil) == ["some 1", "none"])
    }

    @Test func `nested enums`() {
        enum Inner: Equatable { case x(Int), y, z(String) }
        enum Effect { case left(Inner), right(Inner), deep(Inner?, Result<Inner, CancellationError>), flag(Bool) }
        let router = Texts<Effect>()
            .routeCase(Effect.left).toEvent { "left \($0)" }
            .routeCase(Effect.right).toEvent { "right \($0)" }
            .routeCase(Effect.deep).toEvent { "deep \($0 == nil) \((try? $1.get()) == .y)" }
            .routeCase(Effect.flag).toEvent { "flag \($0)" }
        #expect(
            router.eventsTwice(
                for: .left(.y), .right(.y), .left(.z("s")), .right(.x(1)), .deep(nil, .success(.y)),
                .deep(.y, .failure(CancellationError())), .flag(true), .flag(false)) == [
                    "left y", "right y", #"left z("s")"#, "right x(1)", "deep true true", "deep false false",
                    "flag true", "flag false",
                ])
    }

    @Test func `large payloads`() {
        struct Big: Equatable {
            var a = (0..<40).map { "item \($0)" }
            var b = (Int.max, "b", UInt8(7), 1.5, [1: "one"])
            var c = Set(["x", "y"])
            static func == (lhs: Big, rhs: Big) -> Bool { lhs.a == rhs.a && lhs.b.1 == rhs.b.1 && lhs.c == rhs.c }
        }
        enum Effect { case big(Big), twin(Big), small(UInt8), both(Big, UInt8) }
        let big = Big()
        let router = Texts<Effect>()
            .routeCase(Effect.twin).toEvent { "twin \($0 == big)" }
            .routeCase(Effect.big).toEvent { "big \($0 == big)" }
            .routeCase(Effect.small).toEvent { "small \($0)" }
            .routeCase(Effect.both).toEvent { "both \($0 == big) \($1)" }
        #expect(
            router.eventsTwice(for: .big(big), .twin(big), .small(255), .both(big, 3)) == [
                "big true", "twin true", "small 255", "both true 3",
            ])
    }

    @Test func `Foundation's types`() throws {
        enum Effect {
            case date(Date), url(URL), uuid(UUID), data(Data), decimal(Decimal), links([URL]), request(URL, Date, UUID)
            case calendar(Calendar), created(Date), measured(Measurement<UnitLength>)
        }
        let date = Date(timeIntervalSince1970: 1)
        let url = try #require(URL(string: "https://example.org/"))
        let uuid = UUID()
        let length = Measurement<UnitLength>(value: 1.5, unit: .meters)
        let router = Texts<Effect>()
            .routeCase(Effect.date).toEvent { "date \($0 == date)" }
            .routeCase(Effect.created).toEvent { "created \($0 == date)" }
            .routeCase(Effect.url).toEvent { "url \($0)" }
            .routeCase(Effect.uuid).toEvent { "uuid \($0 == uuid)" }
            .routeCase(Effect.data).toEvent { "data \(Array($0))" }
            .routeCase(Effect.decimal).toEvent { "decimal \($0)" }
            .routeCase(Effect.links).toEvent { "links \($0 == [url, url])" }
            .routeCase(Effect.request).toEvent { "request \($0 == url) \($1 == date) \($2 == uuid)" }
            .routeCase(Effect.calendar).toEvent { "calendar \($0.identifier == .iso8601)" }
            .routeCase(Effect.measured).toEvent { "measured \($0 == length)" }
        for _ in 0..<2 {
            #expect(
                router.eventsTwice(
                    for: .date(date), .created(date), .url(url), .uuid(uuid), .data(Data([1, 2])), .decimal(1.25),
                    .links([url, url]), .request(url, date, uuid), .calendar(Calendar(identifier: .iso8601)),
                    .measured(length)) == [
                        "date true", "created true", "url https://example.org/", "uuid true", "data [1, 2]",
                        "decimal 1.25", "links true", "request true true true", "calendar true", "measured true",
                    ])
        }
    }

    @Test func `an enum with its own mirror`() {
        enum Effect: CustomReflectable {
            case a(Int), b(Int)
            var customMirror: Mirror { Mirror(self, children: ["a": "nonsense"]) }
        }
        let router = Texts<Effect>()
            .routeCase(Effect.a).toEvent { "a \($0)" }
            .routeCase(Effect.b).toEvent { "b \($0)" }
        #expect(router.eventsTwice(for: .a(1), .b(2)) == ["a 1", "b 2"])
    }

    @Test func `cases that share a name`() {
        enum Effect { case move(x: Int), move(y: Int), move(x: Int, y: Int) }
        let router = Texts<Effect>()
            .routeCase(Effect.move(y:)).toEvent { "y \($0)" }
            .routeCase(Effect.move(x:)).toEvent { "x \($0)" }
            .routeCase(Effect.move(x:y:)).toEvent { "xy \($0) \($1)" }
        #expect(router.eventsTwice(for: .move(x: 1), .move(y: 2), .move(x: 3, y: 4)) == ["x 1", "y 2", "xy 3 4"])
    }

    @Test func `constructors written as closures`() {
        enum Effect { case a(label: String), b(String) }
        let router = Texts<Effect>()
            .routeCase { Effect.a(label: $0) }.toEvent { "a \($0)" }
            .routeCase { text in Effect.b(text) }.toEvent { "b \($0)" }
        #expect(router.eventsTwice(for: .a(label: "1"), .b("2")) == ["a 1", "b 2"])
    }

    @Test func `a constructor of a case inside a case takes no effect of another case`() {
        enum Inner { case text(String) }
        enum Effect { case inner(Inner), text(String) }
        let router = Texts<Effect>()
            .routeCase { Effect.inner(.text($0)) }.toEvent { "inner \($0)" }
            .routeCase(Effect.text).toEvent { "text \($0)" }
        #expect(router.eventsTwice(for: .text("t")) == ["text t"])
    }

    @Test func `payloads are released with their last holder`() {
        final class Token: Sendable {
            let released: Recorder<Int>
            init(_ released: Recorder<Int>) { self.released = released }
            deinit { released.record(1) }
        }
        enum Effect { case direct(Token), other(Token, Int); indirect case boxed(Token) }
        let released = Recorder<Int>()
        let router = EffectRouter<Effect, Int>()
            .routeCase(Effect.direct).toEvent { _ in 1 }
            .routeCase(Effect.other).toEvent { _, _ in 2 }
            .routeCase(Effect.boxed).toEvent { _ in 3 }
        for round in 1...100 {
            let make: [(Token) -> Effect] = [Effect.direct, { .other($0, 1) }, Effect.boxed]
            for constructor in make { _ = router.eventsTwice(for: constructor(Token(released))) }
            #expect(released.values.count == 3 * round)
        }
    }

    @Test func `many threads learn the cases together`() async {
        enum Effect: Sendable { case a(String), b(String), c, d(Int, Int); indirect case e([String]) }
        for _ in 0..<50 {
            let router = Texts<Effect>()
                .routeCase(Effect.a).toEvent { "a \($0)" }
                .routeCase(Effect.b).toEvent { "b \($0)" }
                .routeCase(Effect.c).toEvent { "c" }
                .routeCase(Effect.d).toEvent { "d \($0 + $1)" }
                .routeCase(Effect.e).toEvent { "e \($0.count)" }
            let right = await withTaskGroup(of: Bool.self) { group in
                for thread in 0..<8 {
                    group.addTask {
                        (0..<20).allSatisfy { index in
                            let text = "\(thread) \(index)"
                            return router.eventsTwice(for: .e([text, text]), .a(text), .c, .b(text), .d(thread, index))
                                == ["e 2", "a \(text)", "c", "b \(text)", "d \(thread + index)"]
                        }
                    }
                }
                return await group.allSatisfy { $0 }
            }
            #expect(right)
        }
    }
}
