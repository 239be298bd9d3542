import { pbkdf2Sync } from "node:crypto";
import { HDKey, hdKeyToAccount } from "viem/accounts";
import { LOCAL_MNEMONIC } from "./networks";

let root: HDKey | undefined;

/** One of anvil's default accounts. Node computes the BIP-39 seed once: viem is slow and repeats it per account. */
export function localAccount(index: number) {
  root ??= HDKey.fromMasterSeed(pbkdf2Sync(LOCAL_MNEMONIC, "mnemonic", 2048, 64, "sha512"));
  return hdKeyToAccount(root, { addressIndex: index });
}
