// Plain JavaScript, because it runs before anything is compiled.
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { digestOf, ownSources, write } from "./compiled-files.js";

/**
 * The compiled files of the explorer, in the folder of the same name as their digest. Each also exists with the extensions
 * `.br` and `.gz`, compressed.
 * @typedef {{ script: string, style: string }} Assets
 * @typedef {{ digest: string, sources: string[], folder: string, explorer: Assets, reference: Assets, files: string[] }} Manifest
 */

/** Files that the browser loads first: those of the explorer, and of the reference page. */
const ENTRIES = {
  app: "explorer/browser.tsx",
  style: "explorer/styles.css",
  reference: "explorer/reference/browser.ts",
  "reference-style": "explorer/reference/styles.css",
};

/**
 * @param {string} root
 * @returns {Promise<Manifest>}
 */
async function build(root) {
  const { build: bundle } = await import("esbuild");
  /** @type {Map<string, Uint8Array>} */
  const loaded = new Map();
  const { metafile, outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: join("dist", "explorer"),
    // Names with a digest of the content, so that browsers may keep the files forever.
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    // Pages that pay or hash load more code than the others.
    splitting: true,
    format: "esm",
    target: "es2022",
    plugins: [ownSources(root, loaded)],
    minify: true,
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "silent",
  });
  const sources = Object.keys(metafile.inputs)
    .filter((path) => !path.includes("node_modules"))
    .map((path) => relative(root, resolve(root, path)))
    .sort();
  const digest = await digestOf(root, sources, loaded);
  const folder = join(root, "dist", `explorer-${digest}`);
  for (const { path, contents } of outputFiles) {
    const file = join(folder, basename(path));
    await write(`${file}.br`, await promisify(brotliCompress)(contents));
    await write(`${file}.gz`, await promisify(gzip)(contents));
    await write(file, contents);
  }
  const files = outputFiles.map(({ path }) => basename(path));
  /** @param {string} entry */
  const outputOf = (entry) => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry);
    if (!found) throw new Error(`${entry} compiled to nothing`);
    return basename(found[0]);
  };
  return {
    digest,
    sources,
    folder,
    explorer: { script: outputOf(ENTRIES.app), style: outputOf(ENTRIES.style) },
    reference: { script: outputOf(ENTRIES.reference), style: outputOf(ENTRIES["reference-style"]) },
    files,
  };
}

/**
 * Compiles the explorer's script and style sheet, unless that was done since the last edit.
 * @param {string} root
 * @returns {Promise<void>}
 */
export async function compileExplorer(root) {
  const manifestFile = join(root, "dist", "explorer.json");
  /** @type {Manifest | undefined} */
  const last = await readFile(manifestFile, "utf8").then(JSON.parse, () => undefined);
  if (last && existsSync(last.folder) && (await digestOf(root, last.sources).catch(() => "")) === last.digest) return;
  const manifest = await build(root);
  await write(manifestFile, JSON.stringify(manifest));
  if (last && last.folder !== manifest.folder) await rm(last.folder, { recursive: true, force: true });
}
