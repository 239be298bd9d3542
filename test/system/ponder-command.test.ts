import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { query } from "../../stack/local/postgres/cluster";
import { publishExamples } from "../../stack/local/sample/published";
import { freePorts } from "../../stack/roles/ports";
import { type Child, startChild } from "../../stack/supervision/child";
import { compareServers } from "../support/same-answers/compare";
import { type Stack, startStack } from "../support/stack";

const root = resolve(import.meta.dirname, "..", "..");

/** Routes of the gateway whose names Ponder uses for its own. */
const RESERVED = ["/health", "/ready", "/status", "/metrics"];

describe("Ponder's own command line, without the gateway's process", () => {
  let stack: Stack;
  let ponder: Child | undefined;
  /** The modules that Vite has compiled. */
  const compiled: string[] = [];

  beforeAll(async () => {
    stack = await startStack({ sample: true });
    await publishExamples(stack.apiUrl, undefined);
  }, 120_000);

  afterAll(async () => {
    await ponder?.stop();
    await stack?.stop();
  });

  // `serve` reads the index that `start` has built.
  it.each(["start", "serve"])(
    "ponder %s serves every route like the gateway",
    async (command) => {
      const [port = 0] = await freePorts(1);
      const child = startChild({
        name: "ponder",
        command: resolve(root, "node_modules", ".bin", "ponder"),
        args: [command, "--schema", "ponder_alone", "--port", String(port), "--hostname", "127.0.0.1"],
        cwd: root,
        env: { ...stack.env, PONDER_TELEMETRY_DISABLED: "true", DEBUG: "vite-node:server:request" },
        onLine(line) {
          const [, module] = /vite-node:server:request (\S+)/.exec(line) ?? [];
          if (module) compiled.push(module);
        },
      });
      ponder = child;
      const url = `http://127.0.0.1:${port}`;
      const blockOf = async (baseUrl: string) => (await fetch(`${baseUrl}/agents/1`)).headers.get("x-index-block");
      const isReady = async () => {
        const isCurrent = (async () => (await blockOf(url)) === (await blockOf(stack.apiUrl)))();
        return (await isCurrent.catch(() => false)) || child.lastLines().join("\n");
      };
      await expect.poll(isReady, { timeout: 90_000, interval: 200 }).toBe(true);
      const { differences, compared } = await compareServers(stack.apiUrl, url, { except: RESERVED });
      expect(differences).toEqual([]);
      expect(compared).toBeGreaterThan(100);
      await child.stop();
      ponder = undefined;
    },
    180_000,
  );

  it("compiles this project, and neither Ponder nor its GraphQL", () => {
    expect(compiled.some((path) => path.endsWith("/src/intents.ts"))).toBe(true);
    expect(compiled.filter((path) => /node_modules\/(ponder|@?graphql)/.test(path))).toEqual([]);
  });

  it("leaves no lock on its schema after SIGTERM", async () => {
    const rows = await query(stack.databaseUrl, "SELECT value->>'is_locked' AS locked FROM ponder_alone._ponder_meta");
    expect(rows).toEqual([{ locked: "0" }]);
  });
});
