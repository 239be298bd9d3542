import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freeCalls } from "../../api/operations/index";
import { exampleSources } from "../../api/transports/example-sources";
import { parseCommand } from "../../client/cli/arguments";
import { exitCodeOf, exitCodes } from "../../client/cli/exit-codes";
import { WrongUsage } from "../../client/cli/failure";
import { helpFor } from "../../client/cli/help";

const address = "0xA0Ee7A142d267C1f36714E4a8F75612F20a79720";
const key = `0x${"1".repeat(64)}`;
const here = { url: "http://localhost:3001", token: undefined };

/** The error message of an invalid command line. */
const refusal = (argv: string[], env: NodeJS.ProcessEnv = {}): string => {
  try {
    return `understood as ${JSON.stringify(parseCommand(argv, env))}`;
  } catch (error) {
    if (error instanceof WrongUsage) return error.message;
    throw error;
  }
};

describe("a command line", () => {
  it("without arguments is help, and a command has its own help", () => {
    for (const argv of [[], ["help"], ["--help"], ["-h"]])
      expect(parseCommand(argv, {})).toEqual({ name: "help", topic: undefined });
    for (const argv of [
      ["help", "call"],
      ["call", "--help"],
      ["call", "xyzzy", "-h"],
    ])
      expect(parseCommand(argv, {})).toEqual({ name: "help", topic: "call" });
    for (const argv of [
      ["help", "call", "agents.get"],
      ["call", "agents.get", "-h"],
      ["call", "agents.get", "agentId=1", "--help"],
    ])
      expect(parseCommand(argv, {})).toEqual({ name: "help", topic: "call", operation: "agents.get" });
    expect(parseCommand(["--version"], {})).toEqual({ name: "version" });
  });

  it("reindexes, with --new-chain after a replaced chain", () => {
    expect(parseCommand(["reindex"], {})).toEqual({ name: "reindex", newChain: false });
    expect(parseCommand(["reindex", "--new-chain"], {})).toEqual({ name: "reindex", newChain: true });
  });

  it("checks an installation", () => {
    expect(parseCommand(["doctor"], {})).toEqual({ name: "doctor", json: false });
    expect(parseCommand(["doctor", "--json"], {})).toEqual({ name: "doctor", json: true });
  });

  it("calls an operation with a JSON object (default: empty)", () => {
    expect(parseCommand(["call", "status.ready"], {})).toEqual({
      name: "call",
      service: here,
      operation: "status.ready",
      input: {},
    });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const text = JSON.stringify(input);
        expect(parseCommand(["call", "a.b", text], {})).toMatchObject({ input: JSON.parse(text) });
      }),
    );
  });

  it("lists operations without an operation, and takes input as pairs, JSON, or both", () => {
    expect(parseCommand(["call", "--table"], {})).toEqual({ name: "operations", service: here, format: "table" });
    const inputOf = (...words: string[]) => parseCommand(["call", "a.b", ...words], {});
    expect(inputOf("status=open", "limit:=2", '{"total":true}')).toMatchObject({
      input: { status: "open", limit: 2, total: true },
    });
    expect(inputOf("text=a=b:=c", "empty=", "lines=1\n2")).toMatchObject({
      input: { text: "a=b:=c", empty: "", lines: "1\n2" },
    });
    expect(inputOf('catalog_json={"a":1}', "--json")).toMatchObject({
      input: { catalog_json: '{"a":1}' },
      format: "json",
    });
  });

  it("follows events with filters and a limit", () => {
    expect(parseCommand(["events", "name=IntentFilled", "from_block=0", "--limit", "3"], {})).toEqual({
      name: "events",
      service: here,
      filter: { name: "IntentFilled", from_block: "0" },
      limit: 3,
      format: undefined,
    });
  });

  it("prefers --url over INTENTRY_URL over the default, without a trailing slash", () => {
    const env = { INTENTRY_URL: "https://there.example/base/", INTENTRY_TOKEN: "secret" };
    expect(parseCommand(["mcp"], { INTENTRY_URL: "" })).toEqual({
      name: "mcp",
      service: here,
      outputSchemas: false,
    });
    expect(parseCommand(["mcp"], env)).toMatchObject({
      service: { url: "https://there.example/base", token: "secret" },
    });
    expect(parseCommand(["mcp", "--url", "http://other.example:1//", "--token", "mine"], env)).toMatchObject({
      service: { url: "http://other.example:1", token: "mine" },
    });
  });

  it("prefers --key over INTENTRY_PAYER_KEY", () => {
    const argv = ["pay-portfolio", address, "--chains", "local"];
    expect(parseCommand(argv, {})).toEqual({
      name: "pay-portfolio",
      service: here,
      address,
      chains: "local",
      key: undefined,
    });
    const other = `0x${"2".repeat(64)}`;
    expect(parseCommand(argv, { INTENTRY_PAYER_KEY: other })).toMatchObject({ key: other });
    expect(parseCommand([...argv, "--key", key], { INTENTRY_PAYER_KEY: other })).toMatchObject({ key });
    expect(parseCommand([...argv, "--json"], {})).toEqual(parseCommand(argv, {}));
  });

  it.each<[string[], string | RegExp]>([
    [
      ["frob"],
      "Unknown command frob. Commands: start, indexer, api, doctor, reindex, mcp, call, do, events, pay-portfolio, completion",
    ],
    [["call", "a.b", "{}", "more"], /^The input is not valid JSON \(.*\): more$/],
    [["call", "a.b", "id=1", '{"id":"2"}'], "id is given twice"],
    [["call", "a.b", "id:=x"], /^The value of id is not valid JSON \(.*\): x$/],
    [["call", "--json", "--table"], "--json can't be used together with --table"],
    [["call", "--csv", "--table"], "--table can't be used together with --csv"],
    [["events", "--csv"], "--csv: unknown; the options are --url, --limit, --json, --table, --help"],
    [["call", "intents.list", "--jsno"], "--jsno: unknown; did you mean --json?"],
    [
      ["call", "a.b", "--status=open"],
      "--status: unknown; the options are --url, --token, --help, --json, --table, --csv",
    ],
    [["mcp", "--url"], /^Option '--url <value>' argument missing/],
    [["events", "intent=1"], /^intent: unknown; the names are name, contract, /],
    [["events", "intent"], /^Unknown filter intent\. Filters: name=…, contract=…, /],
    [["events", "intent_id:=1"], /^Unknown filter intent_id:=1\./],
    [["events", "name=a", "name=b"], "name is given twice"],
    [["events", "--limit", "0"], "--limit: must be a whole number from 1, not 0"],
    [["completion"], "The shell is missing"],
    [["completion", "csh"], "Unknown shell csh. Shells: bash, zsh, fish"],
    [["call", "a.b", "[]"], 'The input must be a JSON object, such as \'{"agentId":"1"}\', not []'],
    [["call", "a.b", "null"], 'The input must be a JSON object, such as \'{"agentId":"1"}\', not null'],
    [["doctor", "now"], "Unexpected argument: now"],
    [["start", "now"], "Unexpected argument: now"],
    [["mcp", "--url", "ftp://x"], "--url: must be an http:// or https:// URL, not ftp://x"],
    [["mcp", "--url", "localhost"], "--url: must be an http:// or https:// URL, not localhost"],
    [["pay-portfolio"], "The wallet's address is missing"],
    [["pay-portfolio", "0x12"], "0x12 is not an address: expected 0x and 40 hex digits"],
  ])("rejects %j", (argv, message) => {
    expect(refusal(argv)).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });

  it("names an unknown option and repeats invalid JSON", () => {
    expect(refusal(["mcp", "--port", "1"])).toContain("--port");
    expect(refusal(["call", "a.b", "{"])).toMatch(/^The input is not valid JSON \(.*\): \{$/);
  });

  it("never repeats an invalid key", () => {
    const wrong = "0xsecret";
    expect(refusal(["pay-portfolio", address, "--key", wrong])).not.toContain("secret");
    expect(refusal(["pay-portfolio", address], { INTENTRY_PAYER_KEY: wrong })).not.toContain("secret");
  });

  it("parses or fails with a WrongUsage error, for any arguments", () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "call",
        "do",
        "bid",
        "--from",
        "events",
        "completion",
        "__complete",
        "mcp",
        "start",
        "doctor",
        "reindex",
        "pay-portfolio",
        "--url",
        "-h",
        "{}",
      ),
    );
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        expect(refusal(argv)).toMatch(/./);
      }),
    );
  });
});

