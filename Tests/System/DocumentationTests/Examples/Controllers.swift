import Dispatch
import FleetTestSupport
import Foundation
import MobiusCore
import Testing

// example: view
struct ReaderView: Connectable {
    let show: @Sendable (Reader) -> Void
    let buttons: Buttons

    func connect(_ consumer: @escaping Consumer<ReaderEvent>) -> Connection<Reader> {
        buttons.onPress = { consumer(.turnedPage) }
        return Connection(
            acceptClosure: { reader in show(reader) },
            disposeClosure: { buttons.onPress = nil })
    }
}
// end

struct Reader: Equatable, Codable, Sendable {
    var page = 1
    var text: String?
}

enum ReaderEvent: Equatable, Sendable {
    case turnedPage
    case loaded(String)
}

enum ReaderEffect: Equatable, Sendable {
    case load(page: Int)
}

func update(reader: Reader, event: ReaderEvent) -> Next<Reader, ReaderEffect> {
    switch event {
    case .turnedPage:
        .next(Reader(page: reader.page + 1), effects: [.load(page: reader.page + 1)])
    case .loaded(let text):
        .next(Reader(page: reader.page, text: text))
    }
}

/// A view's button.
final class Buttons: Sendable {
    private let lock = NSLock()
    // Read and written with the lock held only.
    nonisolated(unsafe) private var action: (@Sendable () -> Void)?

    var onPress: (@Sendable () -> Void)? {
        get { lock.withLock { action } }
        set { lock.withLock { action = newValue } }
    }
}

@Suite("Examples: controllers")
struct ControllerExamples {
    private let loads = Journey<Int>()
    private let shown = Journey<Reader>()
    private let queue = DispatchQueue(label: "views")

    private var router: EffectRouter<ReaderEffect, ReaderEvent> {
        let loads = loads
        return EffectRouter().routeCase(ReaderEffect.load).toEvent { page in
            loads.add(page)
            return .loaded("page \(page)")
        }
    }

    @Test("stop keeps the model, start goes on from it")
    func stopAndStart() async throws {
        let (shown, buttons) = (shown, Buttons())
        let view = ReaderView(show: { shown.add($0) }, buttons: buttons)
        let viewQueue = queue
        // example: life
        let controller = Mobius.loop(update: update, effectHandler: router)
            .makeController(from: Reader(), loopQueue: .global(), viewQueue: viewQueue)
        controller.connectView(view)

        controller.start()  // the view appears
        buttons.onPress?()
        controller.stop()  // the view disappears: everything sent before has been applied
        print(controller.model.page)  // 2

        controller.start()  // goes on with page 2
        controller.stop()
        controller.disconnectView()
        // end
        #expect(controller.model == Reader(page: 2, text: "page 2"))
        #expect(loads.elements == [2])
        #expect(shown.elements.allSatisfy { $0.page <= 2 })
    }

    @Test("of the comment")
    func comment() {
        let (shown, router) = (shown, router)
        let view = ReaderView(show: { shown.add($0) }, buttons: Buttons())
        // example: comment-controller
        let controller = Mobius.loop(update: update, effectHandler: router).makeController(from: Reader())
        controller.connectView(view)  // a Connectable: it accepts models and sends events
        controller.start()
        controller.stop()  // the model stays, for the next start
        // end
        #expect(controller.model == Reader())
    }

    @Test("several views")
    func severalViews() async throws {
        let (left, right) = (Journey<Reader>(), Journey<Reader>())
        let leftView = ReaderView(show: { left.add($0) }, buttons: Buttons())
        let rightView = ReaderView(show: { right.add($0) }, buttons: Buttons())
        let controller = Mobius.loop(update: update, effectHandler: router)
            .makeController(from: Reader(), loopQueue: .global(), viewQueue: queue)
        // example: several
        let leftID = controller.connectView(leftView)
        let rightID = controller.connectView(rightView)
        controller.start()
        // end
        try await left.wait { $0.count == 1 }
        try await right.wait { $0.count == 1 }
        controller.stop()
        // example: disconnect
        controller.disconnectView(id: leftID)
        // end
        controller.start()
        try await right.wait { $0.count == 2 }
        controller.stop()
        controller.disconnectView(id: rightID)
        #expect(left.elements.count == 1)
    }

    @Test("initiate decides on each start")
    func initiate() {
        // example: initiate
        let controller = Mobius.loop(update: update, effectHandler: router).makeController(
            from: Reader(),
            initiate: { reader in
                // The text was not saved, or was being loaded when the loop was stopped: ask for it again.
                reader.text == nil
                    ? First(model: reader, effects: [.load(page: reader.page)])
                    : First(model: reader)
            })
        // end
        controller.start()
        controller.stop()
        #expect(controller.model.text == "page 1")
        controller.start()
        controller.stop()
        #expect(loads.elements == [1])
    }

    @Test("saved state")
    func savedState() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "reader-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let builder = Mobius.loop(update: update, effectHandler: router)
        let old = builder.makeController(from: Reader(page: 7))
        // example: save
        try JSONEncoder().encode(old.model).write(to: file)
        // end
        // example: restore
        let saved = try? JSONDecoder().decode(Reader.self, from: Data(contentsOf: file))
        let controller = builder.makeController(from: saved ?? Reader())
        // end
        #expect(controller.model.page == 7)
        // example: replace
        controller.replaceModel(Reader(page: 3))  // only while stopped
        // end
        #expect(controller.model.page == 3)
    }

    @Test("models as a sequence, over all starts")
    func models() async {
        let controller = Mobius.loop(update: update, effectHandler: router)
            .makeController(from: Reader(text: "page 1"), loopQueue: .global(), viewQueue: queue)
        // example: models
        let pages = Task {
            for await reader in controller.models where reader.page == 2 {
                return reader.page
            }
            return 0
        }
        // end
        let buttons = Buttons()
        controller.connectView(ReaderView(show: { _ in }, buttons: buttons))
        controller.start()
        buttons.onPress?()
        #expect(await pages.value == 2)
        controller.stop()
    }
}
