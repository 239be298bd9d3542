import { DEFAULT_ASSETS } from "@x402/evm";
import { type Address, type Hex, keccak256, pad, size, stringToHex, toHex } from "viem";
import { testDollarAbi } from "../../abis/index";
import bytecode from "../../contracts/bytecode.json";
import { actor, type ChainConnection, mined } from "../../stack/chain";

/** Deploys a contract and returns its runtime code, with its immutables. */
export async function runtimeCodeOf(
  client: ChainConnection,
  name: keyof typeof bytecode,
  abi: readonly unknown[] = [],
  args: readonly unknown[] = [],
): Promise<Hex> {
  const request = { account: actor(0), abi, args, bytecode: bytecode[name] as Hex } as never;
  const { contractAddress } = await mined(client, client.deployContract(request));
  const code = contractAddress && (await client.getCode({ address: contractAddress }));
  if (!code) throw new Error(`${name} has no code`);
  return code;
}

/** A text of at most 31 bytes as one storage slot. */
const shortText = (text: string): Hex =>
  toHex(BigInt(pad(stringToHex(text), { dir: "right" })) + 2n * BigInt(size(stringToHex(text))), { size: 32 });

/** The slots of an OpenZeppelin ERC20's name and symbol. */
const NAME_SLOT = 3;
const SYMBOL_SLOT = 4;

/**
 * Places the test dollar at the address of a network's USDC, with USDC's EIP-712 domain. OpenZeppelin's EIP712 keeps the
 * hashes of its name and version in the code. At another address than the one of its deployment it computes the domain
 * separator from these hashes, the chain id and its own address.
 */
export async function placeUsdc(client: ChainConnection, network: `eip155:${number}`): Promise<Address> {
  const [usdc] = DEFAULT_ASSETS[network] ?? [];
  if (!usdc) throw new Error(`x402 does not know the USDC of ${network}`);
  const address = usdc.asset as Address;
  const hashOf = (text: string) => keccak256(stringToHex(text)).slice(2);
  const placed = (await runtimeCodeOf(client, "TestDollar", testDollarAbi))
    .replaceAll(hashOf("Test Dollar"), hashOf(usdc.name))
    .replaceAll(hashOf("1"), hashOf(usdc.version));
  await client.setCode({ address, bytecode: placed as Hex });
  for (const [slot, text] of [[NAME_SLOT, usdc.name] as const, [SYMBOL_SLOT, usdc.name] as const])
    await client.setStorageAt({ address, index: slot, value: shortText(text) });
  return address;
}
