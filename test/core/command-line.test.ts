import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { allOperations } from "../../api/operations/index";
import { actor } from "../../stack/local/chain";
import { cli, cliFile } from "../support/cli-run";
import { hasTerminals } from "../support/npm-start";
import { type SampleStack, sampleStack } from "../support/shared-stack";

/** Runs a program until it ends, and returns what it prints. */
function printed(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", () => done(output));
  });
}

/** Runs the CLI on a terminal with 100 columns, and returns what it prints. */
const onTerminal = (args: string, url: string) =>
  printed("script", ["-qec", `stty cols 100; '${process.execPath}' '${cliFile}' ${args}`, "/dev/null"], {
    INTENTRY_URL: url,
  });

/** The lines of a terminal's output. */
const linesOf = (output: string) => output.replaceAll("\r", "").trimEnd().split("\n");

describe("the command line, on the sample chain", () => {
  let stack: SampleStack;
  let url: string;

  beforeAll(async () => {
    stack = await sampleStack();
    url = stack.apiUrl;
  }, 240_000);

  it("calls an operation by name and prints the response", async () => {
    const { code, stdout, stderr } = await cli(["call", "agents.get", '{"agentId":"1"}', "--url", url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual(await (await fetch(`${url}/agents/1`)).json());
  });

  it("uses the service at INTENTRY_URL, and writes to it", async () => {
    const input = JSON.stringify({ catalog_json: '{"by":"the command line"}' });
    const published = await cli(["call", "documents.publishCatalog", input], { INTENTRY_URL: url });
    expect(published.code, published.stderr).toBe(0);
    const hash = JSON.stringify({ hash: JSON.parse(published.stdout).catalog_hash });
    const read = await cli(["call", "documents.getCatalog", hash], { INTENTRY_URL: `${url}/` });
    expect(read.stdout).toBe('{"by":"the command line"}\n');
  });

  it.each([
    [["call", "agents.get", '{"agentId":"x"}'], 2, /^agentId: must be a whole number/],
    [["call", "agents.get", '{"agentId":"999"}'], 3, /^Agent 999 not found\n$/],
    [["call", "agent.get"], 2, /^Unknown operation agent\.get\. Did you mean agents\.get/],
    [["call", "xyzzy"], 2, /^Unknown operation xyzzy\. intentry call lists all operations\n$/],
    [["call", "portfolio.get"], 5, /^portfolio\.get requires payment\. Use intentry pay-portfolio\n$/],
    [
      ["call", "events.subscribe"],
      2,
      /^events\.subscribe is a stream\. .* intentry events, curl -N http:.*\/events, .*follow/,
    ],
    [["call", "events.subscribe", '{"name":"Nothing"}'], 2, /^events\.subscribe is a stream\. /],
    [["events", "intent_id=x"], 2, /^intent_id: must be a whole number/],
    [["events", "after=0"], 2, /^after: must be the id of a message/],
    [["frob"], 2, /^Unknown command frob/],
  ])("prints the error of %j on stderr, and exits with %i", async (args, exit, message) => {
    const { code, stdout, stderr } = await cli(args, { INTENTRY_URL: url });
    expect({ code, stdout }).toEqual({ code: exit, stdout: "" });
    expect(stderr).toMatch(message);
  });

  it.each([
    [["call", "agents.get", "agentId=999"], 3, { error: "Agent 999 not found", code: "not_found" }],
    [["call", "agents.get", "agentId=1", "--frob"], 2, { code: "invalid_input" }],
    [["call", "status.ready", "--url", "http://127.0.0.1:2"], 4, { code: "no_response" }],
    [["events", "intent_id=x"], 2, { code: "invalid_input" }],
    [["pay-portfolio", actor(9).address, "--chains", "nowhere"], 2, { code: "invalid_input" }],
  ])("prints the error of %j as JSON with its code, with --json", async (args, exit, expected) => {
    const { code, stdout, stderr } = await cli([...args, "--json"], { INTENTRY_URL: url });
    expect({ code, stdout }).toEqual({ code: exit, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject(expected);
  });

  it("exits with 5 if the payer can't pay", async () => {
    const args = ["pay-portfolio", actor(9).address, "--key", `0x${"7".repeat(64)}`];
    const { code, stdout, stderr } = await cli(args, { INTENTRY_URL: url });
    expect({ code, stdout }, stderr).toEqual({ code: 5, stdout: "" });
  });

  it("prints lists as CSV with exact values", async () => {
    const { stdout } = await cli(["call", "solvers.list", "limit=1", "--csv"], { INTENTRY_URL: url });
    const [names = "", values = "", ...others] = stdout.trimEnd().split("\n");
    expect(others).toEqual([]);
    const { solvers } = (await (await fetch(`${url}/solvers?limit=1`)).json()) as {
      solvers: Record<string, unknown>[];
    };
    expect(names).toBe(Object.keys(solvers[0] ?? {}).join(","));
    expect(values).toBe(Object.values(solvers[0] ?? {}).join(","));
  });

  it("shows the inputs of an operation without a service", async () => {
    const { code, stdout } = await cli(["call", "intents.list", "--help"], { INTENTRY_URL: "http://127.0.0.1:2" });
    expect(code).toBe(0);
    expect(stdout).toContain("status        open | filled | cancelled | expired");
    expect(stdout).toContain("intentry call intents.list status=filled");
  });

  it.each([["call"], ["call", "status.ready"], ["events"], ["mcp"], ["pay-portfolio", actor(9).address]])(
    "reports an unreachable service, to %s",
    async (...args) => {
      const { code, stdout, stderr } = await cli(args, { INTENTRY_URL: "http://127.0.0.1:2" });
      expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
      expect(stderr).toMatch(/^No valid response from http:\/\/127\.0\.0\.1:2 /);
    },
  );

  it("has a version and help", async () => {
    expect((await cli(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await cli(["call", "--help"])).stdout).toContain("intentry call agents.get");
  });

  it("lists every operation with a line about it", async () => {
    const { stdout } = await cli(["call"], { INTENTRY_URL: url });
    const listed = JSON.parse(stdout) as { operation: string; summary: string }[];
    expect(listed.map(({ operation }) => operation)).toEqual(allOperations.map(({ name }) => name).sort());
    for (const { operation, summary } of listed)
      expect(summary).toBe(allOperations.find(({ name }) => name === operation)?.operation.summary);
    if (!hasTerminals) return;
    const shown = linesOf(await onTerminal("call", url));
    expect(shown).toHaveLength(allOperations.length + 1);
    expect(shown.find((line) => line.startsWith("agents.get "))).toMatch(/ {2}One agent by its id, even if revoked\.$/);
  });

  it("accepts name=value beside JSON", async () => {
    const expected = await (await fetch(`${url}/intents?status=filled&limit=1`)).json();
    for (const input of [
      ["status=filled", "limit=1"],
      ["limit:=1", '{"status":"filled"}'],
    ]) {
      const { stdout } = await cli(["call", "intents.list", ...input], { INTENTRY_URL: url });
      expect(JSON.parse(stdout)).toEqual(expected);
    }
  });

  it.skipIf(!hasTerminals)("shows tables on a terminal", async () => {
    const owner = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
    const [header, first = "", ...others] = linesOf(await onTerminal(`call agents.list limit=1 owner=${owner}`, url));
    expect(header).toMatch(/^agent_id +owner +revoked +metadata_uri/);
    expect(first).toMatch(/^1 +0x7099…79c8 +false/);
    expect(first.length).toBeLessThanOrEqual(100);
    expect(others).toEqual([]);
    const solver = linesOf(await onTerminal("call solvers.list limit=1", url));
    expect(solver[1]).toMatch(/^1 +0x90f7…b906 +true +2\.50 ETH +1 +2 +3$/);
    expect(solver.at(-1)).toMatch(/^Next page: cursor=\S+$/);
    const intents = linesOf(await onTerminal("call intents.list status=filled", url));
    expect(intents.at(-1)).toMatch(
      /^1 +FILLED +0x7099…79c8 +1,000\.00 tUSD(?: \(0xa513…c853\))? +950,000,000 0x0000…11ce/,
    );
    const bids = linesOf(await onTerminal("call bids.list id=5", url));
    expect(bids[1]).toMatch(/^5-3 +OPEN +0x15d3…6a65 +1,000\.00 tUSD(?: \(0xa513…c853\))? +962,000,000 0x0000…11ce/);
    const receipts = linesOf(await onTerminal("call receipts.list limit=1", url));
    expect(receipts[1]).toMatch(/ \d+\.\d\d tUSD(?: \(0xa513…c853\))? +\d+ \w{3} \d{4} \d\d:\d\d UTC/);
    const chart = linesOf(await onTerminal("call analytics.timeseries metric=intents interval=day", url));
    expect(chart[0]).toBe("intents by day: 6");
    expect(chart.slice(2, 8).join("")).toMatch(/│.*█/);
    const agent = linesOf(await onTerminal("call agents.get agentId=1", url));
    expect(agent).toContainEqual(expect.stringMatching(/^agent_id +1$/));
    expect(JSON.parse(await onTerminal("call agents.get agentId=1 --json", url))).toMatchObject({ agent_id: "1" });
  });

  it("follows events, one JSON object per line in a pipe and one line each on a terminal", async () => {
    const args = ["events", "from_block=0", "intent_id=2", "--limit", "2"];
    const { code, stdout, stderr } = await cli(args, { INTENTRY_URL: url });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const messages = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const events = messages.filter(({ type }) => type === "event").map(({ data }) => data);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ event: "IntentSubmitted", args: { intentId: "2" } });
    if (!hasTerminals) return;
    const shown = linesOf(await onTerminal(args.join(" "), url));
    expect(shown).toEqual(events.map(({ block_number, event, summary }) => `${block_number}  ${event}  ${summary}`));
  });

  it("prints no stack trace when its reader ends early, or the output can't be written", async () => {
    const run = `'${process.execPath}' '${cliFile}' call`;
    const script = `{ ${run} | true; echo "\${PIPESTATUS[0]}"; } 2>&1; ${run} 2>&1 >/dev/full; echo "$?"`;
    const lines = linesOf(await printed("bash", ["-c", script], { INTENTRY_URL: url }));
    expect(lines.slice(0, 1)).toEqual(["0"]);
    if (existsSync("/dev/full"))
      expect(lines.slice(1)).toEqual([expect.stringMatching(/^The output can't be written: ENOSPC/), "1"]);
  });

  it("ends with its reader, and at Ctrl-C", async () => {
    const command = `'${process.execPath}' '${cliFile}' events from_block=0 | head -n 1`;
    expect(JSON.parse(await printed("bash", ["-c", command], { INTENTRY_URL: url }))).toHaveProperty("type");
    const child = spawn(process.execPath, [cliFile, "events", "from_block=0"], {
      env: { ...process.env, INTENTRY_URL: url },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((done) => child.once("exit", (code, signal) => done({ code, signal })));
    await new Promise((started) => child.stdout.once("data", started));
    child.kill("SIGINT");
    expect(await ended).toEqual({ code: 0, signal: null });
  });
});
