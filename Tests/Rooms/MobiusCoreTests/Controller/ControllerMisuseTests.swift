import Dispatch
import Foundation
import MobiusCore
import Testing

/// A controller used against its state: a programmer error, reported on the caller's thread at the caller's line.
@Suite struct ControllerMisuseTests {
    /// A way to misuse a controller, and how the report begins.
    enum Misuse: String, CaseIterable, Codable {
        case startTwice = "start() was called on a controller that is running"
        case stopStopped = "stop() was called on a controller that is not running"
        case connectRunning = "A view was connected while the loop runs"
        case disconnectRunning = "A view was disconnected while the loop runs: stop it first."
        case disconnectNone = "No view is connected that could be disconnected."
        case disconnectSeveral = "Several views are connected"
        case disconnectUnknown = "No view is connected with the id"
        case replaceRunning = "replaceModel(_:) was called while the loop runs"

        func commit(with controller: MobiusController<String, String, String>) {
            switch self {
            case .startTwice:
                controller.start()
                controller.start()
            case .stopStopped: controller.stop()
            case .connectRunning:
                controller.start()
                controller.connectView(RecordingView())
            case .disconnectRunning:
                controller.connectView(RecordingView())
                controller.start()
                controller.disconnectView()
            case .disconnectNone: controller.disconnectView()
            case .disconnectSeveral:
                controller.connectView(RecordingView())
                controller.connectView(RecordingView())
                controller.disconnectView()
            case .disconnectUnknown: controller.disconnectView(id: UUID())
            case .replaceRunning:
                controller.start()
                controller.replaceModel("R")
            }
        }
    }

    @Test(arguments: Misuse.allCases)
    func `is reported at the caller's line`(_ misuse: Misuse) async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) { [misuse] in
            printErrorsAndLeave()
            misuse.commit(with: Diary.loop().makeController(on: Queues()))
        }
        #expect(message(of: result).hasPrefix(misuse.rawValue))
        #expect(message(of: result).hasSuffix("[ControllerMisuseTests.swift]"))
    }

    @Test func `stopping it from an effect handler is reported, and says what to do`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            let controllers = Recorder<MobiusController<String, String, String>>()
            let handler = Diary.handler { _, _ in controllers.values.first?.stop() }
            let controller = Mobius.loop(update: Diary.update, effectHandler: handler).makeController(on: Queues())
            controllers.record(controller)
            let view = RecordingView()
            controller.connectView(view)
            controller.start()
            view.send("ask x")
            _ = await eventually { !controller.running }
        }
        #expect(message(of: result).hasPrefix("stop() was called on the loop's own queue"))
        #expect(message(of: result).contains("DispatchQueue.main.async { controller.stop() }"))
        #expect(message(of: result).hasSuffix("[ControllerMisuseTests.swift]"))
    }

    @Test func `the report comes on the caller's thread, without a lock held`() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let controller = Diary.loop().makeController(on: Queues())
            let caller = pthread_self()
            MobiusHooks.setErrorHandler { _, _, _ in
                // Would wait for ever if a lock were held.
                let isCaller = pthread_equal(pthread_self(), caller) != 0
                exit(isCaller && !controller.running && controller.model == "S" ? 0 : 1)
            }
            controller.stop()
        }
    }
}
