"""The page's style and the few lines of script that draw the figures in the colours of the page."""

from typing import Final

from analysis.figures.style import INK

STYLE: Final = """
:root { color-scheme: light dark; --text: #1c2430; --soft: #5a6472; --line: #d8dde4; --page: #ffffff; --box: #f5f7fa;
  --good: #0b7a4b; --bad: #b3123a; --other: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ee; --soft: #a2acb9; --line: #39424e; --page: #14181d; --box: #1d232b;
    --good: #4fd09a; --bad: #ff7d98; --other: #f0b95a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.25; margin: 0 0 .4rem; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; padding-top: .6rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 2rem 0 .4rem; }
p { margin: .5rem 0; max-width: 48rem; }
.soft { color: var(--soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11.5rem, 1fr)); gap: .6rem; margin: 1rem 0; }
.facts div { background: var(--box); border-radius: .5rem; padding: .5rem .8rem; }
.facts dt { color: var(--soft); font-size: .82rem; }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.verdicts { list-style: none; padding: 0; margin: .8rem 0; }
.verdicts li { background: var(--box); border-left: .3rem solid var(--other); border-radius: .4rem;
  padding: .6rem .9rem; margin: .5rem 0; }
.verdicts .sound { border-color: var(--good); }
.verdicts .broken { border-color: var(--bad); }
.verdicts .open { border-color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; min-width: 100%; }
th, td { padding: .4rem .7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top;
  white-space: nowrap; }
th { font-weight: 600; }
td small { color: var(--soft); }
thead th { color: var(--soft); font-size: .84rem; white-space: normal; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal; }
td.words { text-align: left; white-space: normal; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .7rem 0 0; padding: 0; list-style: none;
  font-size: .9rem; }
.chip { display: inline-block; width: .85rem; height: .85rem; border-radius: .2rem; margin-right: .4rem;
  vertical-align: -.08rem; }
.plot { width: 100%; }
.plot + .scroll { margin-top: 1.2rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 1.5rem; }
.pair > * { min-width: 0; align-self: end; }
.says { font-weight: 500; }
.alarm { color: var(--bad); font-weight: 600; }
code { background: var(--box); border-radius: .3rem; padding: .1rem .35rem; font-size: .92em; }
pre { background: var(--box); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; }
pre code { padding: 0; }
"""

SCRIPT: Final = """
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
""".replace("INK", INK)

# Nothing may be fetched, whatever a name in the data contains.
POLICY: Final = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
