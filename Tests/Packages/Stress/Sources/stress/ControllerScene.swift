import Dispatch
import Foundation
import MobiusCore

/// Lives of loops of a controller: eight threads dispatch as its views do while it starts and stops.
final class ControllerScene: Scene, @unchecked Sendable {
    // Unchecked: the variables belong to the thread that leads through the lives.

    private typealias Controller = MobiusController<StressLoop.Model, StressLoop.Event, StressLoop.Effect>

    let stage = Stage()
    private let whistle: Whistle
    private let router: AnyConnectable<StressLoop.Effect, StressLoop.Event>
    private let viewQueue = DispatchQueue(label: "stress.view")
    private var controller: Controller?
    private var views: [(id: UUID, view: CheckingView)] = []
    private var kept = StressLoop.Model(life: 0, expected: 0)
    private let next = Next()

    /// How the next life starts, for `initiate`, which runs between two steps of the leading thread.
    private final class Next: @unchecked Sendable {
        var life: Life?
        var kept = StressLoop.Model(life: 0, expected: 0)
    }

    init() {
        whistle = Whistle(stage)
        router = stage.router.asConnectable
    }

    func live(_ life: Life) {
        var dice = life.dice
        let controller = controller ?? makeController(life, &dice)
        self.controller = controller
        prepare(controller, life, &dice)
        life.walker.now(.starting)
        controller.start()
        Findings.expect(controller.running, "the controller does not run after start()")
        life.crew.enter(
            Crew.Life(
                number: life.number, plan: life.plan, outlets: [whistle.consumer] + views.map(\.view.consumer),
                meddle: { [weak controller] dice, walker in
                    guard let controller else { return }
                    self.meddle(with: controller, &dice, walker)
                }, isMeddledWith: true))
        if life.isCalm { life.awaitSettlement(stage) } else { life.pause(&dice) }
        stop(controller, life)
        life.walker.now(.waitingForCrew)
        life.crew.wait()
        life.walker.now(.waitingForTasks)
        stage.endReaders()
        // A new one now and then; the old one goes while it is stopped.
        if dice.isOne(in: 50) { (self.controller, views) = (nil, []) }
    }

    func end() {
        controller = nil
    }

    private func makeController(_ life: Life, _ dice: inout Dice) -> Controller {
        let watching = dice.isOne(in: 2)
        var builder = Mobius.loop(update: stage.update(inPlace: dice.isOne(in: 2)), effectHandler: router)
        if watching {
            let check = ModelCheck("the event source", stage)
            builder = builder.withEventSource(WatchingWhistle(whistle: whistle, check: check, stage: stage))
        } else {
            builder = builder.withEventSource(whistle)
        }
        if let transformer = life.plant.transformer { builder = builder.withEventConsumerTransformer(transformer) }
        let queue = dice.isOne(in: 2) ? DispatchQueue.global(qos: .userInitiated) : DispatchQueue(label: "stress.loop")
        kept = StressLoop.Model(life: 0, expected: 0)
        return builder.makeController(
            from: kept,
            initiate: { [next] model in
                Findings.expect(
                    (model.life, model.version) == (next.kept.life, next.kept.version),
                    "a start got version \(model.version) of life \(model.life), not the model that was kept")
                guard let life = next.life else { fatalError("A loop started before its time.") }
                return First(model: life.model)
            },
            loopQueue: queue, viewQueue: viewQueue)
    }

    /// What may be done only while it is stopped.
    private func prepare(_ controller: Controller, _ life: Life, _ dice: inout Dice) {
        if dice.isOne(in: 4) {
            kept = StressLoop.Model(life: -life.number, expected: 0)
            controller.replaceModel(kept)
        }
        if views.count < 3, dice.isOne(in: 2) {
            let view = CheckingView(stage, viewQueue)
            views.append((controller.connectView(view), view))
        } else if let last = views.last, dice.isOne(in: 3) {
            controller.disconnectView(id: last.id)
            views.removeLast()
        }
        (next.life, next.kept) = (life, kept)
    }

    private func stop(_ controller: Controller, _ life: Life) {
        let sent = life.crew.sentSoFar
        life.walker.now(.stopping)
        if life.plant == .late { stage.end(life.number) }
        controller.stop()
        stage.end(life.number)
        Findings.expect(!controller.running, "the controller runs after stop()")
        kept = controller.model
        for (sender, count) in sent.enumerated() {
            Findings.expect(
                kept.next[sender] >= count,
                "sender \(sender) had sent \(count) events before the stop, \(kept.next[sender]) were applied, "
                    + "life \(life.number)")
        }
        if life.isCalm { life.expectComplete(kept) }
        life.note(kept, stage)
    }

    private func meddle(with controller: Controller, _ dice: inout Dice, _ walker: Watchdog.Walker) {
        switch dice.roll(3) {
        case 0:
            walker.now(.reading)
            let check = ModelCheck("a reader", stage)
            for _ in 0..<3 { check.read(controller.model) }
        case 1:
            walker.now(.subscribing)
            let most = dice.roll(20)
            let models = controller.models
            stage.read(most) { take in for await model in models where !take(model) { break } }
        default:
            walker.now(.reading)
            _ = controller.running
        }
    }
}

/// A view that expects every model, on its queue.
// Unchecked: the consumer is set inside start(), which the leading thread waits for before it reads it.
private final class CheckingView: Connectable, @unchecked Sendable {
    private let queue: DispatchQueue
    private let check: ModelCheck
    private(set) var consumer: Consumer<StressLoop.Event> = { _ in }

    init(_ stage: Stage, _ queue: DispatchQueue) {
        self.queue = queue
        check = ModelCheck("a view", stage)
    }

    func connect(_ consumer: @escaping Consumer<StressLoop.Event>) -> Connection<StressLoop.Model> {
        self.consumer = consumer
        return Connection(
            acceptClosure: { [queue, check] model in
                dispatchPrecondition(condition: .onQueue(queue))
                check.receive(model)
            }, disposeClosure: {})
    }
}
