import { z } from "zod";
import { withDeadline } from "../../api/core/with-deadline";
import { MAX_REPLICA_LAG_SECONDS } from "../../api/indexed/sources";
import { type Environment, InvalidEnvironment, parseEnvironment } from "../../config/environment";
import { CONFIGURATION_ERROR } from "../../config/exit-codes";
import type { Network } from "../../config/networks";
import { runningDatabaseUrl } from "../local/postgres/running";
import { gatewayVariables } from "../roles/settings";
import { checkChainClock } from "./chain-clock";
import { CHECK_MS, failed, ok, type Result } from "./check";
import { checkContracts } from "./contracts";
import { checkDatabase } from "./database";
import { describeError } from "./describe-error";
import { checkPayments } from "./payments";
import { checkPublicAddress } from "./public-url";
import { checkReplicas } from "./replicas";
import { checkRpc, usableNode } from "./rpc";
import { redact, secretsIn } from "./secrets";

type Source = Readonly<Record<string, string | undefined>>;

type Diagnosis = {
  results: Result[];
  /** 0 if nothing failed, {@link CONFIGURATION_ERROR} for invalid variables, otherwise 1. */
  exitCode: number;
};

/** The network to index. Undefined for the local one while its chain does not run. */
async function readNetwork({ networkName, network }: Environment): Promise<Network | undefined> {
  if (networkName !== "local") return network();
  try {
    const local = network();
    return (await usableNode(local)) === undefined ? undefined : local;
  } catch {
    return undefined;
  }
}

/** The checks that need the chain. */
async function checkChain(environment: Environment, network: Network): Promise<Result[]> {
  const node = usableNode(network);
  const groups = await Promise.all([
    checkRpc(network, environment.rpcWebSocketUrls),
    checkContracts(network, node),
    checkPayments(environment, network),
    checkChainClock(node),
  ]);
  return groups.flat();
}

async function checkDatabases(environment: Environment): Promise<Result[]> {
  const { databaseSchema, apiWorkers, stateFolder, databaseReadUrls, poolMode } = environment;
  const url = environment.databaseUrl ?? (await runningDatabaseUrl(stateFolder).catch(() => undefined));
  if (url === undefined)
    return [
      {
        name: "database",
        ...ok("`npm start` runs an embedded PostgreSQL, since DATABASE_URL is not set. It is stopped."),
      },
    ];
  const groups = await Promise.all([
    checkDatabase({ url, poolMode, databaseSchema, gateways: apiWorkers }),
    checkReplicas(databaseReadUrls, url, MAX_REPLICA_LAG_SECONDS),
  ]);
  return groups.flat();
}

async function checkAll(environment: Environment): Promise<Result[]> {
  const network = await readNetwork(environment);
  const chain: Promise<Result[]> = network
    ? checkChain(environment, network)
    : Promise.resolve([
        { name: "chain", ...ok("Nothing to check yet: `npm start` creates the local chain, and it does not run.") },
      ]);
  const groups = await Promise.all([
    chain,
    checkDatabases(environment),
    checkPublicAddress(environment.publicBaseUrl, network?.chainId),
  ]);
  return [{ name: "environment", ...ok("All variables are valid.") }, ...groups.flat()];
}

/**
 * The variables to check. On a machine that runs only gateways, they include those that the indexer has published in the
 * database. If the database can't be read, its own check reports it.
 */
async function readSource(own: Source): Promise<{ source: Source; found: Result[] }> {
  const name = "published settings";
  try {
    const variables = await withDeadline(gatewayVariables(own), { ms: CHECK_MS });
    if (!variables) return { source: own, found: [] };
    return { source: variables, found: [{ name, ...ok("Found in the database. Variables that are set here win.") }] };
  } catch (error) {
    if (!(error instanceof z.ZodError || error instanceof SyntaxError)) return { source: own, found: [] };
    const advice = "Restart the indexer, which publishes them again.";
    return { source: own, found: [{ name, ...failed("They are not valid.", advice) }] };
  }
}

/** Removes secrets that the message of another server may contain. */
function withoutSecrets(result: Result, secrets: readonly string[]): Result {
  const message = redact(result.message, secrets);
  return "advice" in result ? { ...result, message, advice: redact(result.advice, secrets) } : { ...result, message };
}

/**
 * Checks the environment, the chain, the databases, payments, the clocks and the public URL. Changes nothing, and never
 * throws.
 *
 * @example
 * const { results, exitCode } = await diagnose(process.env);
 */
export async function diagnose(own: Source): Promise<Diagnosis> {
  const { source, found } = await readSource(own);
  let environment: Environment;
  try {
    environment = parseEnvironment(source);
  } catch (error) {
    const problems = error instanceof InvalidEnvironment ? error.problems : [describeError(error)];
    const advice = "docs/configuration.md describes it.";
    const results = problems.map((problem) => ({ name: "environment", ...failed(`${problem}.`, advice) }));
    return { results, exitCode: CONFIGURATION_ERROR };
  }
  const secrets = secretsIn(source);
  const results = [...found, ...(await checkAll(environment))].map((result) => withoutSecrets(result, secrets));
  return { results, exitCode: results.some(({ status }) => status === "failed") ? 1 : 0 };
}
