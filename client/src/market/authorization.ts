import { type Address, type Hex, parseAbi, parseSignature } from "viem";
import type { Fields } from "./fields";
import type { Wallet } from "./wallet";

/** A signed transfer of EIP-3009: the payer signs it, and anyone can send it, once. */
export type Authorization = {
  from: Address;
  to: Address;
  value: bigint;
  validBefore: bigint;
  /** The hash of the quote, so that an authorization pays one quote and no other. */
  nonce: Hex;
  signature: Hex;
};

export const authorizationAbi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
]);

/** The signed fields of EIP-3009. */
export const authorizationTypes = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

const namedAbi = parseAbi(["function name() view returns (string)", "function version() view returns (string)"]);

/** The name and version in a token's EIP-712 domain. USDC reports them by these functions only, and other tokens by ERC-5267. */
async function domainOf(wallet: Wallet, address: Address): Promise<{ name: string; version: string }> {
  try {
    const { name, version } = (await wallet.getEip712Domain({ address })).domain;
    return { name, version };
  } catch {
    const [name, version] = await Promise.all([
      wallet.readContract({ address, abi: namedAbi, functionName: "name" }),
      wallet.readContract({ address, abi: namedAbi, functionName: "version" }),
    ]);
    return { name, version };
  }
}

/** Signs a transfer of a token that supports EIP-3009, such as a dollar token. */
export async function signAuthorization(
  wallet: Wallet,
  token: Address,
  transfer: Omit<Authorization, "from" | "signature">,
): Promise<Authorization> {
  const { name, version } = await domainOf(wallet, token);
  // Not the reported chain and contract: a token must not obtain a signature for another one. No salt: EIP-3009 has none.
  const domain = { name, version, chainId: wallet.chain.id, verifyingContract: token };
  const from = wallet.account.address;
  const message = { ...transfer, from, validAfter: 0n };
  const signature = await wallet.signTypedData({
    domain,
    types: authorizationTypes,
    primaryType: "TransferWithAuthorization",
    message,
  });
  return { from, ...transfer, signature };
}

/** The arguments of `transferWithAuthorization`. */
export function authorizationArguments({ from, to, value, validBefore, nonce, signature }: Authorization) {
  const { v, yParity, r, s } = parseSignature(signature);
  return [from, to, value, 0n, validBefore, nonce, Number(v ?? BigInt(yParity) + 27n), r, s] as const;
}

export const authorizationToJson = ({ value, validBefore, ...others }: Authorization) => ({
  ...others,
  value: String(value),
  valid_before: String(validBefore),
});

export const authorizationIn = (fields: Fields): Authorization => ({
  from: fields.hex("from", 20),
  to: fields.hex("to", 20),
  value: fields.uint("value"),
  validBefore: fields.uint("valid_before"),
  nonce: fields.hash("nonce"),
  signature: fields.hex("signature", 65),
});
