import { readFile, rename, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { copyProject } from "../support/project-copy";
import { startStack } from "../support/stack";

/** The source file of /health. */
export const EDITED = join("api", "operations", "status.ts");

/** Sends a request on a new connection. A kept-alive one would not notice a closed port. */
export const ask = (url: string) =>
  new Promise<{ status: number | undefined; body: string }>((answered, failed) => {
    get(url, { agent: false }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => answered({ status: response.statusCode, body }));
      response.on("error", failed);
    }).on("error", failed);
  });

/** Runs a copy of the project like `npm run dev`, with one registered agent. */
export async function startDevStack() {
  const copy = await copyProject();
  const { root } = copy;
  const stack = await startStack({ index: false, env: { NODE_ENV: "development" }, sources: { root, watch: true } });
  const registerAgent = (name: string) =>
    stack.write(actor(1), "AgentRegistry", "registerAgent", [`ipfs://${name}`, "0x04", hashOf(name)]);
  await registerAgent("first");
  await stack.startIndexer();
  return {
    root,
    stack,
    /** The content of {@link EDITED} before all edits. */
    original: await readFile(join(root, EDITED), "utf8"),
    registerAgent,
    healthName: async () => (JSON.parse((await ask(`${stack.apiUrl}/health`)).body) as { name: string }).name,
    /** Saves a file atomically, because the watcher may read a partially written one. */
    async save(file: string, content: string) {
      await writeFile(`${root}.saving`, content);
      await rename(`${root}.saving`, join(root, file));
    },
    async stop() {
      await stack.stop();
      await copy.remove();
    },
  };
}

export type DevStack = Awaited<ReturnType<typeof startDevStack>>;