describe("help of an operation", () => {
  it("has its inputs with types, defaults and values, and an example", () => {
    expect(helpFor("call", "intents.list").split("\n")).toEqual(
      expect.arrayContaining([
        "intentry call intents.list [<name>=<value>]...",
        "  status        open | filled | cancelled | expired",
        "  owner         address",
        "  limit         whole number, default: 50",
        "  intentry call intents.list status=filled",
      ]),
    );
    expect(helpFor("call", "agents.get")).toContain("  agentId  whole number, required\n");
    expect(helpFor("call", "preflight.check")).toMatch(/\n {2}payment +JSON object\n/);
    expect(helpFor("call", "status.ready")).toContain("It has no inputs.");
  });

  it.each(freeCalls)("of $name names every input, and its example is the operation's", ({ name, operation }) => {
    const text = helpFor("call", name);
    for (const input of Object.keys(operation.input.shape)) expect(text).toMatch(new RegExp(`^ {2}${input} `, "m"));
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(name.length + 260);
    const [intro = "", , ...examples] = text.slice(text.indexOf("\nExample") + 1).split("\n");
    const called = examples.map((example) => {
      const words = example.trim().match(/(?:'[^']*'|\S)+/g) ?? [];
      const argv = words.slice(1).map((word) => word.replaceAll("'", ""));
      return z
        .object({ operation: z.string(), input: z.record(z.string(), z.unknown()) })
        .parse(parseCommand(argv, {}));
    });
    const inWords = (input: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(input).map(([key, value]) => [key, typeof value === "object" ? value : String(value)]),
      );
    const { parameter, source } = exampleSources[name] ?? {};
    if (parameter === undefined || source === undefined) {
      expect([intro, called]).toEqual(["Example:", [{ operation: name, input: inWords(operation.example) }]]);
      return;
    }
    // A hash of another chain would not be found.
    expect(intro).toBe(`Example, with the ${source.key} in the response of the first command:`);
    const first = freeCalls.find((one) => one.name === source.operation);
    expect(called).toEqual([
      { operation: source.operation, input: inWords(first?.operation.example ?? {}) },
      { operation: name, input: { ...inWords(operation.example), [parameter]: `<${source.key}>` } },
    ]);
  });
});

describe("exit codes", () => {
  it("differ for bad input, missing records, an unavailable service and declined payments", () => {
    const codes = ["invalid_input", "not_found", "unavailable", "no_response", "payment_declined", "internal_error"];
    expect(codes.map(exitCodeOf)).toEqual([2, 3, 4, 4, 5, 1]);
  });

  it("are in the help and in the documentation", async () => {
    const page = await readFile(new URL("../../docs/api.md", import.meta.url), "utf8");
    for (const { exit, when, codes } of exitCodes) {
      expect(helpFor(undefined)).toContain(`  ${exit} ${when}\n`);
      expect(page).toContain(`| ${exit} | ${when} | ${codes.map((code) => `\`${code}\``).join(", ")} |`);
    }
  });
});

describe("help", () => {
  it("has only examples that parse", () => {
    const topics = [
      undefined,
      "start",
      "doctor",
      "reindex",
      "call",
      "events",
      "mcp",
      "pay-portfolio",
      "completion",
    ] as const;
    const lines = topics.flatMap((topic) => helpFor(topic).replaceAll("\\\n", "").split("\n"));
    const examples = lines.filter((line) => /^ {2}(\w+=\S+ )?intentry [^<]*$/.test(line));
    expect(examples.length).toBeGreaterThan(10);
    for (const example of examples) {
      const words: string[] = example.replace(/ {3,}[^ -].*$/, "").match(/'[^']*'|\S+/g) ?? [];
      const argv = words.slice(words.indexOf("intentry") + 1).map((word) => word.replaceAll("'", ""));
      expect(refusal(argv), example).toContain("understood");
    }
  });
});
