import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { projectRoot } from "../../config/project-root";

/** The examples, and the name under which three of them run together. */
export const names = ["solver", "merchant", "buyer", "agent"] as const;
export const MARKET = "market";

type Example = (typeof names)[number];

export const isExample = (text: string): text is Example => names.some((name) => name === text);

export const exampleProgram = (name: Example): string => join(projectRoot, "dist", "current", "examples", `${name}.js`);

const NAME_WIDTH = 8;

type Running = { child: ChildProcess; ended: Promise<number>; printed: (pattern: RegExp) => Promise<string> };

/** Runs an example, and prints its lines after its name. */
function start(name: Example, args: readonly string[]): Running {
  const child = spawn(process.execPath, [exampleProgram(name), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = createInterface({ input: child.stdout });
  output.on("line", (line) => console.log(`${name.padEnd(NAME_WIDTH)}  ${line}`));
  createInterface({ input: child.stderr }).on("line", (line) => console.error(`${name.padEnd(NAME_WIDTH)}  ${line}`));
  const ended = once(child, "exit").then(([code]) => (typeof code === "number" ? code : 1));
  const printed = (pattern: RegExp) =>
    new Promise<string>((done, failed) => {
      output.on("line", (line) => {
        const [, found] = pattern.exec(line) ?? [];
        if (found !== undefined) done(found);
      });
      void ended.then(() => failed(new Error(`The ${name} ended early`)));
    });
  return { child, ended, printed };
}

/**
 * Runs a solver, a merchant and a buyer together until the buyer ends, after some seconds and at least one purchase on each
 * rail. Returns the exit code: 0 if all of them ended without a failure.
 */
export async function runMarket(stack: { apiUrl: string; rpcUrl: string; seconds: number }): Promise<number> {
  const urls = [stack.apiUrl, stack.rpcUrl];
  const solver = start("solver", urls);
  const merchant = start("merchant", urls);
  const running = [solver, merchant];
  const stop = async () => {
    for (const { child } of running) child.kill("SIGTERM");
    return Promise.all(running.map(({ ended }) => ended));
  };
  // At Ctrl-C the terminal signals the children too.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stop());
  try {
    const [service] = await Promise.all([merchant.printed(/offers service (\d+)/), solver.printed(/(bids on)/)]);
    const buyer = start("buyer", [...urls, String(stack.seconds), service]);
    running.unshift(buyer);
    const bought = await buyer.ended;
    running.shift();
    const codes = await stop();
    return [bought, ...codes].every((code) => code === 0) ? 0 : 1;
  } catch (error) {
    await stop();
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}
