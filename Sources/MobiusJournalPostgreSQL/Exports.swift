#if PostgreSQL
    // What this room's public classes inherit.
    @_exported public import class MobiusJournalTables.TableJournal
#endif
