import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/**
 * The size of what a browser loads at once for a module, minified and compressed with gzip: its chunk and the chunks that it
 * imports statically. Chunks that it imports when they are used don't count. Without splitting there is only one chunk.
 */
export async function initialBytes(
  project: string,
  contents: string,
  { splitting = true } = {},
): Promise<{ bytes: number; modules: string[] }> {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: project, sourcefile: "entry.js" },
    absWorkingDir: project,
    outdir: join(project, "bundle"),
    bundle: true,
    splitting,
    minify: true,
    format: "esm",
    platform: "browser",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const outputs = metafile.outputs;
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === "entry.js") ?? [];
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: imported } of outputs[path]?.imports ?? [])
      if (kind === "import-statement") load(imported);
  };
  if (entry === undefined) throw new Error("esbuild wrote no chunk for the entry");
  load(entry);
  const files = outputFiles.filter(({ path }) => [...loaded].some((one) => basename(one) === basename(path)));
  return {
    bytes: files.reduce((sum, { contents: content }) => sum + gzipSync(content).length, 0),
    modules: [...loaded].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {})),
  };
}
