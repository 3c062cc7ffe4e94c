(() => {
  const text = document.getElementById("plots").textContent;
  const config = { responsive: true, displayModeBar: false };
  const draw = () => {
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--text").trim();
    const plots = JSON.parse(text.replaceAll("INK", ink));
    for (const [key, plot] of Object.entries(plots)) Plotly.react("plot-" + key, plot.data, plot.layout, config);
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
