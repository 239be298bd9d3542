import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import { projectRoot } from "../../../config/project-root";
import type { Assets } from "../../../explorer/document";
import { StaticContent } from "../../http/static-content";

/** The path of the compiled files. */
export const ASSETS_PATH = "/explore/assets";

const MANIFEST = join(projectRoot, "dist", "current", "explorer", "manifest.json");

/** Written by stack/build.js. */
const Entry = z.object({ script: z.string(), style: z.string() });
const Manifest = z.object({ explorer: Entry, reference: Entry, files: z.array(z.string()) });

/** The names contain a digest of the content. */
const IMMUTABLE = { "cache-control": "public, max-age=31536000, immutable" };

const typeOf = (name: string) => (name.endsWith(".css") ? "text/css; charset=UTF-8" : "text/javascript; charset=UTF-8");

export type CompiledAssets = { explorer: Assets; reference: Assets; files: ReadonlyMap<string, StaticContent> };

const addressesOf = ({ script, style }: z.output<typeof Entry>): Assets => ({
  script: `${ASSETS_PATH}/${script}`,
  style: `${ASSETS_PATH}/${style}`,
});

/** Reads the compiled scripts and style sheets of the explorer and the reference page into memory. A later build deletes the files. */
export async function readAssets(manifestFile = MANIFEST): Promise<CompiledAssets> {
  const { explorer, reference, files } = Manifest.parse(JSON.parse(await readFile(manifestFile, "utf8")));
  const contents = files.map(async (name): Promise<[string, StaticContent]> => {
    const file = join(dirname(manifestFile), name);
    const [content, br, gzip] = await Promise.all([file, `${file}.br`, `${file}.gz`].map((path) => readFile(path)));
    return [name, new StaticContent(content ?? "", typeOf(name), IMMUTABLE, { br, gzip })];
  });
  return {
    explorer: addressesOf(explorer),
    reference: addressesOf(reference),
    files: new Map(await Promise.all(contents)),
  };
}

/** The same, or undefined if they can't be read. Pages then have no style and no live updates, and the API is not affected. */
export const readAssetsIfBuilt = (log: Logger): Promise<CompiledAssets | undefined> =>
  readAssets().catch((error: unknown) => {
    log.warn({ err: error }, "the explorer's script and style sheet could not be read; run `npm run build`");
    return undefined;
  });
