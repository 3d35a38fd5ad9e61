import Clearing
import MobiusCoordinator
import MobiusJournalPostgreSQL

/// The coordinator of the bank whose accounts and transfers are loops that ask each other.
@main struct ClearingCoordinator: CoordinatorCommand {
    @Option(help: "How many milliseconds an account has to answer; as many as it takes by default.")
    var patience: Int?

    var programs: Programs {
        Account.self
        Transfer.routed(by: Transfer.routes(patience: patience.map { .milliseconds($0) }))
        Vault.self
    }

    func configure(_ settings: inout CoordinatorSettings) { settings.journalOpeners = [.postgreSQL] }
}
