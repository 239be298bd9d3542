import { resolve } from "node:path";
import { z } from "zod";
import { type PublicChainSlug, publicChainSlugs, rpcVariable } from "./chains";
import { addressVariable, type ContractName, contractNames } from "./contracts";
import { baseSepolia, LOCAL_CHAIN_ID, type Network, readLocalDeployment } from "./networks";
import { type PaymentSettings, paymentProblems, paymentSettings, paymentVariables } from "./payments";
import type { TokenList } from "./token-list";
import { address, flag, httpUrl, port, webSocketUrl, wholeNumber } from "./values";

/** A wrong or missing variable; the message names each one and says what it should be. */
export class InvalidEnvironment extends Error {
  override name = "InvalidEnvironment";

  constructor(readonly problems: string[]) {
    super(`The environment is not right:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
}

const rpcUrls = z
  .string()
  .transform((list) => list.split(",").map((url) => url.trim()))
  .pipe(z.array(httpUrl).min(1));

const webSocketUrls = z
  .string()
  .transform((list) => list.split(",").map((url) => url.trim()))
  .pipe(z.array(webSocketUrl).min(1));

const databaseUrl = z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" });

const schemaName = z
  .string()
  // A build's schema adds 13 characters, and Ponder accepts 45.
  .regex(/^[a-z_][a-z0-9_]{0,31}$/, "must be a lowercase PostgreSQL schema name of at most 32 characters");

const DEFAULT_WRITES_PER_MINUTE = 600;
const DEFAULT_DOCUMENT_BYTES_PER_DAY = 64 * 1024 * 1024;
const DEFAULT_PORTFOLIO_CACHE_SECONDS = 15;
const DEFAULT_MAX_LAG_SECONDS = 30;
const LOCAL_MAX_LAG_SECONDS = 5;

const DEFAULT_STREAMS_OF_CLIENT = 100;

const shared = z.object({
  NETWORK: z.enum(["local", "base-sepolia", "custom"], { error: "must be local, base-sepolia or custom" }).optional(),
  INTENTRY_DIR: z.string().default(".intentry"),
  API_PORT: port.default(3001),
  PONDER_PORT: port.default(42069),
  ANVIL_PORT: port.default(8545),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_SCHEMA: schemaName.optional(),
  INDEX_SCHEMA: z.string().optional(),
  SAMPLE_ACTIVITY: flag.default(true),
  X402_DEV_BYPASS: flag.default(false),
  NODE_ENV: z.string().optional(),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "silent"], {
      error: "must be fatal, error, warn, info, debug or silent",
    })
    .default("info"),
  PUBLIC_BASE_URL: httpUrl.transform((url) => url.replace(/\/+$/, "")).optional(),
  TRUST_PROXY: flag.default(false),
  WRITE_TOKENS: z
    .string()
    .transform((list) => list.split(",").map((token) => token.trim()))
    .pipe(z.array(z.string().regex(/^\S{16,}$/, "must be tokens of at least 16 characters, separated by commas")))
    .optional(),
  METADATA_AUTH: z.enum(["open", "signed"], { error: "must be open or signed" }).optional(),
  DEV_HELPERS: flag.optional(),
  RATE_LIMIT_WRITES: wholeNumber(1, 1_000_000).optional(),
  DOCUMENT_QUOTA_BYTES: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  CURSOR_SECRET: z.string().min(16, "must have at least 16 characters").optional(),
  CHAIN_ID: wholeNumber(1, 2 ** 31 - 1).optional(),
  RPC_URL: rpcUrls.optional(),
  RPC_WS_URL: webSocketUrls.optional(),
  START_BLOCK: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  POLLING_INTERVAL_MS: wholeNumber(10, 600_000).optional(),
  READY_MAX_LAG_SECONDS: wholeNumber(0, 86_400).optional(),
  ...paymentVariables,
  PORTFOLIO_PROVIDER: z.enum(["rpc", "alchemy"], { error: "must be rpc or alchemy" }).default("rpc"),
  PORTFOLIO_CACHE_SECONDS: wholeNumber(0, 3600).default(DEFAULT_PORTFOLIO_CACHE_SECONDS),
  ALCHEMY_API_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, "must be an Alchemy API key: letters, digits, - and _")
    .optional(),
  EVENT_STREAMS: wholeNumber(1, 1_000_000).default(2_000),
  EVENT_STREAMS_PER_CLIENT: wholeNumber(1, 1_000_000).optional(),
  EVENT_HEARTBEAT_MS: wholeNumber(10, 600_000).default(15_000),
  EVENT_BUFFER: wholeNumber(1, 1_000_000).default(10_000),
});

const portfolioRpcUrls = z.object({
  RPC_URL_BASE: rpcUrls.optional(),
  RPC_URL_ETHEREUM: rpcUrls.optional(),
  RPC_URL_ARBITRUM: rpcUrls.optional(),
  RPC_URL_OPTIMISM: rpcUrls.optional(),
  RPC_URL_POLYGON: rpcUrls.optional(),
});

const addresses = z.object(
  Object.fromEntries(contractNames.map((name) => [addressVariable(name), address.optional()])),
);

const Variables = shared.extend(portfolioRpcUrls.shape).and(addresses);

export type Environment = {
  networkName: Network["name"];
  stateFolder: string;
  apiPort: number;
  ponderPort: number;
  anvilPort: number;
  /** Unset in the environment of `npm start` where PostgreSQL is embedded; its children have the URL. */
  databaseUrl: string | undefined;
  /** The schema of Ponder's views of the index. Each build is in a schema of its own, whose name begins with this one. */
  databaseSchema: string;
  /** The schema of the build that the gateway serves; unset, that of this version's build. */
  indexSchema: string | undefined;
  sampleActivity: boolean;
  x402DevBypass: boolean;
  pollingIntervalMs: number | undefined;
  /** How far behind the chain the index may be and still be ready. */
  maxLagSeconds: number;
  /** The WebSocket URLs of the indexed chain's nodes, in the order of their RPC URLs. */
  rpcWebSocketUrls: readonly string[];
  logLevel: "fatal" | "error" | "warn" | "info" | "debug" | "silent";
  publicBaseUrl: string | undefined;
  trustProxy: boolean;
  writeTokens: readonly string[];
  openMetadata: boolean;
  devHelpers: boolean;
  writesPerMinute: number | undefined;
  documentBytesPerDay: number | undefined;
  /** How many streams of events may be open at once, in all and of one client. */
  maxListeners: number;
  maxListenersOfClient: number;
  eventHeartbeatMs: number;
  /** How many messages are kept for listeners that have not taken them yet. */
  keptMessages: number;
  /** What cursors are signed with. */
  cursorSecret: string;
  /** Whether every answer is held against its schema before it is sent. */
  checkAnswers: boolean;
  portfolio: PortfolioSettings;
  /** Reads the chain to index. It is a function because the local deployment file exists only once the chain is up. */
  network: () => Network;
  /** How paid routes are paid for, or what would have to be set for it. */
  payment: (network: Network) => PaymentSettings | { missing: string[] };
};

/** Where portfolios are read from. */
export type PortfolioSettings = {
  /** How long a snapshot is given again. */
  cacheMs: number;
  /** The key of Alchemy where it is the provider; undefined where the chains' own nodes are. */
  alchemyApiKey: string | undefined;
  /** The nodes of the public chains. */
  rpcUrls: Partial<Record<PublicChainSlug, string[]>>;
  /** Reads where the local chain is, if it is the one that is indexed, and what its tokens are. */
  local: () => { rpcUrl: string; tokens: TokenList } | undefined;
};

type Source = Record<string, string | undefined>;

/** The URL of the database, for processes that can't do without. */
export function requireDatabaseUrl({ databaseUrl }: Environment): string {
  if (databaseUrl === undefined)
    throw new InvalidEnvironment(["DATABASE_URL: is required here; npm start sets it to its embedded PostgreSQL"]);
  return databaseUrl;
}

/** An empty variable (`RPC_URL=`) means the same as an absent one. */
const withoutEmpty = (source: Source) => Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));

/**
 * Parses the process environment once; throws {@link InvalidEnvironment} with one line for each wrong variable.
 *
 * @example
 * const { apiPort } = parseEnvironment(process.env);
 */
export function parseEnvironment(source: Source): Environment {
  const parsed = Variables.safeParse(withoutEmpty(source));
  if (!parsed.success)
    throw new InvalidEnvironment(parsed.error.issues.map(({ path, message }) => `${path[0]?.toString()}: ${message}`));
  const variables = parsed.data;
  const networkName = variables.NETWORK ?? (variables.CHAIN_ID === undefined ? "local" : "custom");
  const problems: string[] = [];
  const need = (name: string, present: unknown) => {
    if (present === undefined) problems.push(`${name}: is required when the network is ${networkName}`);
  };
  if (networkName !== "local") need("RPC_URL", variables.RPC_URL);
  if (networkName === "custom") {
    need("CHAIN_ID", variables.CHAIN_ID);
    need("START_BLOCK", variables.START_BLOCK);
    for (const name of contractNames) need(addressVariable(name), variables[addressVariable(name)]);
  }
  if (networkName === "base-sepolia" && (variables.CHAIN_ID ?? baseSepolia.chainId) !== baseSepolia.chainId)
    problems.push(`CHAIN_ID: must be ${baseSepolia.chainId} or unset when the network is base-sepolia`);
  if (variables.X402_DEV_BYPASS && variables.NODE_ENV === "production")
    problems.push("X402_DEV_BYPASS: must not be true when NODE_ENV=production");
  problems.push(...paymentProblems(variables));
  if (variables.PORTFOLIO_PROVIDER === "alchemy" && variables.ALCHEMY_API_KEY === undefined)
    problems.push("ALCHEMY_API_KEY: is required when PORTFOLIO_PROVIDER is alchemy");
  if (problems.length > 0) throw new InvalidEnvironment(problems);

  const stateFolder = resolve(variables.INTENTRY_DIR);
  const isLocal = networkName === "local" || variables.CHAIN_ID === LOCAL_CHAIN_ID;
  const network = (): Network => {
    if (networkName === "local") {
      const deployment = readLocalDeployment(stateFolder);
      return {
        name: networkName,
        chainId: deployment.chainId,
        rpcUrls: [deployment.rpcUrl],
        startBlock: 0,
        contracts: deployment.contracts,
        testDollar: deployment.contracts.TestDollar,
      };
    }
    const preset = networkName === "base-sepolia" ? baseSepolia : undefined;
    const addressOf = (name: ContractName) => variables[addressVariable(name)] ?? preset?.contracts[name];
    return {
      name: networkName,
      chainId: variables.CHAIN_ID ?? preset?.chainId ?? LOCAL_CHAIN_ID,
      rpcUrls: variables.RPC_URL ?? [],
      startBlock: variables.START_BLOCK ?? preset?.startBlock ?? 0,
      contracts: Object.fromEntries(contractNames.map((name) => [name, addressOf(name)])) as Network["contracts"],
    };
  };

  const databaseSchema = variables.DATABASE_SCHEMA ?? (networkName === "local" ? "intentry_local" : "intentry");
  const localTokens = () => {
    if (networkName !== "local") return undefined;
    const { rpcUrl, tokens = { native: [], sequencer: null, tokens: [] } } = readLocalDeployment(stateFolder);
    return { rpcUrl, tokens };
  };

  return {
    networkName,
    stateFolder,
    apiPort: variables.API_PORT,
    ponderPort: variables.PONDER_PORT,
    anvilPort: variables.ANVIL_PORT,
    databaseUrl: variables.DATABASE_URL,
    databaseSchema,
    indexSchema: variables.INDEX_SCHEMA,
    sampleActivity: variables.SAMPLE_ACTIVITY,
    x402DevBypass: variables.X402_DEV_BYPASS,
    pollingIntervalMs: variables.POLLING_INTERVAL_MS,
    maxLagSeconds: variables.READY_MAX_LAG_SECONDS ?? (isLocal ? LOCAL_MAX_LAG_SECONDS : DEFAULT_MAX_LAG_SECONDS),
    rpcWebSocketUrls: variables.RPC_WS_URL ?? [],
    logLevel: variables.LOG_LEVEL,
    publicBaseUrl: variables.PUBLIC_BASE_URL,
    trustProxy: variables.TRUST_PROXY,
    writeTokens: variables.WRITE_TOKENS ?? [],
    openMetadata: (variables.METADATA_AUTH ?? (isLocal ? "open" : "signed")) === "open",
    devHelpers: variables.DEV_HELPERS ?? isLocal,
    // On a local chain everyone who writes is at this machine.
    writesPerMinute: variables.RATE_LIMIT_WRITES ?? (isLocal ? undefined : DEFAULT_WRITES_PER_MINUTE),
    documentBytesPerDay: variables.DOCUMENT_QUOTA_BYTES ?? (isLocal ? undefined : DEFAULT_DOCUMENT_BYTES_PER_DAY),
    maxListeners: variables.EVENT_STREAMS,
    maxListenersOfClient:
      variables.EVENT_STREAMS_PER_CLIENT ?? (isLocal ? variables.EVENT_STREAMS : DEFAULT_STREAMS_OF_CLIENT),
    eventHeartbeatMs: variables.EVENT_HEARTBEAT_MS,
    keptMessages: variables.EVENT_BUFFER,
    // Processes that share a database or a folder share the index, and so their cursors.
    cursorSecret: variables.CURSOR_SECRET ?? `cursors of ${variables.DATABASE_URL ?? stateFolder}`,
    checkAnswers: variables.NODE_ENV === "test" || variables.NODE_ENV === "development",
    portfolio: {
      cacheMs: variables.PORTFOLIO_CACHE_SECONDS * 1000,
      alchemyApiKey: variables.PORTFOLIO_PROVIDER === "alchemy" ? variables.ALCHEMY_API_KEY : undefined,
      rpcUrls: Object.fromEntries(publicChainSlugs.map((slug) => [slug, variables[rpcVariable(slug)]])),
      local: localTokens,
    },
    network,
    payment: (indexed) => paymentSettings(variables, indexed),
  };
}
