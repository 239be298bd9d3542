import { type Address, type Hex, zeroAddress } from "viem";
import { executionHashOf } from "../execution-hash";
import { type Call, call } from "./calls";
import { anyBytes, anyHash, laterThan, payee } from "./values";
import { type ActionKind, anySender, may, type Settlement, type World } from "./world";

/** Lines in the native coin, to accounts that accept it. */
function anyLines(world: World): Settlement["instruction"]["lines"] {
  const { random } = world;
  const recipients: Address[] = [payee, ...world.wallets.map(({ address }) => address)];
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

export const settlementActions: ActionKind[] = [
  {
    name: "execute a settlement",
    weight: 3,
    act(world) {
      const { random } = world;
      const lines = anyLines(world);
      const grossAmount = lines.reduce((sum, { amount }) => sum + amount, 0n);
      const payer = anySender(world, "SettlementAdapter", "executeSettlement", grossAmount);
      if (!payer) return null;
      // Of an existing quote, or of none.
      const quote = random.chance(0.8) ? random.pick(world.quotes) : undefined;
      const quoteHash: Hex = quote?.quoteHash ?? anyBytes(random, 32);
      const instruction = {
        ...{ quoteHash, settlementPlanHash: anyBytes(random, 32), payer, token: zeroAddress, grossAmount },
        ...{ deadline: laterThan(random, world.now), lines },
      };
      const executionHash = executionHashOf(world.chainId, world.contracts.SettlementAdapter, instruction);
      const settlement = { executionHash, instruction };
      world.settlements.push(settlement);
      return execute(world, settlement);
    },
  },
  {
    name: "execute a settlement again",
    weight: 1,
    act(world) {
      const settlement = world.random.pick(
        world.settlements.filter(
          ({ instruction: { payer, deadline, grossAmount } }) =>
            deadline >= world.now && mayExecute(world, payer, grossAmount),
        ),
      );
      return settlement ? execute(world, settlement) : null;
    },
  },
];
