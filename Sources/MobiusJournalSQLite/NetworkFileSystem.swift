#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// File systems whose locks and syncs may not hold between hosts.
package enum NetworkFileSystem {
    /// Their types on Linux; for FUSE file systems the part after `fuse.`.
    private static let names: Set<Substring> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "coda", "ceph", "lustre", "9p", "ocfs2", "gfs2", "glusterfs",
        "sshfs", "s3fs", "rclone", "gcsfuse", "davfs", "davfs2",
    ]

    /// The type of the network file system that the open file is on; `nil` for a local one, or when the system does not
    /// report it.
    static func name(of file: CInt) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0, let mounts = fopen("/proc/self/mountinfo", "re") else { return nil }
        defer { fclose(mounts) }
        let device = Device(UInt64(truncatingIfNeeded: status.st_dev))
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        while getline(&line, &size, mounts) > 0 {
            guard let line, let type = type(of: device, in: String(cString: line)) else { continue }
            return name(ofType: type)
        }
        return nil
    }

    /// The file system type in a line of `/proc/self/mountinfo`; `nil` when the line is about another device.
    private static func type(of device: Device, in line: String) -> Substring? {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\n" })
        guard words.count > 4, Device(words[2], radix: 10) == device, let dash = words.firstIndex(of: "-"),
            dash + 1 < words.count
        else { return nil }
        return words[dash + 1]
    }

    /// `type` as a name, if it is a network file system; otherwise `nil`.
    package static func name(ofType type: Substring) -> String? {
        names.contains(type.hasPrefix("fuse.") ? type.dropFirst(5) : type) ? String(type) : nil
    }

    /// Whether `flock` takes a lock on the server there, which would block SQLite's readers, too.
    static func sharesLocks(_ name: String?) -> Bool {
        name.map { ["nfs", "nfs4", "cifs", "smb3", "smbfs"].contains($0) } ?? false
    }
}

/// A device number, split as Linux does.
struct Device: Equatable {
    let major: UInt64
    let minor: UInt64

    /// Splits `st_dev`.
    init(_ number: UInt64) {
        major = (number >> 8) & 0xfff | (number >> 32) & 0xffff_f000
        minor = number & 0xff | (number >> 12) & 0xffff_ff00
    }

    /// Parses a number such as "8:1".
    init?(_ text: Substring, radix: Int) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let major = UInt64(parts[0], radix: radix), let minor = UInt64(parts[1], radix: radix)
        else { return nil }
        (self.major, self.minor) = (major, minor)
    }
}
