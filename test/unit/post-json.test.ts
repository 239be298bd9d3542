import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { postJson } from "../../client/src/market/post-json";

describe("a message to a merchant", () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Sends a message to a server with this handler. */
  async function answerOf(handler: RequestListener, timeoutMs?: number): Promise<unknown> {
    const listening = createServer(handler);
    server = listening;
    await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
    const { port } = listening.address() as AddressInfo;
    return postJson(fetch, timeoutMs)(`http://127.0.0.1:${port}/`, { type: "quote" });
  }

  it("returns the answer", async () => {
    expect(await answerOf((_, response) => response.end('{"response_hash":"0x01"}'))).toEqual({
      response_hash: "0x01",
    });
  });

  it("ends without an answer if the merchant never answers", async () => {
    await expect(answerOf(() => {}, 50)).rejects.toMatchObject({ code: "no_response" });
  });

  it("ends without an answer if the connection is lost within it", async () => {
    const cut: RequestListener = (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"receipt_id"', () => response.destroy());
    };
    await expect(answerOf(cut)).rejects.toMatchObject({ code: "no_response" });
  });

  it.each([
    [400, "invalid_quote"],
    [500, "no_response"],
  ])("with the status %i is an error with the code %s and the merchant's sentence", async (status, code) => {
    const rejected: RequestListener = (_, response) => response.writeHead(status).end('{"error":"Sold out"}');
    await expect(answerOf(rejected)).rejects.toMatchObject({ code, message: "Sold out" });
  });
});
