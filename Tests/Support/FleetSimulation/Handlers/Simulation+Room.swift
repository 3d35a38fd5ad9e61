import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusTestKit
import MobiusWire

// Promise 5 with a time limit, for handlers that wait: acknowledgements arrive.
extension Simulation {
    /// The scripted handlers of a worker.
    func scripted(_ worker: MobiusTestKit.WorkerProcess<Program>) -> ScriptedWorkerHandlers<Program>? {
        worker.handlers as? ScriptedWorkerHandlers<Program>
    }

    /// Plans a check, now that no more messages are lost: all handlers that wait for acknowledgements must get them.
    func expectRoom() {
        for worker in world.workers.compactMap(\.self) {
            for run in scripted(worker)?.waiting ?? [] { expectRoom(for: run, in: worker) }
        }
    }

    /// Plans a check, now that no more messages are lost: a handler that waits for acknowledgements must get them, if
    /// its connection lasts.
    func expectRoom(for run: HandlerRun<Program>, in worker: MobiusTestKit.WorkerProcess<Program>) {
        guard let witness = coordinator(of: run.id.effect.loop), witness.isAlive,
            let port = worker.ports.first(where: { $0.shard == witness.shard }), let link = port.link, link.isOpen,
            link.epoch == witness.epoch, witness.host.held[run.id.effect.loop] == nil
        else { return }
        let (wait, start) = (run.waits, world.now)
        plan(after: scenario.timing.resend + world.slack * 2 + world.slowestFlush) { simulation in
            guard witness.isAlive, !witness.isEnding, !witness.hasWaited(since: start), worker.isAlive,
                port.link === link, run.waitsForRoom, run.waits == wait, !run.isOver
            else { return }
            simulation.violated(.nothingLost, "\(run.id) still waits in \(worker.name) for acknowledgements")
        }
    }
}
