import type { Random } from "../actions/random";
import type { Fate } from "../rpc-proxy";

/** Faults of the processes and the database. A round has one of them. */
export const serviceFaults = [
  "kill -9 the indexer",
  "kill -9 the gateway",
  "kill -9 the supervisor",
  "SIGTERM to the indexer",
  "SIGTERM to the gateway",
  "SIGTERM to the supervisor",
  "SIGSTOP of the indexer",
  "SIGSTOP of the gateway",
  "SIGSTOP of the supervisor",
  "restart of PostgreSQL",
  "crash of PostgreSQL",
  "kill -9 a PostgreSQL backend",
  "disk full",
  "read-only database",
] as const;
export type ServiceFault = (typeof serviceFaults)[number];

/** How the RPC node misbehaves: it does this to a share of the calls. */
export const rpcFaults = ["refuse", "limit", "fail", "truncate", "late", "cut", "behind"] as const satisfies Fate[];

/** Random client requests while some blocks are mined. */
type Step = { actions: number; writes: number; reads: number; purchases: number; cutStreams: boolean; reorg: boolean };

export type Round = {
  /** Whether the index catches up before the round. Otherwise the fault may hit a service that is still recovering. */
  settled: boolean;
  service: ServiceFault;
  /** The step at which the service's fault starts. It ends after the last step. */
  from: number;
  rpc: { fate: (typeof rpcFaults)[number]; share: number } | undefined;
  steps: Step[];
  /** Whether the fault lasts until all writes of the round that are sent once have an answer or none in time. */
  waits: boolean;
};

export type Plan = {
  /** The number of gateway processes. */
  workers: number;
  /** Whether the RPC node has WebSocket. */
  webSocket: boolean;
  /** Legal actions before the service starts. */
  history: number;
  rounds: Round[];
};

const ROUNDS = 6;
const STEPS = 3;

/** Purchases start in these rounds. A payment whose gateway was killed can continue after 30 s, partly in later rounds. */
const PAYING_ROUNDS = 4;

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random.below(left.length), 1));
}

const makeStep = (random: Random, mayBuy: boolean): Step => ({
  actions: 1 + random.below(6),
  writes: 1 + random.below(5),
  reads: 1 + random.below(4),
  purchases: mayBuy ? random.below(3) : 0,
  cutStreams: random.chance(0.2),
  reorg: random.chance(0.2),
});

/** Everything that the harness does in a run, except the contents, which have their own random sources. */
export function makePlan(random: Random): Plan {
  const services = shuffled(random, serviceFaults);
  const nodes = shuffled(random, rpcFaults);
  return {
    workers: random.chance(0.3) ? 2 : 1,
    webSocket: random.chance(0.5),
    history: 40 + random.below(30),
    rounds: services.slice(0, ROUNDS).map((service, number) => {
      const fate = nodes[number % nodes.length];
      return {
        settled: random.chance(0.7),
        service,
        from: random.below(STEPS),
        rpc: fate && random.chance(0.6) ? { fate, share: 0.1 + random.below(5) / 10 } : undefined,
        steps: Array.from({ length: STEPS }, () => makeStep(random, number < PAYING_ROUNDS)),
        waits: random.chance(0.5),
      };
    }),
  };
}

/** The plan in words, for the log. */
export const describePlan = ({ workers, webSocket, rounds }: Plan): string =>
  [
    `${workers} gateway(s), ${webSocket ? "with" : "without"} WebSocket`,
    ...rounds.map(({ service, rpc, steps }) => {
      const reorgs = steps.filter(({ reorg }) => reorg).length;
      return [service, rpc && `RPC ${rpc.fate} ${rpc.share.toFixed(1)}`, reorgs && `${reorgs} reorg(s)`]
        .filter(Boolean)
        .join(", ");
    }),
  ].join("; ");
