package import MobiusEngine

/// A coordinator's machine: its driver changes it, and the host of its loops looks things up in it.
///
/// Both are used on the driver's thread only.
package final class SharedMachine {
    // Unchecked: a machine never calls back, so nothing re-enters while it is changed; it is used twice for each event.
    @exclusivity(unchecked) package internal(set) var machine: CoordinatorMachine

    /// Makes a new machine.
    package init(_ configuration: CoordinatorConfiguration) {
        machine = CoordinatorMachine(configuration)
    }
}
