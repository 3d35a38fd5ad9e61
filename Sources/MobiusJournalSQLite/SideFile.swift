package import MobiusJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Opens the files that a writer keeps beside its journal: the lock, the tail and the breadcrumb.
package enum SideFile {
    /// Opens the file for reading and writing; creates it, readable by its owner only, if it does not exist.
    ///
    /// A symbolic link is not followed, and only a regular file of this user with one name is opened: in a folder that
    /// others can write, a prepared link would otherwise redirect the writes to another file.
    ///
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: ``JournalError`` with code `notWritable`; its message tells the operator what to do.
    package static func open(_ path: String) throws(JournalError) -> CInt {
        // O_NONBLOCK: a named pipe is rejected below instead of blocking the call.
        let file = openDescriptor(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            let error = SystemError("open")
            switch error.number {
            case ELOOP: throw refused(path, "a symbolic link, which is not followed")
            case EISDIR: throw refused(path, "not a regular file")
            default: throw unusable(path, error)
            }
        }
        do throws(JournalError) {
            var status = stat()
            guard fstat(file, &status) == 0 else { throw unusable(path, SystemError("fstat")) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw refused(path, "not a regular file") }
            // On a network file system, the server may assign a file to another user than its creator.
            guard status.st_uid == geteuid() || geteuid() == 0 || NetworkFileSystem.name(of: file) != nil else {
                throw refused(path, "another user's file")
            }
            guard status.st_nlink <= 1 else { throw refused(path, "a file with other names, too") }
        } catch {
            close(file)
            throw error
        }
        return file
    }

    /// Opens the file and maps its first bytes.
    ///
    /// They are written at once: a hole for which the disk has no room would cause a bus error later.
    ///
    /// - Returns: The mapped memory, which the caller unmaps.
    /// - Throws: ``JournalError`` with code `notWritable`.
    package static func map(_ path: String, size: Int) throws(JournalError) -> UnsafeMutableRawBufferPointer {
        let file = try open(path)
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unusable(path, SystemError("fstat")) }
        let zeros = [UInt8](repeating: 0, count: 4096)
        var end = Int(status.st_size)
        while end < size {
            let written = pwrite(file, zeros, min(zeros.count, size - end), off_t(end))
            guard written > 0 else { throw unusable(path, SystemError("write")) }
            end += written
        }
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let mapped, mapped != MAP_FAILED else { throw unusable(path, SystemError("mmap")) }
        return UnsafeMutableRawBufferPointer(start: mapped, count: size)
    }

    private static func refused(_ path: String, _ what: String) -> JournalError {
        JournalError(
            .notWritable,
            "\(path) beside the journal is \(what): find out who made it, and move it away before you start again.")
    }

    private static func unusable(_ path: String, _ error: SystemError) -> JournalError {
        JournalError(
            .notWritable,
            "The file \(path) beside the journal cannot be written: \(JournalPath.advice(for: error.number)).",
            underlying: error)
    }
}

// The system's `open`, which the method of that name hides.
private func openDescriptor(_ path: String, _ flags: CInt) -> CInt { open(path, flags, 0o600) }
