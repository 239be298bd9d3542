import { connect } from "node:net";

/** A parsed HTTP response. */
export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

/** Sends raw bytes over TCP, and returns everything that is received until the connection closes. */
export const sendRaw = (url: string, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
    // A server may respond and close before it has read everything. The response still counts.
    socket.on("error", (error) => (chunks.length > 0 ? socket.destroy() : reject(error)));
  });

/** Parses a response with a content length. */
export function parseAnswer(text: string): RawAnswer {
  const headEnd = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]),
    headers: Object.fromEntries(headers),
    body: text.slice(headEnd + 4),
  };
}
