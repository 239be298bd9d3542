const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

/**
 * Returns a function for the data of a connection, which calls back at the end of each response. It expects one response at
 * a time: the next request is sent after the previous response.
 */
export function responseReader(onResponse: (status: number) => void): (data: Buffer) => void {
  let head: Buffer | undefined;
  let status = 0;
  /** The remaining bytes of the body. -1 in a chunked body. Undefined before the end of the head. */
  let remaining: number | undefined;
  let tail: Buffer = Buffer.alloc(0);

  const finish = () => {
    head = undefined;
    remaining = undefined;
    tail = Buffer.alloc(0);
    onResponse(status);
  };
  const readBody = (data: Buffer) => {
    if (remaining === undefined) return;
    if (remaining === -1) {
      tail = Buffer.concat([tail, data]).subarray(-LAST_CHUNK.length);
      if (tail.equals(LAST_CHUNK)) finish();
      return;
    }
    remaining -= data.length;
    if (remaining === 0) finish();
    else if (remaining < 0) throw new Error("More data than one response");
  };
  return (data) => {
    if (remaining !== undefined) return readBody(data);
    head = head ? Buffer.concat([head, data]) : data;
    const end = head.indexOf(HEAD_END);
    if (end === -1) return;
    const text = head.toString("latin1", 0, end);
    status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (length === undefined && !/\r\ntransfer-encoding: *chunked/i.test(text))
      throw new Error(`A response without length:\n${text}`);
    remaining = length === undefined ? -1 : Number(length);
    readBody(head.subarray(end + HEAD_END.length));
  };
}
