import { type Hex, keccak256, stringToHex } from "viem";
import { actor } from "../chain";

/** The accounts of the sample activity. Account 0 deploys the contracts, account 9 is {@link demoPayer}. */
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

/** The payer of the demo. Its key is public, like those of all anvil accounts. */
export const demoPayer = actor(9);

/** The hash of a placeholder document. */
export const hashOf = (text: string): Hex => keccak256(stringToHex(text));
