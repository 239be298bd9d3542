import {
  type Abi,
  type Address,
  decodeFunctionData,
  type Hex,
  type PrivateKeyAccount,
  parseEventLogs,
  type TransactionReceipt,
} from "viem";
import { expect } from "vitest";
import type { z } from "zod";
import type { PreparedAction } from "../../../api/operations/actions/answer";
import { protocolAbis } from "../../../config/contracts";
import type { WrittenStack } from "../../support/shared-stack";

export type Prepared = z.output<typeof PreparedAction>;

type Answer = { status: number; body: Prepared & { error?: string; code?: string } };

/** Asks a service to prepare an action. */
export async function prepare(apiUrl: string, name: string, input: Record<string, unknown>): Promise<Answer> {
  const response = await fetch(`${apiUrl}/actions/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

export const allAbis = Object.values(protocolAbis).flat() as Abi;

/** A call as viem decodes it, with addresses in lowercase. */
export function decoded(data: Hex, abi: Abi = allAbis): { name: string; args: readonly unknown[] } {
  const { functionName, args = [] } = decodeFunctionData({ abi, data });
  return { name: functionName, args: lowercase(args) as unknown[] };
}

/** The same value with addresses in lowercase, at any depth. */
function lowercase(value: unknown): unknown {
  if (typeof value === "string") return /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(lowercase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, lowercase(member)]));
}

/** Sends prepared transactions as they are, with a wallet that knows nothing else. */
async function sendAll(
  { client }: Pick<WrittenStack, "client">,
  account: PrivateKeyAccount,
  { transactions }: Prepared,
): Promise<TransactionReceipt[]> {
  const receipts: TransactionReceipt[] = [];
  for (const { to, data, value, gas, chainId } of transactions) {
    expect(chainId).toBe(client.chain.id);
    const hash = await client.sendTransaction({
      account,
      to: to as Address,
      data: data as Hex,
      value: BigInt(value),
      ...(gas !== null && { gas: BigInt(gas) }),
    });
    receipts.push(await client.waitForTransactionReceipt({ hash }));
  }
  return receipts;
}

/** The protocol's events of receipts, as simulations have them. */
const eventsOf = (receipts: readonly TransactionReceipt[]) =>
  receipts.flatMap(({ logs }) =>
    parseEventLogs({ abi: allAbis, logs }).map(({ address, eventName, args }) => ({
      address: address.toLowerCase(),
      event: eventName,
      args: JSON.parse(
        JSON.stringify(lowercase(args), (_, value) => (typeof value === "bigint" ? String(value) : value)),
      ),
    })),
  );

/**
 * Prepares an action, and sends it. The simulation must succeed, and tell the events and enough gas. Returns the answer and
 * the receipts, once they are indexed.
 */
export async function perform(
  stack: WrittenStack,
  account: PrivateKeyAccount,
  name: string,
  input: Record<string, unknown>,
  from: Address = account.address,
): Promise<{ prepared: Prepared; receipts: TransactionReceipt[] }> {
  const { status, body: prepared } = await prepare(stack.apiUrl, name, { from, ...input });
  expect(status, JSON.stringify(prepared)).toBe(200);
  expect(prepared.simulation, JSON.stringify(prepared.simulation)).toMatchObject({
    ok: true,
    method: "eth_simulateV1",
  });
  const receipts = await sendAll(stack, account, prepared);
  expect(receipts.map(({ status }) => status)).toEqual(prepared.transactions.map(() => "success"));
  const simulated = prepared.simulation?.results.flatMap(({ events }) => events ?? []) ?? [];
  const known = simulated.filter(({ contract }) => contract !== null);
  expect(known.map(({ address, event, args }) => ({ address, event, args }))).toEqual(eventsOf(receipts));
  for (const { description } of known) expect(description).not.toBeNull();
  await stack.indexed();
  return { prepared, receipts };
}
