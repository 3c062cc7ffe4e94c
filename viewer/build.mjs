// Builds the files of the viewer that the Python package contains: `npm run build` in this folder, or `make viewer`.
import { build } from "esbuild";
import { copyFile } from "node:fs/promises";

const bundle = process.argv[2] ?? "../mobilesim/viewing/bundle";

await build({
  entryPoints: { viewer: "src/main.tsx" },
  outdir: bundle,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
});
await build({ entryPoints: { viewer: "src/style.css" }, outdir: bundle, minify: true, legalComments: "none" });
await copyFile("node_modules/preact/LICENSE", `${bundle}/preact.LICENSE`);
