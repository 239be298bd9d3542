import {
  type Address,
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroAddress,
  zeroHash,
} from "viem";
import { z } from "zod";
import { isSupported, remoteFacilitator } from "../../api/payments/facilitators/remote";
import type { Environment } from "../../config/environment";
import type { Network } from "../../config/networks";
import type { PaymentSettings } from "../../config/payments";
import type { Terms } from "../../config/terms";
import { CheckFailure, check, type Finding, failed, ok, type Result, warning } from "./check";
import { readCode } from "./contracts";
import { describeError } from "./describe-error";
import { checkChainId, type Rpc, rpcTo } from "./rpc";

const eip3009 = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
]);

const Returned = z.templateLiteral(["0x", z.string()]);

/** Reads a function of the token. Throws if it does not have it. */
async function readToken(rpc: Rpc, to: Address, data: Hex): Promise<Hex> {
  return Returned.parse(await rpc("eth_call", [{ to, data }, "latest"]));
}

const chainIdOf = (network: Terms["network"]) => Number(network.slice("eip155:".length));

/** Whether the EIP-712 domain of the terms is the token's. Undefined if the token does not tell. */
async function hasDomain(rpc: Rpc, { asset, network }: Terms): Promise<boolean | undefined> {
  const data = encodeFunctionData({ abi: eip3009, functionName: "DOMAIN_SEPARATOR" });
  try {
    const returned = await readToken(rpc, asset.address, data);
    const separator = decodeFunctionResult({ abi: eip3009, functionName: "DOMAIN_SEPARATOR", data: returned });
    const { name, version, address: verifyingContract } = asset;
    return separator === domainSeparator({ domain: { name, version, chainId: chainIdOf(network), verifyingContract } });
  } catch {
    return undefined;
  }
}

async function checkAsset(rpc: Rpc, terms: Terms): Promise<Finding> {
  const { asset, network } = terms;
  const { address } = asset;
  const advice = "Set X402_ASSET to a token with EIP-3009, such as USDC.";
  if ((await readCode(rpc, address)) === "0x") return failed(`${address} has no code on ${network}.`, advice);
  const data = encodeFunctionData({
    abi: eip3009,
    functionName: "authorizationState",
    args: [zeroAddress, zeroHash],
  });
  try {
    const returned = await readToken(rpc, address, data);
    decodeFunctionResult({ abi: eip3009, functionName: "authorizationState", data: returned });
  } catch (error) {
    throw new CheckFailure(`${address} does not support EIP-3009 (${describeError(error)}).`, advice);
  }
  if ((await hasDomain(rpc, terms)) === false)
    return failed(
      `The EIP-712 domain of ${address} differs from "${asset.name}", version "${asset.version}". All payments would be invalid.`,
      "Correct the name and the version in X402_ASSET.",
    );
  return ok(`${asset.name} (${address}) supports EIP-3009.`);
}

async function checkFacilitator({ facilitator, terms: { network } }: PaymentSettings, host: string): Promise<Finding> {
  if (!facilitator) return ok("The built-in facilitator of a local chain is used.");
  const { kinds } = await remoteFacilitator(facilitator.url, network, facilitator.authorization)
    .fetchSupported()
    .catch((error: unknown) => {
      throw new CheckFailure(
        `${host} does not answer /supported (${facilitatorError(error)}).`,
        "Check X402_FACILITATOR_URL and X402_FACILITATOR_AUTH.",
      );
    });
  return isSupported(kinds, network)
    ? ok(`${host} settles exact payments on ${network}.`)
    : failed(
        `${host} does not support exact payments of x402 version 2 on ${network}.`,
        "Use another facilitator (X402_FACILITATOR_URL) or payment network (X402_NETWORK).",
      );
}

/** The client's errors contain the status and the whole body, which may be a page of HTML. */
function facilitatorError(error: unknown): string {
  const [, status] = (error instanceof Error && /failed \((\d{3})\)/.exec(error.message)) || [];
  return status === undefined ? describeError(error) : `HTTP status ${status}`;
}

/** Without payee and facilitator, the operator does not want payments. With one of them, the other was forgotten. */
function unconfigured(missing: readonly string[]): Finding {
  const names = missing.join(", ");
  return missing.includes("X402_PAY_TO") && missing.includes("X402_FACILITATOR_URL")
    ? ok(`Payment is not configured, so /portfolio returns 404. It needs ${names}.`)
    : warning("Payment is not configured completely, so /portfolio returns 404.", `Set ${names}.`);
}

/** Checks the facilitator, the payment network and the token. */
export async function checkPayments(environment: Environment, network: Network): Promise<Result[]> {
  const name = "payment";
  if (environment.x402DevBypass) return [{ name, ...ok("Payment is disabled (X402_DEV_BYPASS).") }];
  let settings: ReturnType<Environment["payment"]>;
  try {
    settings = environment.payment(network);
  } catch (error) {
    return [{ name, ...failed(`${describeError(error)}.`, "Correct the variable.") }];
  }
  if ("missing" in settings) return [{ name, ...unconfigured(settings.missing) }];
  const { terms, rpcUrls, facilitator } = settings;
  const [rpcUrl = ""] = rpcUrls;
  const host = facilitator ? new URL(facilitator.url).host : "";
  const chainId = chainIdOf(terms.network);
  const facilitatorChecked = check("facilitator", () => checkFacilitator(settings, host));
  const chain = await check("payment network", (signal) => checkChainId(rpcUrl, chainId, "X402_RPC_URL", signal));
  const asset = chain.status === "ok" && (await check("payment token", (s) => checkAsset(rpcTo(rpcUrl, s), terms)));
  return [await facilitatorChecked, chain, ...(asset ? [asset] : [])];
}
