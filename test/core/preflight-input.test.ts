import { beforeAll, describe, expect, it } from "vitest";
import { parseAnswer, sendRaw } from "../support/raw-http";
import { type SampleStack, sampleStack } from "../support/shared-stack";

describe("an invalid body of POST /preflight", () => {
  let stack: SampleStack;

  beforeAll(async () => {
    stack = await sampleStack();
  });

  const account = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
  const good = { account, target: account };
  const post = async (body: string | undefined, type = "application/json") => {
    const headers = { "content-type": type };
    const response = await fetch(`${stack.apiUrl}/preflight`, { method: "POST", headers, body });
    return [response.status, await response.json()];
  };
  const refused = (message: RegExp) => [400, { error: expect.stringMatching(message), code: "invalid_input" }];

  it.each([
    ["none", undefined, /^body: is required/],
    ["null", "null", /^body: must be a JSON object$/],
    ["an array", "[]", /^body: must be a JSON object$/],
    ["a string", '"0x"', /^body: must be a JSON object$/],
    ["truncated", '{"account":', /^body: is not valid JSON/],
  ])("that is %s returns 400", async (_, body, message) => {
    expect(await post(body)).toEqual(refused(message));
  });

  it.each<[string, unknown]>([
    ["account", undefined],
    ["account", null],
    ["account", "0x1"],
    ["account", 7],
    ["account", [account]],
    ["target", undefined],
    ["target", null],
    ["target", `${account}00`],
    ["value", "abc"],
    ["value", "-1"],
    ["value", -1],
    ["value", 1.5],
    ["value", "1.5"],
    ["value", "1".repeat(200)],
    ["value", String(2n ** 256n)],
    ["value", {}],
    ["data", "0x1"],
    ["data", "0xzz"],
    ["data", "a9059cbb"],
    ["data", 5],
    ["payment", 5],
    ["payment.merchant", undefined],
    ["payment.token", "0x"],
    ["payment.facilitator", null],
    ["payment.amount", "-5"],
  ])("with %s as %j returns 400 and names it", async (name, value) => {
    const [field = "", member] = name.split(".");
    const payment = { merchant: account, token: account, facilitator: account, amount: "1" };
    const body = { ...good, [field]: member ? { ...payment, [member]: value } : value };
    const sent = name === "target" && value === undefined ? { account } : body;
    expect(await post(JSON.stringify(sent))).toEqual(refused(new RegExp(`^${name.replace(".", "\\.")}: `)));
  });

  describe("without a content length", () => {
    const head =
      "POST /preflight HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-request-id: one\r\ncontent-type: application/json\r\n";
    const send = async (rest: string) => parseAnswer(await sendRaw(stack.apiUrl, head + rest));
    const sendChunks = (...chunks: string[]) => {
      const sent = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
      return send(`transfer-encoding: chunked\r\n\r\n${sent}0\r\n\r\n`);
    };
    const sendWhole = (text: string) => send(`content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    const inChunks = (text: string) => sendChunks(...(text.match(/.{1,9}/g) ?? []));

    it.each([
      ["valid", JSON.stringify(good), 200],
      ["not JSON", "{", 400],
      ["empty", "", 400],
      ["of a wrong type", JSON.stringify({ ...good, value: true }), 400],
    ])("gets the same response, if it is %s", async (_, body, status) => {
      const [chunked, whole] = [await inChunks(body), await sendWhole(body)];
      expect(whole.status).toBe(status);
      for (const { headers } of [chunked, whole]) delete headers.date;
      expect(chunked).toEqual(whole);
    });

    it("and without a body returns 400", async () => {
      expect(await send("\r\n")).toMatchObject({ status: 400, body: expect.stringContaining("body: is required") });
    });

    it("and over the size limit returns 413", async () => {
      const chunks = Array.from({ length: 30 }, () => "x".repeat(10_000));
      expect((await sendChunks(...chunks)).status).toBe(413);
    });
  });

  it("of another content type returns 400", async () => {
    expect(await post(JSON.stringify(good), "text/plain")).toEqual(
      refused(/^content-type: must be application\/json$/),
    );
  });

  it("of more than 256 KiB returns 413", async () => {
    const data = `0x${"00".repeat(140_000)}`;
    expect(await post(JSON.stringify({ ...good, data }))).toEqual([
      413,
      { error: "body: must have at most 262144 bytes", code: "too_large" },
    ]);
  });

  it("with upper-case hex is accepted", async () => {
    const upper = `0x${account.slice(2).toUpperCase()}`;
    const [status, answer] = await post(`{"account":"${upper}","target":"${upper}"}`);
    expect(status).toBe(200);
    expect(answer).toMatchObject({ account, target: account, value: "0", selector: null });
  });

  it("with unknown names returns 400", async () => {
    expect(await post(JSON.stringify({ ...good, valeu: "9" }))).toEqual([
      400,
      { error: "valeu: unknown; did you mean value?", code: "invalid_input" },
    ]);
    expect(await post(`{"account":"${account}","target":"${account}","__proto__":{"value":"9"}}`)).toEqual(
      refused(/^__proto__: unknown; /),
    );
  });

  it.each([
    [5, "5"],
    ["5", "5"],
    ["0x5", "5"],
    ["0xFf", "255"],
    [`0x${"f".repeat(64)}`, String(2n ** 256n - 1n)],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    ["", "0"],
    [null, "0"],
  ])("accepts the value %j", async (value, wei) => {
    const [status, answer] = await post(JSON.stringify({ ...good, value }));
    expect([status, answer.value]).toEqual([200, wei]);
  });

  it.each([2 ** 53, 1e21, 1.5, -1.5])("rejects the JSON number %j, which may have lost digits", async (value) => {
    expect(await post(JSON.stringify({ ...good, value }))).toEqual(refused(/^value: .*send it as a string$/));
  });

  it.each(["0x", "0X5", "0xg", `0x${"0".repeat(65)}`, "-0x5"])("rejects the value %j", async (value) => {
    expect(await post(JSON.stringify({ ...good, value }))).toEqual(refused(/^value: must be a whole number /));
  });
});
