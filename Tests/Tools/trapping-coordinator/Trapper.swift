import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusProgram

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program whose `update` does what no `update` should, on demand.
enum Trapper: InPlaceLoopProgram {
    struct Model: Codable, Sendable {
        var total = 0

        init() {}

        init(from decoder: any Decoder) throws {
            total = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .total)
            if total >= 1000 { Snare.decodeModel.check() }
        }

        func encode(to encoder: any Encoder) throws {
            if total >= 1000 { Snare.encodeModel.check() }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(total, forKey: .total)
        }

        enum CodingKeys: CodingKey { case total }
    }

    enum Event: Codable, Sendable {
        case add(Int)
        /// Ends the process by SIGILL; does nothing once `MENDED` is set, as in a mended build.
        case trap
        /// Recurses until the stack is used up.
        case recurse
        case abort
        /// Is killed from outside in the middle of its update.
        case killed
        /// A handler beside the loop traps.
        case trapBeside
        /// Asks for an effect whose failure traps.
        case askNobody
        /// Asks for an effect, to which the test's worker answers something that traps.
        case askWorker
        /// Traps while it is read.
        case sealed(Sealed)
        /// Asks for an effect that cannot be written.
        case askForNone
        /// Asks for an effect that is too large to be sent, whose failure uses up the stack.
        case askTooMuch
        /// Asks for an effect that waits for a worker of a pool that has none.
        case askKeyed
        /// Asks for an event for this loop.
        case askLoop(String)
        /// Asks for the end of the effects that wait.
        case cancelKeyed
        /// Ends the loop.
        case end
    }

    enum Effect: Codable, Sendable {
        case trapBeside
        case unserved
        case work
        case huge(String)
        case number(Double)
        case keyed(Item)
        case tell(String)
        case cancelKeyed
        case end
    }

    struct Item: Codable, Sendable {
        init() {}

        init(from decoder: any Decoder) throws { Snare.decodeEffect.check() }
    }

    struct Sealed: Codable, Sendable {
        init(from decoder: any Decoder) throws {
            guard isMended else { fatalError("sealed") }
        }
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .add(let number): model.total += number
        case .trap:
            guard isMended else { fatalError("poison") }
            model.total += 1000
        case .recurse: model.total += depth(of: 0)
        case .abort: terminate()
        case .killed:
            kill(getpid(), SIGKILL)
            while true { pause() }  // the signal may take a moment to come
        case .trapBeside: return .dispatchEffects([.trapBeside])
        case .askNobody: return .dispatchEffects([.unserved])
        case .askWorker: return .dispatchEffects([.work])
        case .sealed: model.total += 500
        case .askForNone: if !isMended { return .dispatchEffects([.number(.nan)]) }
        case .askKeyed: return .dispatchEffects([.keyed(Item())])
        case .askLoop(let loop): return .dispatchEffects([.tell(loop)])
        case .cancelKeyed: return .dispatchEffects([.cancelKeyed])
        case .end: return .dispatchEffects([.end])
        case .askTooMuch: return .dispatchEffects([.huge(String(repeating: "x", count: 100_000))])
        }
        return .next()
    }

    private static func terminate() -> Never {
        #if canImport(Glibc)
            Glibc.abort()
        #else
            Darwin.abort()
        #endif
    }

    static let isMended = ProcessInfo.processInfo.environment["MENDED"] != nil

    private static func depth(of number: Int) -> Int {
        var numbers = (number, number, number, number)
        withUnsafeMutablePointer(to: &numbers) { _ in }
        return number == -1 ? 0 : depth(of: number + 1) + numbers.0
    }
}

/// The places of the program's code outside of `update`: the one that the variable `TRAPS` names traps.
enum Snare: String {
    case decodeModel, encodeModel, decodeEffect, key, affinity, target, cancels, letter, redact, facts

    private static let set = ProcessInfo.processInfo.environment["TRAPS"]

    func check() {
        if rawValue == Self.set { fatalError("snare") }
    }

    func passing<Value>(_ value: Value) -> Value {
        check()
        return value
    }
}

extension Trapper: RedactingProgram {
    static func redact(_ model: Model) -> Model { Snare.redact.passing(model) }
}

extension Trapper: FindableProgram {
    static func facts(_ model: Model) -> Facts {
        if model.total > 0 { Snare.facts.check() }
        return ["total": model.total]
    }
}

extension Trapper.Event: PayloadEvolution {
    static let versions = PayloadVersions("trapper.event", startingWith: Trapper.Event.self)
}

extension Trapper.Effect: PayloadEvolution {
    static let versions = PayloadVersions("trapper.effect", startingWith: Trapper.Effect.self)
}
