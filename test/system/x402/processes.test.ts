import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { payment } from "../../../api/offchain/tables";
import { addressVariable, contractNames } from "../../../config/contracts";
import { actor } from "../../../stack/local/chain";
import { freePorts } from "../../../stack/roles/ports";
import { type Child, startChild, waitFor } from "../../../stack/supervision/child";
import { bundle } from "../../support/bundle";
import { askedFor, sign } from "../../support/x402/payer";
import { openShop, PRICE, payee, type Shop } from "../../support/x402/shop";

const path = "/portfolio?address=0x70997970c51812dc3a010c7d01b50e0d17dc79c8&chains=local";
const payer = actor(9);

describe("two processes that share a store", () => {
  let shop: Shop;
  let server: string;
  let runs = 0;
  const running: Child[] = [];

  beforeAll(async () => {
    server = await bundle("test/support/x402/shop-server.ts");
    shop = await openShop();
    await shop.fund(payer.address, 1_000_000_000n);
  });
  afterAll(async () => {
    for (const child of running) await child.stop();
    await shop?.close();
  });

  async function startGateway(takesMs: number): Promise<{ url: string; child: Child }> {
    const [port = 0] = await freePorts(1);
    const addresses = contractNames.map((name) => [addressVariable(name), shop.contracts[name]]);
    const child = startChild({
      name: "gateway",
      command: process.execPath,
      args: [server],
      env: {
        PATH: process.env.PATH,
        API_PORT: String(port),
        TAKES_MS: String(takesMs),
        DATABASE_URL: shop.databaseUrl,
        CHAIN_ID: "31337",
        RPC_URL: shop.chain.rpcUrl,
        START_BLOCK: "0",
        ...Object.fromEntries(addresses),
        X402_FACILITATOR_URL: shop.facilitator.url,
        X402_ASSET: `${shop.contracts.TestDollar},Test Dollar,1,6`,
      },
      onLine: (line) => {
        if (line === "run") runs++;
      },
    });
    running.push(child);
    const url = `http://127.0.0.1:${port}`;
    await waitFor(child, "answer", async () => (await fetch(url + path)).status === 402 || undefined);
    return { url, child };
  }
  const pay = (url: string, header: string) => fetch(url + path, { headers: { "payment-signature": header } });
  async function paid(act: () => Promise<unknown>): Promise<bigint> {
    const before = await shop.balanceOf(payee);
    await act();
    return (await shop.balanceOf(payee)) - before;
  }

  it("charge a payment once that is sent to both concurrently", async () => {
    const gateways = [await startGateway(6_000), await startGateway(6_000)];
    const { header } = await sign(payer, askedFor(await fetch(shop.url + path)));
    runs = 0;
    const statuses: number[] = [];
    expect(
      await paid(async () => {
        const copies = gateways.flatMap(({ url }) => Array.from({ length: 10 }, () => pay(url, header)));
        for (const { status } of await Promise.all(copies)) statuses.push(status);
      }),
    ).toBe(PRICE);
    expect(statuses.sort()).toEqual([200, ...Array(19).fill(409)]);
    expect(runs).toBe(1);
    for (const { url, child } of gateways) {
      expect((await pay(url, header)).status).toBe(200);
      await child.stop();
    }
    expect(runs).toBe(1);
  });

  it("recover if one is killed between claim and settlement", async () => {
    const doomed = await startGateway(10_000);
    const other = await startGateway(0);
    const { header } = await sign(payer, askedFor(await fetch(shop.url + path)));
    runs = 0;
    const lost = pay(doomed.url, header).catch(() => "lost");
    await expect.poll(() => runs).toBe(1);
    await doomed.child.stop("SIGKILL");
    expect(await lost).toBe("lost");
    expect((await pay(other.url, header)).status).toBe(409);
    await shop
      .db()
      .update(payment)
      .set({ leaseUntil: new Date(0) });
    expect(await paid(async () => expect((await pay(other.url, header)).status).toBe(200))).toBe(PRICE);
    await other.child.stop();
  });

  it("return the paid snapshot if one is killed during settlement", async () => {
    const doomed = await startGateway(0);
    const other = await startGateway(0);
    const { header } = await sign(payer, askedFor(await fetch(shop.url + path)));
    const settled = shop.facilitator.calls.settle;
    const release = shop.facilitator.holdSettlements();
    runs = 0;
    expect(
      await paid(async () => {
        const lost = pay(doomed.url, header).catch(() => "lost");
        await expect.poll(() => shop.facilitator.calls.settle, { interval: 1 }).toBe(settled + 1);
        await doomed.child.stop("SIGKILL");
        expect(await lost).toBe("lost");
        release();
        await expect.poll(async () => (await pay(other.url, header)).status).toBe(200);
      }),
    ).toBe(PRICE);
    expect([runs, shop.facilitator.calls.settle]).toEqual([1, settled + 1]);
    await other.child.stop();
  });
});
