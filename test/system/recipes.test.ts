import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Stack, startStack } from "../support/stack";

const root = join(import.meta.dirname, "..", "..");
const hasPython = spawnSync("python3", ["--version"]).status === 0;

const languages = ["sh", "ts", "py"] as const;
const tasks = ["page", "subscribe", "pay"] as const;

/** The examples in Markdown, by task and language. */
const examplesIn = (text: string) => {
  const blocks = [...text.matchAll(/^```(sh|ts|py)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
    language,
    code,
  }));
  expect(blocks.map(({ language }) => language)).toEqual(tasks.flatMap(() => languages));
  return (task: (typeof tasks)[number], language: (typeof languages)[number]) =>
    blocks[tasks.indexOf(task) * languages.length + languages.indexOf(language)]?.code ?? "";
};

describe("the examples of llms.txt in three languages", () => {
  let stack: Stack;
  let folder: string;
  let exampleOf: ReturnType<typeof examplesIn>;

  beforeAll(async () => {
    stack = await startStack({ sample: true, tokens: true });
    exampleOf = examplesIn(await (await fetch(`${stack.apiUrl}/llms.txt`)).text());
    // Below the project, so that packages are found.
    const cache = join(root, "node_modules", ".cache");
    await mkdir(cache, { recursive: true });
    folder = await mkdtemp(join(cache, "recipes-"));
  }, 300_000);
  afterAll(async () => {
    await stack?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** Runs an example until it ends or has printed the text, and returns what it has printed. */
  async function run(
    task: (typeof tasks)[number],
    language: (typeof languages)[number],
    until?: string,
  ): Promise<string> {
    const file = join(folder, `${task}.${language === "ts" ? "mts" : language}`);
    const client = pathToFileURL(join(root, "client", "src", "index.ts")).href;
    await writeFile(file, exampleOf(task, language).replace('"intentry"', JSON.stringify(client)));
    const programs = { sh: ["sh"], ts: [process.execPath, "--import", "tsx"], py: ["python3"] };
    const [program = "", ...args] = programs[language];
    // Its own group, so that the curl of a shell ends too.
    const child = spawn(program, [...args, file], {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    const end = () => child.pid !== undefined && process.kill(-child.pid);
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        printed += chunk;
        if (until !== undefined && printed.includes(until)) end();
      });
    const code = await new Promise((done) => child.once("close", done));
    if (until === undefined) expect(code, printed).toBe(0);
    return printed;
  }

  it("are those of /openapi.json too", async () => {
    const { info } = (await (await fetch(`${stack.apiUrl}/openapi.json`)).json()) as { info: { description: string } };
    const documented = examplesIn(info.description.replaceAll("http://localhost:3001", stack.apiUrl));
    for (const task of tasks)
      for (const language of languages) expect(documented(task, language)).toBe(exampleOf(task, language));
  });

  for (const language of languages)
    describe.skipIf(language === "py" && !hasPython)(language, () => {
      it("reads every page once", async () => {
        const ids = (await run("page", language)).match(/\d+/g);
        expect(ids).toEqual(["6", "5", "4", "3", "2", "1"]);
      }, 60_000);

      it("receives events", async () => {
        const printed = await run("subscribe", language, "Intent #1 filled");
        expect(printed).toContain("Intent #1 filled");
      }, 60_000);

      it("pays", async () => {
        const printed = await run("pay", language);
        const [hash] = printed.match(/0x[0-9a-f]{64}/g)?.slice(-1) ?? [];
        const receipt = await stack.client.getTransactionReceipt({ hash: hash as `0x${string}` });
        expect(receipt.status).toBe("success");
        if (language === "sh") expect(printed).toContain('"x402Version":2');
      }, 60_000);
    });
});
