import { type Hex, keccak256, stringToHex } from "viem";
import { actor } from "../chain";

/** Who acts in the sample activity. Account 0 deploys the contracts, and account 9 is kept for whoever tries the demo. */
export const people = {
  alice: actor(1),
  bob: actor(2),
  swiftSolver: actor(3),
  thriftySolver: actor(4),
  attestor: actor(5),
  dataMerchant: actor(6),
  facilitator: actor(7),
  artMerchant: actor(8),
} as const;

/** Who pays in the demo: its key is as public as that of anvil's other accounts. */
export const demoPayer = actor(9);

/** A hash that stands for a document which only the sample knows. */
export const hashOf = (text: string): Hex => keccak256(stringToHex(text));
