import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { hasChromium, openBrowser } from "./browser";

/** Bundles the client and its dependencies into one script that defines the global `intentry`. */
async function bundle(folder: string): Promise<string> {
  const outfile = join(folder, "client.js");
  await build({
    entryPoints: [fileURLToPath(new URL("../../client/src/index.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "iife",
    globalName: "intentry",
  });
  return readFile(outfile, "utf8");
}

/** Makes two calls in one batch, and reads the first message of the event stream. */
const script = (url: string) => `(async () => {
  const client = intentry.createIntentryClient({ url: ${JSON.stringify(url)} });
  const [agent, list] = await Promise.all([client.agents.get.query({ agentId: 1n }), client.intents.list.query({ limit: 1 })]);
  for await (const { data } of client.follow({ from_block: 0, name: "AgentRegistered" }))
    return [agent.agent_id, list.pagination.count, data.event, intentry.documentHash("{}").length];
})()`;

describe.runIf(hasChromium)("the client in a browser", () => {
  let stack: SampleStack;
  let browser: Browser;
  let folder: string;
  let code: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "intentry-bundle-"));
    code = await bundle(folder);
    stack = await sampleStack();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const expected = ["1", 1, "AgentRegistered", 66];

  it("works in a page of another origin", async () => {
    const page = await browser.newPage();
    await page.evaluate(`${code}; globalThis.intentry = intentry;`);
    expect(await page.evaluate(script(stack.apiUrl))).toEqual(expected);
    await page.close();
  });

  it("works in a worker", async () => {
    const page = await browser.newPage();
    const source = `${code}\n${script(stack.apiUrl)}.then(postMessage, (error) => postMessage(String(error)));`;
    const result = await page.evaluate(
      `new Promise((resolve) => {
        const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(source)}], { type: "text/javascript" })));
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => resolve(message);
      })`,
    );
    expect(result).toEqual(expected);
    await page.close();
  });
});
