import Dispatch
import Foundation
import Logging
import MobiusCoordinator
import MobiusCore
import MobiusEngine
import MobiusWire

// A coordinator of the `Trapper`, told by lines on its standard input what to do, one after the other:
//
//     send LOOP KEY EVENT     applied KEY | refused KEY: …
//     total LOOP              total LOOP N
//     held                    held LOOP CRASHES WHY…, one for each, then "held."
//     release LOOP, drop LOOP released LOOP | refused LOOP: …
//     stop

if ProgramProcess.isDone(by: SingleProgram<Trapper>(EffectRouter())) { exit(0) }

let routes = EffectRouter<Trapper.Effect, Trapper.Event> { effect in
    switch effect {
    case .trapBeside: .toEvent { fatalError("beside") }
    case .unserved:
        .toWorkers(
            Snare.letter.passing("nobody"), policy: EffectPolicy(timeouts: EffectTimeouts(scheduleToStart: .seconds(1)))
        ) { _ in .trap }
    case .work: .toWorkers("test") { _ in .add(1_000_000) }
    case .number: .toWorkers("nobody") { _ in .add(0) }
    case .huge: .toWorkers("nobody") { _ in .recurse }
    case .keyed:
        .toWorkers(
            "nobody", policy: EffectPolicy(), affinity: Snare.affinity.passing("a"), key: Snare.key.passing("k")
        ) { _ in .add(0) }
    case .tell(let loop): .toLoop(Snare.target.passing(loop)) { .add(7) }
    case .cancelKeyed: .cancels { _ in Snare.cancels.passing(true) }
    case .end: .endsLoop()
    }
}
let settings: CoordinatorSettings = {
    var settings = CoordinatorSettings(
        name: "trapper", bind: CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : "tcp://127.0.0.1:*",
        journal: .file(CommandLine.arguments[1]),
        timing: SessionTiming(
            heartbeat: .milliseconds(200), suspectAfter: .milliseconds(800), deadAfter: .seconds(3),
            reconnectGrace: .seconds(1), adoptionGrace: .seconds(1), silence: .seconds(2), resend: .milliseconds(500)))
    settings.clientBind = CommandLine.arguments.count > 3 ? CommandLine.arguments[3] : nil
    settings.maximumPayload = 64 << 10
    settings.keepsHistory = true
    settings.runsErrands = ProcessInfo.processInfo.environment["ERRANDS"] != "none"
    return settings
}()
let logger: Logger = {
    var logger = Logger(label: "trapper") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .warning
    return logger
}()

func say(_ words: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((words + "\n").utf8))
}

let coordinator = Coordinator<Trapper>(settings, routes: routes, logger: logger) { _ in say("listening") }

func obey(_ words: [String]) async throws {
    let loop = words.count > 1 ? coordinator.loop.loop(words[1]) : coordinator.loop
    switch words[0] {
    case "send":
        let event = try JSONDecoder().decode(Trapper.Event.self, from: Data(words[3].utf8))
        try await loop.send(event, key: words[2])
        say("applied \(words[2])")
    case "total":
        for await model in loop.models {
            say("total \(words[1]) \(model.total)")
            break
        }
    case "held":
        for held in await coordinator.held { say("held \(held.loop) \(held.crashes) \(held.source)") }
        say("held.")
    case "release", "drop":
        try await coordinator.release(loop.id, drop: words[0] == "drop")
        say("released \(words[1])")
    default: coordinator.stop()
    }
}

let running = Task { try await coordinator.run() }
let reading = Task.detached {
    while let line = readLine() {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        do {
            try await obey(words)
        } catch {
            say("refused \(words.count > 2 ? words[2] : words[1]): \(error)")
        }
    }
}
do {
    try await running.value
} catch {
    say("ended: \(error)")
    exit(1)
}
exit(0)
