import { decodePaymentResponseHeader } from "@x402/fetch";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/local/chain";
import { payingFetch } from "../../stack/local/paying-fetch";
import { demoPayer } from "../../stack/local/sample/people";
import { cli } from "../support/cli-run";
import { parseAnswer, sendRaw } from "../support/raw-http";
import { type WrittenStack, writesStack } from "../support/shared-stack";
import { askedFor, buy, sign } from "../support/x402/payer";

const PRICE = 10_000n;
const payee = actor(18).address;
const query = `?address=${demoPayer.address}&chains=local`;

describe("the paid portfolio on the whole stack", () => {
  let stack: WrittenStack;
  beforeAll(async () => {
    stack = await writesStack();
  });
  afterAll(() => stack?.release());

  const balanceOf = (account: `0x${string}`) => stack.read("TestDollar", "balanceOf", [account]);

  it("is sold to an unmodified client for exactly the price, with the payment's transaction", async () => {
    const before = [await balanceOf(demoPayer.address), await balanceOf(payee)] as const;
    expect(before[0]).toBe(1_000_000_000n);
    const response = await payingFetch(demoPayer, stack.contracts.TestDollar)(`${stack.apiUrl}/portfolio${query}`);
    expect(response.status).toBe(200);
    const { transaction } = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
    expect((await stack.client.getTransactionReceipt({ hash: transaction as `0x${string}` })).status).toBe("success");
    expect(await balanceOf(demoPayer.address)).toBe(before[0] - PRICE);
    expect(await balanceOf(payee)).toBe(before[1] + PRICE);
    const snapshot = (await response.json()) as { tokens: { symbol: string; rawBalance: string }[] };
    // The snapshot was read before the payment.
    expect(snapshot.tokens.find(({ symbol }) => symbol === "tUSD")?.rawBalance).toBe(String(before[0]));
  });

  it("never charges twice in 20 concurrent settlements of one payer", async () => {
    const required = askedFor(await fetch(`${stack.apiUrl}/portfolio${query}`));
    const before = await balanceOf(payee);
    const signed = await Promise.all(Array.from({ length: 20 }, () => sign(demoPayer, required)));
    const responses = await Promise.all(signed.map(({ header }) => buy(`${stack.apiUrl}/portfolio${query}`, header)));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await balanceOf(payee)) - before).toBe(20n * PRICE);
  });

  it("is paid again after a reorg removed the transfer, without a request", async () => {
    const before = await balanceOf(payee);
    const response = await payingFetch(demoPayer, stack.contracts.TestDollar)(`${stack.apiUrl}/portfolio${query}`);
    const { transaction } = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    const isFollowed = async () => {
      const text = "SELECT 1 FROM offchain.payment WHERE transaction = $1 AND block_hash IS NOT NULL";
      return (await database.query(text, [transaction])).rowCount;
    };
    try {
      await expect.poll(isFollowed).toBe(1);
    } finally {
      await database.end();
    }
    await stack.client.request({ method: "anvil_reorg", params: [1, []] } as never);
    expect(await balanceOf(payee)).toBe(before);
    await expect.poll(() => balanceOf(payee)).toBe(before + PRICE);
    expect(await (await fetch(`${stack.apiUrl}/ready`)).json()).toMatchObject({ unpaid_payments: 0 });
  });

  it("is bought by the CLI, which prints the payment's transaction", async () => {
    const { address } = actor(9);
    await stack.write(actor(0), "TestDollar", "mint", [address, 1_000_000n]);
    const before = await balanceOf(address);
    const { code, stdout, stderr } = await cli(["pay-portfolio", address, "--url", stack.apiUrl]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ address: address.toLowerCase(), chains: ["local"] });
    const [, payer, hash] = /^(0x\w{40}) paid in transaction (0x\w{64})\n$/.exec(stderr) ?? [];
    expect(payer).toBe(address);
    const { status } = await stack.client.getTransactionReceipt({ hash: hash as `0x${string}` });
    expect(status).toBe("success");
    expect(before - (await balanceOf(address))).toBe(PRICE);
    const refused = await cli(["pay-portfolio", address, "--chains", "nowhere", "--url", stack.apiUrl]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/^chains: must be chains of /);
    const callable = await cli(["call", "portfolio.get", "--url", stack.apiUrl]);
    expect(callable.stderr).toBe("portfolio.get requires payment. Use intentry pay-portfolio\n");
  });

  const host = "Host: localhost\r\nConnection: close\r\n";
  it.each<[string, string, number]>([
    ["a trailing slash", `/portfolio/${query}`, 402],
    ["two trailing slashes", `/portfolio//${query}`, 404],
    ["two slashes", `//portfolio${query}`, 404],
    ["capital letters", `/PORTFOLIO${query}`, 404],
    ["an encoded letter", `/%70ortfolio${query}`, 402],
    ["a letter encoded twice", `/%2570ortfolio${query}`, 404],
    ["an encoded slash at the end", `/portfolio%2f${query}`, 404],
    ["an encoded slash in front", `/%2fportfolio${query}`, 404],
    ["a path that goes up", `/x/../portfolio${query}`, 402],
    ["an encoded path that goes up", `/x/%2e%2e/portfolio${query}`, 402],
    ["a path with a single dot", `/./portfolio${query}`, 402],
    ["a matrix parameter", `/portfolio;x=1${query}`, 404],
    ["a backslash", `/x\\..\\portfolio${query}`, 400],
    ["an encoded NUL", `/portfolio%00${query}`, 404],
    ["an encoded question mark", `/portfolio%3f${query}`, 404],
    ["an encoded space", `/portfolio%20${query}`, 404],
    ["a dot at the end", `/portfolio.${query}`, 404],
    ["an extension", `/portfolio.json${query}`, 404],
    ["a URL of another host", `http://other.example/portfolio${query}`, 402],
    ["a fragment", `/portfolio${query}#/health`, 402],
    ["a dotless i", `/portfol%C4%B1o${query}`, 404],
  ])("is not served without payment by %s", async (_, target, status) => {
    const answer = parseAnswer(await sendRaw(stack.apiUrl, `GET ${target} HTTP/1.1\r\n${host}\r\n`));
    expect([target, answer.status]).toEqual([target, status]);
    expect(answer.body).not.toContain("totalValueUsd");
    if (status === 402) expect(answer.headers).toHaveProperty("payment-required");
  });

  it.each([
    [
      "another method in a header",
      `GET /portfolio${query} HTTP/1.1\r\nX-HTTP-Method-Override: HEAD\r\n${host}\r\n`,
      402,
    ],
    ["another URL in a header", `GET /portfolio${query} HTTP/1.1\r\nX-Original-URL: /health\r\n${host}\r\n`, 402],
    ["an empty payment", `GET /portfolio${query} HTTP/1.1\r\nPAYMENT-SIGNATURE:\r\n${host}\r\n`, 402],
    ["a HEAD", `HEAD /portfolio${query} HTTP/1.1\r\n${host}\r\n`, 402],
    ["If-None-Match", `GET /portfolio${query} HTTP/1.1\r\nIf-None-Match: *\r\n${host}\r\n`, 402],
    ["a range", `GET /portfolio${query} HTTP/1.1\r\nRange: bytes=0-\r\n${host}\r\n`, 402],
  ])("is not served without payment with %s", async (_, request, status) => {
    const answer = parseAnswer(await sendRaw(stack.apiUrl, request));
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain("totalValueUsd");
  });
});
