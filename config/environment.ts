import { clientLimits } from "./client-limits";
import { indexedNetwork, networkNameOf, networkProblems } from "./indexed-network";
import { LOCAL_CHAIN_ID, type Network } from "./networks";
import { paymentProblems, paymentSettings } from "./payments";
import { portfolioSettings } from "./portfolio";
import { unknownVariables } from "./unknown-variables";
import { defaultsOf, settingsOf } from "./variable";
import { Variables, variables } from "./variables/index";

/** Invalid or missing environment variables. The message has one line for each, with its name and the problem. */
export class InvalidEnvironment extends Error {
  override name = "InvalidEnvironment";

  constructor(readonly problems: string[]) {
    super(`Invalid environment variables:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
}

type Source = Record<string, string | undefined>;

/** An empty variable (`RPC_URL=`) counts as unset. */
const withoutEmpty = (source: Source) => Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));

/** Whether the variables select a local chain: the built-in one, or a custom one with {@link LOCAL_CHAIN_ID}. */
const isLocalChain = ({ NETWORK, CHAIN_ID }: { NETWORK?: string | undefined; CHAIN_ID?: unknown }) =>
  (NETWORK ?? CHAIN_ID ?? "local") === "local" || Number(CHAIN_ID) === LOCAL_CHAIN_ID;

function parseVariables(source: Source): Variables {
  const set = withoutEmpty(source);
  const parsed = Variables.safeParse({ ...defaultsOf(variables, isLocalChain(set)), ...set });
  const invalid = parsed.error?.issues.map(({ path, message }) => `${path[0]?.toString()}: ${message}`) ?? [];
  const problems = [...unknownVariables(set), ...invalid];
  if (!parsed.success || problems.length > 0) throw new InvalidEnvironment(problems);
  return parsed.data;
}

/** Settings that would be dangerous in production, or on a chain that others use. */
function developmentProblems(variables: Variables): string[] {
  const { X402_DEV_BYPASS, NODE_ENV, DEV_HELPERS, METADATA_AUTH, ALLOW_DEV_ON_PUBLIC_CHAIN } = variables;
  const isLocal = isLocalChain(variables);
  const problems: string[] = [];
  if (X402_DEV_BYPASS && !isLocal)
    problems.push(`X402_DEV_BYPASS: must not be true unless the chain is local (chain id ${LOCAL_CHAIN_ID})`);
  else if (X402_DEV_BYPASS && NODE_ENV === "production")
    problems.push("X402_DEV_BYPASS: must not be true when NODE_ENV=production");
  if (isLocal || ALLOW_DEV_ON_PUBLIC_CHAIN) return problems;
  const requireSwitch = (setting: string) =>
    problems.push(
      `${setting} is for development; on a chain that is not local it also requires ALLOW_DEV_ON_PUBLIC_CHAIN=true`,
    );
  if (DEV_HELPERS) requireSwitch("DEV_HELPERS: true");
  if (METADATA_AUTH) requireSwitch("METADATA_AUTH: open");
  return problems;
}

const publicUrlProblems = (variables: Variables): string[] => {
  return isLocalChain(variables) || variables.PUBLIC_BASE_URL !== undefined
    ? []
    : [
        "PUBLIC_BASE_URL: is required unless the chain is local; set it to the URL at which clients reach this service, such as https://api.example.com",
      ];
};

/** The host at which processes of this machine reach a server that listens on `host`. Undefined for all addresses. */
function reachableHost(host: string | undefined): string {
  if (host === undefined || host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** Rules that involve more than one variable. */
const rules = [networkProblems, publicUrlProblems, developmentProblems, paymentProblems];

/**
 * Parses the process environment. Throws {@link InvalidEnvironment} with one line for each invalid variable. The result
 * has the properties that the variables declare (config/variables/) and the derived ones below.
 *
 * @example
 * const { apiPort } = parseEnvironment(process.env);
 */
export function parseEnvironment(source: Source) {
  const values = parseVariables(source);
  const problems = rules.flatMap((rule) => rule(values));
  if (problems.length > 0) throw new InvalidEnvironment(problems);

  const networkName = networkNameOf(values);
  const isDevelopment = values.NODE_ENV === "test" || values.NODE_ENV === "development";
  return {
    ...settingsOf(variables, values),
    ...clientLimits(isLocalChain(values)),
    networkName,
    /** The URL of the gateway for processes of this machine. */
    apiUrl: `http://${reachableHost(values.API_HOST)}:${values.API_PORT}`,
    /** The schema of Ponder's views of the index, and the prefix of the build schemas. */
    databaseSchema: values.DATABASE_SCHEMA ?? (networkName === "local" ? "intentry_local" : "intentry"),
    /** Whether pages for developers are served. */
    isDevelopment,
    /** Whether every response is validated against its schema before it is sent. */
    checkAnswers: isDevelopment,
    portfolio: portfolioSettings(values, networkName === "local"),
    /** Reads the network to index. A function, because the local deployment file exists only once the chain is up. */
    network: () => indexedNetwork(values),
    /** Returns the payment settings for a network, or the names of the missing variables. */
    payment: (indexed: Network) => paymentSettings(values, indexed),
  };
}

export type Environment = ReturnType<typeof parseEnvironment>;

/** Returns the database URL. Throws {@link InvalidEnvironment} if it is not set. */
export function requireDatabaseUrl({ databaseUrl }: Environment): string {
  if (databaseUrl === undefined)
    throw new InvalidEnvironment(["DATABASE_URL: is required; npm start sets it to its embedded PostgreSQL"]);
  return databaseUrl;
}
