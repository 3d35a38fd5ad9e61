/// Depends on all executables of Deploy/site-audit.yaml, so that one build makes them, on all processors.
@main
enum SiteAuditFleet {
    static func main() {
        print("Deploy/run starts what is built with this.")
    }
}
