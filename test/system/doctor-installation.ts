import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { supportedBy } from "../../api/payments/facilitators/remote";
import type { Result } from "../../stack/doctor/check";
import { diagnose } from "../../stack/doctor/diagnose";
import { startChain } from "../../stack/local/chain";
import { deploy } from "../../stack/local/deploy";
import { freePorts } from "../../stack/roles/ports";
import { createTestDatabase } from "../support/database";
import { indexOf } from "../support/index-of";
import { serviceEnvironment } from "../support/simulation/service";
import { startFacilitatorServer } from "../support/x402/facilitator-server";

export const KEY = "key-of-the-rpc-node";
export const AUTHORIZATION = "Bearer token-of-the-facilitator";
const WRITE_TOKEN = "token-of-a-publisher";

/** A server that returns the same text for every request. */
export async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** An installation without problems, with a real chain, database, index and facilitator, for `intentry doctor`. */
export async function startInstallation() {
  const stops: (() => unknown)[] = [];
  const [port = 0, refusingPort = 0] = await freePorts(2);
  const chain = await startChain({ port });
  stops.push(chain.child.stop);
  const contracts = await deploy(chain.client);
  const database = await createTestDatabase("doctor");
  stops.push(database.drop);
  const refuse = async () => Promise.reject(new Error("The doctor does not pay"));
  const getSupported = async () => supportedBy("eip155:31337");
  const facilitator = await startFacilitatorServer({ verify: refuse, settle: refuse, getSupported });
  stops.push(facilitator.stop);
  const service = serviceEnvironment(contracts, { rpcUrl: chain.rpcUrl, portfolioRpcUrl: chain.rpcUrl });
  const index = await indexOf(chain, contracts, { ...service, DATABASE_URL: database.url });
  stops.push(index.removeIndex);
  await index.startIndexer();
  /** The environment of an installation without problems. */
  const env: NodeJS.ProcessEnv = {
    ...index.env,
    RPC_URL: `${chain.rpcUrl}/?key=${KEY}`,
    PUBLIC_BASE_URL: index.apiUrl,
    WRITE_TOKENS: WRITE_TOKEN,
    X402_FACILITATOR_URL: `${facilitator.url}/${KEY}/..`,
    X402_FACILITATOR_AUTH: AUTHORIZATION,
  };
  const expectNoSecrets = (output: string): void => {
    const { password } = new URL(database.url);
    expect(password.length).toBeGreaterThan(20);
    for (const secret of [KEY, AUTHORIZATION, "token-of-the-facilitator", WRITE_TOKEN, password])
      expect(output).not.toContain(secret);
  };
  /** The results with another environment. No output may contain a secret. */
  const results = async (change: NodeJS.ProcessEnv = {}): Promise<Result[]> => {
    const diagnosis = await diagnose({ ...env, ...change });
    const isFailed = diagnosis.results.some(({ status }) => status === "failed");
    expect(diagnosis.exitCode).toBe(isFailed ? 1 : 0);
    expectNoSecrets(JSON.stringify(diagnosis.results));
    return diagnosis.results;
  };
  return {
    chain,
    contracts,
    database,
    facilitator,
    env,
    /** A port on which nothing listens. */
    refusingPort,
    expectNoSecrets,
    results,
    problems: async (change: NodeJS.ProcessEnv) => (await results(change)).filter(({ status }) => status !== "ok"),
    async stop() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>;
