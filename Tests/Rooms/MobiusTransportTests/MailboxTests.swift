import FleetTestSupport
import Foundation
import MobiusTransport
import TestTraits
import Testing

@Suite("A mailbox", .patient)
struct MailboxTests {
    @Test("hands over everything, in the order of each sender, and wakes its receiver")
    func handsOver() throws {
        let mailbox = Mailbox<(sender: Int, number: Int)>()
        for sender in 0..<3 {
            Thread { for number in 0..<5000 { mailbox.post((sender, number)) } }.start()
        }
        var poller = Poller()
        _ = poller.add(mailbox.wakeUp)
        var next = [0, 0, 0]
        var taken: [(sender: Int, number: Int)] = []
        while next != [5000, 5000, 5000] {
            // A lost wake-up would show here.
            try #require(try poller.wait(timeout: Patience.limit) == 1)
            mailbox.wakeUp.drain()
            mailbox.drain(into: &taken)
            for (sender, number) in taken {
                #expect(number == next[sender])
                next[sender] += 1
            }
        }
        mailbox.drain(into: &taken)
        #expect(taken.isEmpty)
    }
}
