import Dispatch

extension Stage {
    /// Reads models in a task, at most so many; `body` goes on while it is told to.
    func read(_ most: Int, _ body: @escaping @Sendable (_ take: (StressLoop.Model) -> Bool) async -> Void) {
        readers.enter()
        let task = Task.detached {
            var (left, last) = (most, -1)
            var life = Int.min
            await body { model in
                if model.life == life {
                    Findings.expect(
                        model.version == last + 1,
                        "a sequence had version \(model.version) after \(last), life \(life)")
                }
                (life, last) = (model.life, model.version)
                left -= 1
                return left > 0
            }
            self.readers.leave()
        }
        keep(task)
    }

    /// Cancels those whose sequences go on, and waits until all have ended.
    func endReaders() {
        for task in takeReaderTasks() { task.cancel() }
        readers.wait()
    }
}
