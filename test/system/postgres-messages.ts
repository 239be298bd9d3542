/** Selects the advisory locks of a database. Others of the same server are not included. */
export const OWN_ADVISORY_LOCKS = `SELECT FROM pg_locks WHERE locktype = 'advisory'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** The first four bytes of a startup message after its length: version 3.0 of the protocol. */
const VERSION_3 = 196_608;

/** Reads strings that end with a zero byte. */
const stringsOf = (bytes: Buffer): string[] => bytes.toString("utf8").split("\0");

type Sent = {
  /** The parameters of the last startup message. */
  parameters: Record<string, string>;
  /** The name of each prepared statement; "" for the unnamed one. */
  statementNames: string[];
  /** The letters of all other messages, in their order, such as P for Parse. */
  types: string;
};

/** Parses what clients of PostgreSQL have sent, one connection after the other. */
export function sentMessages(bytes: Buffer): Sent {
  let parameters: Record<string, string> = {};
  const statementNames: string[] = [];
  let types = "";
  for (let at = 0; at < bytes.length; ) {
    const isStartup = bytes[at] === 0 && bytes.readInt32BE(at + 4) === VERSION_3;
    if (isStartup) {
      const length = bytes.readInt32BE(at);
      const texts = stringsOf(bytes.subarray(at + 8, at + length)).filter(Boolean);
      parameters = Object.fromEntries(
        texts.flatMap((name, index) => (index % 2 ? [] : [[name, texts[index + 1] ?? ""]])),
      );
      at += length;
      continue;
    }
    const length = bytes.readInt32BE(at + 1);
    const type = String.fromCharCode(bytes[at] ?? 0);
    types += type;
    if (type === "P") statementNames.push(stringsOf(bytes.subarray(at + 5, at + 1 + length))[0] ?? "");
    at += 1 + length;
  }
  return { parameters, statementNames, types };
}
