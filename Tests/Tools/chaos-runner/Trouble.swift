/// What can happen to the company.
enum Trouble: CaseIterable {
    case killWorker, killCoordinator, killEverybody, killWire
    case stopWorker, stopCoordinator, stopWire
    case leaveWorker, leaveCoordinator
    case cut, cutInMidMessage, stall, swallow

    /// How often, in comparison.
    private var weight: Int {
        switch self {
        case .killWorker: 36
        case .killCoordinator: 22
        case .killWire: 5
        case .killEverybody: 3
        case .stopWorker: 10
        case .stopCoordinator: 4
        case .stopWire: 2
        case .leaveWorker: 4
        case .leaveCoordinator: 2
        case .cut: 4
        case .cutInMidMessage: 8
        case .stall: 2
        case .swallow: 2
        }
    }

    static func random(using random: inout some RandomNumberGenerator) -> Trouble {
        var place = Int.random(in: 0..<allCases.map(\.weight).reduce(0, +), using: &random)
        for trouble in allCases {
            place -= trouble.weight
            if place < 0 { return trouble }
        }
        return .killWorker
    }
}
