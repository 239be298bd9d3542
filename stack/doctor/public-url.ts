import { z } from "zod";
import { check, type Finding, failed, ok, type Result, warning } from "./check";
import { describeError, networkErrorCode } from "./describe-error";

const Health = z.object({ service: z.literal("intentry") });
const Ready = z.object({ ready: z.boolean(), chain_id: z.number() });

/** Errors without a server at the other end. Others, such as an expired certificate, are the server's. */
const NOBODY = /^(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(HOST|NET)UNREACH|UND_ERR_\w+)$/;

/** Statuses of a proxy whose upstream does not run. */
const isUpstreamDown = (status: number) => status === 502 || status === 503 || status === 504;

async function getJson(url: string, signal: AbortSignal): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { signal, headers: { accept: "application/json" } });
  return { status: response.status, body: await response.json().catch(() => undefined) };
}

async function checkPublicUrl(url: string, chainId: number | undefined, signal: AbortSignal): Promise<Finding> {
  const { host } = new URL(url);
  const start = "Start the service, or check the proxy in front of it.";
  let health: Awaited<ReturnType<typeof getJson>>;
  try {
    health = await getJson(`${url}/health`, signal);
  } catch (error) {
    return NOBODY.test(networkErrorCode(error) ?? "")
      ? warning(`Nothing answers at ${host} (${describeError(error)}).`, start)
      : failed(`Clients can't connect to ${host} (${describeError(error)}).`, "Check PUBLIC_BASE_URL and the proxy.");
  }
  if (!Health.safeParse(health.body).success)
    return isUpstreamDown(health.status)
      ? warning(`A proxy at ${host} answers with ${health.status}.`, start)
      : failed(
          `Another service answers at ${host} (/health returns ${health.status}).`,
          "Correct PUBLIC_BASE_URL, or the proxy's configuration.",
        );
  const ready = Ready.safeParse((await getJson(`${url}/ready`, signal)).body);
  if (!ready.success) return failed(`${host}/ready does not return the state of an index.`, "Upgrade that service.");
  if (chainId !== undefined && ready.data.chain_id !== chainId)
    return failed(
      `The service at ${host} indexes chain ${ready.data.chain_id}, not ${chainId}.`,
      "Correct PUBLIC_BASE_URL, or the proxy's configuration.",
    );
  return ok(`This service answers at ${host}${ready.data.ready ? "" : ", and is not ready yet (see /ready)"}.`);
}

/** Checks who answers at PUBLIC_BASE_URL. `chainId` is undefined before the local chain exists. */
export const checkPublicAddress = async (url: string | undefined, chainId: number | undefined): Promise<Result[]> =>
  url === undefined ? [] : [await check("public URL", (signal) => checkPublicUrl(url, chainId, signal))];
