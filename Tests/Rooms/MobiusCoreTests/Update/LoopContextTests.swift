import Foundation
import MobiusCore
import Testing

/// What a program may know besides model and event.
@Suite struct LoopContextTests {
    @Test(arguments: [("order/4711", "4711"), ("a/b/c", "b/c"), ("main", "main"), ("order/", ""), ("/x", "x")])
    func `the key is the name behind the first slash`(name: String, key: String) {
        #expect(LoopContext(loop: name).key == key)
    }

    @Test func `a time is kept in whole milliseconds`() {
        let context = LoopContext(time: Date(timeIntervalSince1970: 1_800_000_000.1234))
        #expect(context.milliseconds == 1_800_000_000_123)
        #expect(context.time == LoopContext(milliseconds: 1_800_000_000_123).time)
        #expect(LoopContext(time: .distantPast).milliseconds < 0)
        #expect(LoopContext(time: Date(timeIntervalSince1970: 1e300)).milliseconds == .max)
    }

    // The numbers are part of what a journal means: with others, its loops would be replayed to other models.
    @Test func `the numbers and identifiers of a context never change`() {
        let context = LoopContext(loop: "order/4711", number: 3, milliseconds: 1_800_000_000_000)
        var random = context.random
        #expect((0..<3).map { _ in random.next() } == Self.numbers)
        #expect([context.id(), context.id(1), context.id(.max)] == Self.ids)
        var seeded = LoopRandom(seed: 1_234_567)
        // As in the reference implementation.
        #expect(
            (0..<3).map { _ in seeded.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    private static let numbers: [UInt64] = [
        13_635_963_923_694_517_933, 8_615_338_101_594_364_593, 11_713_871_188_200_071_990,
    ]
    private static let ids = [
        "bd3cacf1-31da-8ead-a511-500ea5a49386", "778fd45b-7d6b-8ab1-a428-860fbdc7f64e",
        "fdf952bf-a253-8ca0-9957-21467852817c",
    ]

    @Test func `identifiers are UUIDs, and each is another one`() throws {
        var ids: Set<String> = []
        for loop in ["a", "b", "ab"] {
            for number in 0..<20 as Range<UInt64> {
                for time in [-1, 0, 1, 256] as [Int64] {
                    let context = LoopContext(loop: loop, number: number, milliseconds: time)
                    for index in 0..<5 { ids.insert(context.id(index)) }
                }
            }
        }
        #expect(ids.count == 3 * 20 * 4 * 5)
        for id in ids {
            let uuid = try #require(UUID(uuidString: id)).uuid
            #expect(uuid.6 >> 4 == 8 && uuid.8 >> 6 == 0b10)
        }
    }

    @Test func `a program gets the context, and the others do not need one`() {
        let context = LoopContext(loop: "list/7", number: 5, milliseconds: 1000)
        #expect(Log.first(in: context).model == ["list/7 5"])
        var model: [String] = []
        _ = Log.step(&model, 1, context)
        #expect(model == ["5: 1"])
        #expect(Log.update([], 2, context).model == ["5: 2"])
        #expect(Log.initiate().model == ["main 0"] && Log.update([], 3).model == ["0: 3"])
        #expect(Plain.first(in: context) == First(model: 7))
        var number = 1
        _ = Plain.step(&number, 2, context)
        #expect(number == 3)
    }

    @Test func `in place, nothing is copied`() {
        var model = (0..<1000).map(String.init)
        model.reserveCapacity(2000)
        let place = model.withUnsafeBufferPointer(\.baseAddress)
        _ = InPlaceLog.step(&model, 1, LoopContext(number: 9))
        #expect(model.withUnsafeBufferPointer(\.baseAddress) == place)
        #expect(model.last == "9: 1")
        #expect(InPlaceLog.update([], 2, LoopContext(number: 4)).model == ["4: 2"])
        #expect(InPlaceLog.update([], 2).model == ["0: 2"])
    }

    @Test func `a loop in one process counts its events and knows the time`() {
        let update = Update(Times.self)
        let before = LoopContext(time: Date()).milliseconds
        var model: [Int64] = []
        for _ in 0..<3 { _ = update.step(&model, 0) }
        #expect(model.filter { $0 < 1000 } == [1, 2, 3])
        let times = model.filter { $0 >= 1000 }
        #expect(times.count == 3 && times.allSatisfy { $0 >= before })
        // One for tests has the same context each time.
        let fixed = Update(Times.self, in: LoopContext(number: 8, milliseconds: 5000))
        #expect(fixed.update(model: [], event: 0).model == [8, 5000])
    }
}

private enum Log: ContextLoopProgram {
    static func initiate(_ context: LoopContext) -> First<[String], Int> {
        First(model: ["\(context.loop) \(context.number)"])
    }

    static func update(_ model: [String], _ event: Int, _ context: LoopContext) -> Next<[String], Int> {
        .next(model + ["\(context.number): \(event)"])
    }
}

private enum InPlaceLog: InPlaceContextLoopProgram {
    static func initiate(_ context: LoopContext) -> First<[String], Int> { First(model: []) }

    static func update(_ model: inout [String], _ event: Int, _ context: LoopContext) -> Change<Int> {
        model.append("\(context.number): \(event)")
        return .next()
    }
}

private enum Times: InPlaceContextLoopProgram {
    static func initiate(_ context: LoopContext) -> First<[Int64], Int> { First(model: []) }

    static func update(_ model: inout [Int64], _ event: Int, _ context: LoopContext) -> Change<Int> {
        model += [Int64(context.number), context.milliseconds]
        return .next()
    }
}

private enum Plain: LoopProgram {
    static func initiate() -> First<Int, Int> { First(model: 7) }

    static func update(_ model: Int, _ event: Int) -> Next<Int, Int> { .next(model + event) }
}
