import { Counter } from "prom-client";

/** The name of the counter. */
export const RPC_REQUESTS = "intentry_rpc_requests_total";

const rpcRequests = new Counter({
  name: RPC_REQUESTS,
  help: "Requests to RPC nodes, by host and result. An error is one of the node or of the connection to it.",
  labelNames: ["node", "result"],
});

/** Counts a request to a node. */
export const countRequest = (host: string, isOk: boolean): void =>
  rpcRequests.inc({ node: host, result: isOk ? "ok" : "error" });
