import { setTimeout } from "node:timers/promises";
import type { PaymentRequired } from "@x402/core/types";
import { type Address, type Hex, parseAbi, parseEventLogs } from "viem";
import { actor } from "../../../stack/local/chain";
import type { Protocol } from "../../../stack/local/protocol";
import type { Random } from "../actions/random";
import { anyBytes } from "../actions/values";
import { askedFor, sign } from "../x402/payer";
import { eventually, MUST_HAPPEN_MS } from "./service";

/** The payers. They send no transactions. The last one has no money. */
const payers = [9, 10, 11, 12, 13].map(actor);
const pauper = actor(14);
const payee = actor(18).address;

const FUNDS = 1_000_000n;

/** Later than any block, whose times are in the future. */
const VALID_BEFORE = 4_000_000_000;

const PATIENCE_MS = 8_000;
const RETRY_MS = 200;

const events = parseAbi([
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);

type Purchase = {
  payer: Address;
  nonce: Hex;
  header: string;
  /** The body of the 200 response. */
  delivered?: string;
  /** Whether a 402 response rejected the payment. */
  isRejected?: boolean;
};

/** Gives the payers test dollars. Automine must be on. */
export async function fundPayers({ write }: Protocol): Promise<void> {
  for (const { address } of payers) await write(actor(0), "TestDollar", "mint", [address, FUNDS]);
}

/** Clients that buy portfolios. */
export class Purchases {
  readonly problems: string[] = [];
  private readonly purchases: Purchase[] = [];
  private readonly running = new Set<Promise<unknown>>();
  private readonly url: string;
  private terms: PaymentRequired | undefined;

  constructor(
    apiUrl: string,
    private readonly random: Random,
    private readonly protocol: Protocol,
  ) {
    this.url = `${apiUrl}/portfolio?address=${payee}&chains=base`;
  }

  /** Reads the payment terms. */
  async open(): Promise<void> {
    this.terms = askedFor(await fetch(this.url));
  }

  /** Signs a payment and sends it until there is a definite response, or a few times. */
  buy(): void {
    const { random, terms } = this;
    const account = random.chance(0.1) ? pauper : random.pick(payers);
    const nonce = anyBytes(random, 32);
    const attempts = random.chance(0.3) ? 1 + random.below(2) : Number.POSITIVE_INFINITY;
    if (!account || !terms) throw new Error("The shop is not open");
    const run = async () => {
      const { header } = await sign(account, terms, { nonce, validBefore: VALID_BEFORE });
      const purchase: Purchase = { payer: account.address, nonce, header };
      this.purchases.push(purchase);
      await this.send(purchase, attempts);
      if (account === pauper && !purchase.isRejected && attempts > 2)
        this.problems.push(`A payer without money got ${purchase.delivered}`);
    };
    this.track(run());
  }

  /**
   * Waits until every purchase has its outcome and every delivered one is paid on chain, while `mine` mines blocks for the
   * settlements. A client that gave up returns: its payment may be charged at any time, and then it must get the response.
   * A reorg may have removed transfers, which the service must settle again.
   */
  async settle(mineBlock: () => Promise<void>): Promise<void> {
    const pending = async () => (await this.protocol.client.getTxpoolStatus()).pending;
    const mine = async () => {
      if ((await pending()) > 0) await mineBlock();
    };
    const clientsDone = () =>
      eventually("an outcome for every client", async () => {
        await mine();
        return this.running.size === 0;
      });
    await clientsDone();
    for (const purchase of this.purchases)
      if (purchase.delivered === undefined && !purchase.isRejected)
        this.track(this.send(purchase, Number.POSITIVE_INFINITY));
    await clientsDone();
    await eventually("payment of every delivered response", async () => {
      await mine();
      for (const purchase of this.purchases)
        if (purchase.delivered !== undefined && (await this.timesCharged(purchase)) === 0) return false;
      return (await pending()) === 0;
    });
  }

  /** Purchases that were charged and not delivered, delivered and not charged, or charged twice. */
  async wrong(): Promise<string[]> {
    const wrong = [...this.problems];
    let charged = 0;
    for (const purchase of this.purchases) {
      const times = await this.timesCharged(purchase);
      charged += times;
      if (times !== (purchase.delivered === undefined ? 0 : 1))
        wrong.push(`The payment ${JSON.stringify(purchase)} was charged ${times} times`);
      if (purchase.delivered === undefined) continue;
      const again = await this.request(purchase);
      const body = await again.text();
      if (body !== purchase.delivered)
        wrong.push(`The delivered payment of nonce ${purchase.nonce} returned ${again.status} ${body} when sent again`);
    }
    const received = await this.protocol.read("TestDollar", "balanceOf", [payee]);
    const price = BigInt(this.terms?.accepts[0]?.amount ?? 0);
    if (received !== BigInt(charged) * price) wrong.push(`The payee received ${received} for ${charged} payments`);
    return wrong;
  }

  /** The state of each purchase, for an error message. */
  states = () =>
    Promise.all(
      this.purchases.map(async (purchase) => ({
        nonce: purchase.nonce,
        isDelivered: purchase.delivered !== undefined,
        isRejected: purchase.isRejected,
        timesCharged: await this.timesCharged(purchase),
      })),
    );

  get counts() {
    const delivered = this.purchases.filter((purchase) => purchase.delivered !== undefined).length;
    return { delivered, rejected: this.purchases.length - delivered };
  }

  private track(client: Promise<void>): void {
    const running = client.catch((error: unknown) => void this.problems.push(String(error)));
    this.running.add(running);
    void running.then(() => this.running.delete(running));
  }

  private request = ({ header }: Purchase) =>
    fetch(this.url, { headers: { "payment-signature": header }, signal: AbortSignal.timeout(PATIENCE_MS) });

  private async send(purchase: Purchase, attempts: number): Promise<void> {
    const deadline = Date.now() + MUST_HAPPEN_MS;
    for (let attempt = 0; attempt < attempts; attempt++) {
      try {
        const response = await this.request(purchase);
        const body = await response.text();
        if (response.status === 200) {
          purchase.delivered = body;
          return;
        }
        if (response.status === 402) {
          purchase.isRejected = true;
          if (purchase.payer !== pauper.address) this.problems.push(`A good payment was rejected: ${body}`);
          return;
        }
        if (![409, 429, 503].includes(response.status))
          this.problems.push(`GET /portfolio: ${response.status} ${body}`);
      } catch (error) {
        // No response in time, or the connection broke: the client sends the same payment again.
        if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
      }
      if (Date.now() > deadline) throw new Error(`The payment of nonce ${purchase.nonce} has no outcome`);
      await setTimeout(RETRY_MS);
    }
  }

  /** How often a payment was charged on the current chain. */
  private async timesCharged({ payer, nonce }: Purchase): Promise<number> {
    const { client, contracts } = this.protocol;
    const [authorizationUsed] = events;
    const logs = await client.getLogs({
      address: contracts.TestDollar,
      event: authorizationUsed,
      args: { authorizer: payer, nonce },
      fromBlock: 0n,
    });
    const receipts = await Promise.all(logs.map(({ transactionHash: hash }) => client.getTransactionReceipt({ hash })));
    return receipts.flatMap(({ logs: emitted }) =>
      parseEventLogs({ abi: events, eventName: "Transfer", logs: emitted }).filter(({ args }) => args.to === payee),
    ).length;
  }
}
