import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommand } from "../../client/cli/arguments";
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
      ["call", "agents.get", "-h"],
    ])
      expect(parseCommand(argv, {})).toEqual({ name: "help", topic: "call" });
    expect(parseCommand(["--version"], {})).toEqual({ name: "version" });
  });

  it("reindexes, with --new-chain after a replaced chain", () => {
    expect(parseCommand(["reindex"], {})).toEqual({ name: "reindex", newChain: false });
    expect(parseCommand(["reindex", "--new-chain"], {})).toEqual({ name: "reindex", newChain: true });
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

  it("prefers --url over INTENTRY_URL over the default, without a trailing slash", () => {
    const env = { INTENTRY_URL: "https://there.example/base/", INTENTRY_TOKEN: "secret" };
    expect(parseCommand(["mcp"], { INTENTRY_URL: "" })).toEqual({ name: "mcp", service: here });
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
  });

  it.each<[string[], string]>([
    [["frob"], "Unknown command frob. Commands: start, reindex, mcp, call, pay-portfolio"],
    [["call"], "The operation is missing"],
    [["call", "a.b", "{}", "more"], "Unexpected argument: more"],
    [["call", "a.b", "[]"], 'The input must be a JSON object, such as \'{"agentId":"1"}\', not []'],
    [["call", "a.b", "null"], 'The input must be a JSON object, such as \'{"agentId":"1"}\', not null'],
    [["start", "now"], "Unexpected argument: now"],
    [["mcp", "--url", "ftp://x"], "--url: must be an http:// or https:// URL, not ftp://x"],
    [["mcp", "--url", "localhost"], "--url: must be an http:// or https:// URL, not localhost"],
    [["pay-portfolio"], "The wallet's address is missing"],
    [["pay-portfolio", "0x12"], "0x12 is not an address: expected 0x and 40 hex digits"],
  ])("rejects %j", (argv, message) => {
    expect(refusal(argv)).toBe(message);
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
      fc.constantFrom("call", "mcp", "start", "reindex", "pay-portfolio", "--url", "-h", "{}"),
    );
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        expect(refusal(argv)).toMatch(/./);
      }),
    );
  });
});

describe("help", () => {
  it("has only examples that parse", () => {
    const topics = [undefined, "start", "reindex", "call", "mcp", "pay-portfolio"] as const;
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
