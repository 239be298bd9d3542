import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { candidateNames, type Filter, matches, subjectsOf } from "../../api/events/filter";
import { eventNames } from "../../api/events/protocol-events";
import { contractNames } from "../../config/contracts";
import { specifiedEvents } from "../fixtures/specified-events";
import { runs } from "../support/seed";
import { anyEvent } from "./arbitrary-event";

const [a, b, c, d] = ["aa", "bb", "cc", "dd"].map((digits) => `0x${"00".repeat(19)}${digits}`) as [
  string,
  string,
  string,
  string,
];
const hash = `0x${"1f".repeat(32)}`;

/** Protocol events with arguments and the filters that match them. Written by hand from the specification. */
const expected: [name: string, args: Record<string, string | number | boolean>, subjects: string[]][] = [
  ["AgentRegistered", { agentId: "7", owner: a, metadataURI: "" }, ["agent 7", `agent ${a}`, `account ${a}`]],
  ["AgentUpdated", { agentId: "7", metadataURI: "", capabilitiesHash: hash }, ["agent 7"]],
  ["AgentRevoked", { agentId: "7" }, ["agent 7"]],
  ["IntentSubmitted", { intentId: "7", owner: a, nonce: "1" }, ["intent_id 7", `account ${a}`]],
  ["IntentCancelled", { intentId: "7" }, ["intent_id 7"]],
  ["IntentFilled", { intentId: "7", solver: a, amountIn: "1", amountOut: "1" }, ["intent_id 7", `account ${a}`]],
  ["IntentFillProof", { intentId: "7", resultHash: hash, traceHash: hash, attestationId: "3" }, ["intent_id 7"]],
  [
    "SolverBidSubmitted",
    {
      intentId: "7",
      bidId: "2",
      solver: a,
      amountIn: "1",
      amountOut: "1",
      fee: "0",
      validUntil: "1",
      executionHash: hash,
    },
    ["intent_id 7", `account ${a}`],
  ],
  ["SolverBidSelected", { intentId: "7", bidId: "2", solver: a }, ["intent_id 7", `account ${a}`]],
  ["SpendLimitSet", { account: a, token: b, maxPerDay: "1" }, [`account ${a}`]],
  ["TargetAllowlistUpdated", { account: a, target: b, allowed: true }, [`account ${a}`]],
  ["FunctionAllowlistUpdated", { account: a, target: b, selector: "0x12345678", allowed: true }, [`account ${a}`]],
  ["FunctionAllowlistModeUpdated", { account: a, enabled: true }, [`account ${a}`]],
  ["SpendRecorded", { account: a, token: b, amount: "1", dailyTotal: "1" }, [`account ${a}`]],
  [
    "PaymentPolicySet",
    { account: a, merchant: b, token: d, facilitator: c, maxPerPayment: "1", maxPerDay: "1", allowed: true },
    [`account ${a}`, `account ${b}`, `account ${c}`],
  ],
  [
    "SignedPaymentRecorded",
    { account: a, merchant: b, token: d, facilitator: c, amount: "1", paymentHash: hash, dailyTotal: "1" },
    [`account ${a}`, `account ${b}`, `account ${c}`],
  ],
  ["GuardianSet", { account: a, guardian: b }, [`account ${a}`, `account ${b}`]],
  ["AccountFrozen", { account: a, frozen: true }, [`account ${a}`]],
  ["AttestationSubmitted", { id: "7", attester: a, schema: hash, subject: hash }, [`account ${a}`]],
  ["AttestationRevoked", { id: "7" }, []],
  [
    "SolverRegistered",
    { solverId: "7", operator: a, metadataURI: "", capabilitiesHash: hash, bond: "1" },
    [`account ${a}`],
  ],
  ["SolverUpdated", { solverId: "7", metadataURI: "", capabilitiesHash: hash, active: true }, []],
  ["SolverBondChanged", { solverId: "7", bond: "1" }, []],
  ["AttestorRegistered", { attestorId: "7", operator: a, metadataURI: "", schemasHash: hash }, [`account ${a}`]],
  ["AttestorUpdated", { attestorId: "7", metadataURI: "", schemasHash: hash, active: true }, []],
  [
    "MerchantRegistered",
    { merchantId: "7", owner: a, payoutAddress: b, metadataURI: "", metadataHash: hash },
    ["merchant_id 7", `account ${a}`, `account ${b}`],
  ],
  [
    "MerchantUpdated",
    { merchantId: "7", payoutAddress: b, metadataURI: "", metadataHash: hash, active: true },
    ["merchant_id 7", `account ${b}`],
  ],
  [
    "ServiceRegistered",
    {
      serviceNumericId: "3",
      merchantId: "7",
      serviceId: "",
      metadataURI: "",
      metadataHash: hash,
      capabilityHash: hash,
    },
    ["merchant_id 7"],
  ],
  [
    "ServiceUpdated",
    { serviceNumericId: "3", metadataURI: "", metadataHash: hash, capabilityHash: hash, active: true },
    [],
  ],
  [
    "FacilitatorRegistered",
    { facilitatorId: "3", facilitator: c, metadataURI: "", metadataHash: hash },
    [`account ${c}`],
  ],
  [
    "FacilitatorUpdated",
    { facilitatorId: "3", facilitator: c, metadataURI: "", metadataHash: hash, active: true },
    [`account ${c}`],
  ],
  [
    "QuoteCommitted",
    { quoteHash: hash, merchantId: "7", serviceNumericId: "3", agent: a, token: d, facilitator: c, amount: "1" },
    ["merchant_id 7", `agent ${a}`, `account ${a}`, `account ${c}`],
  ],
  [
    "ReceiptRecorded",
    { receiptId: "1", quoteHash: hash, agent: a, merchantId: "7", serviceNumericId: "3", token: d, facilitator: c },
    ["merchant_id 7", `agent ${a}`, `account ${a}`, `account ${c}`],
  ],
  ["FulfillmentRecorded", { receiptId: "7", fulfillmentHash: hash }, []],
  ["DisputeOpened", { disputeId: "1", receiptId: "7", opener: a, reasonHash: hash }, [`account ${a}`]],
  ["DisputeResolved", { disputeId: "7", status: 1, resolutionHash: hash }, []],
  [
    "TrustSignalRecorded",
    { signalId: "1", subjectType: 0, subjectId: "7", kind: 1, reporter: a, signalHash: hash },
    ["merchant_id 7", `account ${a}`],
  ],
  [
    "SettlementExecuted",
    { quoteHash: hash, settlementPlanHash: hash, payer: a, token: d, grossAmount: "1", executionHash: hash },
    [`account ${a}`],
  ],
];

