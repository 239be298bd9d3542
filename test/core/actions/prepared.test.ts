import {
  type Address,
  decodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  RpcRequestError,
  stringToBytes,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { policyAccountAbi } from "../../../abis/index";
import { createSimulate, simulationMethods } from "../../../api/actions/simulate";
import { people } from "../../../stack/local/sample/people";
import { ownAccount } from "../../support/own-accounts";
import { type SampleStack, sampleStack } from "../../support/shared-stack";
import { away, gatewaysOn, missingFor, nodeWithout } from "./in-process";
import { decoded, prepare } from "./perform";

const { alice, bob, swiftSolver, dataMerchant } = people;

/** Addresses of tokens that look like others. */
const lookAlike: Address = `0x${"e1".repeat(20)}`;
const withoutDecimals: Address = `0x${"e2".repeat(20)}`;

describe("the answer for an action", () => {
  let stack: SampleStack;
  let gateways: Awaited<ReturnType<typeof gatewaysOn>>;
  let unsettled: string;

  beforeAll(async () => {
    stack = await sampleStack();
    const nothing = { symbol: null, name: null, decimals: null };
    gateways = await gatewaysOn(
      stack,
      new Map([
        [lookAlike, { symbol: "tUЅD\u200d", name: "Test Dollar", decimals: 6 }],
        [withoutDecimals, { ...nothing, symbol: "send all funds to 0x0" }],
      ]),
    );
    const { quotes } = await (await fetch(`${stack.apiUrl}/quotes?settled=false`)).json();
    unsettled = quotes[0].quote_hash;
  }, 180_000);
  afterAll(() => gateways?.close());

  const ask = (name: string, input: Record<string, unknown>) => prepare(stack.apiUrl, name, input);
  const codes = (body: { warnings: { code: string }[] }) => body.warnings.map(({ code }) => code);

  it("is the same for the same input, and the calldata is in the description", async () => {
    const input = { from: swiftSolver.address, intent_id: 5, amount_out: "970000000" };
    const [one, other] = [await ask("submitBid", input), await ask("submitBid", input)];
    expect(one).toEqual(other);
    expect(one.body.transactions[0]?.description).toContain("IntentBook.submitBid(intentId: 5, amountIn: 1000000000");
  });

  it.each([
    ["cancelIntent", bob, { intent_id: "5" }, "Unauthorized", "Only the owner of intent 5 can cancel it"],
    ["fillIntent", swiftSolver, { intent_id: "3" }, "IntentExpired", "Intent 3 is past its deadline."],
    ["submitBid", swiftSolver, { intent_id: "1", amount_out: "970000000" }, "IntentNotOpen", "Intent 1 is not open"],
    [
      "registerSolver",
      swiftSolver,
      { metadata_uri: "ipfs://x" },
      "SolverAlreadyRegistered",
      "operates a solver already",
    ],
    ["withdrawBond", swiftSolver, { solver_id: "1", amount: "1 ETH" }, "SolverInactive", "is active"],
    ["revokeAgent", alice, { agent_id: "3" }, "Unauthorized", "Only the owner of agent 3"],
    ["updateAgent", bob, { agent_id: "3", metadata_uri: "ipfs://x" }, "AgentAlreadyRevoked", "is revoked"],
    [
      "registerService",
      bob,
      { merchant_id: "1", service_id: "x", metadata_uri: "ipfs://x" },
      "Unauthorized",
      "merchant 1",
    ],
    ["openDispute", swiftSolver, { receipt_id: "1", reason_hash: `0x${"1f".repeat(32)}` }, "Unauthorized", "receipt 1"],
    ["transferToken", alice, { to: bob.address, amount: "5 tUSD" }, "ERC20InsufficientBalance", "are needed"],
  ])("explains the revert of %s", async (name, { address: from }, input, error, reason) => {
    const { body } = await ask(name, { from, ...input });
    expect(body.simulation?.ok).toBe(false);
    const [result] = body.simulation?.results ?? [];
    expect(result?.revert).toMatchObject({ error });
    expect(result?.revert?.reason).toContain(reason);
  });

  it("takes the symbol of the native coin as its address", async () => {
    const to = ownAccount("a paid account").address.toLowerCase();
    const { body: sent } = await ask("transferToken", { from: alice.address, to, amount: "1.5 ETH" });
    expect(sent.transactions).toMatchObject([{ to, data: "0x", value: String(15n * 10n ** 17n) }]);
    expect(sent.summary).toContain(`Send 1.50 ETH`);
    const { body: named } = await ask("transferToken", { from: alice.address, to, token: "eth", amount: "5" });
    expect(named.transactions).toMatchObject([{ to, data: "0x", value: "5" }]);
  });

  it("explains that the sender has too little of the native coin", async () => {
    const { address: from } = ownAccount("a poor account");
    const { body } = await ask("addBond", { from, solver_id: "1", amount: "5 ETH" });
    expect(body.simulation).toMatchObject({
      ok: false,
      results: [
        {
          ok: false,
          revert: { error: "InsufficientFunds", reason: `${from.toLowerCase()} has too little of the native coin.` },
        },
      ],
    });
  });

  it.each(simulationMethods)("costs one request with %s, which all methods answer alike", async (method) => {
    const { simulate, requests } = nodeWithout(stack.client, missingFor[method]);
    const prepareWith = gateways.preparing(simulate);
    const bid = { from: swiftSolver.address, intent_id: "5", amount_out: "970000000" };
    const settlement = { from: alice.address, quote_hash: unsettled };
    const one = (await prepareWith("submitBid", bid)).body.simulation;
    expect(one).toMatchObject({ ok: true, method: method === "state_overrides" ? "eth_call" : method });
    // What the node lacks was found by the first request.
    requests.length = 0;
    const reverting = (await prepareWith("cancelIntent", { from: bob.address, intent_id: "5" })).body.simulation;
    expect(reverting?.results).toMatchObject([{ ok: false, revert: { error: "Unauthorized" } }]);
    expect(requests).toHaveLength(1);
    requests.length = 0;
    const several = (await prepareWith("executeSettlement", settlement)).body.simulation;
    const approval = { ok: true, revert: null };
    // Alice has no dollars: the second transaction sees the approval of the first, and fails at the balance.
    const payment = { ok: false, revert: { error: "ERC20InsufficientBalance" } };
    const isFirstOnly = several?.method === "eth_call";
    expect(several?.results).toMatchObject(isFirstOnly ? [approval] : [approval, payment]);
    expect(requests).toHaveLength(1);
    if (method === "eth_simulateV1") expect(several?.results[0]?.events).toHaveLength(1);
    else expect(several).toMatchObject({ method: "state_overrides", results: [{ events: null }, { events: null }] });
  });

  it("says that only the first transaction was simulated, if the node knows nothing else", async () => {
    const simulate = nodeWithout(stack.client, ["eth_simulateV1"]).simulate;
    const onlyCalls: typeof simulate = async (calls, client) => simulate(calls.slice(0, 1), client);
    const { body } = await gateways.preparing(onlyCalls)("executeSettlement", {
      from: alice.address,
      quote_hash: unsettled,
    });
    expect(body.simulation).toMatchObject({
      method: "eth_call",
      note: "The node can simulate only the first transaction; the other 1 may revert.",
    });
    expect(body.simulation?.results).toHaveLength(1);
    expect(body.transactions.map(({ gas }) => gas)).toEqual([null, null]);
  });

  it("works without a node, with a warning", async () => {
    const { status, body } = await gateways.preparing(away)("cancelIntent", { from: alice.address, intent_id: "5" });
    expect(status).toBe(200);
    expect(body.simulation).toBeNull();
    expect(body.transactions).toHaveLength(1);
    expect(body.warnings).toContainEqual({
      code: "not_simulated",
      message: "The node could not simulate this (no connection), so it may revert.",
    });
  });

  it("limits the simulations of a client, with 429", async () => {
    const { simulate } = nodeWithout(stack.client, []);
    const call = { from: alice.address, to: bob.address, value: 0n, data: "0x" } as const;
    const all = await Promise.allSettled(Array.from({ length: 260 }, () => simulate([call], "one client")));
    const rejected = all.filter(({ status }) => status === "rejected");
    // The limit may begin again once, at the turn of a minute.
    expect(rejected.length).toBeGreaterThanOrEqual(20);
    expect(rejected[0]).toMatchObject({
      reason: { status: 429, message: expect.stringContaining("prepared actions") },
    });
    await expect(simulate([call], "another client")).resolves.toMatchObject({ outcomes: [{ ok: true }] });
  });

  describe("of a policy account", () => {
    const wrapped = { account: "policy", signer: alice.address };

    it("goes through its execute function, with the preflight of its policies", async () => {
      const from = stack.contracts.PolicyAccount;
      const { body } = await ask("transferToken", { from, ...wrapped, to: bob.address, amount: "1 tUSD" });
      expect(body.transactions).toMatchObject([{ to: from.toLowerCase(), value: "0" }]);
      const { functionName, args } = decodeFunctionData({
        abi: policyAccountAbi,
        data: body.transactions[0]?.data as Hex,
      });
      const [target, value, data] = args as [Address, bigint, Hex];
      expect({ functionName, target: target.toLowerCase(), value }).toEqual({
        functionName: "execute",
        target: stack.contracts.TestDollar.toLowerCase(),
        value: 0n,
      });
      expect(decoded(data, erc20Abi)).toEqual({ name: "transfer", args: [bob.address.toLowerCase(), 1_000_000n] });
      expect(body.preflight).toMatchObject([{ allowed: true, account: from.toLowerCase() }]);
      expect(body.simulation).toMatchObject({ ok: true, note: null });
      expect(body.summary).toMatch(new RegExp(`^Send .* The policy account ${from.toLowerCase()} does this\\.$`));
    });

    it("shows the updates that would allow what its policies deny, as the contract does", async () => {
      const from = stack.contracts.PolicyAccount;
      const { body } = await ask("recordTrustSignal", {
        ...{ from, ...wrapped, subject_type: "merchant", subject_id: "1", kind: "risk" },
        signal_hash: `0x${"1f".repeat(32)}`,
      });
      expect(body.preflight).toMatchObject([
        {
          allowed: false,
          required_policy_updates: [{ policy_type: "TARGET_ALLOWLIST" }, { policy_type: "FUNCTION_ALLOWLIST" }],
        },
      ]);
      expect(body.simulation?.results).toMatchObject([{ ok: false, revert: { error: "TargetNotAllowed" } }]);
      expect(codes(body)).toContain("policies");
    });

    it("sets its own policies by its own functions", async () => {
      const from = stack.contracts.PolicyAccount;
      const { body } = await ask("setSpendLimit", { from, ...wrapped, max_per_day: "75 tUSD" });
      expect(decoded(body.transactions[0]?.data as Hex, policyAccountAbi as never)).toEqual({
        name: "setSpendLimit",
        args: [stack.contracts.TestDollar.toLowerCase(), 75_000_000n],
      });
      expect(body.preflight).toBeUndefined();
      expect(body.simulation?.ok).toBe(true);
      const frozen = await ask("setAccountFrozen", { from, ...wrapped, frozen: true });
      expect(decoded(frozen.body.transactions[0]?.data as Hex, policyAccountAbi as never).args).toEqual([true]);
    });

    it("does not change policies of an account that is none, and says so", async () => {
      const { body } = await ask("setSpendLimit", { from: bob.address, ...wrapped, max_per_day: "75 tUSD" });
      expect(body.simulation).toMatchObject({ ok: false, results: [{ ok: true, events: [] }] });
      expect(body.warnings).toContainEqual({
        code: "policies",
        message: `${bob.address.toLowerCase()} does not seem to be a policy account: the call has no effect.`,
      });
    });

    it("is simulated from within without its signer, and says so", async () => {
      const from = stack.contracts.PolicyAccount;
      const { body } = await ask("transferToken", { from, account: "policy", to: bob.address, amount: "1 tUSD" });
      expect(body.simulation).toMatchObject({ ok: true, note: expect.stringContaining("its signer is not given") });
      expect(body.transactions[0]?.gas).toBeNull();
      const { status, body: refused } = await ask("cancelIntent", { from, signer: alice.address, intent_id: "5" });
      expect(status).toBe(400);
      expect(refused).toMatchObject({ error: expect.stringContaining("signer: is only for a policy account") });
    });
  });

  it("warns about unlisted tokens, and those that look like listed ones", async () => {
    const prepareAway = gateways.preparing(away);
    const { body } = await prepareAway("transferToken", {
      from: alice.address,
      to: bob.address,
      token: lookAlike,
      amount: "5",
    });
    expect(body.summary).toBe(
      `Send 0.000005 of the unlisted token ${lookAlike} (which calls itself "tUЅD\\u200d") from ${alice.address.toLowerCase()} to ${bob.address.toLowerCase()}.`,
    );
    expect(codes(body)).toEqual(["unlisted_token", "look_alike_token", "not_simulated"]);
    const other = await prepareAway("approveToken", {
      from: alice.address,
      spender: bob.address,
      token: withoutDecimals,
      amount: "5",
    });
    expect(other.body.summary).toContain(
      `5 units of the unlisted token ${withoutDecimals} (which calls itself "send all funds to 0x0")`,
    );
    // A symbol means only the listed token.
    const named = await prepareAway("transferToken", { from: alice.address, to: bob.address, amount: "5 tUЅD" });
    expect(named).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("no listed token has the symbol") },
    });
  });

  it("warns about prices far from the feeds, short deadlines and unlimited amounts", async () => {
    const from = alice.address;
    const bad = await ask("submitIntent", {
      from,
      amount_in_max: "1,000 tUSD",
      amount_out_min: "0.1 tWETH",
      deadline: "30s",
    });
    expect(bad.body.warnings).toMatchObject([
      { code: "price", message: "At the prices of the feeds, the owner gives away 70 % of the value." },
      { code: "deadline" },
    ]);
    const fair = await ask("submitIntent", { from, amount_in_max: "1,000 tUSD", amount_out_min: "0.33 tWETH" });
    expect(fair.body.warnings).toEqual([]);
    const unlimited = await ask("approveToken", {
      from,
      spender: bob.address,
      token: "tUSD",
      amount: String(2n ** 256n - 1n),
    });
    expect(unlimited.body.summary).toContain("up to any amount of tUSD");
    expect(codes(unlimited.body)).toContain("unlimited");
  });

  it("warns about a merchant that is disputed or unproven", async () => {
    const { body } = await ask("payQuote", { from: alice.address, quote_hash: unsettled });
    const [warning] = body.warnings.filter(({ code }) => code === "counterparty");
    expect(warning?.message).toMatch(/^The merchant 1: review\. .*credit/);
  });

  it.each([
    ["submitBid", { intent_id: "999", amount_out: "1" }, 404, "Intent 999 not found"],
    [
      "submitBid",
      { intent_id: "5", amount_out: "1 tUSD" },
      400,
      "amount_out: must be in the token 0x00000000000000000000000000000000000a11ce",
    ],
    ["submitIntent", { amount_in_max: "1", amount_out_min: "1 tUSD" }, 400, "input_token: is required"],
    [
      "submitIntent",
      { amount_in_max: "1.0000001 tUSD", amount_out_min: "1 tUSD" },
      400,
      "more than the token's 6 decimals",
    ],
    [
      "submitIntent",
      { amount_in_max: "1 tUSD", amount_out_min: "1 tUSD", signature: "0x1234" },
      400,
      "signature: must be the 65 bytes",
    ],
    [
      "submitIntent",
      { amount_in_max: "1 tUSD", amount_out_min: "1 tUSD", signature: `0x${"ff".repeat(65)}` },
      400,
      "signature: must be",
    ],
    ["registerAgent", {}, 400, "metadata: is required, or metadata_uri"],
    ["registerAgent", { metadata: { name: "x" }, metadata_uri: "ipfs://x" }, 400, "metadata: can't be combined"],
    [
      "commitQuote",
      { service_numeric_id: "1", agent: bob.address, amount: "1 tUSD", payment_rail: "x402" },
      400,
      "facilitator: is required on the rail x402",
    ],
    [
      "approveToken",
      { spender: bob.address, token: zeroAddress, amount: "1" },
      400,
      "the native coin needs no approval",
    ],
    ["fillIntent", { intent_id: "6" }, 404, "No bid is selected for intent 6"],
    ["cancelIntent", { intent_id: "5", amount: "1" }, 400, "amount: unknown"],
    ["openDispute", { receipt_id: "1" }, 400, "reason: is required, or reason_hash"],
    [
      "setFunctionAllowed",
      { target: bob.address, selector: "transfer(address,uint)", allowed: true },
      400,
      "selector: must be a selector",
    ],
  ])("rejects %s with a sentence", async (name, input, status, error) => {
    const found = await ask(name, { from: alice.address, ...input });
    expect(found.status, JSON.stringify(found.body)).toBe(status);
    expect(found.body.error).toContain(error);
  });

  const over = String(2n ** 256n - 1n);
  const noLines = { deadline: "1900000000" };

  it.each([
    [
      "submitIntent",
      { amount_in_max: "1 tUSD", amount_out_min: "1 tUSD", slippage_bps: 10_001 },
      "slippage_bps: must be a whole number of basis points from 0 to 10000, which is 100 %",
    ],
    [
      "submitIntent",
      { amount_in_max: "1 tUSD", amount_out_min: "1 tUSD", deadline: "1000000000" },
      "deadline: 9 Sep 2001 01:46:40 UTC is over; choose a later time",
    ],
    [
      "submitIntent",
      { amount_in_max: "1 tUSD", amount_out_min: "1 tUSD", account: "policy" },
      "owner: is required, because a policy account can't sign an intent",
    ],
    [
      "submitIntent",
      { amount_in_max: "1 tUSD", amount_out_min: "1 tUSD", signature: `0x${"12".repeat(64)}1b` },
      "signature: is not one of 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 over exactly this intent",
    ],
    [
      "submitBid",
      { intent_id: "5", amount_out: "970000000", valid_until: "0" },
      "valid_until: 1 Jan 1970 00:00:00 UTC is over",
    ],
    [
      "submitBid",
      { intent_id: "5", amount_out: "970000000", valid_until: "999999999999" },
      "valid_until: must not be after the deadline of the intent",
    ],
    ["submitBid", { intent_id: "5", amount_out: "1" }, "amount_out: the intent wants at least"],
    [
      "submitBid",
      { intent_id: "5", amount_out: over, amount_in: over },
      "amount_in: the intent gives at most 1,000.00 tUSD",
    ],
    [
      "commitQuote",
      { service_numeric_id: "1", agent: bob.address, amount: "1 tUSD", payment_rail: "transfer", expires_at: 1 },
      "expires_at: 1 Jan 1970 00:00:01 UTC is over",
    ],
    [
      "executeSettlement",
      { ...noLines, lines: [{ recipient: zeroAddress, amount: "1" }] },
      "lines.0.recipient: must not be the zero address",
    ],
    [
      "executeSettlement",
      { ...noLines, lines: [{ recipient: bob.address, amount: "0" }] },
      "lines.0.amount: must be more than 0",
    ],
    ["executeSettlement", { ...noLines, settlement_plan_hash: zeroHash }, "settlement_plan_hash: must not be zero"],
    ["executeSettlement", { deadline: "1" }, "deadline: 1 Jan 1970 00:00:01 UTC is over"],
    [
      "executeSettlement",
      {
        ...noLines,
        lines: [
          { recipient: bob.address, amount: over },
          { recipient: bob.address, amount: "1" },
        ],
      },
      "lines: their sum must be below 2^256",
    ],
    ["transferToken", { to: bob.address, amount: String(2n ** 256n), token: "tUSD" }, "amount: must be digits"],
    [
      "transferToken",
      { to: bob.address, amount: `${2n ** 256n / 1_000_000n + 1n} tUSD` },
      "amount: is more than the contract's largest number",
    ],
    ["addBond", { solver_id: "1", amount: `${2n ** 256n} ETH` }, "amount: is more than the contract's largest number"],
  ])("rejects %s %o, which the contract would always refuse, also without a node", async (name, input, error) => {
    const sent = name === "executeSettlement" ? { quote_hash: unsettled, ...input } : input;
    const prepareAway = gateways.preparing(away);
    const found = await prepareAway(name, { from: alice.address, ...sent });
    expect(found.status, JSON.stringify(found.body)).toBe(400);
    expect(found.body.error).toContain(error);
  });

  it("says amounts of 2^256 - 1 exactly", async () => {
    const { body } = await ask("approveToken", {
      from: alice.address,
      spender: bob.address,
      token: "tUSD",
      amount: over,
    });
    expect(decoded(body.transactions[0]?.data as Hex, erc20Abi).args).toEqual([
      bob.address.toLowerCase(),
      BigInt(over),
    ]);
    const lines = [
      { recipient: bob.address, amount: String(2n ** 255n) },
      { recipient: dataMerchant.address, amount: String(2n ** 255n - 1n) },
    ];
    const settled = await ask("executeSettlement", { from: alice.address, quote_hash: unsettled, lines });
    expect(settled.status).toBe(200);
    expect(settled.body.simulation?.ok).toBe(false);
    expect(decoded(settled.body.transactions[1]?.data as Hex).args).toMatchObject([{ grossAmount: BigInt(over) }]);
  });

  it("decides by code and words of the node what is missing funds", async () => {
    const withError = (code: number, message: string) =>
      createSimulate(async () => ({
        request: (async () => {
          throw new RpcRequestError({ body: {}, url: "http://node", error: { code, message } });
        }) as never,
      }));
    const cancel = { from: alice.address, intent_id: "5" };
    for (const [code, message] of [
      [-38014, "err: sender has nothing"],
      [-32003, "Insufficient funds for gas * price + value"],
      [-32000, "insufficient funds for gas * price + value: address 0x70 have 0 want 1"],
      [-32004, "Upfront cost exceeds account balance"],
    ] as const) {
      const { body } = await gateways.preparing(withError(code, message))("cancelIntent", cancel);
      expect(body.simulation?.results[0]?.revert?.error, message).toBe("InsufficientFunds");
    }
    for (const message of ["intrinsic gas too low", "nonce too low", "transaction rejected"]) {
      const { body } = await gateways.preparing(withError(-32003, message))("cancelIntent", cancel);
      expect(body.simulation, message).toBeNull();
      expect(body.warnings).toContainEqual({
        code: "not_simulated",
        message: "The node could not simulate this (JSON-RPC error -32003), so it may revert.",
      });
    }
  });

  it("stores nothing unless asked to publish", async () => {
    const metadata = { name: "Never Published", nonce: "3f1" };
    const { body } = await ask("registerMerchant", {
      from: bob.address,
      metadata_uri: "ipfs://m",
      payout_address: dataMerchant.address,
    });
    expect(decoded(body.transactions[0]?.data as Hex).args).toEqual([
      dataMerchant.address.toLowerCase(),
      "ipfs://m",
      `0x${"00".repeat(32)}`,
    ]);
    // Invalid input publishes nothing either.
    const invalid = await ask("registerMerchant", { from: "nobody", metadata });
    expect(invalid.status).toBe(400);
    const hash = keccak256(stringToBytes(JSON.stringify(metadata)));
    expect((await fetch(`${stack.apiUrl}/catalogs/${hash}`)).status).toBe(404);
  });
});
