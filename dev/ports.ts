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

/** Ports that are free now, for tests that run side by side. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once("error", reject);
          server.listen(0, "127.0.0.1", () => {
            const address = server.address();
            if (address && typeof address === "object") resolve(address.port);
            else reject(new Error("No port could be had"));
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
