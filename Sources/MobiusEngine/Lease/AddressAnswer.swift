/// The outcome of a connection to one of an endpoint's addresses.
package enum AddressAnswer: Equatable, Sendable {
    /// Something listens there.
    case accepted
    /// The host says that nobody listens there.
    case refused
    /// Nothing answers, or nobody says that nothing listens: a host that is lost or cut off, an address that cannot be reached.
    case silent

    /// Whether nobody listens at an endpoint, so that the process that did has ended: each of its addresses refuses.
    ///
    /// A process listens at one of them, perhaps: so one that is silent says nothing, whatever the others do, and nor does an endpoint
    /// without addresses.
    package static func isRefused(_ answers: [AddressAnswer]) -> Bool {
        !answers.isEmpty && answers.allSatisfy { $0 == .refused }
    }
}
