import { describe, expect, it } from "vitest";
import { responseReader } from "../../bench/reads/response-reader";

const sized = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nx: y\r\n\r\n{"a":"b"}';
const empty = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
const chunked = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[10\r\n2\r\n0]\r\n0\r\n\r\n";

/** The statuses of responses whose bytes arrive in these pieces. */
function statusesOf(pieces: string[]): number[] {
  const statuses: number[] = [];
  const read = responseReader((status) => statuses.push(status));
  for (const piece of pieces) read(Buffer.from(piece));
  return statuses;
}

describe("responseReader", () => {
  it("counts responses with a length, without a body and in chunks", () => {
    expect(statusesOf([sized, empty, chunked, sized])).toEqual([200, 404, 201, 200]);
  });

  it("counts a response once, wherever its bytes are split", () => {
    for (const response of [sized, empty, chunked])
      for (let at = 1; at < response.length; at++) {
        const [status] = statusesOf([response]);
        expect(statusesOf([response.slice(0, at), response.slice(at), sized])).toEqual([status, 200]);
        expect(statusesOf([response.slice(0, at)])).toEqual([]);
      }
  });

  it("counts a response that arrives byte by byte", () => {
    expect(statusesOf([...sized, ...chunked, ...empty])).toEqual([200, 201, 404]);
  });

  it("rejects more data than one response, and a response without length", () => {
    expect(() => statusesOf([sized + sized])).toThrow("More data than one response");
    expect(() => statusesOf(["HTTP/1.1 200 OK\r\n\r\n"])).toThrow("without length");
  });
});
