import { type Address, type Hex, numberToHex, parseEventLogs, slice, stringToHex, zeroAddress, zeroHash } from "viem";
import { commerceRegistryAbi, intentBookAbi } from "../../../abis/index";
import { signIntent } from "../../../client/src/intents";
import { anyExecution } from "../../../common/intent";
import { LOCAL_CHAIN_ID } from "../../../config/networks";
import { actor } from "../../../stack/local/chain";
import type { Protocol } from "../../../stack/local/protocol";
import { hashOf } from "../../../stack/local/sample/people";
import { type Call, type ContractName, call, type FunctionName } from "../../support/actions/calls";

/** An account that `legal-actions.ts` does not use. */
const newcomer = actor(9);

const FAR_FUTURE = 2n ** 40n;

/** Addresses spread over the whole range, so that new ones sort before and after existing ones. */
const spreadAddress = (number: number): Address => slice(hashOf(`address ${number}`), 0, 20);

/** Adds rows while lists are read. Each call of addRows adds to every list. */
export type Newcomers = {
  /** The owner of all new agents and policies. */
  account: Address;
  /** The intent that gets several bids with each call. */
  contested: bigint;
  addRows: () => Promise<void>;
};

/**
 * Uses the multicall contract as a participant in every part of the protocol, so that each round is a single transaction.
 * Separate transactions would take much longer.
 */
