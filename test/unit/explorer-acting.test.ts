import { describe, expect, it } from "vitest";
import { curlOf, inputOf, type Offer, prepareAction, senderOf } from "../../explorer/acting/offer";

const LISTED = `0x${"a1".repeat(20)}`;
const HOSTILE = `0x${"b2".repeat(20)}`;
const UNKNOWN = `0x${"c3".repeat(20)}`;

const tokens = new Map([
  [LISTED, { symbol: "tUSD", decimals: 6 }],
  [HOSTILE, { symbol: "'; rm -rf ~ #", decimals: 2 }],
]);
const findToken = (address: string) => tokens.get(address);

const offer = (token: string): Offer => ({
  name: "submitBid",
  label: "Bid",
  note: "",
  input: { intent_id: "5" },
  fields: [
    { kind: "amount", name: "amount_out", label: "You pay", token },
    { kind: "line", name: "valid_until", label: "Valid for", isOptional: true },
  ],
});

describe("the input of an action", () => {
  it.each([
    [LISTED, "955", "955000000"],
    [LISTED, " 1,000.5 tUSD ", "1000500000"],
    [HOSTILE, "7.25", "725"],
    [UNKNOWN, "42", "42"],
  ])("has the amount of token %s that a person types as %s in the smallest unit", (token, typed, amount) => {
    const texts = { amount_out: typed, valid_until: " " };
    expect(inputOf(offer(token), texts, findToken)).toEqual({ intent_id: "5", amount_out: amount });
  });

  it.each([
    ["955 tWETH", "You pay: 955 tWETH is not an amount such as 1,234.50 tUSD."],
    ["0.0000001", "You pay: 0.0000001 has more than the token's 6 decimals."],
  ])("rejects the amount %s", (typed, message) => {
    expect(() => inputOf(offer(LISTED), { amount_out: typed }, findToken)).toThrow(message);
  });

  it("has a text as a property of an object, if the operation takes one", () => {
    const fields = [{ kind: "text", name: "evidence", property: "note", label: "What" }] as const;
    const input = inputOf({ ...offer(LISTED), fields }, { evidence: "sent by mail" }, findToken);
    expect(input).toEqual({ intent_id: "5", evidence: { note: "sent by mail" } });
  });
});

describe("the sender of an action", () => {
  const account = `0x${"ab".repeat(20)}`;
  const checksummed = account.toUpperCase().replace("0X", "0x");

  it("is the account of the wallet", () => {
    expect(senderOf(offer(LISTED), checksummed)).toEqual({ from: checksummed });
    expect(senderOf({ ...offer(LISTED), account }, checksummed)).toEqual({ from: checksummed });
  });

  it("is a policy account that the wallet's account signs for, if another account must act", () => {
    const sender = senderOf({ ...offer(LISTED), account: HOSTILE }, account);
    expect(sender).toEqual({ from: HOSTILE, account: "policy", signer: account });
  });
});

describe("the request for programs", () => {
  it.each([
    [LISTED, "1 tUSD"],
    [HOSTILE, "1"],
    [UNKNOWN, "1"],
  ])("has an amount of token %s as %s, and no text of strangers", (token, amount) => {
    expect(curlOf(offer(token), "http://gateway", findToken)).toBe(
      `curl http://gateway/actions/submitBid -H 'content-type: application/json' -d '{"from":"0x…","intent_id":"5","amount_out":"${amount}"}'`,
    );
  });

  it("quotes the body for a shell", () => {
    const line = curlOf({ ...offer(LISTED), input: { note: "it's" }, fields: [] }, "http://gateway", findToken);
    expect(line).toContain(`"note":"it'\\''s"`);
  });
});

describe("preparing an action", () => {
  const answering = (status: number, body: unknown) => async () => Response.json(body, { status });
  const transaction = { to: LISTED, data: "0x1234", value: "0", chainId: 1, gas: null };

  it("returns the answer of the service", async () => {
    const answer = { transactions: [transaction] };
    expect(await prepareAction("submitBid", {}, answering(200, answer))).toEqual(answer);
  });

  it("throws the sentence of the service", async () => {
    const refused = prepareAction("submitBid", {}, answering(400, { error: "amount_out: is required" }));
    await expect(refused).rejects.toThrow("amount_out: is required");
    await expect(prepareAction("submitBid", {}, answering(502, []))).rejects.toThrow("status 502");
  });

  it.each([
    ["to", "vitalik.eth"],
    ["to", `${LISTED}00`],
    ["data", "0x123"],
    ["data", "0x12\u202e34"],
    ["value", "-1"],
    ["value", "0x1"],
    ["gas", "all"],
  ])("rejects a transaction whose %s is %s", async (field, value) => {
    const answer = { transactions: [transaction, { ...transaction, [field]: value }] };
    await expect(prepareAction("submitBid", {}, answering(200, answer))).rejects.toThrow(`whose ${field} is malformed`);
  });
});
