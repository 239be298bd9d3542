import { connect } from "node:net";

/** An answer as it came over the connection. */
export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

/** Sends bytes over a plain connection, whether they are HTTP or not, and gives what comes back until it is closed. */
export const sendRaw = (url: string, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
    // A server that answers before it has read everything closes under the writer; what it said counts.
    socket.on("error", (error) => (chunks.length > 0 ? socket.destroy() : reject(error)));
  });

/** Takes an answer with a content length apart. */
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
