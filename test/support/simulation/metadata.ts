import { type Address, type Hex, keccak256, stringToBytes } from "viem";
import { intentMetadataTypedData } from "../../../common/intent-metadata";
import type { Random } from "../actions/random";
import { anyBytes } from "../actions/values";
import type { World } from "../actions/world";
import { get } from "./requests";
import { anyManner, type Manner, type Outcome, type Writes } from "./writes";

type Content = { execution_target: Address; required_attestation_schema: Hex };
type Stored = Content & { intent_hash: Hex; owner: Address; signed: boolean };
type Intent = {
  intent_hash: Hex;
  owner: Address;
  execution: { target: Address | null; required_attestation_schema: Hex | null };
};

const contentKey = ({ execution_target, required_attestation_schema }: Content) =>
  `${execution_target} ${required_attestation_schema}`.toLowerCase();

/** Intent metadata may also conflict with metadata that the owner signed, or with an intent that a reorg has replaced. */
const REJECTIONS = [400, 404, 409];

/** Clients that store metadata of intents, before or after these are on chain, with or without the owner's signature. */
export class MetadataClients {
  /** The last acknowledged metadata by intent hash. Signed metadata takes precedence. */
  private readonly acknowledged = new Map<Hex, Stored>();
  /** The contents of writes without a response. They may have been stored, also later. */
  private readonly unknown = new Set<string>();
  /** One write at a time for each intent, so that the last acknowledged one is known. */
  private readonly queues = new Map<string, Promise<unknown>>();
  private number = 0;

  constructor(
    private readonly writes: Writes,
    private readonly random: Random,
    private readonly world: World,
  ) {}

  /** Stores metadata for a hash that is not on chain. */
  reserve(): void {
    const { random, world } = this;
    const wallet = random.pick(world.wallets);
    const intentHash = keccak256(stringToBytes(`intent ${this.number++}`));
    const content = this.anyContent();
    const isSigned = random.chance(0.5);
    const manner = anyManner(random);
    const store = async () => {
      const owner_signature = isSigned ? await this.sign(wallet.address, intentHash, content) : undefined;
      const input = { intent_hash: intentHash, owner: wallet.address, ...content, owner_signature };
      this.remember(await this.send("intents.reserveMetadata", input, manner, content));
    };
    void this.writes.track(manner, store()).catch(() => {});
  }

  /** Stores metadata for an intent on chain, if the service has it. */
  put(): void {
    const { random, world } = this;
    const intent = random.pick(world.intents);
    const content = this.anyContent();
    const isSigned = random.chance(0.4);
    const manner = anyManner(random);
    if (!intent) return;
    const id = String(intent.intentId);
    const store = async () => {
      const answer = await get(this.writes.apiUrl, `/intents/${id}`);
      if (answer?.status !== 200) return;
      const found = answer.body as Intent;
      const committed = {
        execution_target: found.execution.target ?? content.execution_target,
        required_attestation_schema: found.execution.required_attestation_schema ?? content.required_attestation_schema,
      };
      const owner_signature = isSigned ? await this.sign(found.owner, found.intent_hash, committed) : undefined;
      const input = { id, ...committed, owner_signature };
      this.remember(await this.send("intents.putMetadata", input, manner, committed));
    };
    const queued = (this.queues.get(id) ?? Promise.resolve()).then(store, store);
    this.queues.set(id, queued);
    // A write in the queue may wait for one that is repeated until the fault has ended. Its request counts once it is sent.
    void this.writes.track({ isPersistent: true }, queued).catch(() => {});
  }

  /** The acknowledged metadata that is not served, and has not been replaced. */
  async lost(apiUrl: string): Promise<string[]> {
    const lost: string[] = [];
    for (const stored of this.acknowledged.values()) {
      const path = `/intents/metadata/${stored.intent_hash}?owner=${stored.owner}`;
      const answer = await get(apiUrl, path);
      const served = answer?.status === 200 ? contentKey(answer.body as Stored) : undefined;
      if (served === undefined || (served !== contentKey(stored) && !this.unknown.has(served)))
        lost.push(`${path}: ${JSON.stringify(answer)} instead of ${JSON.stringify(stored)}`);
    }
    return lost;
  }

  get count(): number {
    return this.acknowledged.size;
  }

  private anyContent(): Content {
    return { execution_target: anyBytes(this.random, 20), required_attestation_schema: anyBytes(this.random, 32) };
  }

  private send(name: string, input: Record<string, unknown>, manner: Manner, content: Content) {
    return this.writes.send<Stored>(name, input, manner, REJECTIONS, () => this.unknown.add(contentKey(content)));
  }

  private remember(outcome: Outcome<Stored>): void {
    if (outcome.state !== "acknowledged") return;
    const { body } = outcome;
    if (body.signed || !this.acknowledged.get(body.intent_hash)?.signed) this.acknowledged.set(body.intent_hash, body);
  }

  private async sign(owner: Address, intentHash: Hex, content: Content): Promise<Hex | undefined> {
    const { wallets, chainId, contracts } = this.world;
    const wallet = wallets.find(({ address }) => address.toLowerCase() === owner.toLowerCase());
    return wallet?.signTypedData(
      intentMetadataTypedData({ chainId, intentHash }, contracts.IntentBook, {
        executionTarget: content.execution_target,
        requiredAttestationSchema: content.required_attestation_schema,
      }),
    );
  }
}