export async function newcomersOn(protocol: Protocol): Promise<Newcomers> {
  const { client, contracts, read, write } = protocol;
  const account = contracts.Multicall;

  const by = <Name extends ContractName, Fn extends FunctionName<Name>>(
    name: Name,
    functionName: Fn,
    args: Parameters<typeof call<Name, Fn>>[4],
  ): Call => call(protocol, account, name, functionName, args);

  const send = async (calls: readonly Call[]) => {
    const batch = calls.map(({ to, data, value }) => ({ target: to, value, data }));
    const total = calls.reduce((sum, { value }) => sum + value, 0n);
    const { logs } = await write(newcomer, "Multicall", "aggregate", [batch], total);
    return logs;
  };

  const submission = async (nonce: bigint): Promise<Call> => {
    const intent = {
      owner: newcomer.address,
      intentType: 0,
      constraints: { amountInMax: 10_000n, amountOutMin: 0n, deadline: FAR_FUTURE, slippageBps: 30 },
      execution: anyExecution,
      inputToken: zeroAddress,
      outputToken: contracts.TestDollar,
      nonce,
    };
    const args = await signIntent(newcomer, intent, { intentBook: contracts.IntentBook, chainId: LOCAL_CHAIN_ID });
    return by("IntentBook", "submitIntent", args);
  };

  const uri = (number: number) => stringToHex(`ipfs://new/${number}`);
  const registration = (number: number) =>
    by("CommerceRegistry", "registerMerchant", [account, uri(number), hashOf(`merchant ${number}`)]);

  const logs = await send([await submission(0n), registration(0)]);
  const [submitted] = parseEventLogs({ abi: intentBookAbi, logs, eventName: "IntentSubmitted" });
  const [registered] = parseEventLogs({ abi: commerceRegistryAbi, logs, eventName: "MerchantRegistered" });
  if (!submitted || !registered) throw new Error("The first intent or merchant has no log");
  const contested = submitted.args.intentId;
  const { merchantId } = registered.args;
  const service = (number: number) =>
    by("CommerceRegistry", "registerService", [merchantId, uri(number), uri(number), hashOf("new"), hashOf("new")]);
  const [begun] = parseEventLogs({
    abi: commerceRegistryAbi,
    logs: await send([service(0)]),
    eventName: "ServiceRegistered",
  });
  if (!begun) throw new Error("The service has no log");
  const { serviceNumericId } = begun.args;

  const settlement = (quoteHash: Hex, number: number): Call => {
    const [token, recipient, amount] = [zeroAddress, newcomer.address, 1n] as const;
    const instruction = {
      ...{ quoteHash, settlementPlanHash: hashOf(`plan ${number}`), payer: account, token, grossAmount: amount },
      ...{ deadline: FAR_FUTURE, lines: [{ kind: 0, recipient, token, amount, metadataHash: zeroHash }] },
    };
    return call(protocol, account, "SettlementAdapter", "executeSettlement", [instruction], amount);
  };

  /** Two quotes in one transaction. One is settled. */
  const sales = async (number: number): Promise<Call[]> => {
    const quote = (paymentNonce: bigint) => ({
      merchantId,
      serviceNumericId,
      agent: account,
      token: contracts.TestDollar,
      facilitator: zeroAddress,
      amount: 7n,
      paymentRail: 0,
      expiresAt: FAR_FUTURE,
      paymentNonce,
      resourceHash: zeroHash,
      termsHash: zeroHash,
      x402PayloadHash: zeroHash,
    });
    const [settled, other] = [quote(BigInt(2 * number)), quote(BigInt(2 * number + 1))];
    const quoteHash: Hex = await read("CommerceRegistry", "computeQuoteHash", [settled]);
    return [
      by("CommerceRegistry", "commitQuote", [settled]),
      by("CommerceRegistry", "commitQuote", [other]),
      by("CommerceRegistry", "recordReceipt", [quoteHash, hashOf(`paid ${number}`)]),
      settlement(quoteHash, number),
    ];
  };

  /** Bids that are better or worse than all earlier ones, or equal in some or all sort keys. */
  const bids = (number: number): Call[] => {
    const step = BigInt(number);
    const terms: [amountIn: bigint, amountOut: bigint, fee: bigint][] = [
      [1_000n, 1_000n + step, 5n],
      [1_000n, 1_000n - step, 5n],
      [1_000n, 1_000n, 5n],
      [1_000n, 1_000n, 5n - (step % 5n)],
      [1_000n - step, 1_000n, 5n],
    ];
    return terms.map(([amountIn, amountOut, fee]) =>
      by("IntentBook", "submitBid", [contested, amountIn, amountOut, fee, FAR_FUTURE, zeroHash]),
    );
  };

  const [firstSale] = parseEventLogs({
    abi: commerceRegistryAbi,
    logs: await send(await sales(0)),
    eventName: "ReceiptRecorded",
  });
  if (!firstSale) throw new Error("The receipt has no log");
  const { receiptId } = firstSale.args;

  /** Fills the intent of a transaction. Its owner is not the solver, so it takes another two. */
  const fillNew = async (sent: Awaited<ReturnType<typeof send>>) => {
    const [made] = parseEventLogs({ abi: intentBookAbi, logs: sent, eventName: "IntentSubmitted" });
    if (!made) throw new Error("The new intent has no log");
    const { intentId } = made.args;
    await send([by("IntentBook", "submitBid", [intentId, 1_000n, 1_000n, 5n, FAR_FUTURE, zeroHash])]);
    await write(newcomer, "IntentBook", "selectBid", [intentId, 1n]);
    const proof = { executionData: "0x" as Hex, resultHash: hashOf("result"), traceHash: hashOf("trace") };
    const fill = { amountIn: 1_000n, amountOut: 1_000n, solver: account, ...proof, attestationId: 0n };
    await send([by("IntentBook", "fillIntent", [intentId, fill])]);
  };

  /** An operator can register only once, so each call uses a new one. anvil funds only its first accounts. */
  const registerOperator = async (number: number) => {
    const operator = actor(100 + number);
    await client.setBalance({ address: operator.address, value: 10n ** 18n });
    const about = `ipfs://operators/${number}`;
    await write(operator, "AttestorRegistry", "registerAttestor", [about, hashOf(about)]);
    await write(operator, "SolverRegistry", "registerSolver", [about, hashOf(about)], 1n);
  };

  let number = 0;
  return {
    account,
    contested,
    async addRows() {
      number++;
      const pubkey = numberToHex(number, { size: 2 });
      await registerOperator(number);
      const sent = await send([
        by("AgentRegistry", "registerAgent", [uri(number), pubkey, hashOf(pubkey)]),
        await submission(BigInt(number)),
        ...bids(number),
        by("PolicyModule", "setSpendLimit", [spreadAddress(number), BigInt(number)]),
        by("PolicyModule", "setTargetAllowed", [spreadAddress(number), number % 2 === 0]),
        by("AttestationRegistry", "submitAttestation", [hashOf("new"), hashOf("new"), hashOf(pubkey)]),
        registration(number),
        service(number),
        by("CommerceRegistry", "registerFacilitator", [spreadAddress(number), uri(number), hashOf("new")]),
        ...(await sales(number)),
        by("CommerceRegistry", "openDispute", [receiptId, hashOf(`dispute ${number}`)]),
        by("CommerceRegistry", "recordTrustSignal", [number % 4, merchantId, number % 3, hashOf("new")]),
      ]);
      await fillNew(sent);
    },
  };
}
