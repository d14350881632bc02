"use strict";
// Tables that sort, and charts of the same numbers. Names of others only ever become text nodes.
(() => {
  const TIME = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"], [1, "ps"]];
  const PARTS = [
    ["compute_only_ps", "compute", "var(--blue)"],
    ["overlapped_ps", "compute over communication", "var(--teal)"],
    ["comm_exposed_ps", "exposed communication", "var(--red)"],
    ["copy_ps", "copy", "var(--purple)"],
    ["sync_ps", "synchronisation", "var(--yellow)"],
    ["control_ps", "control flow", "var(--grey)"],
    ["idle_ps", "idle", "var(--pale)"],
  ];
  const CATEGORIES = {
    compute: "var(--blue)", communication: "var(--red)", copy: "var(--purple)", sync: "var(--yellow)",
    control: "var(--grey)",
  };
  const STEPS = {
    steady: "var(--blue)", "not counted": "var(--teal)", "warm-up": "var(--yellow)", compiles: "var(--purple)",
    cut: "var(--grey)",
  };
  const BELOW = { labelAnchor: "center", labelOffset: 38 };
  const MOST_DEVICES = 64;
  const MOST_BARS = 25;
  const ROOT = "\0"; // d3.stratify takes an empty text for no parent

  const rowsOf = (columns) => {
    const names = Object.keys(columns);
    return columns[names[0]].map((_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]])));
  };
  const unitOf = (most) => TIME.find(([size]) => most >= size) ?? TIME.at(-1);
  const time = (ps) => {
    const [size, unit] = unitOf(Math.abs(ps));
    return ps === 0 ? "0" : `${Number((ps / size).toPrecision(4))} ${unit}`;
  };
  const percent = (share) => (share === null ? "—" : `${(share * 100).toFixed(1)}%`);
  // What could hide or turn text, as its code.
  const printable = (text) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);
  const cut = (text, characters) => {
    const letters = [...printable(text)];
    if (letters.length <= characters) return letters.join("");
    const tail = Math.floor((characters - 1) / 2);
    return `${letters.slice(0, characters - 1 - tail).join("")}…${letters.slice(letters.length - tail).join("")}`;
  };
  const legend = (colors, present) => {
    const names = Object.keys(colors).filter((name) => present.has(name));
    return { domain: names, range: names.map((name) => colors[name]), legend: names.length > 1 };
  };

  function stepSeries(rows, width) {
    const [size, unit] = unitOf(d3.max(rows, (row) => row.duration_ps));
    const kind = (row) =>
      row.is_steady ? "steady" : row.has_compile ? "compiles" : !row.is_whole ? "cut" : row.is_warmup ? "warm-up" : "not counted";
    const point = { x: "step_num", y: (row) => row.duration_ps / size };
    return Plot.plot({
      width, height: 260, marginLeft: 56, marginBottom: 44,
      x: { ...BELOW, label: "step", tickFormat: (step) => (Number.isInteger(step) ? String(step) : "") },
      y: { label: `step time (${unit})`, zero: true, grid: true },
      color: legend(STEPS, new Set(rows.map(kind))),
      marks: [
        Plot.ruleY([0]),
        Plot.lineY(rows, { ...point, stroke: "var(--line)" }),
        Plot.dot(rows, {
          ...point, fill: kind, r: rows.length > 200 ? 2 : 4, tip: true,
          title: (row) => `step ${row.step_num}: ${time(row.duration_ps)}, ${kind(row)}`,
        }),
      ],
    });
  }

  function devices(rows, width) {
    const shown = rows.slice(0, MOST_DEVICES);
    const several = new Set(shown.map((row) => row.host)).size > 1;
    const nameOf = (row) => (several ? `${row.host} ${row.device}` : row.device);
    const bars = shown.flatMap((row) => {
      const window_ps = d3.sum(PARTS, ([part]) => row[part]);
      return PARTS.map(([part, name]) => ({ device: nameOf(row), part: name, ps: row[part], share: row[part] / window_ps }));
    }).filter((bar) => bar.ps > 0);
    const names = [...new Set(shown.map(nameOf))];
    const margin = Math.min(width / 3, 14 + 7 * d3.max(names, (name) => name.length));
    return Plot.plot({
      width, height: 66 + 24 * names.length, marginLeft: margin, marginBottom: 44,
      x: { ...BELOW, label: "share of the window (%)", percent: true, domain: [0, 100] },
      y: { label: null, domain: names, tickFormat: (name) => cut(name, Math.max(4, Math.floor((margin - 14) / 7))) },
      color: legend(Object.fromEntries(PARTS.map(([, name, color]) => [name, color])), new Set(bars.map((bar) => bar.part))),
      marks: [
        Plot.barX(bars, {
          x: "share", y: "device", fill: "part", inset: 0.5, order: PARTS.map(([, name]) => name), tip: true,
          title: (bar) => `${printable(bar.device)}, ${bar.part}: ${time(bar.ps)}, ${percent(bar.share)}`,
        }),
      ],
    });
  }

  const bars = (value, share, words) => (rows, width) => {
    const shown = rows.filter((row) => row[value] > 0).slice(0, MOST_BARS);
    if (shown.length === 0) return null;
    const [size, unit] = unitOf(d3.max(shown, (row) => row[value]));
    const margin = Math.min(260, Math.floor(width * 0.4));
    const names = new Map(shown.map((row) => [row.rank, cut(row.name, Math.max(8, Math.floor((margin - 12) / 7)))]));
    return Plot.plot({
      width, height: 66 + 20 * shown.length, marginLeft: margin, marginBottom: 44,
      x: { ...BELOW, label: `${words} (${unit})`, grid: true },
      y: { label: null, domain: shown.map((row) => row.rank), tickFormat: (rank) => names.get(rank), tickSize: 0 },
      color: legend(CATEGORIES, new Set(shown.map((row) => row.category))),
      marks: [
        Plot.barX(shown, {
          x: (row) => row[value] / size, y: "rank", fill: "category", inset: 1, tip: true,
          title: (row) => `${printable(row.name)}: ${time(row[value])}, ${percent(row[share])}, ${row.count} executions`,
        }),
        Plot.ruleX([0]),
      ],
    });
  };

  function regions(rows, width) {
    // The ranking may leave out small regions: their time stays blank below the region around them.
    const known = new Set(rows.map((row) => row.region));
    const below = d3.rollup(rows, (group) => d3.sum(group, (row) => row.inclusive_ps), (row) => row.parent);
    const root = d3.stratify().id((row) => row.region).parentId((row) => row.up)([
      { region: ROOT, up: null, own: 0 },
      ...rows.map((row) => ({
        ...row, up: known.has(row.parent) ? row.parent : ROOT, own: row.inclusive_ps - (below.get(row.region) ?? 0),
      })),
    ]).sum((row) => row.own).sort((a, b) => b.value - a.value);
    const tiles = d3.partition()(root).descendants().slice(1);
    const top = d3.max(tiles, (tile) => tile.depth);
    const text = (tile) => {
      const room = Math.floor(((tile.x1 - tile.x0) * width - 8) / 6.6);
      const name = tile.id.split("/").at(-1);
      return room < 3 ? "" : cut(name, room);
    };
    return Plot.plot({
      width, height: 26 * top + 8, margin: 4,
      x: { axis: null, domain: [0, 1] }, y: { axis: null, domain: [top + 1, 1] },
      marks: [
        Plot.rect(tiles, {
          x1: "x0", x2: "x1", y1: "depth", y2: (tile) => tile.depth + 1, inset: 1, rx: 2,
          fill: "var(--blue)", fillOpacity: (tile) => 0.2 + 0.45 * (tile.value / root.value), tip: true,
          title: (tile) => `${printable(tile.id)}: ${time(tile.data.inclusive_ps)}, ${percent(tile.data.inclusive_share)}`,
        }),
        Plot.text(tiles, {
          x: (tile) => (tile.x0 + tile.x1) / 2, y: (tile) => tile.depth + 0.5, text, fill: "var(--ink)",
          pointerEvents: "none",
        }),
      ],
    });
  }

  function roofline(rows, width) {
    const shown = rows.filter((row) => row.flops_per_s > 0 && row.intensity > 0);
    if (shown.length === 0) return null;
    const [least, most] = d3.extent(shown, (row) => row.intensity);
    const roofs = d3.groups(
      shown.filter((row) => row.peak_flops_per_s && row.peak_hbm_bytes_per_s),
      (row) => `${row.peak_flops_per_s} ${row.peak_hbm_bytes_per_s}`,
    ).flatMap(([key, [row]]) => {
      const ridge = row.peak_flops_per_s / row.peak_hbm_bytes_per_s;
      const edges = [Math.min(least, ridge) / 2, ridge, Math.max(most, ridge) * 2];
      return edges.map((x) => ({ key, x, y: Math.min(row.peak_flops_per_s, x * row.peak_hbm_bytes_per_s) }));
    });
    const bound = (row) => row.bound_by ?? "unknown";
    const colors = { compute: "var(--blue)", memory: "var(--red)", unknown: "var(--grey)" };
    const si = d3.format("~s");
    return Plot.plot({
      width, height: 340, marginLeft: 56, marginBottom: 44,
      x: { ...BELOW, type: "log", label: "intensity (flops per byte)", tickFormat: (x) => (x < 1 ? String(x) : si(x)), ticks: width < 500 ? 4 : 8, grid: true },
      y: { type: "log", label: "flops per second", tickFormat: si, ticks: 6, grid: true },
      r: { range: [2, 14] },
      color: { ...legend(colors, new Set(shown.map(bound))), legend: true },
      marks: [
        Plot.line(roofs, { x: "x", y: "y", z: "key", stroke: "currentColor" }),
        Plot.dot(shown, {
          x: "intensity", y: "flops_per_s", r: "self_ps", fill: bound, fillOpacity: 0.65, tip: true,
          title: (row) => `${printable(row.name)}: ${si(row.flops_per_s)}flop/s at ${row.intensity.toPrecision(3)} flops per byte, ${time(row.self_ps)}`,
        }),
      ],
    });
  }

  const DRAWN = {
    step_series: stepSeries,
    devices,
    hot_ops: bars("self_ps", "self_share", "self time on all devices"),
    regions,
    pre_op_gaps: bars("idle_ps", "idle_share", "idle time before the op"),
    roofline,
  };

  function draw(figure, rows) {
    const width = Math.floor(figure.clientWidth);
    if (width === 0 || figure.dataset.width === String(width)) return;
    figure.dataset.width = String(width);
    const chart = DRAWN[figure.dataset.chart](rows, width);
    if (chart === null) return figure.remove();
    for (const swatch of chart.querySelectorAll("div svg")) swatch.setAttribute("aria-hidden", "true");
    const svg = chart.matches("svg") ? chart : chart.querySelector(":scope > svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", figure.getAttribute("aria-label"));
    figure.replaceChildren(chart);
  }

  const data = JSON.parse(document.getElementById("data").textContent);
  const redraw = new ResizeObserver((entries) => {
    for (const { target } of entries) requestAnimationFrame(() => draw(target, target.rows));
  });
  for (const figure of document.querySelectorAll("figure[data-chart]")) {
    figure.rows = rowsOf(data[figure.dataset.chart]);
    draw(figure, figure.rows);
    redraw.observe(figure);
  }

  function sort(table, index, descending) {
    const key = (row) => {
      const cell = row.cells[index];
      return cell.classList.contains("number") ? (cell.dataset.v === undefined ? null : Number(cell.dataset.v)) : cell.textContent;
    };
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null); // what is unknown stays below
      const order = typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
      return descending ? -order : order;
    });
    body.append(...rows.map(([, row]) => row));
  }

  for (const button of document.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const sorted = head.getAttribute("aria-sort");
      const descending = sorted === null ? head.classList.contains("number") : sorted === "ascending";
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sort(head.closest("table"), head.cellIndex, descending);
    });
  }
})();
