import { type Address, type Hex, zeroAddress } from "viem";
import { executionHashOf } from "../execution-hash";
import { type Call, call } from "./calls";
import { anyBytes, anyHash, laterThan, payee } from "./values";
import { type ActionKind, anySender, may, type Quote, type Settlement, type World } from "./world";

type Lines = Settlement["instruction"]["lines"];

/** Lines in the native coin, to accounts that accept it. Mostly, one line pays the merchant of the quote. */
function anyLines(world: World, quote: Quote | undefined): Lines {
  const { random } = world;
  const recipients: Address[] = [payee, ...world.wallets.map(({ address }) => address)];
  const payout = quote?.merchant.payoutAddress;
  const amount = quote?.commitment.amount ?? 0n;
  if (payout && recipients.includes(payout) && amount > 0n && amount < 5n && random.chance(0.8))
    return [{ kind: 0, recipient: payout, token: zeroAddress, amount, metadataHash: anyHash(random) }];
  return Array.from({ length: 1 + random.below(3) }, () => ({
    kind: random.below(256),
    recipient: random.pick(recipients) ?? payee,
    token: zeroAddress,
    amount: BigInt(1 + random.below(5)),
    metadataHash: anyHash(random),
  }));
}

const execute = (world: World, { instruction }: Settlement): Call =>
  call(world, instruction.payer, "SettlementAdapter", "executeSettlement", [instruction], instruction.grossAmount);

const mayExecute = (world: World, payer: Address, amount: bigint) =>
  may(world, payer, "SettlementAdapter", "executeSettlement", amount);

/** A new settlement, not executed yet, of a quote or of none. Null if nobody can execute it. */
export function planSettlement(world: World, quote?: Quote): Settlement | null {
  const { random } = world;
  const lines = anyLines(world, quote);
  const grossAmount = lines.reduce((sum, { amount }) => sum + amount, 0n);
  const payer = anySender(world, "SettlementAdapter", "executeSettlement", grossAmount);
  if (!payer) return null;
  const quoteHash: Hex = quote?.quoteHash ?? anyBytes(random, 32);
  const instruction = {
    ...{ quoteHash, settlementPlanHash: anyBytes(random, 32), payer, token: zeroAddress, grossAmount },
    ...{ deadline: laterThan(random, world.now), lines },
  };
  return { executionHash: executionHashOf(world.chainId, world.contracts.SettlementAdapter, instruction), instruction };
}

const executable = (world: World, settlements: readonly Settlement[]) =>
  settlements.filter(
    ({ instruction: { payer, deadline, grossAmount } }) =>
      deadline >= world.now && mayExecute(world, payer, grossAmount),
  );

export const settlementActions: ActionKind[] = [
  {
    name: "execute a settlement",
    weight: 3,
    act(world) {
      const settlement = planSettlement(world, world.random.chance(0.8) ? world.random.pick(world.quotes) : undefined);
      if (!settlement) return null;
      world.settlements.push(settlement);
      return execute(world, settlement);
    },
  },
  {
    name: "execute the settlement that a receipt names",
    weight: 3,
    act(world) {
      const settlement = world.random.pick(executable(world, world.plannedSettlements));
      if (!settlement) return null;
      world.plannedSettlements = world.plannedSettlements.filter((one) => one !== settlement);
      world.settlements.push(settlement);
      return execute(world, settlement);
    },
  },
  {
    name: "execute a settlement again",
    weight: 1,
    act(world) {
      const settlement = world.random.pick(executable(world, world.settlements));
      return settlement ? execute(world, settlement) : null;
    },
  },
];
