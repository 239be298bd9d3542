import { type HttpTransport, type HttpTransportConfig, http } from "viem";
import { isTransient } from "./json-rpc";
import { countRequest } from "./metrics";

/** An HTTP transport that counts its requests by node. */
export function countedHttp(url: string, config: HttpTransportConfig = {}): HttpTransport {
  const { host } = new URL(url);
  const create = http(url, config);
  return (parameters) => {
    const transport = create(parameters);
    const request = async (call: Parameters<typeof transport.request>[0], options?: never) => {
      try {
        const result = await transport.request(call, options);
        countRequest(host, true);
        return result;
      } catch (error) {
        countRequest(host, !isTransient(error));
        throw error;
      }
    };
    return { ...transport, request: request as typeof transport.request };
  };
}
