import { flag, httpUrl, list } from "../values";
import type { VariableGroup } from "../variable";

export const metadata = {
  title: "Metadata",
  note: "The gateway fetches what the metadata URIs of agents, merchants, services, facilitators, solvers and attestors point to, in the background. It connects to public addresses only, on port 443.",
  variables: {
    RESOLVE_METADATA: {
      property: "resolveMetadata",
      type: flag,
      default: "true",
      description:
        "Whether metadata is fetched. With `false`, metadata that is not stored yet stays `pending`, and `/search` finds records by id, address and hash only.",
    },
    IPFS_GATEWAYS: {
      property: "ipfsGateways",
      type: list(httpUrl.transform((url) => url.replace(/\/+$/, ""))),
      default: "",
      computedDefault: "`ipfs://` URIs are not resolved",
      description:
        "URLs of gateways for `ipfs://` URIs, separated by commas, such as `https://ipfs.io`. They are asked in turn. A gateway may be on a private network and use http.",
    },
  },
} as const satisfies VariableGroup;
