import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusTestKit
import MobiusWire

extension World {
    /// Drops or passes all messages of the links to the coordinator process of an epoch.
    package func mute(_ epoch: UInt64, _ isMuted: Bool) {
        for link in links.values where link.epoch == epoch {
            link.muted = isMuted ? Set(Link.Way.allCases) : []
            // Connections that ended meanwhile are detected now.
            if !isMuted, !link.isOpen { link.isEndDetected = true }
        }
    }
}

extension CoordinatorProcess {
    /// The workers that hold effects, once it has ended in order; `nil` when others may, too.
    var possibleHolders: [Incarnation]? { host.hasEnded ? driver.machine.holders : nil }
}
