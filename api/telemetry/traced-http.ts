import type { HttpTransport, HttpTransportConfig } from "viem";
import { countedHttp } from "../../rpc/counted-http";
import { traceStep } from "./span";

/** An HTTP transport to an RPC node that counts its requests, and records a span for each call of a request. */
export function tracedHttp(url: string, config: HttpTransportConfig = {}): HttpTransport {
  const { hostname } = new URL(url);
  const create = countedHttp(url, config);
  return (parameters) => {
    const transport = create(parameters);
    const request = (call: Parameters<typeof transport.request>[0], options?: never) => {
      const attributes = { "rpc.system": "jsonrpc", "rpc.method": call.method, "server.address": hostname };
      return traceStep({ name: call.method, isCall: true, attributes }, () => transport.request(call, options));
    };
    return { ...transport, request: request as typeof transport.request };
  };
}
