import { afterAll, beforeAll, beforeEach } from "vitest";
import type { ChainReading } from "../../api/portfolio/provider";
import { alchemyProvider } from "../../api/portfolio/providers/alchemy/provider";
import type { ChainSlug } from "../../config/chains";
import { type AlchemyServer, startAlchemyServer } from "./alchemy-server";

export const apiKey = "s3cr3t-Key_that_nobody_may_see";
export const wallet = "0xa0ee7a142d267c1f36714e4a8f75612f20a79720";
export const ether = 10n ** 18n;

/** Reads the wallet from an Alchemy server. */
export class AlchemyWallet {
  server!: AlchemyServer;
  /** The failures that the provider reported in this test. */
  reported: unknown[] = [];

  async start() {
    this.server = await startAlchemyServer();
    return this;
  }

  /** A wallet on a server of the test file, whose replies are reset before each test. */
  static ofFile() {
    const wallet = new AlchemyWallet();
    beforeAll(() => wallet.start());
    afterAll(() => wallet.server.close());
    beforeEach(() => {
      wallet.server.answer({});
      wallet.reported = [];
    });
    return wallet;
  }

  provider() {
    const report = (failure: unknown) => this.reported.push(failure);
    return alchemyProvider({ apiKey, endpoints: this.server.endpoints, report });
  }

  read(chains: ChainSlug[], milliseconds = 60_000) {
    return this.provider().read(wallet, chains, AbortSignal.timeout(milliseconds));
  }

  /** The reading of the only chain. Throws if it failed. */
  async readOk(chain: ChainSlug, milliseconds?: number): Promise<ChainReading & { ok: true }> {
    const [reading] = await this.read([chain], milliseconds);
    if (!reading?.ok) throw new Error(`Reading failed: ${reading?.reason}`);
    return reading;
  }
}
