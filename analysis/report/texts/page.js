(() => {
  const text = document.getElementById("plots").textContent;
  const files = JSON.parse(document.getElementById("files").textContent);
  const config = { responsive: true, displayModeBar: false };
  const plots = (ink) => JSON.parse(text.replaceAll("INK", ink));
  const draw = () => {
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--text").trim();
    for (const [key, plot] of Object.entries(plots(ink))) {
      // A hidden box has no size. Its figure is drawn when it is shown.
      const box = document.getElementById("plot-" + key);
      if (!box.closest("[hidden]")) Plotly.react(box, plot.data, plot.layout, config);
    }
  };
  // A saved figure is for a white page: it has dark text, and the title and the legend that the page shows above it.
  const picture = (key) => {
    const { data, layout } = plots("#1c2430")[key];
    const box = document.getElementById("plot-" + key);
    const named = data.filter((trace) => trace.name && trace.showlegend !== false);
    const legend = { orientation: "h", x: 0, y: -0.25, yanchor: "top", traceorder: "normal" };
    const title = { text: files[key][0], font: { size: 15 }, x: 0, xanchor: "left", xref: "paper" };
    const more = { title, paper_bgcolor: "white", showlegend: named.length > 1, legend };
    const margin = { ...layout.margin, t: 48, b: 24 };
    const size = { width: Math.max(560, box.clientWidth), height: box.clientHeight + 110 };
    return Plotly.toImage({ data, layout: { ...layout, ...more, margin }, config }, { format: "svg", ...size })
      .then((url) => decodeURIComponent(url.slice(url.indexOf(",") + 1)));
  };
  const save = (name, type, content) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };
  document.addEventListener("click", (event) => {
    const { save: kind, figure: key } = event.target.closest("button[data-save]")?.dataset ?? {};
    if (kind === "csv") save(key + ".csv", "text/csv", files[key][1]);
    if (kind === "svg") picture(key).then((svg) => save(key + ".svg", "image/svg+xml", svg));
  });
  // A box that scrolls says so, and takes the focus, so that the arrow keys scroll it.
  const boxes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const scrolls = target.scrollWidth > target.clientWidth + 1;
      target.previousElementSibling.hidden = !scrolls;
      if (scrolls) Object.assign(target, { tabIndex: 0, role: "region" });
      else ["tabindex", "role"].forEach((name) => target.removeAttribute(name));
    }
  });
  document.querySelectorAll(".scroll").forEach((box) => boxes.observe(box));
  // A choice in one section holds for all: the page shows the slice that all boxes name.
  const boxesOfAxes = [...document.querySelectorAll("select[data-axis]")];
  const choose = ({ target }) => {
    if (!target.dataset.axis) return;
    const before = target.getBoundingClientRect().top;
    const chosen = {};
    for (const box of boxesOfAxes) {
      if (box.dataset.axis === target.dataset.axis) box.value = target.value;
      chosen[box.dataset.axis] = box.value;
    }
    const slice = Object.values(chosen).join("-");
    for (const each of document.querySelectorAll("[data-slice]")) each.hidden = each.dataset.slice !== slice;
    draw();
    // The window may have another size than when a figure was drawn.
    document.querySelectorAll("[data-slice]:not([hidden]) .plot").forEach((plot) => Plotly.Plots.resize(plot));
    // Sections above may be longer or shorter now. The box stays where it is.
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: "instant" });
  };
  document.addEventListener("change", choose);
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
