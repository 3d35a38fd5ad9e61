package import MobiusEngine

/// A coordinator's machine, of its driver and of the host of its loops.
///
/// The driver passes all inputs to it. The host looks things up in it, and notes the loops that it does not let begin. Both are used on
/// the driver's thread only, and never while the machine handles an input.
package final class SharedMachine {
    // Unchecked: a machine never calls back, so nothing re-enters while it is changed; it is used twice for each event.
    @exclusivity(unchecked) package internal(set) var machine: CoordinatorMachine

    /// The driver's time, at which the machine handles its inputs.
    @exclusivity(unchecked) package internal(set) var moment: Moment

    /// Makes a new machine.
    package init(_ configuration: CoordinatorConfiguration, now: Moment) {
        machine = CoordinatorMachine(configuration)
        moment = now
    }
}
