import Foundation
import MobiusCore
import XCTest

class ControllerSymbolsTests: XCTestCase {
    private typealias Controller = MobiusController<Int, String, Int>

    private var builder: Mobius.Builder<Int, String, Int> {
        Mobius.loop(
            update: { (model: Int, event: String) in .next(model + event.count) },
            effectHandler: AnyConnectable<Int, String> { consumer in
                Connection(acceptClosure: { consumer("\($0)") }, disposeClosure: {})
            })
    }

    private let view = AnyConnectable<Int, String> { _ in
        Connection(acceptClosure: { _ in }, disposeClosure: {})
    }

    func testController() {
        let make: (Int, Initiate<Int, Int>?, DispatchQueue, DispatchQueue) -> Controller =
            builder.makeController(from:initiate:loopQueue:viewQueue:)
        let controller = make(
            1, { First(model: $0 + 10, effects: [7]) }, DispatchQueue(label: "loop"), DispatchQueue(label: "view"))
        let start: () -> Void = controller.start
        let stop: () -> Void = controller.stop
        let replaceModel: (Int) -> Void = controller.replaceModel
        let connectView: (AnyConnectable<Int, String>) -> UUID = controller.connectView
        let disconnectView: () -> Void = controller.disconnectView
        let disconnectViewByID: (UUID) -> Void = controller.disconnectView(id:)

        replaceModel(2)
        let id = connectView(view)
        controller.connectView(view)
        start()
        let running: Bool = controller.running
        XCTAssertTrue(running)
        stop()
        XCTAssertFalse(controller.running)
        disconnectViewByID(id)
        disconnectView()
        let model: Int = controller.model
        XCTAssertEqual(model, 13)
    }

    func testControllersWithDefaults() {
        let make: (Int, Initiate<Int, Int>?, DispatchQoS.QoSClass) -> Controller =
            builder.makeController(from:initiate:qos:)
        let controllers = [
            make(1, nil, .utility),
            builder.makeController(from: 1),
            builder.makeController(from: 1, initiate: { First(model: $0) }),
            builder.makeController(from: 1, qos: .background),
            builder.makeController(from: 1, loopQueue: .global()),
        ]
        for controller in controllers {
            controller.start()
            controller.stop()
            XCTAssertEqual(controller.model, 1)
        }
    }

    func testHooks() {
        let set: (@escaping (String, StaticString, UInt) -> Never) -> Void = MobiusHooks.setErrorHandler
        let handler: MobiusHooks.ErrorHandler = { message, file, line in fatalError(message, file: file, line: line) }
        set(handler)
        let current: (String, StaticString, UInt) -> Never = MobiusHooks.errorHandler
        _ = current
        let original: (String, StaticString, UInt) -> Never = MobiusHooks.defaultErrorHandler
        _ = original
        let reset: () -> Void = MobiusHooks.setDefaultErrorHandler
        reset()
    }
}
