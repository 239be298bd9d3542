import type {
  Account,
  ContractFunctionArgs,
  ContractFunctionName,
  ContractFunctionReturnType,
  TransactionReceipt,
} from "viem";
import { multicallAbi, policyAccountAbi, testDollarAbi } from "../../abis/index";
import { protocolAbis } from "../../config/contracts";
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

/** Calls a function of a deployed contract as an account. */
export type Call<Result> = <Name extends keyof Abis, Fn extends ContractFunctionName<Abis[Name], Write>>(
  from: Account,
  name: Name,
  functionName: Fn,
  args: ContractFunctionArgs<Abis[Name], Write, Fn>,
  value?: bigint,
) => Result;

/** Typed access to all functions of the deployed contracts. */
export type Protocol = {
  client: ChainConnection;
  contracts: Contracts;
  /** Sends a transaction from the account and waits for its receipt. Throws if it reverts. */
  write: Call<Promise<TransactionReceipt>>;
  /** Calls a view function. */
  read: <Name extends keyof Abis, Fn extends ContractFunctionName<Abis[Name], Read>>(
    name: Name,
    functionName: Fn,
    args: ContractFunctionArgs<Abis[Name], Read, Fn>,
  ) => Promise<ContractFunctionReturnType<Abis[Name], Read, Fn, ContractFunctionArgs<Abis[Name], Read, Fn>>>;
};

/** `senderOf` tells who signs the transactions of an account. Default: viem. */
export const protocolOn = (
  client: ChainConnection,
  contracts: Contracts,
  senderOf: (account: Account) => object = (account) => ({ account }),
): Protocol => ({
  client,
  contracts,
  // viem infers types from literal arguments. Here they are type parameters, checked by the signatures above.
  write(from, name, functionName, args, value) {
    const call = { abi: deployedAbis[name], address: contracts[name], functionName, args, value };
    return mined(client, client.writeContract({ ...senderOf(from), ...call } as never));
  },
  read: (name, functionName, args) =>
    client.readContract({ abi: deployedAbis[name], address: contracts[name], functionName, args } as never) as never,
});
