"use strict";
(() => {
  const order = new Intl.Collator("en", { numeric: true });

  // A cell is its number, its text, or nothing; nothing comes last in both directions.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const text = cell.textContent.trim();
    return text === "" || text === "–" ? null : text;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : order.compare(String(a), String(b));

  const makeSortable = (table) => {
    const headings = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    const groups = [...table.tBodies].map((body) => [body, [...body.rows]]);
    const rows = groups.flatMap(([, found]) => found);

    const restore = () => groups.forEach(([body, found]) => body.append(...found));
    const sort = (column, sign) => {
      const keyed = rows.map((row) => [keyOf(row, column), row]);
      keyed.sort(([a], [b]) => (a === null) - (b === null) || (a === null ? 0 : sign * compare(a, b)));
      groups[0][0].append(...keyed.map(([, row]) => row));
    };
    headings.forEach((heading, column) => {
      // Numbers start with the largest, text goes from A to Z.
      const first = heading.classList.contains("text") ? "ascending" : "descending";
      const second = first === "ascending" ? "descending" : "ascending";
      const next = { none: first, [first]: second, [second]: "none" };
      heading.querySelector("button").addEventListener("click", () => {
        const state = next[heading.getAttribute("aria-sort")];
        headings.forEach((other) => other.setAttribute("aria-sort", "none"));
        heading.setAttribute("aria-sort", state);
        if (state === "none") restore();
        else sort(column, state === "ascending" ? 1 : -1);
      });
    });
  };
  document.querySelectorAll("table[data-sorts]").forEach(makeSortable);

  document.querySelectorAll("button[data-copy]").forEach((button) => {
    const source = document.getElementById(button.dataset.copy);
    const label = button.textContent;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source); // copying is not allowed: ready for Ctrl+C
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  });

  // Boxes with hidden content show where it is, at an edge and in words above.
  const markScroll = (box) => {
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = "Scroll sideways to see everything →";
    hint.hidden = true;
    box.before(hint);
    const look = () => {
      const room = box.scrollWidth - box.clientWidth;
      const more = [];
      if (room > 1 && box.scrollLeft > 1) more.push("left");
      if (room > 1 && box.scrollLeft < room - 1) more.push("right");
      box.dataset.more = more.join(" ");
      hint.hidden = room <= 1;
    };
    box.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(box);
    look();
  };
  document.querySelectorAll(".scroll").forEach(markScroll);

  // The link of the section in view is marked.
  const links = new Map(
    [...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      links.get(target.id).toggleAttribute("aria-current", isIntersecting);
    }
  }, { rootMargin: "-30% 0px -65% 0px" });
  links.forEach((_, id) => watcher.observe(document.getElementById(id)));

  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((details) => { details.open = true; });
  });
})();
