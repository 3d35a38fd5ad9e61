/// How long and how much a ``Fetcher`` waits and reads for.
package struct FetchLimits: Sendable {
    /// From the start of a request to the last byte of its answer that is wanted; 10 s unless told.
    package var timeout: Duration = .seconds(10)
    /// The largest page in bytes, decompressed; 16 MiB unless told.
    package var pageBytes = 16 << 20
    /// How many bytes of a `robots.txt` are kept; 512 KiB unless told (RFC 9309 asks for 500 KiB at least).
    package var robotsBytes = 512 << 10
    /// How many times larger than its compressed form a body may become; 200 unless told: real pages stay below 50.
    package var inflation = 200
    /// The largest unwanted body that is read to its end, which is cheaper than a new connection; 64 KiB unless told.
    package var drainedBytes = 64 << 10

    /// The defaults.
    package init() {}
}
