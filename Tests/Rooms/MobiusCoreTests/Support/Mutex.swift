#if MOBIUS_THREAD_SANITIZER
    import MobiusCore

    /// In builds for ThreadSanitizer, the lock that it sees: see `Lock`.
    typealias Mutex<Value: ~Copyable> = Lock<Value>
#endif
