import { type Random, seededRandom } from "../actions/random";

/**
 * The random sources of one seed. Each use has its own, so that the number of RPC requests, which depends on the machine,
 * can't change any other decision.
 */
export function randomSources(seed: number): Record<"plan" | "history" | "clients" | "faults" | "rpc", Random> {
  const source = (use: number) => seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(use, 0x85ebca6b));
  return { plan: source(1), history: source(2), clients: source(3), faults: source(4), rpc: source(5) };
}
