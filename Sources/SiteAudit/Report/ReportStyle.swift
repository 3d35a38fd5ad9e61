/// What a report looks like and the little it does.
enum ReportStyle {
    static let css = """
        :root { --ink: #1c2230; --soft: #5b6474; --ground: #f5f6f9; --card: #fff; --rule: #e2e5ec; --link: #2353c4;
          --bad: #b3261e; --bad-ground: #fdecea; --good: #1a7f4b; --good-ground: #e6f5ed; --warm: #8a5a00; --warm-ground: #fdf3dd; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e9f0; --soft: #9aa4b5; --ground: #14171e; --card: #1d212b;
          --rule: #303644; --link: #8fb0ff; --bad: #ff9a92; --bad-ground: #40201f; --good: #7bd8a6; --good-ground: #17362a;
          --warm: #f0c674; --warm-ground: #3a2f17; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
        header, main, footer { max-width: 1080px; margin: 0 auto; padding: 0 24px; }
        header { padding-top: 36px; }
        .kind { margin: 0; color: var(--soft); font-size: 13px; font-weight: 600; letter-spacing: .08em; text-transform: uppercase; }
        h1 { margin: 4px 0 24px; font-size: 26px; line-height: 1.25; overflow-wrap: anywhere; }
        h1 a { color: inherit; text-decoration: none; } h1 a:hover { text-decoration: underline; }
        h2 { margin: 0; font-size: 19px; } h3 { margin: 18px 0 4px; font-size: 14px; overflow-wrap: anywhere; }
        a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 12px; }
        .tile { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 14px 16px; }
        .tile b { display: block; font-size: 25px; line-height: 1.2; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .tile span { color: var(--soft); font-size: 13px; }
        .tile.bad { background: var(--bad-ground); border-color: transparent; } .tile.bad b, .tile.bad span { color: var(--bad); }
        .tile.good { background: var(--good-ground); border-color: transparent; } .tile.good b, .tile.good span { color: var(--good); }
        .tile.soft b { color: var(--warm); }
        .notes, .hint { color: var(--soft); font-size: 14px; } .notes { margin: 14px 2px 0; } .hint { margin: 6px 0; }
        section { margin-top: 34px; }
        .bar { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px;
          padding: 12px 0; background: var(--ground); }
        #filter { flex: 1 1 220px; max-width: 420px; padding: 8px 12px; border: 1px solid var(--rule); border-radius: 9px;
          background: var(--card); color: inherit; font: inherit; }
        #filter:focus { outline: 2px solid var(--link); outline-offset: 0; }
        #shown { color: var(--soft); font-size: 13px; }
        details { margin-top: 12px; background: var(--card); border: 1px solid var(--rule); border-radius: 12px; }
        summary { display: flex; align-items: baseline; gap: 10px; padding: 11px 16px; cursor: pointer; list-style: none; }
        summary::-webkit-details-marker { display: none; }
        summary::before { content: "▸"; color: var(--soft); } details[open] > summary::before { content: "▾"; }
        summary .page { flex: 1; overflow-wrap: anywhere; font-weight: 600; } summary h2 { flex: 1; }
        summary .page a { color: inherit; text-decoration: none; } summary .page a:hover { text-decoration: underline; }
        .badge { padding: 1px 9px; border-radius: 99px; background: var(--bad-ground); color: var(--bad); font-size: 13px;
          font-weight: 600; font-variant-numeric: tabular-nums; }
        .badge.calm { background: var(--warm-ground); color: var(--warm); }
        .all > :not(summary) { margin-left: 16px; margin-right: 16px; } .all > table { width: calc(100% - 32px); margin-bottom: 12px; }
        table { width: 100%; border-collapse: collapse; }
        td { padding: 7px 16px; border-top: 1px solid var(--rule); vertical-align: top; }
        .all td { padding-left: 0; }
        td.line { width: 1%; color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
        td.link { overflow-wrap: anywhere; min-width: 200px;
          font: 13.5px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        td.reason { width: 32%; } td.status { width: 1%; text-align: right; color: var(--bad); font-variant-numeric: tabular-nums; }
        td.status.plain { color: var(--soft); } td.status.plain b { font-weight: 400; }
        td.status.calm { color: var(--warm); } .to { color: var(--soft); }
        .well { padding: 44px 24px; text-align: center; background: var(--card); border: 1px solid var(--rule); border-radius: 12px; }
        .well .tick { width: 56px; height: 56px; margin: 0 auto 14px; border-radius: 50%; background: var(--good-ground);
          color: var(--good); font-size: 28px; line-height: 56px; } .well p { color: var(--soft); margin-bottom: 0; }
        #none { color: var(--soft); }
        footer { margin-top: 40px; padding-bottom: 40px; color: var(--soft); font-size: 13px; }
        [hidden] { display: none !important; }
        details { content-visibility: auto; contain-intrinsic-size: auto 120px; }
        @media (max-width: 640px) { header, main, footer { padding-left: 14px; padding-right: 14px; }
          tr { display: grid; grid-template-columns: 1fr auto; padding: 8px 14px; border-top: 1px solid var(--rule); }
          td { padding: 1px 0; border: 0; } td.link { grid-column: 1 / -1; grid-row: 2; }
          td.reason { width: auto; grid-column: 1 / -1; grid-row: 3; } td.line, td.status { width: auto; } }
        @media print { :root { --ground: #fff; } body { font-size: 11px; } header { padding-top: 0; } .bar { position: static; }
          #filter, #shown, summary::before { display: none; } details { break-inside: auto; content-visibility: visible; }
          tr, summary { break-inside: avoid; } a { color: inherit; } .tile { padding: 8px 10px; } .tile b { font-size: 18px; } }
        """

    /// The filter box.
    ///
    /// Each row's text is read once; a pause in typing, not each key, starts the search.
    static let script = """
        (() => {
          const filter = document.getElementById("filter");
          if (!filter) return;
          const groups = [...document.querySelectorAll("#broken details")].map(element => ({
            element, page: element.querySelector(".page").textContent.toLowerCase(),
            rows: [...element.querySelectorAll("tr")].map(row => ({ row, text: row.textContent.toLowerCase() }))
          }));
          const total = groups.reduce((sum, group) => sum + group.rows.length, 0);
          const apply = () => {
            const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
            let shown = 0;
            for (const group of groups) {
              let visible = 0;
              for (const { row, text } of group.rows) {
                const matches = words.every(word => text.includes(word) || group.page.includes(word));
                row.hidden = !matches;
                if (matches) visible++;
              }
              group.element.hidden = visible === 0;
              shown += visible;
            }
            document.getElementById("none").hidden = shown > 0;
            document.getElementById("shown").textContent = words.length ? `${shown} of ${total}` : "";
          };
          let timer;
          filter.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 80); });
          addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(each => { each.open = true; }));
          if (filter.value) apply();
        })();
        """
}
