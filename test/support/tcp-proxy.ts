import { connect, createServer, type Socket } from "node:net";

/** An address that forwards connections to a server, and can be moved to another one. */
export type TcpProxy = {
  port: number;
  /** Closes all connections, and forwards new ones to another port. */
  moveTo: (port: number) => void;
  /** Keeps the open connections, and forwards nothing on them or on new ones, as when a machine hangs. */
  hang: () => void;
  close: () => Promise<void>;
};

/**
 * Starts a TCP proxy on a free port, as a virtual IP address in front of a database. Calls `onSent` with all bytes that clients
 * send.
 */
export function startTcpProxy(target: number, onSent: (bytes: Buffer) => void = () => {}): Promise<TcpProxy> {
  let current = target;
  let hangs = false;
  const open = new Set<Socket>();
  const track = (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(current, "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      track(one);
      one.once("close", () => other.destroy());
    }
    if (hangs) return;
    client.on("data", onSent);
    client.pipe(upstream).pipe(client);
  });
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        port: address && typeof address === "object" ? address.port : 0,
        moveTo(port) {
          current = port;
          cut();
        },
        hang() {
          hangs = true;
          for (const socket of open) socket.unpipe().pause();
        },
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            cut();
          }),
      });
    }),
  );
}
