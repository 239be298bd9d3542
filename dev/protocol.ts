import {
  type Account,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  type Hex,
  parseSignature,
  type TransactionReceipt,
} from "viem";
import { multicallAbi, policyAccountAbi, testDollarAbi } from "../abis/index";
import { protocolAbis } from "../config/contracts";
import type { Intent } from "../src/lib/intent-hash";
import { type ChainConnection, mined } from "./chain";
import type { Contracts } from "./deploy";

export const deployedAbis = {
  ...protocolAbis,
  TestDollar: testDollarAbi,
  Multicall: multicallAbi,
  PolicyAccount: policyAccountAbi,
} as const;

type Abis = typeof deployedAbis;
type Write = "nonpayable" | "payable";
type Read = "view" | "pure";

/** Names every function of every deployed contract, so that a call is checked by the compiler. */
export type Protocol = {
  client: ChainConnection;
  contracts: Contracts;
  /** Sends a transaction from the account and waits for its receipt; a revert is an error. */
  write: <Name extends keyof Abis, Fn extends ContractFunctionName<Abis[Name], Write>>(
    from: Account,
    name: Name,
    functionName: Fn,
    args: ContractFunctionArgs<Abis[Name], Write, Fn>,
    value?: bigint,
  ) => Promise<TransactionReceipt>;
  /** Asks a view function. */
  read: <Name extends keyof Abis, Fn extends ContractFunctionName<Abis[Name], Read>>(
    name: Name,
    functionName: Fn,
    args: ContractFunctionArgs<Abis[Name], Read, Fn>,
  ) => Promise<ContractFunctionReturnType<Abis[Name], Read, Fn, ContractFunctionArgs<Abis[Name], Read, Fn>>>;
};

export const protocolOn = (client: ChainConnection, contracts: Contracts): Protocol => ({
  client,
  contracts,
  // viem infers these types from literal arguments; here they are parameters, already checked by the signatures above.
  write: (account, name, functionName, args, value) =>
    mined(
      client,
      client.writeContract({
        account,
        abi: deployedAbis[name],
        address: contracts[name],
        functionName,
        args,
        value,
      } as never),
    ),
  read: (name, functionName, args) =>
    client.readContract({ abi: deployedAbis[name], address: contracts[name], functionName, args } as never) as never,
});

export const intentTypes = {
  Intent: [
    { name: "owner", type: "address" },
    { name: "intentType", type: "uint8" },
    { name: "constraints", type: "Constraints" },
    { name: "execution", type: "ExecutionRequirements" },
    { name: "inputToken", type: "address" },
    { name: "outputToken", type: "address" },
    { name: "nonce", type: "uint256" },
  ],
  Constraints: [
    { name: "amountInMax", type: "uint256" },
    { name: "amountOutMin", type: "uint256" },
    { name: "deadline", type: "uint256" },
    { name: "slippageBps", type: "uint16" },
  ],
  ExecutionRequirements: [
    { name: "target", type: "address" },
    { name: "dataHash", type: "bytes32" },
    { name: "requiredAttestationSubject", type: "bytes32" },
    { name: "requiredAttestationSchema", type: "bytes32" },
    { name: "metadataURIHash", type: "bytes32" },
  ],
} as const;

type Signer = Account & { signTypedData: NonNullable<Account["signTypedData"]> };

/** The arguments of `submitIntent`: the intent and its owner's EIP-712 signature. */
export async function signIntent(
  signer: Signer,
  intentBook: Address,
  chainId: number,
  intent: Intent,
): Promise<readonly [Intent, number, Hex, Hex]> {
  const signature = await signer.signTypedData({
    domain: { name: "AgentIntentBook", version: "1", chainId, verifyingContract: intentBook },
    types: intentTypes,
    primaryType: "Intent",
    message: intent,
  });
  const { v, r, s } = parseSignature(signature);
  return [intent, Number(v), r, s];
}
