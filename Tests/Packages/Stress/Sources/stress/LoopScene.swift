import Dispatch
import Foundation
import MobiusCore

/// Lives of plain loops, each ended in another way while eight threads dispatch.
struct LoopScene: Scene {
    private typealias Loop = MobiusLoop<StressLoop.Model, StressLoop.Event, StressLoop.Effect>

    /// How a life ends.
    private enum End: CaseIterable {
        case disposedOf, letGo, disposedOfByAll, disposedOfInside

        /// Those that leave it to the leading thread when.
        static let inGoodTime = [End.disposedOf, .letGo]
    }

    let stage = Stage()
    private let whistle: Whistle
    private let router: EffectRouter<StressLoop.Effect, StressLoop.Event>

    init() {
        whistle = Whistle(stage)
        router = stage.router
    }

    func live(_ life: Life) {
        var dice = life.dice
        let ends = life.isCalm ? End.inGoodTime : End.allCases
        let end = ends[dice.roll(ends.count)]
        var loop: Loop? = start(life, &dice)
        var outlets = [whistle.consumer]
        if end != .letGo, let loop { outlets += [{ event in loop.dispatchEvent(event) }] }
        if end == .disposedOfInside, let loop { disposeInside(loop, life, at: dice.roll(8)) }
        life.crew.enter(
            Crew.Life(
                number: life.number, plan: life.plan, outlets: outlets,
                meddle: { [weak loop] dice, walker in
                    guard let loop else { return }
                    meddle(with: loop, life, mayEnd: end == .disposedOfByAll, &dice, walker)
                }, isMeddledWith: end != .letGo))
        if life.isCalm { life.awaitSettlement(stage) } else { life.pause(&dice) }
        let last = life.isCalm ? loop?.latestModel : nil
        life.walker.now(.disposing)
        if end == .letGo { loop = nil } else { loop?.dispose() }
        stage.end(life.number)
        if let last { life.expectComplete(last) }
        if let loop { life.note(loop.latestModel, stage) }
        if let loop {
            Findings.expect(
                loop.debugDescription.hasPrefix("disposed "), "the disposed loop is described as \(loop)")
        }
        life.walker.now(.waitingForCrew)
        life.crew.wait()
        life.walker.now(.waitingForTasks)
        stage.endReaders()
    }

    private func start(_ life: Life, _ dice: inout Dice) -> Loop {
        let check = ModelCheck("the event source", stage)
        var builder = Mobius.loop(update: stage.update(inPlace: dice.isOne(in: 2)), effectHandler: router)
        if dice.isOne(in: 2) {
            builder = builder.withEventSource(whistle)
        } else {
            builder = builder.withEventSource(WatchingWhistle(whistle: whistle, check: check, stage: stage))
        }
        if let transformer = life.plant.transformer { builder = builder.withEventConsumerTransformer(transformer) }
        let loop = builder.start(from: life.model)
        let observer = ModelCheck("an observer", stage)
        loop.addObserver { [stage] model in stage.alone { observer.receive(model) } }
        return loop
    }

    private func disposeInside(_ loop: Loop, _ life: Life, at version: Int) {
        loop.addObserver { [weak loop, stage] model in
            guard model.version >= version, let loop else { return }
            // Meanwhile the leading thread begins to dispose of it, too.
            for _ in 0..<50 { sched_yield() }
            loop.dispose()
            stage.end(life.number)
        }
        let next = ModelCheck("the observer after the one that disposed", stage)
        loop.addObserver { model in next.receive(model) }
    }

    private func meddle(
        with loop: Loop, _ life: Life, mayEnd: Bool, _ dice: inout Dice, _ walker: Watchdog.Walker
    ) {
        switch dice.roll(mayEnd ? 5 : 4) {
        case 0:
            walker.now(.reading)
            let check = ModelCheck("a reader", stage)
            for _ in 0..<3 { check.read(loop.latestModel) }
        case 1:
            walker.now(.observing)
            let check = ModelCheck("a passing observer", stage)
            let isOver = Flag()
            let observation = loop.addObserver { model in
                Findings.expect(!isOver.isUp, "an observer got a model after it was disposed of, life \(life.number)")
                check.receive(model)
            }
            life.pause(&dice)
            observation.dispose()
            isOver.raise()
        case 2:
            walker.now(.subscribing)
            let most = dice.roll(20)
            let models = loop.models
            stage.read(most) { take in for await model in models where !take(model) { break } }
        case 3:
            walker.now(.reading)
            _ = loop.debugDescription
        default:
            walker.now(.disposing)
            loop.dispose()
            stage.end(life.number)
        }
    }
}
