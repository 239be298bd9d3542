import type { Random } from "../actions/random";
import type { Postgres } from "../postgres-server";
import { isRunning } from "../processes";
import type { RpcProxy } from "../rpc-proxy";
import { fillDisk, freeDisk, killBackend, setReadOnly } from "./database-faults";
import type { Round, ServiceFault } from "./plan";
import type { Part, Service } from "./service";

export type Disturbed = {
  service: Service;
  postgres: Postgres;
  /** The service's database. */
  databaseUrl: string;
  proxy: RpcProxy;
  random: Random;
};

/** Starts a fault. Returns a function that ends it. */
type Start = (disturbed: Disturbed) => Promise<() => Promise<void>>;

const nothing = async () => {};

const ending =
  (part: Part, signal: NodeJS.Signals): Start =>
  async ({ service }) => {
    await service.signal(part, signal);
    return nothing;
  };

const pausing =
  (part: Part): Start =>
  async ({ service }) => {
    const pid = await service.signal(part, "SIGSTOP");
    return async () => {
      // The supervisor may have replaced it.
      if (await isRunning(pid)) process.kill(pid, "SIGCONT");
    };
  };

const halting =
  (mode: "fast" | "immediate"): Start =>
  async ({ postgres }) => {
    await postgres.halt(mode);
    return postgres.resume;
  };

const starts: Record<ServiceFault, Start> = {
  "kill -9 the indexer": ending("indexer", "SIGKILL"),
  "kill -9 the gateway": ending("gateway", "SIGKILL"),
  "kill -9 the supervisor": ending("supervisor", "SIGKILL"),
  "SIGTERM to the indexer": ending("indexer", "SIGTERM"),
  "SIGTERM to the gateway": ending("gateway", "SIGTERM"),
  "SIGTERM to the supervisor": ending("supervisor", "SIGTERM"),
  "SIGSTOP of the indexer": pausing("indexer"),
  "SIGSTOP of the gateway": pausing("gateway"),
  "SIGSTOP of the supervisor": pausing("supervisor"),
  "restart of PostgreSQL": halting("fast"),
  "crash of PostgreSQL": halting("immediate"),
  "kill -9 a PostgreSQL backend": async ({ databaseUrl, random }) => {
    await killBackend(databaseUrl, random);
    return nothing;
  },
  "disk full": async ({ databaseUrl }) => {
    await fillDisk(databaseUrl);
    return () => freeDisk(databaseUrl);
  },
  "read-only database": async ({ databaseUrl }) => {
    await setReadOnly(databaseUrl, true);
    return () => setReadOnly(databaseUrl, false);
  },
};

export const startServiceFault = (fault: ServiceFault, disturbed: Disturbed) => starts[fault](disturbed);

/** Makes the RPC node fail a share of the calls. Returns a function that ends it. */
export function startRpcFault(fault: Round["rpc"], proxy: RpcProxy, random: Random): () => void {
  if (!fault) return () => {};
  const { fate, share } = fault;
  proxy.decide(({ method, params: [block] }) => {
    if (!random.chance(share)) return "pass";
    if (fate !== "behind") return fate;
    return method === "eth_getBlockByNumber" && block === "latest" ? "behind" : "pass";
  });
  return () => proxy.decide(() => "pass");
}
