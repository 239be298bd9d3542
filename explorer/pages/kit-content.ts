import type { PreparedAction, Token } from "../../client/src/api";
import type { Offer } from "../acting/offer";
import type { ListQuery } from "../lists/query";
import { type Names, nameKey } from "../names";
import type { LiveEvent } from "../page";

// What strangers can put on chain, for the page with all components.

/** The largest number of the contracts. */
export const MAX = String(2n ** 256n - 1n);

/** As a page shows texts of the chain: shortened, and without invisible characters. */
export const texts = {
  word: "Unbroken".repeat(40),
  sentence: "A text of many words that goes on and on, longer than any line. ".repeat(12),
  markup: `"'><img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>`,
  reversed: "safe\u202eevil\u2066 hidden\u200b\u{e0041} مرحبا بالعالم ".repeat(4),
  emoji: "👩‍👩‍👧‍👦🏴‍☠️🤑".repeat(30),
  marks: `Z${"\u0300\u0316\u0338".repeat(20)}algo`,
  name: "The International Clearing House for Weather, Maps and Route Planning, Harbor Branch",
  nameWithoutSpaces: "Hyperinterconnectedmultichainliquidityaggregationandsettlementnetworkofagents",
  uri: `https://example.com/${"path/".repeat(60)}?q=${"%20".repeat(40)}`,
  empty: "",
};

export type Texts = typeof texts;

export const account = (digit: string) => `0x${digit.repeat(40)}`;
export const hash = `0x${"ab".repeat(32)}`;

/** Accounts that act for a record with this name. */
export const named = (shown: Texts) =>
  [shown.name, shown.nameWithoutSpaces, shown.markup, shown.reversed, shown.emoji].map(
    (name, index) => [account(String(index + 1)), name] as const,
  );

export const UNKNOWN_TOKEN = account("c");

/** Tokens that claim anything, one that no one knows, and one that is listed. */
export const tokensOf = (shown: Texts): readonly Token[] =>
  [
    { symbol: shown.markup.slice(0, 32), name: shown.sentence, decimals: 6, source: "contract" as const },
    { symbol: shown.nameWithoutSpaces.slice(0, 32), name: shown.word, decimals: 0, source: "contract" as const },
    { symbol: "tUSD", name: "Test Dollar", decimals: 6, source: "list" as const },
    { symbol: [...shown.emoji].slice(0, 12).join(""), name: null, decimals: 77, source: "contract" as const },
  ].map((token, index) => ({
    ...token,
    address: account(String(index + 6)) as Token["address"],
    chain_id: 31337,
  }));

export const amounts = ["0", "1", "999999", "1234567890123", MAX];

/** Zero, the first second, a past one, one in the year 2100, and one that no calendar has. */
export const times = ["0", "1", "1700000000", "4102444800", MAX];

export const states = ["OPEN", "FILLED", "CANCELLED", "EXPIRED", "DISPUTED", "FAILED", "UNREACHABLE", "SOMETHING_NEW"];

export const notices = ["warning", "notice good", "notice bad"];

export const query: ListQuery = {
  filters: [
    { name: "owner", label: "Owner", kind: "account" },
    { name: "state", label: "State", kind: "choice", options: [["open", "Open"]] },
    { name: "kind", label: "Kind", kind: "text" },
    { name: "merchant", label: "Merchant", kind: "record", record: "merchant" },
  ],
  sorts: [
    { name: "newest", label: "Newest first" },
    { name: "oldest", label: "Oldest first" },
  ],
};

export const charts: readonly (readonly [title: string, values: readonly string[]])[] = [
  ["Amounts up to the largest", [...amounts, "5", "0"]],
  ["One value", ["3"]],
  ["Zeros", ["0", "0", "0"]],
];

/** Events in every state, with the texts of owners in their sentences. */
export const eventsOf = (shown: Texts): readonly LiveEvent[] =>
  Object.values(shown).map((text, index) => ({
    id: String(index),
    block_number: MAX,
    timestamp: times[index] ?? "0",
    tx_hash: hash as LiveEvent["tx_hash"],
    summary: `Merchant #${index} registered "${text}" by ${account("1")} for ${MAX}`,
    finality: index % 2 === 0 ? "finalized" : "pending",
    isReverted: index === 3,
  }));

export const namesOf = (shown: Texts): Names =>
  Object.fromEntries(
    named(shown).flatMap(([address, name], index) => [
      [nameKey("account", address), name],
      [nameKey("merchant", String(index + 1)), name],
    ]),
  );

/** Actions that ask for everything, about records with any text. */
export const offersOf = (shown: Texts): readonly Offer[] =>
  [shown.name, shown.nameWithoutSpaces, shown.markup, shown.reversed].map((label) => ({
    name: "submitBid",
    label,
    note: `${shown.sentence} ${account("1")}`,
    input: { intent_id: MAX, metadata: shown.markup },
    fields: [
      { kind: "amount", name: "amount", label: shown.nameWithoutSpaces, token: account("7"), hint: `At least ${MAX}.` },
      { kind: "amount", name: "units", label: "Units", token: UNKNOWN_TOKEN },
      { kind: "text", name: "text", label: shown.sentence },
      { kind: "choice", name: "choice", label: "Choice", options: [{ value: MAX, text: shown.word }] },
    ],
  }));

/** An action that would fail, with the texts of others in every sentence. */
export function preparedOf(shown: Texts): PreparedAction {
  const transaction = {
    from: account("2") as Token["address"],
    to: account("1") as Token["address"],
    data: `0x${"ab".repeat(600)}` as const,
    value: MAX,
    chainId: 31337,
    gas: MAX,
    description: `IntentBook.submitIntent(${shown.markup})`,
  };
  const revert = { error: shown.word, reason: shown.markup, fix: shown.nameWithoutSpaces };
  const succeeds = { ok: true, gas_used: MAX, revert: null, events: [] };
  return {
    summary: `Pay ${MAX} of "${shown.markup}" to ${account("1")} (named "${shown.nameWithoutSpaces}").`,
    transactions: [transaction, { ...transaction, data: "0x", description: shown.word }, transaction],
    typed_data: {
      domain: { name: shown.markup, chainId: 31337 },
      types: { Intent: [{ name: "owner", type: "address" }] },
      primaryType: "Intent",
      message: { owner: shown.word, text: shown.reversed },
    },
    simulation: {
      ok: false,
      method: "eth_simulateV1",
      note: shown.sentence,
      results: [succeeds, { ...succeeds, ok: false, revert }],
    },
    warnings: Object.values(shown).map((message) => ({ code: "counterparty", message })),
    next: { description: shown.sentence, action: null, input: null },
  };
}
