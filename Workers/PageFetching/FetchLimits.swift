/// The limits on the time and the size of what a ``Fetcher`` reads.
package struct FetchLimits: Sendable {
    /// From the start of a request to the last byte of its answer that is wanted; 10 s unless told.
    package var timeout: Duration = .seconds(10)
    /// The largest page in bytes, decompressed; 16 MiB unless told.
    package var pageBytes = 16 << 20
    /// The number of bytes of a `robots.txt` that are kept; 512 KiB unless told (RFC 9309 asks for 500 KiB at least).
    package var robotsBytes = 512 << 10
    /// The largest ratio of a body to its compressed form; 200 unless told: real pages stay below 50.
    package var inflation = 200
    /// The largest unwanted body that is read to its end, which is cheaper than a new connection; 64 KiB unless told.
    package var drainedBytes = 64 << 10

    /// The defaults.
    package init() {}
}
