import { type Hex, keccak256, parseEther, stringToBytes, zeroAddress, zeroHash } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { testDollarAbi } from "../../../abis/index";
import { actions } from "../../../api/operations/actions/index";
import { fund, ownAccount } from "../../support/own-accounts";
import { type WrittenStack, writesStack } from "../../support/shared-stack";
import { decoded, type Prepared, perform, prepare } from "./perform";

const owner = ownAccount("owner of actions");
const solver = ownAccount("solver of actions");
const seller = ownAccount("seller of actions");
const buyer = ownAccount("buyer of actions");
const facilitator = ownAccount("facilitator of actions");
const attestor = ownAccount("attestor of actions");

const hashOf = (text: string) => keccak256(stringToBytes(text));
const low = ({ address }: PrivateKeyAccount) => address.toLowerCase();

/** The actions that were performed. */
const performed = new Set<string>();

describe("every action, prepared, sent and indexed", () => {
  let stack: WrittenStack;
  let dollar: string;
  /** The ids of the records that the actions make. */
  const made: Record<string, string> = {};

  const act = async (account: PrivateKeyAccount, name: string, input: Record<string, unknown>) => {
    performed.add(name);
    return (await perform(stack, account, name, input)).prepared;
  };

  /** The call of a transaction of an action. */
  const callOf = ({ transactions }: Prepared, index = 0) => decoded(transactions[index]?.data as Hex);

  const get = async (path: string) => (await fetch(`${stack.apiUrl}${path}`)).json();

  /** An argument of an event in the simulation of an action, which {@link perform} compares with the receipts. */
  const argumentOf = ({ simulation }: Prepared, event: string, name: string) =>
    String(simulation?.results.flatMap(({ events }) => events ?? []).find((one) => one.event === event)?.args[name]);

  beforeAll(async () => {
    stack = await writesStack();
    dollar = stack.contracts.TestDollar.toLowerCase();
    await fund(stack.client, owner, solver, seller, buyer, facilitator, attestor);
    const hash = await stack.client.writeContract({
      account: buyer,
      address: stack.contracts.TestDollar,
      abi: testDollarAbi,
      functionName: "mint",
      args: [buyer.address, 10n ** 12n],
    });
    await stack.client.waitForTransactionReceipt({ hash });
    await vi.waitUntil(
      async () => {
        const { points = [] } = await get(`/tokens/${dollar}/prices?interval=hour`);
        return points.some(({ price }: { price: string | null }) => price !== null);
      },
      { timeout: 60_000, interval: 200 },
    );
  }, 180_000);
  afterAll(() => stack?.release());

  it("registers, updates and revokes an agent", async () => {
    const metadata = { name: "Acting Agent", capabilities: ["act"] };
    const registered = await act(owner, "registerAgent", { metadata, pubkey: "0x04aabb", capabilities: "act" });
    made.agent = argumentOf(registered, "AgentRegistered", "agentId");
    const metadataHash = hashOf(JSON.stringify(metadata));
    const uri = `${stack.apiUrl}/catalogs/${metadataHash}`;
    expect(callOf(registered)).toEqual({ name: "registerAgent", args: [uri, "0x04aabb", hashOf("act")] });
    expect(registered.summary).toBe(
      `Register an agent of ${low(owner)}: its metadata is at "${uri}", with the public key 0x04aabb and the capabilities hash ${hashOf("act")}.`,
    );
    expect(await get(`/catalogs/${metadataHash}`)).toEqual(metadata);
    expect(await get(`/agents/${made.agent}`)).toMatchObject({ owner: low(owner), metadata_uri: uri, revoked: false });

    const updated = await act(owner, "updateAgent", { agent_id: made.agent, metadata_uri: "ipfs://agents/acting" });
    expect(callOf(updated).args).toEqual([BigInt(made.agent), "ipfs://agents/acting", hashOf("act")]);
    expect(await get(`/agents/${made.agent}`)).toMatchObject({
      metadata_uri: "ipfs://agents/acting",
      capabilities_hash: hashOf("act"),
    });

    const revoked = await act(owner, "revokeAgent", { agent_id: made.agent });
    expect(revoked.summary).toBe(`Revoke agent ${made.agent} for good.`);
    expect(await get(`/agents/${made.agent}`)).toMatchObject({ revoked: true });
  });

  it("registers attestors, and attests", async () => {
    const registered = await act(attestor, "registerAttestor", { metadata_uri: "ipfs://attestors/acting" });
    made.attestor = argumentOf(registered, "AttestorRegistered", "attestorId");
    expect(callOf(registered).args).toEqual(["ipfs://attestors/acting", zeroHash]);
    const updated = await act(attestor, "updateAttestor", { attestor_id: made.attestor, schemas_hash: hashOf("s") });
    expect(callOf(updated).args).toEqual([BigInt(made.attestor), "ipfs://attestors/acting", hashOf("s"), true]);
    expect(await get(`/attestors/${made.attestor}`)).toMatchObject({
      operator: low(attestor),
      schemas_hash: hashOf("s"),
    });

    const subject = solver.address;
    const attested = await act(attestor, "submitAttestation", { schema: hashOf("solvent"), subject });
    made.attestation = argumentOf(attested, "AttestationSubmitted", "id");
    const padded = `0x${low(solver).slice(2).padStart(64, "0")}`;
    expect(callOf(attested).args).toEqual([hashOf("solvent"), padded, zeroHash]);
    expect(await get(`/attestations/${made.attestation}`)).toMatchObject({ subject: padded, revoked: false });
  });

  it("registers a solver with a bond, adds to it, and withdraws it once inactive", async () => {
    const registered = await act(solver, "registerSolver", { metadata_uri: "ipfs://solvers/acting", bond: "1.5 ETH" });
    made.solver = argumentOf(registered, "SolverRegistered", "solverId");
    expect(registered.transactions[0]?.value).toBe(String(parseEther("1.5")));
    expect(registered.summary).toContain("with a bond of 1.50 ETH");
    const added = await act(solver, "addBond", { solver_id: made.solver, amount: String(parseEther("0.5")) });
    expect(added.summary).toBe(`Add 0.50 ETH to the bond of solver ${made.solver}, which ${low(solver)} operates.`);
    expect(await get(`/solvers/${made.solver}`)).toMatchObject({ bond: String(parseEther("2")) });

    await act(solver, "updateSolver", { solver_id: made.solver, active: false });
    const withdrawn = await act(solver, "withdrawBond", { solver_id: made.solver, amount: "2 ETH" });
    expect(callOf(withdrawn).args).toEqual([BigInt(made.solver), parseEther("2")]);
    expect(await get(`/solvers/${made.solver}`)).toMatchObject({ bond: "0", active: false });
    await act(solver, "updateSolver", { solver_id: made.solver, active: true });
  });

  it("signs and submits an intent, bids on it, selects the bid and fills it", async () => {
    const asked = { from: owner.address, amount_in_max: "1,000.5 tUSD", amount_out_min: "0.3 tWETH", deadline: "2h" };
    const { body: first } = await prepare(stack.apiUrl, "submitIntent", {
      ...asked,
      required_attestation_schema: hashOf("solvent"),
    });
    expect(first).toMatchObject({ transactions: [], simulation: null, next: { action: "submitIntent" } });
    expect(first.summary).toMatch(
      new RegExp(
        `^Sign a swap intent of ${low(owner)} to give at most 1,000.50 tUSD \\(\\$1,000.50\\) for at least 0.30 tWETH \\(\\$900.00\\) until .* UTC, with the nonce 1, no slippage, any execution target, any execution data, a required attestation of any subject under schema ${hashOf("solvent")}, no metadata\\.$`,
      ),
    );
    const typed = first.typed_data;
    const signature = await owner.signTypedData(typed as never);
    const { from, ...input } = first.next?.input ?? {};
    expect(from).toBe(low(owner));
    // Anyone may relay it.
    const submitted = await act(solver, "submitIntent", { ...input, signature });
    made.intent = argumentOf(submitted, "IntentSubmitted", "intentId");
    const [intent] = callOf(submitted).args as [Record<string, unknown>];
    expect(intent).toMatchObject({
      owner: low(owner),
      constraints: { amountInMax: 1_000_500_000n, amountOutMin: 300_000_000_000_000_000n, slippageBps: 0 },
      inputToken: dollar,
    });
    expect(await get(`/intents/${made.intent}`)).toMatchObject({ status: "OPEN", amount_in_max: "1000500000" });

    const bid = await act(solver, "submitBid", { intent_id: made.intent, amount_out: "0.31 tWETH", fee: "7" });
    expect(bid.summary).toContain(
      `Bid on intent ${made.intent} of ${low(owner)}: pay 0.31 tWETH ($930.00) for 1,000.50 tUSD ($1,000.50) with a fee of 7`,
    );
    expect(callOf(bid).args.slice(0, 4)).toEqual([BigInt(made.intent), 1_000_500_000n, 310_000_000_000_000_000n, 7n]);
    const selected = await act(owner, "selectBid", { intent_id: made.intent });
    expect(callOf(selected).args).toEqual([BigInt(made.intent), 1n]);
    // A new solver has no record yet.
    expect(selected.warnings.map(({ code }) => code)).toContain("counterparty");

    const filled = await act(solver, "fillIntent", { intent_id: made.intent, result_hash: hashOf("filled") });
    expect(callOf(filled).args[1]).toMatchObject({
      attestationId: BigInt(made.attestation ?? 0),
      amountIn: 1_000_500_000n,
    });
    expect(await get(`/intents/${made.intent}`)).toMatchObject({
      status: "FILLED",
      fill: { solver: low(solver), amount_out: "310000000000000000", result_hash: hashOf("filled") },
    });
    await act(attestor, "revokeAttestation", { attestation_id: made.attestation });
    expect(await get(`/attestations/${made.attestation}`)).toMatchObject({ revoked: true });
  });

  it("gives each intent the next nonce, and cancels one", async () => {
    const asked = { from: owner.address, amount_in_max: "10 tUSD", amount_out_min: "9 tUSD" };
    const { body: first } = await prepare(stack.apiUrl, "submitIntent", asked);
    expect(first.next?.input).toMatchObject({ nonce: "2" });
    const signature = await owner.signTypedData(first.typed_data as never);
    const submitted = await act(owner, "submitIntent", { ...first.next?.input, signature });
    const intentId = argumentOf(submitted, "IntentSubmitted", "intentId");
    const cancelled = await act(owner, "cancelIntent", { intent_id: intentId });
    expect(cancelled.summary).toBe(
      `Cancel intent ${intentId}, which gives at most 10.00 tUSD ($10.00) for at least 9.00 tUSD ($9.00).`,
    );
    expect(await get(`/intents/${intentId}`)).toMatchObject({ status: "CANCELLED" });
  });

  it("sets every policy of an account", async () => {
    const policies = async () => (await get(`/accounts/${owner.address}/policies`)).policies;
    await act(owner, "setTargetAllowed", { target: seller.address, allowed: true });
    await act(owner, "setFunctionAllowed", {
      target: seller.address,
      selector: "transfer(address,uint256)",
      allowed: true,
    });
    await act(owner, "setUseFunctionAllowlist", { enabled: true });
    const limited = await act(owner, "setSpendLimit", { max_per_day: "100 tUSD" });
    expect(limited.summary).toBe(`Let ${low(owner)} spend at most 100.00 tUSD ($100.00) a day.`);
    const spent = await act(owner, "recordSpend", { amount: "40 tUSD" });
    expect(spent.summary).toContain("Nothing is paid.");
    await act(owner, "setPaymentPolicy", {
      merchant: seller.address,
      max_per_payment: "5 tUSD",
      max_per_day: "20 tUSD",
    });
    await act(owner, "recordSignedPayment", { merchant: seller.address, amount: "5 tUSD", payment_hash: hashOf("p") });
    await act(owner, "setGuardian", { guardian: seller.address });
    const frozen = await act(seller, "setAccountFrozen", { policy_account: owner.address, frozen: true });
    expect(callOf(frozen).args).toEqual([low(owner), true]);
    expect(await policies()).toEqual([
      expect.objectContaining({ policy_type: "ACCOUNT_FROZEN", frozen: true }),
      expect.objectContaining({ policy_type: "FUNCTION_ALLOWLIST", selector: "0xa9059cbb", allowed: true }),
      expect.objectContaining({ policy_type: "FUNCTION_ALLOWLIST_MODE", enabled: true }),
      expect.objectContaining({ policy_type: "GUARDIAN", guardian: low(seller) }),
      expect.objectContaining({ policy_type: "PAYMENT_POLICY", max_per_payment: "5000000", max_per_day: "20000000" }),
      expect.objectContaining({ policy_type: "SPEND_LIMIT", max_per_day: "100000000", spent_today: "40000000" }),
      expect.objectContaining({ policy_type: "TARGET_ALLOWLIST", target: low(seller), allowed: true }),
    ]);
  });

  it("registers a merchant, a service and a facilitator, and changes them", async () => {
    const merchant = await act(seller, "registerMerchant", { metadata: { name: "Acting Merchant" } });
    made.merchant = argumentOf(merchant, "MerchantRegistered", "merchantId");
    expect(merchant.summary).toContain(`a merchant of ${low(seller)} that is paid at ${low(seller)}`);
    await act(seller, "updateMerchant", { merchant_id: made.merchant, payout_address: attestor.address });
    expect(await get(`/merchants/${made.merchant}`)).toMatchObject({
      payout_address: low(attestor),
      metadata_hash: hashOf(JSON.stringify({ name: "Acting Merchant" })),
    });
    const service = await act(seller, "registerService", {
      merchant_id: made.merchant,
      service_id: "acting",
      metadata: { name: "Acting Service" },
      capability: "act",
    });
    made.service = argumentOf(service, "ServiceRegistered", "serviceNumericId");
    await act(seller, "updateService", { service_numeric_id: made.service, capability: "act again" });
    expect(await get(`/services/${made.service}`)).toMatchObject({
      service_id: "acting",
      capability_hash: hashOf("act again"),
      active: true,
    });
    const registered = await act(facilitator, "registerFacilitator", { metadata_uri: "ipfs://facilitators/acting" });
    made.facilitator = argumentOf(registered, "FacilitatorRegistered", "facilitatorId");
    await act(facilitator, "updateFacilitator", { facilitator_id: made.facilitator, metadata_hash: hashOf("m") });
    expect(await get(`/facilitators/${made.facilitator}`)).toMatchObject({
      facilitator: low(facilitator),
      metadata_hash: hashOf("m"),
      active: true,
    });
  });

  const quote = async (input: Record<string, unknown>) => {
    const committed = await act(seller, "commitQuote", {
      service_numeric_id: made.service,
      agent: buyer.address,
      ...input,
    });
    return { committed, quote_hash: argumentOf(committed, "QuoteCommitted", "quoteHash") };
  };

  it("quotes, pays by transfer, records the receipt and the fulfillment, and disputes it", async () => {
    const { committed, quote_hash } = await quote({
      amount: "1.5 tUSD",
      payment_rail: "transfer",
      resource_hash: hashOf("request"),
    });
    expect(committed.summary).toContain(`The quote is ${quote_hash}.`);
    expect(committed.next).toMatchObject({ action: "payQuote", input: { from: low(buyer), quote_hash } });
    expect(await get(`/quotes/${quote_hash}`)).toMatchObject({
      amount: "1500000",
      resource_hash: hashOf("request"),
      payment_nonce: String(BigInt(hashOf("request"))),
      terms_hash: hashOf(JSON.stringify({ name: "Acting Service" })),
    });
    const balance = () =>
      stack.client.readContract({
        address: stack.contracts.TestDollar,
        abi: testDollarAbi,
        functionName: "balanceOf",
        args: [attestor.address],
      });
    const before = await balance();
    const paid = await act(buyer, "payQuote", { quote_hash });
    expect(paid.summary).toContain(
      `Pay 1.50 tUSD ($1.50) from ${low(buyer)} to ${low(attestor)} for quote ${quote_hash}`,
    );
    expect((await balance()) - before).toBe(1_500_000n);

    const receipt = await act(buyer, "recordReceipt", { quote_hash, result_hash: hashOf("paid") });
    made.receipt = argumentOf(receipt, "ReceiptRecorded", "receiptId");
    expect(await get(`/receipts/${made.receipt}`)).toMatchObject({ agent: low(buyer), result_hash: hashOf("paid") });
    await act(seller, "recordFulfillment", { receipt_id: made.receipt, evidence: { delivered: "by API" } });
    const { fulfillment_evidence, fulfillment_hash } = await get(`/receipts/${made.receipt}`);
    expect(fulfillment_evidence).toMatchObject({ evidence_hash: fulfillment_hash, evidence_type: "delivery" });

    const reason = "It was about another city.";
    const disputed = await act(buyer, "openDispute", { receipt_id: made.receipt, reason });
    made.dispute = argumentOf(disputed, "DisputeOpened", "disputeId");
    const { reason_hash } = await get(`/disputes/${made.dispute}`);
    expect(await get(`/fulfillment-evidence/${reason_hash}`)).toEqual({
      type: "complaint",
      receipt_id: made.receipt,
      statement: reason,
    });
    await act(seller, "resolveDispute", { dispute_id: made.dispute, outcome: "resolved", resolution: "Sent back." });
    expect(await get(`/disputes/${made.dispute}`)).toMatchObject({ status: "RESOLVED", opener: low(buyer) });
    await act(buyer, "recordTrustSignal", {
      subject_type: "merchant",
      subject_id: made.merchant,
      kind: "fulfillment",
      signal_hash: hashOf("late"),
    });
    const { trust_signals } = await get(`/trust-signals?reporter=${buyer.address}`);
    expect(trust_signals).toMatchObject([{ subject_id: made.merchant, signal_hash: hashOf("late") }]);
  });

  it("settles a quote on chain, so that its receipt is proven", async () => {
    const { quote_hash } = await quote({ amount: "2 tUSD", payment_rail: "transfer" });
    const settled = await act(buyer, "executeSettlement", { quote_hash });
    expect(settled.transactions.map(({ to }) => to)).toEqual([dollar, stack.contracts.SettlementAdapter.toLowerCase()]);
    expect(callOf(settled, 1).args[0]).toMatchObject({ payer: low(buyer), grossAmount: 2_000_000n });
    const result_hash = argumentOf(settled, "SettlementExecuted", "executionHash");
    const receipt = await act(buyer, "recordReceipt", { quote_hash, result_hash });
    const receiptId = argumentOf(receipt, "ReceiptRecorded", "receiptId");
    expect(await get(`/receipts/${receiptId}`)).toMatchObject({ payment_proof: "settlement" });
  });

  it("prepares the authorization of a payment through a facilitator, which the token accepts", async () => {
    const { quote_hash } = await quote({
      amount: "3 tUSD",
      payment_rail: "facilitator",
      facilitator: facilitator.address,
    });
    const { body: paying } = await prepare(stack.apiUrl, "payQuote", { from: buyer.address, quote_hash });
    expect(paying.transactions).toEqual([]);
    const { message } = paying.typed_data as { message: Record<string, Hex> };
    expect(message).toMatchObject({ from: low(buyer), to: low(attestor), value: "3000000", nonce: quote_hash });
    const signature = await buyer.signTypedData(paying.typed_data as never);
    const hash = await stack.client.writeContract({
      account: facilitator,
      address: stack.contracts.TestDollar,
      abi: testDollarAbi,
      functionName: "transferWithAuthorization",
      args: [
        buyer.address,
        attestor.address,
        3_000_000n,
        0n,
        BigInt(message.validBefore ?? 0),
        quote_hash as Hex,
        signature,
      ],
    });
    expect((await stack.client.waitForTransactionReceipt({ hash })).status).toBe("success");
    await act(facilitator, "recordReceipt", { quote_hash, result_hash: hash });
    const again = await prepare(stack.apiUrl, "payQuote", { from: buyer.address, quote_hash });
    expect(again.body.warnings).toContainEqual({
      code: "payment",
      message: `Quote ${quote_hash} has a receipt already; do not pay it twice.`,
    });
  });

  it("approves and transfers tokens and the native coin", async () => {
    const approved = await act(buyer, "approveToken", { spender: seller.address, amount: "10 tUSD" });
    expect(approved.summary).toBe(`Let ${low(seller)} take up to 10.00 tUSD ($10.00) from ${low(buyer)}.`);
    const sent = await act(buyer, "transferToken", { to: seller.address, amount: "1 tUSD" });
    expect(sent.transactions[0]?.to).toBe(dollar);
    const coin = await act(buyer, "transferToken", { to: seller.address, token: zeroAddress, amount: "0.25 ETH" });
    expect(coin.transactions).toMatchObject([{ to: low(seller), data: "0x", value: String(parseEther("0.25")) }]);
  });

  it("leaves no action out", () => {
    expect([...performed].sort()).toEqual(Object.keys(actions).sort());
  });
});
