import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Assets } from "../../../explorer/document";
import { StaticContent } from "../../http/static-content";

/** The path of the compiled files. */
export const ASSETS_PATH = "/explore/assets";

const MANIFEST = join(import.meta.dirname, "..", "..", "..", "dist", "explorer.json");

/** Written by stack/compile-explorer.js. */
const Manifest = z.object({ folder: z.string(), script: z.string(), style: z.string(), files: z.array(z.string()) });

/** The names contain a digest of the content. */
const IMMUTABLE = { "cache-control": "public, max-age=31536000, immutable" };

const typeOf = (name: string) => (name.endsWith(".css") ? "text/css; charset=UTF-8" : "text/javascript; charset=UTF-8");

type ExplorerAssets = { assets: Assets; files: ReadonlyMap<string, StaticContent> };

/** Reads the compiled script and style sheet of the explorer into memory. A later compilation deletes the files. */
export async function readAssets(manifestFile = MANIFEST): Promise<ExplorerAssets> {
  const { folder, script, style, files } = Manifest.parse(JSON.parse(await readFile(manifestFile, "utf8")));
  const contents = files.map(async (name): Promise<[string, StaticContent]> => {
    const file = join(folder, name);
    const [content, br, gzip] = await Promise.all([file, `${file}.br`, `${file}.gz`].map((path) => readFile(path)));
    return [name, new StaticContent(content ?? "", typeOf(name), IMMUTABLE, { br, gzip })];
  });
  return {
    assets: { script: `${ASSETS_PATH}/${script}`, style: `${ASSETS_PATH}/${style}` },
    files: new Map(await Promise.all(contents)),
  };
}
