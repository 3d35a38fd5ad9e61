import Dispatch
import Foundation

/// Leads loops and controllers through many short lives in bad company: `stress --help`.
@main
enum Stress {
    static func main() {
        let options: Options
        do {
            options = try Options(CommandLine.arguments.dropFirst())
        } catch {
            say("stress: \(error.text)\n\(Options.usage)")
            exit(error.isAsked ? 0 : 64)
        }
        // The main queue serves the routes of the main actor.
        Thread.detachNewThread { exit(run(options)) }
        dispatchMain()
    }

    private static func run(_ options: Options) -> Int32 {
        if options.plant.show() { return 0 }
        say("stress: \(options.rounds) lives, seed \(options.seed)")
        let half = options.rounds / 2
        let scenes: [(String, @Sendable () -> any Scene, ClosedRange<Int>)] = [
            ("controllers", { ControllerScene() }, 1...max(1, half)),
            ("loops", { LoopScene() }, 1...max(1, options.rounds - half)),
        ]
        // Side by side: more threads than processors make for worse company.
        let running = DispatchGroup()
        for (name, makeScene, lives) in scenes {
            running.enter()
            Thread.detachNewThread {
                perform(makeScene(), name, lives, options)
                running.leave()
            }
        }
        running.wait()
        guard Findings.count == 0 else {
            say("stress: \(Findings.count) findings; to repeat: --seed \(options.seed) --rounds \(options.rounds)")
            return 1
        }
        Threads.awaitRest()
        return 0
    }

    private static func perform(_ scene: any Scene, _ name: String, _ lives: ClosedRange<Int>, _ options: Options) {
        let time = ContinuousClock().measure {
            scene.run(lives, seed: options.seed, patience: options.patience, plant: options.plant)
        }
        let share = Int(scene.stage.shareOfCutLives * 100)
        say(
            "stress: \(lives.count) lives of \(name) in \(Int(time / .seconds(1))) s; of those that were cut short "
                + "\(share) % came to pass")
    }
}
