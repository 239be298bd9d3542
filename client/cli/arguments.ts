import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Address, Hex } from "viem";
import { WrongUsage } from "./failure";

/** The base URL of a service, and the write token if it requires one. */
export type Service = { url: string; token: string | undefined };

export type Command =
  | { name: "help"; topic: Topic | undefined }
  | { name: "version" }
  | { name: "start" }
  | { name: "reindex"; newChain: boolean }
  | { name: "mcp"; service: Service }
  | { name: "call"; service: Service; operation: string; input: Record<string, unknown> }
  | {
      name: "pay-portfolio";
      service: Service;
      address: Address;
      chains: string | undefined;
      key: Hex | undefined;
    };

const topics = ["start", "reindex", "mcp", "call", "pay-portfolio"] as const;

export type Topic = (typeof topics)[number];

const DEFAULT_URL = "http://localhost:3001";

const isTopic = (text: string | undefined): text is Topic => topics.some((topic) => topic === text);

const text = { type: "string" } as const;
const help = { help: { type: "boolean", short: "h" } } as const;
const service = { url: text, token: text, ...help } as const;

/** Parses the arguments of a command. Throws on unknown and missing ones. The last `optional` positionals may be omitted. */
function read<Options extends ParseArgsConfig["options"] & object>(
  args: readonly string[],
  options: Options,
  positionals: readonly string[],
  optional = 0,
) {
  const parsed = parse(args, options);
  const given = parsed.positionals.length;
  const missing = positionals[given];
  if (missing !== undefined && given < positionals.length - optional) throw new WrongUsage(`${missing} is missing`);
  const unexpected = parsed.positionals[positionals.length];
  if (unexpected !== undefined) throw new WrongUsage(`Unexpected argument: ${unexpected}`);
  return parsed;
}

function parse<Options extends ParseArgsConfig["options"] & object>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error));
  }
}

function serviceOf(values: { url?: string; token?: string }, env: NodeJS.ProcessEnv): Service {
  const sent = values.url ?? (env.INTENTRY_URL || DEFAULT_URL);
  const url = URL.canParse(sent) ? new URL(sent) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new WrongUsage(`--url: must be an http:// or https:// URL, not ${sent}`);
  return {
    url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
    token: values.token ?? (env.INTENTRY_TOKEN || undefined),
  };
}

function objectOf(sent: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(sent);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new WrongUsage(`The input is not valid JSON (${error instanceof Error ? error.message : error}): ${sent}`);
  }
  throw new WrongUsage(`The input must be a JSON object, such as '{"agentId":"1"}', not ${sent}`);
}

const isHexOf = (digits: number, sent: string): sent is Hex => new RegExp(`^0x[0-9a-fA-F]{${digits}}$`).test(sent);

function addressOf(sent: string): Address {
  if (!isHexOf(40, sent)) throw new WrongUsage(`${sent} is not an address: expected 0x and 40 hex digits`);
  return sent;
}

/** Parses the payer's key. The error doesn't repeat it, because it is a secret. */
function keyOf(sent: string | undefined): Hex | undefined {
  if (sent === undefined) return undefined;
  if (!isHexOf(64, sent)) throw new WrongUsage("The payer's key must be 0x and 64 hex digits");
  return sent;
}

/** The parser of each command. Environment variables are the defaults of some options. */
const commands: Record<Topic, (args: readonly string[], env: NodeJS.ProcessEnv) => Command> = {
  start(args) {
    read(args, help, []);
    return { name: "start" };
  },
  reindex(args) {
    const { values } = read(args, { "new-chain": { type: "boolean" }, ...help }, []);
    return { name: "reindex", newChain: values["new-chain"] ?? false };
  },
  mcp(args, env) {
    const { values } = read(args, service, []);
    return { name: "mcp", service: serviceOf(values, env) };
  },
  call(args, env) {
    const { values, positionals } = read(args, service, ["The operation", "The input"], 1);
    const [operation = "", input = "{}"] = positionals;
    return { name: "call", service: serviceOf(values, env), operation, input: objectOf(input) };
  },
  "pay-portfolio"(args, env) {
    const { values, positionals } = read(args, { ...service, chains: text, key: text }, ["The wallet's address"]);
    return {
      name: "pay-portfolio",
      service: serviceOf(values, env),
      address: addressOf(positionals[0] ?? ""),
      chains: values.chains,
      key: keyOf(values.key ?? (env.INTENTRY_PAYER_KEY || undefined)),
    };
  },
};

/**
 * Parses a command line.
 *
 * @example
 * parseCommand(["call", "agents.get", '{"agentId":"1"}'], {})
 * // { name: "call", operation: "agents.get", input: { agentId: "1" }, service: { url: "http://localhost:3001", … } }
 */
export function parseCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Command {
  const [first, ...args] = argv;
  if (first === "--version" || first === "-v") return { name: "version" };
  if (first === undefined || first === "help" || first === "--help" || first === "-h")
    return { name: "help", topic: isTopic(args[0]) ? args[0] : undefined };
  if (!isTopic(first)) throw new WrongUsage(`Unknown command ${first}. Commands: ${topics.join(", ")}`);
  if (args.includes("--help") || args.includes("-h")) return { name: "help", topic: first };
  return commands[first](args, env);
}
