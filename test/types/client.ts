import type { z } from "../../api/core/operation";
import type { operations } from "../../api/operations/index";
import {
  type Api,
  createIntentryClient,
  eventNamed,
  type Fill,
  type Intent,
  type IntentMetadata,
  iterate,
  parseAmount,
  type Wallet,
} from "../../client/src/index";

// Compiled by test/core/types.test.ts and `npm run check`, never run. Each @ts-expect-error fails the check if its line compiles.

/** Removes the differences between client and schema types: the client has hex types and readonly arrays. */
type Loose<Value> = Value extends string
  ? string extends Value
    ? string
    : Value extends `0x${string}`
      ? string
      : Value
  : Value extends readonly (infer Item)[]
    ? Loose<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Loose<Value[Key]> }
      : Value;

type IsSame<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

type Operations = typeof operations;
type Call =
  | { query: (...parameters: never) => Promise<unknown> }
  | { mutate: (...parameters: never) => Promise<unknown> };
type FunctionOf<Of extends Call> = Of extends { query: infer Function }
  ? Function
  : Of extends { mutate: infer Function }
    ? Function
    : never;
type OutputOf<Of extends Call> =
  FunctionOf<Of> extends (...parameters: never) => Promise<infer Output> ? Output : never;
type InputOf<Of extends Call> =
  FunctionOf<Of> extends (...parameters: infer Parameters) => unknown
    ? NonNullable<Parameters[0 & keyof Parameters]>
    : never;

type SchemasOf<Operation> = Operation extends {
  input: infer Input extends z.ZodType;
  output: infer Output extends z.ZodType;
}
  ? { input: z.input<Input>; output: z.output<Output> }
  : never;

/** The operations with events, whose arguments have types only in the client. */
type WithEvents = "events.recent" | "transactions.explain";

/** The operations whose types in the client differ from their schemas. */
type Differences = {
  [Resource in keyof Api & keyof Operations]: {
    [Name in keyof Api[Resource] & keyof Operations[Resource]]: Api[Resource][Name] extends infer Called extends Call
      ? IsSame<Loose<OutputOf<Called>>, Loose<SchemasOf<Operations[Resource][Name]>["output"]>> extends
          | true
          | (`${Resource}.${Name & string}` extends WithEvents ? false : never)
        ? Loose<InputOf<Called>> extends Loose<SchemasOf<Operations[Resource][Name]>["input"]>
          ? never
          : `${Resource}.${Name & string} has another input`
        : `${Resource}.${Name & string} has another output`
      : never;
  }[keyof Api[Resource] & keyof Operations[Resource]];
}[keyof Api & keyof Operations];

const none: never = null as unknown as Differences;

const intentry = createIntentryClient({ url: "http://localhost:3001" });

export async function compiles(): Promise<unknown> {
  const intent: Intent = await intentry.intents.get.query({ id: 1n });
  const { fill, metadata }: { fill: Fill | null; metadata: IntentMetadata | null } = intent;
  const status: "OPEN" | "FILLED" | "CANCELLED" | "EXPIRED" = intent.status;
  const { intents, pagination } = await intentry.intents.list.query();
  const health = await intentry.status.health.query();
  const published = await intentry.publishCatalog("{}", { merchant_id: 7 });
  for await (const bid of iterate(intentry.bids.list, { id: "1", status: "open" })) void bid.amount_out.length;
  for await (const listed of iterate(intentry.intents.list)) void listed.intent_hash.length;
  const called: Intent = await intentry.intents.get({ id: 1n });
  const written = await intentry.documents.publishCatalog({ catalog_json: "{}" });
  const listedByCall = await intentry.intents.list();
  for await (const message of intentry.follow()) {
    if (message.type !== "event") continue;
    const { event, args } = message.data;
    if (event === "IntentFilled") {
      const solver: `0x${string}` = args.solver;
      const amountOut: string = args.amountOut;
      void [solver, amountOut];
    }
    if (event === "TrustSignalRecorded") void args.kind.toFixed();
    if (message.data.event === "AccountFrozen") void (message.data.args.frozen === true);
  }
  for (const { event, args } of (await intentry.events.recent()).events)
    if (event === "AgentRevoked") void args.agentId;
  return [
    none,
    fill,
    metadata,
    status,
    intents[0]?.fill?.solver,
    pagination.next_cursor,
    health.x402DevBypass,
    published.catalog_hash,
    called.status,
    written.catalog_hash,
    listedByCall.pagination.count,
    parseAmount("1.5", await intentry.tokens.get({ address: "0x" })),
  ];
}