describe("the filter subjects of an event", () => {
  it("are known for all events of the specification, and for no other", () => {
    expect(specifiedEvents.length).toBeGreaterThanOrEqual(expected.length);
    expect(specifiedEvents.map(({ name }) => name).sort()).toEqual([...eventNames].sort());
  });

  it.each(specifiedEvents)("of $name are its intent, merchant and agent ids and its accounts", ({ name, inputs }) => {
    const args = Object.fromEntries(inputs.map((input, place) => [input.name ?? "", String(place)]));
    const idsOf = { intent_id: "intentId", merchant_id: "merchantId", agent: "agentId" };
    for (const [kind, argument] of Object.entries(idsOf))
      if (argument in args) expect(subjectsOf(name, args)).toContain(`${kind} ${args[argument]}`);
    const accounts = inputs.filter((input) => input.type === "address" && !/^(token|target)$/.test(input.name ?? ""));
    expect(subjectsOf(name, args).filter((subject) => subject.startsWith("account "))).toEqual(
      accounts.map((input) => `account ${args[input.name ?? ""]}`),
    );
  });

  it.each(expected)("%s", (name, args, subjects) => {
    expect(subjectsOf(name, args).sort()).toEqual([...subjects].sort());
  });

  it.each([
    [0, ["merchant_id 7"]],
    [1, []],
    [2, []],
    [3, ["agent 7"]],
    [200, []],
  ])("a trust signal about a subject of type %i", (subjectType, subjects) => {
    const args = { signalId: "1", subjectType, subjectId: "7", kind: 1, reporter: a, signalHash: hash };
    expect(subjectsOf("TrustSignalRecorded", args).sort()).toEqual([...subjects, `account ${a}`].sort());
  });
});

describe("a filter", () => {
  const event = { event: "IntentFilled", contract: "IntentBook", block: 9n, subjects: ["intent_id 7", `account ${a}`] };

  it("matches events that satisfy all of its fields", () => {
    expect(matches({}, event)).toBe(true);
    const all: Filter = { name: "IntentFilled", contract: "IntentBook", intent_id: "7", account: a, fromBlock: 9n };
    expect(matches(all, event)).toBe(true);
    const others: Filter[] = [
      { name: "IntentCancelled" },
      { contract: "AgentRegistry" },
      { intent_id: "8" },
      { account: b },
      { agent: "7" },
      { merchant_id: "7" },
      { fromBlock: 10n },
    ];
    for (const other of others)
      expect(matches({ ...all, ...other }, event), JSON.stringify(Object.keys(other))).toBe(false);
  });

  it("selects every matching event from the database", () => {
    const value = fc.constantFrom("0", "1", a);
    const filter: fc.Arbitrary<Filter> = fc.record(
      {
        name: fc.constantFrom(...eventNames),
        contract: fc.constantFrom(...contractNames),
        intent_id: value,
        agent: value,
        merchant_id: value,
        account: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(filter, anyEvent, ({ ...filter }, { name, contract, args }) => {
        const subjects = subjectsOf(name, args);
        // Values of this event, to increase the number of matches.
        for (const subject of subjects) {
          const [kind = "", is = ""] = subject.split(" ");
          if (kind in filter) Object.assign(filter, { [kind]: is });
        }
        if (filter.name) filter.name = name;
        if (filter.contract) filter.contract = contract;
        if (matches(filter, { event: name, contract, block: 0n, subjects })) {
          expect(candidateNames(filter)).toContain(name);
          // The database compares subjects with the text of the arguments.
          const { name: _, contract: __, ...bySubject } = filter;
          for (const value of Object.values(bySubject)) expect(JSON.stringify(args)).toContain(JSON.stringify(value));
        } else expect(Object.keys(filter)).not.toHaveLength(0);
      }),
      { numRuns: runs(500) },
    );
  });

  it("selects all events if it is empty", () => {
    expect(candidateNames({})).toEqual(eventNames);
    expect(candidateNames({ fromBlock: 7n })).toEqual(eventNames);
    expect(candidateNames({ intent_id: "7" })).toEqual([
      "IntentCancelled",
      "IntentFillProof",
      "IntentFilled",
      "IntentSubmitted",
      "SolverBidSelected",
      "SolverBidSubmitted",
    ]);
    expect(candidateNames({ contract: "AgentRegistry", intent_id: "7" })).toEqual([]);
  });
});
