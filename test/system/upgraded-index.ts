import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { keccak256, stringToBytes } from "viem";
import { expect } from "vitest";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { DATABASE_SCHEMA, indexOf } from "../support/index-of";
import { copyProject, type ProjectCopy } from "../support/project-copy";
import { startRpcProxy } from "../support/rpc-proxy";
import { startStack } from "../support/stack";

const BUILD = new RegExp(`^${DATABASE_SCHEMA}_[0-9a-f]{12}$`);
/** A build of another deployment, such as one of another chain, in the same database. */
export const FOREIGN = `${DATABASE_SCHEMA}_ffffffffffff`;
const DOCUMENT = '["kept across upgrades"]';

/** An index of one agent and a stored document, to be started again with other versions of the code. */
export async function startOldVersion() {
  const stack = await startStack({ index: false });
  const proxy = await startRpcProxy(stack.chain.rpcUrl);
  const index = await indexOf({ ...stack.chain, rpcUrl: proxy.url }, stack.contracts, {
    DATABASE_URL: stack.databaseUrl,
  });
  const copies: ProjectCopy[] = [];

  const register = (name: string) =>
    stack.write(actor(1), "AgentRegistry", "registerAgent", [`ipfs://${name}`, "0x01", hashOf(name)]);
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const status = async (path: string) => (await fetch(index.apiUrl + path).catch(() => undefined))?.status;

  await register("first");
  await index.startIndexer();
  await query(`CREATE SCHEMA ${FOREIGN}`);
  const response = await fetch(`${index.apiUrl}/catalogs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ catalog_json: DOCUMENT }),
  });
  expect(response.status).toBe(201);

  return {
    index,
    proxy,
    register,
    query,
    status,
    /** The schemas of this deployment's builds. */
    async builds() {
      const rows = await query("SELECT nspname FROM pg_namespace ORDER BY 1");
      return rows.map(({ nspname }) => String(nspname)).filter((name) => BUILD.test(name) && name !== FOREIGN);
    },
    /** A copy of the project with one edited file. */
    async versionWith(file: string, edit: (text: string) => string): Promise<string> {
      const copy = await copyProject();
      copies.push(copy);
      const path = join(copy.root, file);
      const text = await readFile(path, "utf8");
      const edited = edit(text);
      expect(edited).not.toBe(text);
      await writeFile(path, edited);
      return copy.root;
    },
    expectStoreUntouched: async () => expect(await status(`/catalogs/${keccak256(stringToBytes(DOCUMENT))}`)).toBe(200),
    async stop() {
      await index.removeIndex();
      await proxy.close();
      await stack.stop();
      for (const copy of copies) await copy.remove();
    },
  };
}

export type OldVersion = Awaited<ReturnType<typeof startOldVersion>>;
