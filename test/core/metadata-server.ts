import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect as connectTcp } from "node:net";
import { join } from "node:path";
import { connect } from "node:tls";
import { createFetch, type FetchOptions, type Target } from "../../api/metadata/fetch";

const tls = (file: string) => readFileSync(join(import.meta.dirname, "..", "fixtures", "tls", file));

/** The certificate of metadata.test and its subdomains. It signs itself. */
const certificate = tls("certificate.pem");

/** An address on the public internet. No test connects to it. */
export const PUBLIC = "93.184.216.34";

/** Starts an HTTPS server, and creates fetches whose connections to public addresses lead to it, after all checks. */
export async function startMetadataServer(handle: RequestListener) {
  const server = createServer({ key: tls("key.pem"), cert: certificate }, handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connected: Target[] = [];
  const fetchWith = ({ resolve = async () => [PUBLIC], ...options }: FetchOptions = {}) =>
    createFetch({
      resolve,
      connect(target) {
        connected.push(target);
        if (!target.isTls) return connectTcp({ host: target.address, port: target.port });
        return connect({ host: "127.0.0.1", port, servername: target.servername ?? "", ca: certificate });
      },
      ...options,
    });
  return {
    fetchWith,
    /** The servers that fetches would have connected to. */
    connected,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
