public import Foundation
public import MobiusCore
public import MobiusEngine
public import MobiusProgram
import MobiusWire

// A fleet of several programs: its loops are found by their addresses.
extension TestFleet where Program == Programs {
    /// Creates a fleet of several programs: see ``init(_:routes:workers:startingWith:seed:faults:date:timing:realTimeLimit:clock:)``.
    ///
    /// No loop exists before its first event, except `main` where a program has that kind.
    public convenience init(
        programs: Programs, workers: [Workers] = [], seed: UInt64 = 1, faults: FleetFaults = .none,
        date: Date = Date(timeIntervalSince1970: 1_800_000_000), timing: SessionTiming = SessionTiming(),
        realTimeLimit: Duration = .seconds(10), clock: FleetClock = FleetClock()
    ) {
        self.init(SeveralPrograms(programs), workers, seed, faults, date, timing, realTimeLimit, clock)
    }

    /// Sends an event to a loop from outside: see ``send(_:to:key:)``.
    @discardableResult
    public func send<Own: FleetProgram>(_ event: Own.Event, to address: Address<Own>, key: String? = nil) -> Request {
        send(ErasedValue(event), to: loop(of: address), key: key)
    }

    /// The model that results from a loop's events on disk; the initial model if the loop has no events.
    public func model<Own: FleetProgram>(of address: Address<Own>) -> Own.Model {
        model(of: loop(of: address)).unwrapped()
    }

    /// Whether a loop has ended, by an effect with the route `.endsLoop`, and has not begun again.
    public func hasEnded<Own: FleetProgram>(_ address: Address<Own>) -> Bool { hasEnded(loop(of: address)) }

    private func loop<Own: FleetProgram>(of address: Address<Own>) -> LoopID {
        guard let loop = address.loop else {
            preconditionFailure("The name of a loop has \(LoopID.maximumLength) bytes at most: \(address) has not.")
        }
        return loop
    }
}
