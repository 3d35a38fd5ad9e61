import Dispatch
import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

@Suite struct QueueingEventSubjectTests {
    @Test func `what is sent to nobody is kept for the subscriber, in order`() {
        let subject = QueueingEventSubject<Int>(capacity: 10)
        let events = Journey<Int>()
        subject.send(1)
        subject.send(2)
        let subscription = subject.subscribe { events.add($0) }
        subject.send(3)
        #expect(events.elements == [1, 2, 3])
        subscription.dispose()
        subject.send(4)
        subscription.dispose()
        #expect(events.elements == [1, 2, 3])
        _ = subject.subscribe { events.add($0) }
        #expect(events.elements == [1, 2, 3, 4])
    }

    @Test func `when it is full, the oldest give way`() {
        let subject = QueueingEventSubject<Int>(capacity: 2)
        #expect((1...4).map { subject.send($0) } == [true, true, false, false])
        let events = Journey<Int>()
        _ = subject.subscribe { events.add($0) }
        #expect(events.elements == [3, 4])
    }

    @Test func `or the newest, if that was asked for`() {
        let subject = QueueingEventSubject<Int>(capacity: 2, overflow: .dropNewest)
        #expect((1...4).map { subject.send($0) } == [true, true, false, false])
        let events = Journey<Int>()
        _ = subject.subscribe { events.add($0) }
        #expect(events.elements == [1, 2])
        #expect(subject.send(5), "there is a subscriber, so nothing is dropped")
    }

    @Test(arguments: [QueueingEventSubject<Int>.Overflow.dropOldest, .dropNewest])
    func `without capacity it is a plain subject`(overflow: QueueingEventSubject<Int>.Overflow) {
        let subject = QueueingEventSubject<Int>(capacity: 0, overflow: overflow)
        #expect(!subject.send(1))
        let events = Journey<Int>()
        _ = subject.subscribe { events.add($0) }
        #expect(subject.send(2))
        #expect(events.elements == [2])
    }

    @Test func `what is sent while an event is delivered follows it`() {
        let subject = QueueingEventSubject<Int>(capacity: 0)
        let story = Journey<String>()
        _ = subject.subscribe { event in
            story.add("begin \(event)")
            if event < 3 { subject.send(event + 1) }
            story.add("end \(event)")
        }
        subject.send(1)
        #expect(story.elements == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    }

    @Test(arguments: [(QueueingEventSubject<Int>.Overflow.dropOldest, [3, 4]), (.dropNewest, [2, 3])])
    func `a subscriber that leaves in the midst leaves the rest to the next, within the capacity`(
        overflow: QueueingEventSubject<Int>.Overflow, kept: [Int]
    ) {
        let subject = QueueingEventSubject<Int>(capacity: 2, overflow: overflow)
        let (events, subscriptions) = (Journey<Int>(), Journey<any Disposable>())
        subscriptions.add(
            subject.subscribe { event in
                events.add(event)
                for next in 2...4 { subject.send(next) }
                for subscription in subscriptions.elements { subscription.dispose() }
            })
        subject.send(1)
        #expect(events.elements == [1])
        let later = Journey<Int>()
        _ = subject.subscribe { later.add($0) }
        #expect(later.elements == kept)
    }

    @Test func `dispose waits for a delivery under way in another thread, and nothing follows`() {
        let subject = QueueingEventSubject<Int>(capacity: 10)
        let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let story = Journey<String>()
        let subscription = subject.subscribe { event in
            entered.signal()
            _ = mayGoOn.waitPatiently()
            story.add("\(event)")
        }
        let sent = onAnotherThread { subject.send(1) }
        #expect(entered.waitPatiently())
        subject.send(2)
        let disposed = onAnotherThread {
            subscription.dispose()
            story.add("disposed")
        }
        #expect(disposed.staysSilent())
        for _ in 1...2 { mayGoOn.signal() }
        #expect(sent.waitPatiently() && disposed.waitPatiently())
        // Whether 2 was delivered before the end depends on who was faster; it is never lost.
        _ = subject.subscribe { story.add("\($0)") }
        #expect(story.elements == ["1", "disposed", "2"] || story.elements == ["1", "2", "disposed"])
    }

    @Test func `many threads send and one leaves and comes: each event arrives once, in its sender's order`() {
        let subject = QueueingEventSubject<Int>(capacity: .max)
        let events = Journey<Int>()
        let senders = (0..<4).map { sender in
            onAnotherThread {
                for number in 0..<500 { subject.send(sender * 1000 + number) }
            }
        }
        for _ in 0..<50 { subject.subscribe { events.add($0) }.dispose() }
        for sender in senders { #expect(sender.waitPatiently()) }
        subject.subscribe { events.add($0) }.dispose()
        for sender in 0..<4 {
            #expect(events.elements.filter { $0 / 1000 == sender } == (0..<500).map { sender * 1000 + $0 })
        }
    }

    @Test func `a controller gets what was sent while it was stopped`() async throws {
        let subject = QueueingEventSubject<Int>(capacity: 10)
        let controller = Mobius.beginnerLoop(update: { (model: [Int], event: Int) in model + [event] })
            .withEventSource(subject)
            .makeController(from: [])
        subject.send(1)
        controller.start()
        subject.send(2)
        controller.stop()
        subject.send(3)
        #expect(controller.model == [1, 2])
        controller.start()
        controller.stop()
        #expect(controller.model == [1, 2, 3])
    }

    @Test func `a second subscriber is a programmer error`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            let subject = QueueingEventSubject<Int>(capacity: 1)
            let first = subject.subscribe { _ in }
            _ = subject.subscribe { _ in }
            first.dispose()
        }
        #expect(message(of: result) == "A QueueingEventSubject has a subscriber already: it takes one at a time.")
    }

    @Test func `a capacity below 0 is a programmer error`() async {
        await #expect(processExitsWith: .failure) {
            _ = QueueingEventSubject<Int>(capacity: -1)
        }
    }
}
