import { gunzipSync } from "node:zlib";
import { DEFAULT_ASSETS } from "@x402/evm";
import { type Address, concat, type Hex, hexToBytes, keccak256, pad, stringToHex, toHex } from "viem";
import { z } from "zod";
import { testDollarAbi } from "../../abis/index";
import bytecode from "../../contracts/bytecode.json";
import { actor, type ChainConnection, mined } from "../../stack/local/chain";
import { type Contracts, deploy } from "../../stack/local/deploy";

const hex = z.templateLiteral(["0x", z.string()]);

/** Deploys a contract and returns its runtime code, with its immutables. */
async function runtimeCodeOf(
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

/** A text of at most 31 bytes, as a storage slot has it. */
const inSlot = (text: string): Hex =>
  concat([pad(stringToHex(text), { dir: "right", size: 31 }), toHex(2 * text.length, { size: 1 })]);

/** The same, as OpenZeppelin's ShortString has it, without 0x. */
const shortString = (text: string) =>
  concat([pad(stringToHex(text), { dir: "right", size: 31 }), toHex(text.length, { size: 1 })]).slice(2);

const hashOf = (text: string) => keccak256(stringToHex(text)).slice(2);

/** The slots of an OpenZeppelin ERC20's name and symbol. */
const [NAME_SLOT, SYMBOL_SLOT] = [3, 4];

/** PUSH4 with the selector of `eip712Domain()`, and with one that nobody calls. */
const [ERC_5267, NO_FUNCTION] = ["6384b0196e", "6384b0196f"];

/**
 * Places the test dollar at the address of a network's USDC, with USDC's EIP-712 domain and, like USDC, without ERC-5267.
 * OpenZeppelin's EIP712 keeps its name and version in the code. At another address than the one of its deployment it computes
 * the domain separator from them, the chain id and its own address.
 */
export async function placeUsdc(client: ChainConnection, network: `eip155:${number}`): Promise<Address> {
  const [usdc] = DEFAULT_ASSETS[network] ?? [];
  if (!usdc) throw new Error(`x402 does not know the USDC of ${network}`);
  const address = usdc.asset as Address;
  const code = (await runtimeCodeOf(client, "TestDollar", testDollarAbi))
    .replaceAll(hashOf("Test Dollar"), hashOf(usdc.name))
    .replaceAll(hashOf("1"), hashOf(usdc.version))
    .replaceAll(shortString("1"), shortString(usdc.version))
    .replaceAll(ERC_5267, NO_FUNCTION);
  await client.setCode({ address, bytecode: code as Hex });
  await client.setStorageAt({ address, index: NAME_SLOT, value: inSlot(usdc.name) });
  await client.setStorageAt({ address, index: SYMBOL_SLOT, value: inSlot(usdc.name) });
  return address;
}

const State = z.object({
  accounts: z.record(z.string(), z.object({ code: hex, storage: z.record(hex, hex) })),
});

/** The code and the storage of every account, by address in lower case. */
async function readAccounts(client: ChainConnection) {
  const { accounts } = State.parse(JSON.parse(gunzipSync(hexToBytes(await client.dumpState())).toString()));
  return new Map(Object.entries(accounts).map(([address, account]) => [address.toLowerCase(), account]));
}

/**
 * Deploys the contracts, and places the protocol's contracts at other addresses. Contracts that know others, such as the
 * intent book, know them by the addresses in their code, which are replaced. Their own address is not: OpenZeppelin's EIP712
 * computes its domain separator again if it differs.
 */
export async function placeProtocol(
  client: ChainConnection,
  addresses: Readonly<Partial<Record<keyof Contracts, Address>>>,
): Promise<Contracts> {
  const deployed = await deploy(client);
  const placed: Contracts = { ...deployed, ...addresses };
  const names = Object.keys(deployed) as (keyof Contracts)[];
  const accounts = await readAccounts(client);
  for (const name of names) {
    const { code, storage } = accounts.get(deployed[name].toLowerCase()) ?? { code: "0x" as const, storage: {} };
    let bytecode = code;
    for (const other of names)
      if (other !== name) bytecode = bytecode.replaceAll(hexOf(deployed[other]), hexOf(placed[other])) as Hex;
    const address = placed[name];
    await client.setCode({ address, bytecode });
    for (const [slot, value] of Object.entries(storage))
      await client.setStorageAt({ address, index: pad(slot as Hex), value: pad(value) });
  }
  return placed;
}

const hexOf = (address: Address) => address.slice(2).toLowerCase();
