import { pbkdf2Sync } from "node:crypto";
import { HDKey, hdKeyToAccount } from "viem/accounts";
import { LOCAL_MNEMONIC } from "./networks";

let root: HDKey | undefined;

/** One of anvil's accounts. The seed (BIP-39) is computed once and by Node itself: viem takes long, for each account anew. */
export function localAccount(index: number) {
  root ??= HDKey.fromMasterSeed(pbkdf2Sync(LOCAL_MNEMONIC, "mnemonic", 2048, 64, "sha512"));
  return hdKeyToAccount(root, { addressIndex: index });
}
