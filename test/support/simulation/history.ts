import type { Protocol } from "../../../stack/local/protocol";
import type { Random } from "../actions/random";
import { mineBlock } from "../actions/sending";
import { rememberState, type World } from "../actions/world";
import { mineActions, newWorld } from "../legal-actions";

/** Ponder treats blocks of this depth as final on a local chain. */
const FINALITY = 30n;

type Mark = { snapshot: `0x${string}`; block: bigint; restore: () => void };

/**
 * A random legal history on anvil, with reorgs. Only {@link History.mine} and the other methods mine blocks, so that all
 * block times follow from the seed. Pending transactions of others, such as settlements, are in the next block.
 */
export class History {
  reorgs = 0;
  deepest = 0n;
  /** The highest block so far. Blocks up to FINALITY below it may be final for the indexer. */
  private highest = 0n;
  private marks: Mark[] = [];

  private constructor(
    private readonly protocol: Protocol,
    readonly world: World,
  ) {}

  /** Starts on a chain that has only the deployment. */
  static async start(protocol: Protocol, seed: number): Promise<History> {
    await protocol.client.setAutomine(false);
    return new History(protocol, await newWorld(protocol, seed));
  }

  /** Mines random legal actions, and marks a block to which a later reorg may return. */
  async mine(actions: number): Promise<void> {
    await mineActions(this.world, this.protocol.client, actions);
    await this.mark();
  }

  /** Mines a block without actions. */
  async mineEmpty(): Promise<void> {
    this.world.now += 1n;
    await mineBlock(this.world, this.protocol.client, []);
    await this.measure();
  }

  /** Replaces the newest blocks, at most as many as are not final, by a longer branch. */
  async reorg(random: Random): Promise<void> {
    const { client } = this.protocol;
    const head = await this.measure();
    const possible = this.marks.filter(({ block }) => block < head && block >= this.highest - FINALITY);
    const actions = 1 + random.below(6);
    const mark = random.pick(possible);
    if (!mark) return;
    await client.revert({ id: mark.snapshot });
    mark.restore();
    this.marks = this.marks.filter(({ block }) => block < mark.block);
    await mineActions(this.world, client, actions);
    while ((await this.measure()) <= head) await this.mineEmpty();
    await this.mark();
    this.reorgs++;
    if (head - mark.block > this.deepest) this.deepest = head - mark.block;
  }

  /** The newest block, which is higher than any block of an orphaned branch. */
  async measure(): Promise<bigint> {
    const head = await this.protocol.client.getBlockNumber();
    if (head > this.highest) this.highest = head;
    return head;
  }

  private async mark(): Promise<void> {
    const block = await this.measure();
    this.marks.push({ snapshot: await this.protocol.client.snapshot(), block, restore: rememberState(this.world) });
  }
}
