import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Address, Hex } from "viem";
import { nearest } from "../../common/nearest";
import { type Shell, shells } from "./completion";
import { eventFilters, type SentEventFilter } from "./event-filters";
import { WrongUsage } from "./failure";
import { filterOf, inputOf } from "./inputs";
import { operations } from "./operations";
import type { Format } from "./output";
import { actionIn, actionNames, actionOf, optionsOf, PREFIX } from "./verbs";

/** The base URL of a service, and the write token if it requires one. */
export type Service = { url: string; token: string | undefined };

export type Command =
  | { name: "help"; topic: Topic | undefined; operation?: string }
  | { name: "version" }
  | { name: "start" | "indexer" | "api" }
  | { name: "reindex"; newChain: boolean }
  | { name: "doctor"; json: boolean }
  | { name: "mcp"; service: Service; outputSchemas: boolean }
  | { name: "operations"; service: Service; format: Format }
  | { name: "call"; service: Service; operation: string; input: Record<string, unknown>; format: Format }
  | {
      name: "do";
      service: Service;
      action: string;
      input: Record<string, unknown>;
      signerUrl: string | undefined;
      yes: boolean;
      json: boolean;
    }
  | {
      name: "events";
      service: Service;
      filter: SentEventFilter;
      limit: number | undefined;
      format: Format;
    }
  | { name: "completion"; shell: Shell }
  | { name: "complete"; words: readonly string[] }
  | {
      name: "pay-portfolio";
      service: Service;
      address: Address;
      chains: string | undefined;
      key: Hex | undefined;
    };

const topics = [
  "start",
  "indexer",
  "api",
  "doctor",
  "reindex",
  "mcp",
  "call",
  "do",
  "events",
  "pay-portfolio",
  "completion",
] as const;

export type Topic = (typeof topics)[number];

const DEFAULT_URL = "http://localhost:3001";

const isTopic = (text: string | undefined): text is Topic => topics.some((topic) => topic === text);

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const help = { help: { type: "boolean", short: "h" } } as const;
const service = { url: text, token: text, ...help } as const;
const format = { json: flag, table: flag } as const;

function formatOf(sent: { json?: boolean; table?: boolean; csv?: boolean }): Format {
  const formats = (["json", "table", "csv"] as const).filter((name) => sent[name]);
  const [one, other] = formats;
  if (other) throw new WrongUsage(`--${one} can't be used together with --${other}`);
  return one;
}

function limitOf(sent: string | undefined): number | undefined {
  if (sent === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(sent)) throw new WrongUsage(`--limit: must be a whole number from 1, not ${sent}`);
  return Number(sent);
}

/** Parses the arguments of a command. Throws on unknown and missing ones. */
function read<Options extends ParseArgsConfig["options"] & object>(
  args: readonly string[],
  options: Options,
  positionals: readonly string[],
) {
  const parsed = parse(args, options);
  const missing = positionals[parsed.positionals.length];
  if (missing !== undefined) throw new WrongUsage(`${missing} is missing`);
  const unexpected = parsed.positionals[positionals.length];
  if (unexpected !== undefined) throw new WrongUsage(`Unexpected argument: ${unexpected}`);
  return parsed;
}

function parse<Options extends ParseArgsConfig["options"] & object>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, unknown] = /^Unknown option '([^']*)'/.exec(message) ?? [];
    throw new WrongUsage(unknown === undefined ? message : unknownOption(unknown, Object.keys(options)));
  }
}

/** Instead of Node's own message, which is about arguments that begin with a dash. */
function unknownOption(sent: string, names: readonly string[]): string {
  const options = names.map((name) => `--${name}`);
  const [near] = nearest(sent, options);
  return `${sent}: unknown; ${near ? `did you mean ${near}?` : `the options are ${options.join(", ")}`}`;
}

function urlOf(option: string, sent: string): URL {
  const url = URL.canParse(sent) ? new URL(sent) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new WrongUsage(`--${option}: must be an http:// or https:// URL, not ${sent}`);
  return url;
}

