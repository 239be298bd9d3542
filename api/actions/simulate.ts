import {
  type Address,
  BaseError,
  type Client,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  RpcRequestError,
} from "viem";
import { z } from "zod";
import { callSequenceAbi, callSequenceCode } from "../../abis/index";
import { TooMany } from "../core/errors";
import { changeCount, createMinuteCounts } from "../core/minute-counts";

/** A call that is sent by an account. */
export type SimulatedCall = { from: Address; to: Address; value: bigint; data: Hex };

export type SimulatedLog = { address: Address; topics: [Hex, ...Hex[]] | []; data: Hex };

/** What a call would do. Gas and logs are null if the method does not tell them. */
export type Outcome = {
  /** Whether it succeeds. */
  ok: boolean;
  /** What it returns, or the data of its revert. */
  data: Hex;
  gasUsed: bigint | null;
  logs: SimulatedLog[] | null;
};

/** How calls were simulated: with a method for several calls, with code at the sender that makes them, or only the first. */
export const simulationMethods = ["eth_simulateV1", "state_overrides", "eth_call"] as const;

export type SimulationMethod = (typeof simulationMethods)[number];

/** The outcomes of the calls in order; of only the first if the node can't run several. */
export type Simulated = { method: SimulationMethod; outcomes: Outcome[] };

/** The sender can't pay for the call. Nodes report it instead of an outcome. */
export class InsufficientFunds extends Error {
  override name = "InsufficientFunds";

  constructor(
    readonly method: SimulationMethod,
    cause: unknown,
  ) {
    super(undefined, { cause });
  }
}

/** Simulates calls in order at the newest block, in one request. Throws if the node does not answer. */
export type Simulate = (calls: readonly SimulatedCall[], client: string) => Promise<Simulated>;

/** Simulations of one client in a minute. */
const SIMULATIONS_PER_MINUTE = 120;

const hex = z.templateLiteral(["0x", z.string()]);

const Logs = z.array(z.object({ address: hex, topics: z.array(hex), data: hex }));

/** The blocks of `eth_simulateV1`. Geth has the data of a revert in the error, anvil in the returned data. */
const Blocks = z
  .array(
    z.object({
      calls: z.array(
        z.object({
          status: hex,
          returnData: hex,
          gasUsed: hex,
          logs: Logs,
          error: z.object({ data: hex.optional() }).optional(),
        }),
      ),
    }),
  )
  .min(1);

const NOT_FOUND = -32_601;

/** The code of `eth_simulateV1` for a sender with too little of the native coin. Others have several meanings. */
const INSUFFICIENT_FUNDS = -38_014;

/** The same in the words of nodes: Geth, Erigon, Reth and anvil; Nethermind; revm; Besu. */
const FUNDS_MISSING = /insufficient (sender )?(funds|balance)|lack of funds|up-?front cost exceeds/i;

/** The error that the node answered with; undefined for other errors, such as of the connection. */
const answerOf = (error: unknown): RpcRequestError | undefined => {
  const found = error instanceof BaseError ? error.walk((one) => one instanceof RpcRequestError) : undefined;
  return found instanceof RpcRequestError ? found : undefined;
};

const lacksMethod = (error: unknown) => {
  const answer = answerOf(error);
  return (
    answer !== undefined &&
    (answer.code === NOT_FOUND ||
      /method.*(not (found|supported|available|exist|whitelisted)|does not exist|unsupported)/i.test(answer.details))
  );
};

/** The data of a revert, which nodes add to the error of `eth_call` in several places. */
function revertDataOf({ data }: RpcRequestError): Hex | undefined {
  const parsed = z
    .union([hex.transform((found) => found), z.object({ data: hex }).transform((found) => found.data)])
    .safeParse(data);
  return parsed.success ? parsed.data : undefined;
}

/** The outcome of `eth_call` that failed. Throws an error that is not about the call. */
function failureOf(error: unknown): Outcome {
  const answer = answerOf(error);
  if (!answer) throw error;
  const data = revertDataOf(answer);
  if (data === undefined && !/revert/i.test(answer.details)) throw error;
  return { ok: false, data: data ?? "0x", gasUsed: null, logs: null };
}

/** Enough for every function of the protocol. Anyone can write a contract that uses all the gas it gets. */
const MAX_GAS = numberToHex(5_000_000n);