export async function sends(wallet: Wallet): Promise<unknown> {
  const action = await intentry.actions.submitBid({
    from: wallet.account.address,
    intent_id: 5,
    amount_out: "955 tUSD",
  });
  const { receipts, events, signature } = await intentry.send(wallet, action, { force: true });
  const hash: `0x${string}` | undefined = receipts[0]?.transactionHash;
  const signed: `0x${string}` | undefined = signature;
  for (const { eventName, args } of events) if (eventName === "SolverBidSubmitted") void args.bidId.length;
  const bidId: string = eventNamed(events, "SolverBidSubmitted").args.bidId;
  // @ts-expect-error the event has another argument
  void eventNamed(events, "SolverBidSubmitted").args.agentId;
  // @ts-expect-error an event that does not exist
  eventNamed(events, "BidSubmitted");
  // @ts-expect-error an amount is missing
  await intentry.actions.submitBid({ from: wallet.account.address, intent_id: 5 });
  // @ts-expect-error the input of an action is not prepared
  await intentry.send(wallet, { from: wallet.account.address, intent_id: 5 });
  // @ts-expect-error an unknown option
  await intentry.send(wallet, action, { forced: true });
  // @ts-expect-error the wallet has no account
  await intentry.send({ ...wallet, account: undefined }, action);
  return [hash, signed, bidId];
}

export async function doesNotCompile(): Promise<void> {
  // @ts-expect-error a parameter is missing
  await intentry.agents.get.query({});
  // @ts-expect-error a parameter is misspelt
  await intentry.agents.get.query({ agentID: "1" });
  // @ts-expect-error a value has the wrong type
  await intentry.agents.get.query({ agentId: true });
  // @ts-expect-error a status that intents don't have
  await intentry.intents.list.query({ status: "closed" });
  // @ts-expect-error a query is not a mutation
  await intentry.agents.get.mutate({ agentId: "1" });
  // @ts-expect-error a mutation is not a query
  await intentry.documents.publishCatalog.query({ catalog_json: "{}" });
  // @ts-expect-error a parameter is missing in a direct call
  await intentry.agents.get({});
  // @ts-expect-error a parameter is misspelt in a direct call
  await intentry.agents.get({ agentID: "1" });
  for (const { event, args } of (await intentry.events.recent()).events) {
    // @ts-expect-error not every event has a solver
    void args.solver;
    // @ts-expect-error an argument of another event
    if (event === "AgentRevoked") void args.intentId;
    // @ts-expect-error an unknown event
    if (event === "AgentDeleted") void args;
  }
  // @ts-expect-error an unknown resource
  await intentry.agent.get.query({ agentId: "1" });
  const agent = await intentry.agents.get.query({ agentId: "1" });
  // @ts-expect-error a field is misspelt
  void agent.agent_ID;
  // @ts-expect-error the owner is never null
  const owner: null = agent.owner;
  void owner;
  // @ts-expect-error a Fill is never null, only the intent's field is
  const fill: Fill = null;
  // @ts-expect-error IntentMetadata is never null, only the intent's field is
  const metadata: IntentMetadata = null;
  void [fill, metadata];
  // @ts-expect-error the paid portfolio is not a tRPC call
  await intentry.portfolio.get.query({ address: "0x" });
  // @ts-expect-error not a list
  iterate(intentry.agents.get, { agentId: "1" });
  // @ts-expect-error a required parameter of a list is missing
  iterate(intentry.bids.list);
  // @ts-expect-error iterate sets the cursor itself
  iterate(intentry.intents.list, { cursor: "1" });
}
