import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { documentation } from "../support/npm-start";
import { useStateFolder } from "../support/state-folder";

/** The documented commands of the examples, each once. */
const documented = async () => [
  ...new Set([...(await documentation()).matchAll(/\bnpm run example \w+(?: \d+)?/g)].map(([command]) => command)),
];

/** Runs a command in the checkout. Its process has a group of its own, like in a terminal. */
function run(command: string, env: NodeJS.ProcessEnv) {
  const { PATH, HOME } = process.env;
  const child: ChildProcess = spawn("sh", ["-c", `exec ${command}`], { env: { PATH, HOME, ...env }, detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  const ended = once(child, "exit").then(([code]: unknown[]) => code);
  return {
    output: () => output,
    ended,
    printed: async (text: string) => {
      await vi.waitUntil(() => output.includes(text) || child.exitCode !== null, { timeout: 60_000, interval: 50 });
      expect(output).toContain(text);
    },
    /** Ctrl-C. */
    interrupt: () => child.pid !== undefined && process.kill(-child.pid, "SIGINT"),
  };
}

/** A stack trace, or the ABI that viem prints. */
const NOISE = /^\s+at .*:\d+:\d+|"?stateMutability/m;

describe("the documented examples", () => {
  const { start, stateFolder, ports } = useStateFolder();

  it("run against npm start, alone and together, and print one sentence if they fail", async () => {
    const commands = await documented();
    expect(commands).toEqual(
      expect.arrayContaining(
        ["agent", "market", "solver", "merchant", "buyer"].map((name) => `npm run example ${name}`),
      ),
    );
    const env = { INTENTRY_DIR: stateFolder() };
    const early = run("npm run -s example agent", env);
    expect(await early.ended).toBe(1);
    expect(early.output()).toBe(
      "No local stack is running. Start it in another terminal with npm start, with the same settings.\n",
    );
    const stack = start();
    await stack.printed("Ready. The gateway is on");
    const url = `http://127.0.0.1:${ports().API_PORT}`;

    // Without a merchant there is nothing to buy.
    const poor = run("npm run -s example buyer 1", env);
    // The commands that run until Ctrl-C, next to one that ends by itself.
    const solver = run("npm run example solver", env);
    const agent = run("npm run example agent", env);
    await solver.printed("bids on open intents");
    expect(await agent.ended, agent.output()).toBe(0);
    // The fill has exactly two events.
    expect(agent.output()).toMatch(
      /\nFILLED by (0x[0-9a-f]{40}): Intent #(\d+) filled by \1: [^;\n]+; The fill of intent #\2 has the result 0x[0-9a-f]{64}\n/,
    );
    expect(await poor.ended, poor.output()).toBe(1);
    expect(poor.output()).toBe("No merchant offers greetings. Start one: npm run example merchant\n");

    const merchant = run("npm run example merchant", env);
    await merchant.printed("offers service");
    // The same commands with seconds, which the page documents too: a minute each would be too long.
    const [buyer, market] = [run("npm run example buyer 2", env), run("npm run example market 2", env)];
    expect([await buyer.ended, await market.ended], buyer.output() + market.output()).toEqual([0, 0]);
    expect(buyer.output()).toMatch(/\nReceipt \d+: paid by swap, fulfilled with 0x/);
    expect(market.output()).toMatch(/^merchant {2}Receipt \d+: delivered$/m);
    expect(market.output()).toMatch(/^buyer {5}Bought [4-9]\d* greetings$/m);

    // Both solvers bid. They are registered, so the fills of each count.
    const solvers = [solver, market].map(({ output }) => ({
      id: /Solver (\d+) bids/.exec(output())?.[1],
      fills: output().match(/^(?:solver {4})?Filled intent \d+ in 0x/gm)?.length ?? 0,
    }));
    expect(solvers.reduce((sum, { fills }) => sum + fills, 0)).toBeGreaterThanOrEqual(2);
    for (const { id, fills } of solvers)
      await expect
        .poll(async () => (await fetch(`${url}/solvers/${id}`)).json(), { timeout: 20_000 })
        .toMatchObject({ successful_fills: String(fills) });

    for (const endless of [solver, merchant]) {
      endless.interrupt();
      await endless.ended;
    }
    const [, serviceId] = /offers service (\d+)/.exec(merchant.output()) ?? [];
    await expect
      .poll(async () => (await fetch(`${url}/services/${serviceId}`)).json(), { timeout: 20_000 })
      .toMatchObject({ active: false });
    for (const { output } of [agent, buyer, market, solver, merchant]) expect(output()).not.toMatch(NOISE);
    const wrong = run("npm run -s example nothing", env);
    expect([await wrong.ended, wrong.output()]).toEqual([
      1,
      "Usage: npm run example <solver | merchant | buyer | agent | market>\n",
    ]);
  }, 360_000);
});