const parameters = ({ from, to, value, data }: SimulatedCall) => ({
  from,
  to,
  value: numberToHex(value),
  data,
  gas: MAX_GAS,
});

type Request = (method: string, params: readonly unknown[]) => Promise<unknown>;

async function simulateBlock(request: Request, calls: readonly SimulatedCall[]): Promise<Outcome[]> {
  const block = { blockStateCalls: [{ calls: calls.map(parameters) }], validation: false };
  const [found] = Blocks.parse(await request("eth_simulateV1", [block, "latest"]));
  return (found?.calls ?? []).map(({ status, returnData, gasUsed, logs, error }) => ({
    ok: BigInt(status) === 1n,
    data: error?.data ?? returnData,
    gasUsed: BigInt(gasUsed),
    logs: logs.map(({ address, topics, data }) => ({
      address: address.toLowerCase() as Address,
      topics: topics as SimulatedLog["topics"],
      data,
    })),
  }));
}

/** Replaces the code of the sender by one that makes the calls in order, so that they have the sender and see each other. */
async function simulateSequence(request: Request, calls: readonly SimulatedCall[], from: Address): Promise<Outcome[]> {
  const call = encodeFunctionData({
    abi: callSequenceAbi,
    functionName: "run",
    args: [calls.map(({ to, value, data }) => ({ target: to, value, data }))],
  });
  const answer = await request("eth_call", [
    { from, to: from, data: call },
    "latest",
    { [from]: { code: callSequenceCode } },
  ]);
  const results = decodeFunctionResult({ abi: callSequenceAbi, functionName: "run", data: hex.parse(answer) });
  // Its gas would be too low for a transaction: without the intrinsic gas, and with storage that earlier calls have warmed.
  return results.map(({ success, data }) => ({ ok: success, data, gasUsed: null, logs: null }));
}

async function callFirst(request: Request, calls: readonly SimulatedCall[]): Promise<Outcome[]> {
  const [first] = calls;
  if (!first) return [];
  try {
    const data = hex.parse(await request("eth_call", [parameters(first), "latest"]));
    return [{ ok: true, data, gasUsed: null, logs: null }];
  } catch (error) {
    return [failureOf(error)];
  }
}

/**
 * Creates a simulation on a node. The methods that the node lacks are found by trying, once per process: that request has
 * another one before it.
 */
export function createSimulate(client: () => Promise<Pick<Client, "request">>): Simulate {
  const missing = new Set<SimulationMethod>();
  const minute = createMinuteCounts();
  const request: Request = async (method, params) => (await client()).request({ method, params } as never);

  /** Whether all calls have one sender, so that code at its address can make them. */
  const senderOf = (calls: readonly SimulatedCall[]) =>
    calls.every(({ from }) => from === calls[0]?.from) ? calls[0]?.from : undefined;

  const attempt = async (method: SimulationMethod, run: () => Promise<Outcome[]>): Promise<Simulated | undefined> => {
    if (missing.has(method)) return undefined;
    try {
      return { method, outcomes: await run() };
    } catch (error) {
      const answer = answerOf(error);
      if (lacksMethod(error)) {
        missing.add(method);
        return undefined;
      }
      if (answer && (answer.code === INSUFFICIENT_FUNDS || FUNDS_MISSING.test(answer.details)))
        throw new InsufficientFunds(method, error);
      throw error;
    }
  };

  return async (calls, caller) => {
    const { counts, secondsLeft } = minute.current();
    if (changeCount(counts, caller, 1) > SIMULATIONS_PER_MINUTE)
      throw new TooMany(
        `More than ${SIMULATIONS_PER_MINUTE} prepared actions in a minute; try again in ${secondsLeft} s`,
        secondsLeft,
        SIMULATIONS_PER_MINUTE,
      );
    const from = senderOf(calls);
    const simulated =
      (await attempt("eth_simulateV1", () => simulateBlock(request, calls))) ??
      (calls.length > 1 && from
        ? await attempt("state_overrides", () => simulateSequence(request, calls, from))
        : undefined) ??
      (await attempt("eth_call", () => callFirst(request, calls)));
    if (!simulated) throw new Error("The node has no method to simulate calls");
    return simulated;
  };
}
