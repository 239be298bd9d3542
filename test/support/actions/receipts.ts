import { type Address, maxUint256 } from "viem";
import { type Call, call, type FunctionName } from "./calls";
import { needsFacilitator } from "./quotes";
import { anyAmount, anyHash } from "./values";
import { type ActionKind, anySender, type Dispute, may, nextId, type Receipt, type World } from "./world";

type Commerce = FunctionName<"CommerceRegistry">;

/** One of the items, and an account that can call the function for it now. */
function withSender<Item>(
  world: World,
  functionName: Commerce,
  items: readonly Item[],
  sendersOf: (item: Item) => readonly Address[],
): { item: Item; sender: Address } | undefined {
  return world.random.pick(
    items.flatMap((item) =>
      sendersOf(item)
        .filter((sender) => may(world, sender, "CommerceRegistry", functionName))
        .map((sender) => ({ item, sender })),
    ),
  );
}

const ownerOf = ({ quote }: Receipt) => quote.merchant.owner;

function fulfil(world: World, receipts: readonly Receipt[]): Call | null {
  const chosen = withSender(world, "recordFulfillment", receipts, (receipt) => {
    const { commitment } = receipt.quote;
    return needsFacilitator(commitment) ? [ownerOf(receipt), commitment.facilitator] : [ownerOf(receipt)];
  });
  if (!chosen) return null;
  const { item: receipt, sender } = chosen;
  receipt.fulfilled = true;
  return call(world, sender, "CommerceRegistry", "recordFulfillment", [receipt.receiptId, anyHash(world.random)]);
}

const OPEN = 0;
const RESOLVED = 1;
const REJECTED = 2;

function decide(world: World, disputes: readonly Dispute[], outcome: (dispute: Dispute) => number): Call | null {
  const chosen = withSender(world, "resolveDispute", disputes, ({ receipt }) => [ownerOf(receipt)]);
  if (!chosen) return null;
  const { item: dispute, sender } = chosen;
  dispute.status = outcome(dispute);
  const args = [dispute.disputeId, dispute.status, anyHash(world.random)] as const;
  return call(world, sender, "CommerceRegistry", "resolveDispute", args);
}

function signal(world: World, subjectId: bigint): Call | null {
  const { random } = world;
  const reporter = anySender(world, "CommerceRegistry", "recordTrustSignal");
  if (!reporter) return null;
  const args = [random.below(4), subjectId, random.below(4), anyHash(random)] as const;
  return call(world, reporter, "CommerceRegistry", "recordTrustSignal", args);
}

export const receiptActions: ActionKind[] = [
  {
    name: "record a fulfilment",
    weight: 4,
    act: (world) =>
      fulfil(
        world,
        world.receipts.filter(({ fulfilled }) => !fulfilled),
      ),
  },
  {
    name: "record a fulfilment again",
    weight: 1,
    act: (world) =>
      fulfil(
        world,
        world.receipts.filter(({ fulfilled }) => fulfilled),
      ),
  },
  {
    name: "open a dispute",
    weight: 4,
    act(world) {
      const chosen = withSender(world, "openDispute", world.receipts, (receipt) => [
        ownerOf(receipt),
        receipt.quote.commitment.agent,
      ]);
      if (!chosen) return null;
      const { item: receipt, sender } = chosen;
      world.disputes.push({ disputeId: nextId(world.disputes), receipt, status: OPEN });
      return call(world, sender, "CommerceRegistry", "openDispute", [receipt.receiptId, anyHash(world.random)]);
    },
  },
  {
    name: "decide a dispute",
    weight: 3,
    act: (world) =>
      decide(
        world,
        world.disputes.filter(({ status }) => status === OPEN),
        () => world.random.pick([RESOLVED, REJECTED]),
      ),
  },
  {
    name: "decide a dispute again, the other way",
    weight: 1,
    act: (world) =>
      decide(
        world,
        world.disputes.filter(({ status }) => status !== OPEN),
        ({ status }) => (status === RESOLVED ? REJECTED : RESOLVED),
      ),
  },
  {
    name: "decide a dispute again, the same way",
    weight: 1,
    act: (world) =>
      decide(
        world,
        world.disputes.filter(({ status }) => status !== OPEN),
        ({ status }) => status,
      ),
  },
  {
    name: "record a trust signal about an existing subject",
    weight: 3,
    act: (world) => signal(world, BigInt(1 + world.random.below(4))),
  },
  {
    name: "record a trust signal about an unknown subject",
    weight: 1,
    act: (world) => signal(world, world.random.pick([0n, maxUint256, 1_000_000n, anyAmount(world.random)])),
  },
];
