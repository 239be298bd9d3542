import { type Abi, type Address, BaseError, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from "viem";
import type { Outcome, Simulated, SimulatedCall } from "../../actions/simulate";
import { TooMany, Unavailable } from "../../core/errors";
import type { Scope } from "./scope";

const standardAbi = parseAbi([
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
]);
const nameAbi = parseAbi(["function name() view returns (string)"]);
const versionAbi = parseAbi(["function version() view returns (string)"]);

/** What a call returned; undefined if it failed, or returned something else. */
function decoded<Value>(outcome: Outcome | undefined, decode: (data: Hex) => Value): Value | undefined {
  if (!outcome?.ok || outcome.data === "0x") return undefined;
  try {
    return decode(outcome.data);
  } catch (error) {
    // Any contract can return anything.
    if (error instanceof BaseError) return undefined;
    throw error;
  }
}

/**
 * The name and version in a token's EIP-712 domain: as configured for payments, or else as the token says, in one request.
 * Tokens report them by ERC-5267, or by functions of their own.
 */
export async function domainOf(scope: Scope, token: Address): Promise<{ name: string; version: string }> {
  const { context, caller, from } = scope;
  const terms = context.payments?.terms;
  if (terms?.asset.address === token && terms.network === `eip155:${context.config.chainId}`) return terms.asset;
  const calls = [standardAbi, nameAbi, versionAbi].map((abi: Abi): SimulatedCall => {
    const data = encodeFunctionData({ abi });
    return { from, to: token, value: 0n, data };
  });
  let simulated: Simulated;
  try {
    simulated = await context.simulate(calls, caller.client);
  } catch (error) {
    if (error instanceof TooMany) throw error;
    throw new Unavailable(`The node does not answer, so the domain of token ${token} is unknown; try again shortly`, {
      cause: error,
    });
  }
  const [standard, ownName, ownVersion] = simulated.outcomes;
  const domain = decoded(standard, (data) => decodeFunctionResult({ abi: standardAbi, data }));
  if (domain) return { name: domain[1], version: domain[2] };
  const name = decoded(ownName, (data) => decodeFunctionResult({ abi: nameAbi, data }));
  const version = decoded(ownVersion, (data) => decodeFunctionResult({ abi: versionAbi, data }));
  if (name !== undefined && version !== undefined) return { name, version };
  throw new Unavailable(`Token ${token} has no known domain for signatures, so it can't pay without a transaction`);
}
