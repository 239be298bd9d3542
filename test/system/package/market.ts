import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

type Market = {
  /** The folder with the compiled examples. */
  folder: string;
  apiUrl: string;
  rpcUrl: string;
  seconds: number;
};

type Started = { child: ChildProcess; lines: string[]; errors: string[]; has: (text: string) => Promise<void> };

function start(folder: string, args: readonly string[]): Started {
  // The same accounts in every run, so that a merchant keeps its id.
  const env = { ...process.env, EXAMPLE_ACCOUNT: "1" };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const errors: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on("line", (line) => lines.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  const has = async (text: string) => {
    while (!lines.some((line) => line.includes(text))) {
      await Promise.race([once(output, "line"), once(child, "exit")]);
      if (child.exitCode !== null) throw new Error(`${args[0]} ended:\n${[...lines, ...errors].join("\n")}`);
    }
  };
  return { child, lines, errors, has };
}

async function stopped({ child }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/**
 * Runs the examples of a solver, a merchant and a buyer together, until the buyer ends. Returns what they printed.
 */
export async function runMarket({ folder, apiUrl, rpcUrl, seconds }: Market) {
  const solver = start(folder, ["solver.js", apiUrl, rpcUrl]);
  const merchant = start(folder, ["merchant.js", apiUrl, rpcUrl]);
  try {
    await Promise.all([merchant.has("offers service"), solver.has("bids on")]);
    const buyer = start(folder, ["buyer.js", apiUrl, rpcUrl, String(seconds)]);
    try {
      await once(buyer.child, "exit");
    } finally {
      await stopped(buyer);
    }
    return {
      bought: buyer.lines.flatMap((line) => {
        const [, receipt_id, rail] = /^Receipt (\d+): paid by (\w+), fulfilled/.exec(line) ?? [];
        return receipt_id && rail ? [{ receipt_id, rail }] : [];
      }),
      merchant: merchant.lines,
      solver: solver.lines,
      errors: [...buyer.errors, ...merchant.errors, ...solver.errors],
    };
  } finally {
    await Promise.all([stopped(solver), stopped(merchant)]);
  }
}
