import { createServer } from "node:net";

/** A port of the stack is in use. The message names the port and its environment variable. */
class PortInUse extends Error {
  override name = "PortInUse";

  constructor(port: number, variable: string) {
    super(`Port ${port} is in use. Stop the process that uses it, or set ${variable} to another port.`);
  }
}

const canListen = (port: number, host: string | undefined) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });

/** Throws {@link PortInUse} unless the port is free on loopback and on all addresses. */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  if (!((await canListen(port, "127.0.0.1")) && (await canListen(port, undefined))))
    throw new PortInUse(port, variable);
}

/**
 * The range to search for free ports. It is below the ephemeral range, so that an outgoing connection can't occupy a port
 * between choice and use. Parallel test workers search different ranges.
 */
const SLICE = 2_000;
const firstOfSlice = 11_000 + SLICE * (Number(process.env.VITEST_POOL_ID ?? 0) % 10);
let nextOffset = Math.floor(Math.random() * SLICE);

/** Returns free ports that this process has not been given before. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tried = 0; ports.length < count; tried++) {
    if (tried === SLICE) throw new Error(`Fewer than ${count} of the ${SLICE} ports from ${firstOfSlice} are free`);
    const port = firstOfSlice + (nextOffset++ % SLICE);
    if (await canListen(port, "127.0.0.1")) ports.push(port);
  }
  return ports;
}