function serviceOf(values: { url?: string; token?: string }, env: NodeJS.ProcessEnv): Service {
  const url = urlOf("url", values.url ?? (env.INTENTRY_URL || DEFAULT_URL));
  return {
    url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
    token: values.token ?? (env.INTENTRY_TOKEN || undefined),
  };
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
  indexer(args) {
    read(args, help, []);
    return { name: "indexer" };
  },
  api(args) {
    read(args, help, []);
    return { name: "api" };
  },
  reindex(args) {
    const { values } = read(args, { "new-chain": flag, ...help }, []);
    return { name: "reindex", newChain: values["new-chain"] ?? false };
  },
  doctor(args) {
    const { values } = read(args, { json: flag, ...help }, []);
    return { name: "doctor", json: values.json ?? false };
  },
  mcp(args, env) {
    const { values } = read(args, { ...service, "output-schemas": flag }, []);
    return { name: "mcp", service: serviceOf(values, env), outputSchemas: values["output-schemas"] ?? false };
  },
  call(args, env) {
    const { values, positionals } = parse(args, { ...service, ...format, csv: flag });
    const [operation, ...words] = positionals;
    const asked = { service: serviceOf(values, env), format: formatOf(values) };
    return operation === undefined
      ? { name: "operations", ...asked }
      : { name: "call", ...asked, operation, input: inputOf(words) };
  },
  do(args, env) {
    const own = { ...service, "signer-url": text, yes: flag, json: flag };
    const inputs = { from: "from", ...optionsOf(args.find((word) => actionNames.includes(actionOf(word))) ?? "") };
    const others = Object.keys(inputs).filter((name) => !Object.hasOwn(own, name));
    const options = { ...Object.fromEntries(others.map((name) => [name, text])), ...own } as typeof own;
    const { values, positionals } = parse(args, options);
    const { "signer-url": signerUrl, yes = false, json = false } = values;
    const sent = Object.entries(inputs).flatMap(([name, input]) =>
      others.includes(name) && Object.hasOwn(values, name)
        ? [`${input}=${(values as Readonly<Record<string, unknown>>)[name]}`]
        : [],
    );
    const { action, input } = actionIn([...positionals, ...sent]);
    if (signerUrl === undefined && yes) throw new WrongUsage("--yes needs --signer-url, which sends");
    return {
      name: "do",
      service: serviceOf(values, env),
      action,
      input,
      signerUrl: signerUrl === undefined ? undefined : urlOf("signer-url", signerUrl).href,
      yes,
      json,
    };
  },
  events(args, env) {
    const { values, positionals } = parse(args, { url: text, limit: text, ...format, ...help });
    return {
      name: "events",
      service: serviceOf(values, env),
      filter: filterOf(positionals, eventFilters),
      limit: limitOf(values.limit),
      format: formatOf(values),
    };
  },
  completion(args) {
    const [sent = ""] = read(args, help, ["The shell"]).positionals;
    const shell = shells.find((one) => one === sent);
    if (!shell) throw new WrongUsage(`Unknown shell ${sent}. Shells: ${shells.join(", ")}`);
    return { name: "completion", shell };
  },
  "pay-portfolio"(args, env) {
    // The output is JSON in any case. With --json, errors are too.
    const options = { ...service, chains: text, key: text, json: flag };
    const { values, positionals } = read(args, options, ["The wallet's address"]);
    return {
      name: "pay-portfolio",
      service: serviceOf(values, env),
      address: addressOf(positionals[0] ?? ""),
      chains: values.chains,
      key: keyOf(values.key ?? (env.INTENTRY_PAYER_KEY || undefined)),
    };
  },
};

/** The operation that a command line names: after `call`, or as the action after `do`. */
function operationIn(topic: string | undefined, words: readonly string[]): string | undefined {
  const names = topic === "do" ? words.map((word) => `${PREFIX}${actionOf(word)}`) : topic === "call" ? words : [];
  return names.find((name) => Object.hasOwn(operations, name));
}

/** Help for a command, and for its operation. */
function helpOf([topic, ...words]: readonly string[]): Command {
  const operation = operationIn(topic, words);
  return { name: "help", topic: isTopic(topic) ? topic : undefined, ...(operation && { operation }) };
}

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
  if (first === undefined || first === "help" || first === "--help" || first === "-h") return helpOf(args);
  // The completion scripts send the words that were typed, which need not be valid.
  if (first === "__complete") return { name: "complete", words: args };
  if (!isTopic(first)) throw new WrongUsage(`Unknown command ${first}. Commands: ${topics.join(", ")}`);
  if (args.includes("--help") || args.includes("-h")) return helpOf(argv);
  return commands[first](args, env);
}
