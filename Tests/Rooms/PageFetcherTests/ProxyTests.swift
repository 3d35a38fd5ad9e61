import Foundation
import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Proxies", .patient)
struct ProxyTests {
    @Test("are those of the environment, but for the hosts that need none")
    func environment() async {
        // A process of its own, as its environment is changed.
        await #expect(processExitsWith: .success) {
            try await ScriptedServer.run { _ in
                [.send(ok("<a href=x>"))]
            } _: { proxy in
                setenv("http_proxy", proxy.address, 1)
                setenv("no_proxy", "127.0.0.1", 1)
                let page = try await answer("http://site.invalid/a/")
                #expect(page.links == ["http://site.invalid/a/x"])
                #expect(proxy.targets == ["GET http://site.invalid/a/"])
                try #expect(await answer(proxy.address + "/").status == 200)
                #expect(proxy.targets.last == "GET /")
                setenv("https_proxy", "http://127.0.0.1:1", 1)
                #expect(await fetch("https://site.invalid/") == .failed(.connectionFailed))
            }
        }
    }
}
