/// The style and script of a report.
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
        h2 { margin: 0; font-size: 19px; }
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
        .filter { flex: 1 1 220px; max-width: 420px; padding: 8px 12px; border: 1px solid var(--rule); border-radius: 9px;
          background: var(--card); color: inherit; font: inherit; }
        .filter:focus { outline: 2px solid var(--link); outline-offset: 0; }
        .shown { color: var(--soft); font-size: 13px; }
        details { margin-top: 12px; background: var(--card); border: 1px solid var(--rule); border-radius: 12px; }
        summary { display: flex; align-items: baseline; gap: 10px; padding: 11px 16px; cursor: pointer; list-style: none; }
        summary::-webkit-details-marker { display: none; }
        summary::before { content: "▸"; color: var(--soft); } details[open] > summary::before { content: "▾"; }
        summary .page { flex: 1; overflow-wrap: anywhere; font-weight: 600; }
        summary .page a { color: inherit; text-decoration: none; } summary .page a:hover { text-decoration: underline; }
        .badge { padding: 1px 9px; border-radius: 99px; background: var(--bad-ground); color: var(--bad); font-size: 13px;
          font-weight: 600; font-variant-numeric: tabular-nums; }
        #redirects .badge, #unread .badge { background: var(--warm-ground); color: var(--warm); }
        .more { margin: 12px 16px; padding: 6px 14px; border: 1px solid var(--rule); border-radius: 9px; background: var(--card);
          color: var(--link); font: inherit; font-size: 13px; cursor: pointer; }
        table { width: 100%; border-collapse: collapse; }
        td { padding: 7px 16px; border-top: 1px solid var(--rule); vertical-align: top; }
        td.line { width: 1%; color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
        td.link { overflow-wrap: anywhere; min-width: 200px;
          font: 13.5px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        td.reason { width: 32%; } td.status { width: 1%; text-align: right; color: var(--bad); font-variant-numeric: tabular-nums; }
        td.status.plain { color: var(--soft); } td.status.plain b { font-weight: 400; }
        td.status.calm { color: var(--warm); } .to { color: var(--soft); }
        .well { padding: 44px 24px; text-align: center; background: var(--card); border: 1px solid var(--rule); border-radius: 12px; }
        .well .tick { width: 56px; height: 56px; margin: 0 auto 14px; border-radius: 50%; background: var(--good-ground);
          color: var(--good); font-size: 28px; line-height: 56px; } .well p { color: var(--soft); margin-bottom: 0; }
        .none { color: var(--soft); }
        footer { margin-top: 40px; padding-bottom: 40px; color: var(--soft); font-size: 13px; }
        [hidden] { display: none !important; }
        details { content-visibility: auto; contain-intrinsic-size: auto 120px; }
        @media (max-width: 640px) { header, main, footer { padding-left: 14px; padding-right: 14px; }
          tr { display: grid; grid-template-columns: 1fr auto; padding: 8px 14px; border-top: 1px solid var(--rule); }
          td { padding: 1px 0; border: 0; } td.link { grid-column: 1 / -1; grid-row: 2; }
          td.reason { width: auto; grid-column: 1 / -1; grid-row: 3; } td.line, td.status { width: auto; } }
        @media print { :root { --ground: #fff; } body { font-size: 11px; } header { padding-top: 0; } .bar { position: static; }
          .filter, .shown, .more, summary::before { display: none; } details { break-inside: auto; content-visibility: visible; }
          tr, summary { break-inside: avoid; } a { color: inherit; } .tile { padding: 8px 10px; } .tile b { font-size: 18px; } }
        """

    /// The lists and their filters.
    ///
    /// Groups and rows are kept as the lines they stand in, and become elements only when they are shown: a page of
    /// groups at a time, and the rows of a group when it is opened. A filter searches texts, not elements.
    static let script = """
        (() => {
          const entities = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#10": " ", "#13": " " };
          const text = html => html.replace(/<[^>]*>/g, " ").replace(/&([a-z0-9#]+);/g, (all, name) => entities[name] ?? all)
            .toLowerCase();
          const more = (count, show) => {
            const button = document.createElement("button");
            button.className = "more";
            button.textContent = `Show more (${count})`;
            button.addEventListener("click", () => { button.remove(); show(); });
            return button;
          };
          const parts = (html, start, end) => {
            const from = html.indexOf(start) + start.length;
            return html.slice(from, html.indexOf(end, from));
          };
          const begin = section => {
            const source = section.querySelector("noscript");
            const groups = source.textContent.split("<details").slice(1).map(html => ({
              summary: parts(html, "<summary>", "</summary>"),
              rows: parts(html, "<table>\\n", "</table>").split("\\n").filter(Boolean)
            }));
            const total = groups.reduce((sum, group) => sum + group.rows.length, 0);
            const index = () => {
              for (const group of groups) {
                if (group.texts) continue;
                group.page = text(parts(group.summary, ">", "</span>"));
                group.texts = group.rows.map(text);
              }
            };
            const list = document.createElement("div");
            source.replaceWith(list);
            const filter = section.querySelector(".filter");
            filter.hidden = false;
            const fill = (table, rows, from, limit) => {
              table.insertAdjacentHTML("beforeend", rows.slice(from, from + limit).join(""));
              const rest = rows.length - from - limit;
              if (rest > 0) table.after(more(rest, () => fill(table, rows, from + limit, 5 * limit)));
            };
            const element = ({ summary, rows }, isOpen, limit) => {
              const details = document.createElement("details");
              details.innerHTML = `<summary>${summary}</summary><table></table>`;
              let isFull = false;
              const open = () => {
                if (!isFull) fill(details.lastElementChild, rows, 0, limit);
                isFull = true;
              };
              if (isOpen) { details.open = true; open(); }
              details.addEventListener("toggle", open);
              return details;
            };
            let matches = groups, count = total;
            const show = (from, limit, isOpen) => {
              list.append(...matches.slice(from, from + limit).map(group => element(group, isOpen, limit)));
              const rest = matches.length - from - limit;
              if (rest > 0) list.append(more(rest, () => show(from + limit, limit, isOpen)));
            };
            const apply = () => {
              const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
              if (words.length) {
                index();
                matches = [];
                count = 0;
                for (const { summary, page, texts, rows } of groups) {
                  const wanted = words.filter(word => !page.includes(word));
                  const found = wanted.length ? rows.filter((_, i) => wanted.every(word => texts[i].includes(word))) : rows;
                  if (found.length) matches.push({ summary, rows: found });
                  count += found.length;
                }
              } else [matches, count] = [groups, total];
              list.replaceChildren();
              show(0, 100, count <= 100);
              section.querySelector(".none").hidden = count > 0;
              section.querySelector(".shown").textContent = words.length ? `${count} of ${total}` : "";
            };
            let timer;
            filter.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 80); });
            addEventListener("beforeprint", () => { list.replaceChildren(); show(0, Infinity, true); });
            apply();
            setTimeout(index, 0);
          };
          document.querySelectorAll(".list").forEach(begin);
        })();
        """
}
