import type { Hex } from "viem";
import type { Random } from "../actions/random";
import type { World } from "../actions/world";
import { ask, lists, pagesByCursor } from "../lists/asking";
import { get } from "./requests";
import { anyManner, type Writes } from "./writes";

type Bid = { bid_id: string; amount_out: string; status: string };
type Intent = { intent_id: string; intent_hash: Hex; status: string };

/** An acknowledged off-chain bid. */
type Placed = {
  bid: Bid;
  /** Its intent, if the service showed the same one before and after. Undefined if a reorg may have replaced the intent. */
  intentHash: Hex | undefined;
  isSelected: boolean;
};

/** A bid may be for an intent that a reorg has removed, or that is filled or expired. */
const REJECTIONS = [404, 409];

/** Clients that place and select off-chain bids. */
export class BidClients {
  private readonly placed: Placed[] = [];

  constructor(
    private readonly writes: Writes,
    private readonly random: Random,
    private readonly world: World,
  ) {}

  place(): void {
    const { random, world, writes } = this;
    const intent = random.pick(world.intents);
    const solver = random.pick(world.wallets).address;
    const amounts = { amount_in: String(random.below(1_000)), amount_out: String(random.below(1_000_000)), fee: "0" };
    const manner = anyManner(random);
    if (!intent) return;
    const id = String(intent.intentId);
    const hashOf = async () => {
      const answer = await get(writes.apiUrl, `/intents/${id}`);
      return answer?.status === 200 ? (answer.body as Intent).intent_hash : undefined;
    };
    const place = async () => {
      const before = await hashOf();
      const input = { id, solver, ...amounts, valid_until: "4000000000" };
      const outcome = await writes.send<Bid>("bids.create", input, manner, REJECTIONS);
      if (outcome.state !== "acknowledged") return;
      const intentHash = (await hashOf()) === before ? before : undefined;
      this.placed.push({ bid: outcome.body, intentHash, isSelected: false });
    };
    void writes.track(manner, place()).catch(() => {});
  }

  select(): void {
    const { random, writes } = this;
    const placed = this.placed[random.below(1_000) % Math.max(1, this.placed.length)];
    const manner = anyManner(random);
    if (!placed) return;
    const select = async () => {
      const outcome = await writes.send("bids.select", { bidId: placed.bid.bid_id }, manner, REJECTIONS);
      if (outcome.state === "acknowledged") placed.isSelected = true;
    };
    void writes.track(manner, select()).catch(() => {});
  }

  get count(): number {
    return this.placed.length;
  }

  /** The acknowledged bids and selections that are not served, although their intents are on chain. */
  async lost(apiUrl: string): Promise<string[]> {
    const intents = await this.servedIntents(apiUrl);
    const lost: string[] = [];
    const served = new Map<string, Bid>();
    for (const { intent_id } of intents) {
      const bids = await this.servedBids(apiUrl, intent_id);
      for (const bid of bids) served.set(bid.bid_id, bid);
      const selected = bids.filter(({ status }) => status === "SELECTED");
      if (selected.length > 1) lost.push(`Intent ${intent_id} has ${selected.length} selected bids`);
    }
    for (const { bid, intentHash, isSelected } of this.placed) {
      const found = served.get(bid.bid_id);
      const isOnChain = intents.some(({ intent_hash }) => intent_hash === intentHash);
      if (isOnChain && found?.amount_out !== bid.amount_out) lost.push(`Bid ${bid.bid_id}: ${JSON.stringify(found)}`);
      if (isSelected && found && !["SELECTED", "REJECTED"].includes(found.status))
        lost.push(`Bid ${bid.bid_id} was selected, but is ${found.status}`);
    }
    return lost;
  }

  private async servedIntents(apiUrl: string): Promise<Intent[]> {
    const list = lists.find(({ name }) => name === "intents.list");
    if (!list) throw new Error("The list of intents is missing");
    const pages = await pagesByCursor(apiUrl, list, { limit: "100" });
    return pages.flatMap(({ items }) => items as unknown as Intent[]);
  }

  private async servedBids(apiUrl: string, intentId: string): Promise<Bid[]> {
    return (await ask<{ bids: Bid[] }>(apiUrl, `/intents/${intentId}/bids?limit=100`)).bids;
  }
}
