import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Handles a request. `body` is the request body. */
export type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** Starts a fake service with this handler. It records the requests. */
export async function serve(handler: Handler) {
  const requests: { method: string; url: string; body: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    requests.push({ method: request.method ?? "", url: request.url ?? "", body, headers: request.headers });
    handler(request, body, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, close: () => server.close() };
}

export const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
