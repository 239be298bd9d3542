import { createServer } from "node:net";

/** A port that the stack needs is taken; the message names it and the variable that moves it. */
export class PortInUse extends Error {
  override name = "PortInUse";

  constructor(port: number, variable: string) {
    super(`Port ${port} is in use. Stop what uses it, or set ${variable} to another port.`);
  }
}

const canListen = (port: number, host: string | undefined) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });

/** Throws {@link PortInUse} unless the port is free, on loopback and on all addresses. */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  if (!((await canListen(port, "127.0.0.1")) && (await canListen(port, undefined))))
    throw new PortInUse(port, variable);
}

/**
 * Where free ports are looked for: below those that systems give to outgoing connections, as one of these could take a port
 * between its choice and its use. Tests that run side by side look in different places.
 */
const SLICE = 2_000;
const firstOfSlice = 11_000 + SLICE * (Number(process.env.VITEST_POOL_ID ?? 0) % 10);
let looked = Math.floor(Math.random() * SLICE);

/** Ports that are free, none of which this process was given before. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tried = 0; ports.length < count; tried++) {
    if (tried === SLICE) throw new Error(`No ${count} free ports from ${firstOfSlice} on`);
    const port = firstOfSlice + (looked++ % SLICE);
    if (await canListen(port, "127.0.0.1")) ports.push(port);
  }
  return ports;
}
