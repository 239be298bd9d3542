import { indexedNetwork, networkNameOf, networkProblems } from "./indexed-network";
import { LOCAL_CHAIN_ID, type Network } from "./networks";
import { paymentProblems, paymentSettings } from "./payments";
import { portfolioProblems, portfolioSettings } from "./portfolio";
import { defaultsOf, settingsOf } from "./variable";
import { Variables, variables } from "./variables/index";

/** A wrong or missing variable; the message names each one and says what it should be. */
export class InvalidEnvironment extends Error {
  override name = "InvalidEnvironment";

  constructor(readonly problems: string[]) {
    super(`The environment is not right:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
}

type Source = Record<string, string | undefined>;

/** An empty variable (`RPC_URL=`) means the same as an absent one. */
const withoutEmpty = (source: Source) => Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));

/** Whether variables that are not parsed yet name a local chain: ours, or a custom one with the id of all local chains. */
const isLocalChain = ({ NETWORK, CHAIN_ID }: Source) =>
  (NETWORK ?? CHAIN_ID ?? "local") === "local" || Number(CHAIN_ID) === LOCAL_CHAIN_ID;

function parseVariables(source: Source): Variables {
  const given = withoutEmpty(source);
  const parsed = Variables.safeParse({ ...defaultsOf(variables, isLocalChain(given)), ...given });
  if (!parsed.success)
    throw new InvalidEnvironment(parsed.error.issues.map(({ path, message }) => `${path[0]?.toString()}: ${message}`));
  return parsed.data;
}

const bypassProblems = ({ X402_DEV_BYPASS, NODE_ENV }: Variables): string[] =>
  X402_DEV_BYPASS && NODE_ENV === "production" ? ["X402_DEV_BYPASS: must not be true when NODE_ENV=production"] : [];

/** The rules that involve more than one variable. */
const rules = [networkProblems, bypassProblems, paymentProblems, portfolioProblems];

/**
 * Parses the process environment once; throws {@link InvalidEnvironment} with one line for each wrong variable.
 * The result has a property for each variable that declares one (config/variables/), and the properties derived here.
 *
 * @example
 * const { apiPort } = parseEnvironment(process.env);
 */
export function parseEnvironment(source: Source) {
  const values = parseVariables(source);
  const problems = rules.flatMap((rule) => rule(values));
  if (problems.length > 0) throw new InvalidEnvironment(problems);

  const networkName = networkNameOf(values);
  return {
    ...settingsOf(variables, values),
    networkName,
    /** The schema of Ponder's views of the index; the prefix of the schemas of builds. */
    databaseSchema: values.DATABASE_SCHEMA ?? (networkName === "local" ? "intentry_local" : "intentry"),
    maxListenersOfClient: values.EVENT_STREAMS_PER_CLIENT ?? values.EVENT_STREAMS,
    /** Signs cursors. Processes that share a database or a folder share the index, and so their cursors. */
    cursorSecret: values.CURSOR_SECRET ?? `cursors of ${values.DATABASE_URL ?? values.INTENTRY_DIR}`,
    /** Whether every response is validated against its schema before it is sent. */
    checkAnswers: values.NODE_ENV === "test" || values.NODE_ENV === "development",
    portfolio: portfolioSettings(values, networkName === "local"),
    /** Reads the network to index. It is a function because the local deployment file exists only once the chain is up. */
    network: () => indexedNetwork(values),
    /** The payment settings on a network, or the variables that are missing for them. */
    payment: (indexed: Network) => paymentSettings(values, indexed),
  };
}

export type Environment = ReturnType<typeof parseEnvironment>;

/** The URL of the database, for processes that can't do without. */
export function requireDatabaseUrl({ databaseUrl }: Environment): string {
  if (databaseUrl === undefined)
    throw new InvalidEnvironment(["DATABASE_URL: is required here; npm start sets it to its embedded PostgreSQL"]);
  return databaseUrl;
}
