import { type Hex, keccak256, stringToBytes } from "viem";

/** The metadata of the sample's agents, merchants and services. The service publishes it as documents. */
const contents = {
  trader: {
    name: "Harbor Trader",
    description: "Swaps stablecoins at the best price on offer.",
    tags: ["trading", "stablecoins"],
    capabilities: ["trade"],
  },
  traderHedging: {
    name: "Harbor Trader",
    description: "Swaps stablecoins at the best price on offer, and hedges open positions.",
    tags: ["trading", "stablecoins", "risk"],
    capabilities: ["trade", "hedge"],
  },
  shopper: {
    name: "Errand Runner",
    description: "Buys data and pictures for its owner, within a budget.",
    tags: ["shopping"],
    capabilities: ["shop"],
  },
  retired: { name: "Old Timer", description: "No longer in use.", tags: [], capabilities: [] },
  treasurer: {
    name: "Treasurer",
    description: "Keeps the savings of a smart account within its spend limits.",
    tags: ["treasury", "policies"],
    capabilities: ["save"],
  },
  dataMerchant: {
    name: "Skyline Data",
    description: "Weather and market data for agents, by request.",
    tags: ["data", "weather", "prices"],
  },
  artMerchant: { name: "Atelier Nine", description: "Portraits.", tags: ["art"] },
  artMerchantMoved: {
    name: "Atelier Nine",
    description: "Portraits and illustrations, drawn to order.",
    tags: ["art", "portraits"],
  },
  weather: {
    name: "City Weather",
    description: "Hourly weather forecasts for any city.",
    tags: ["weather", "forecast"],
    capabilities: ["forecast"],
  },
  prices: { name: "Spot Prices", description: "Spot prices.", tags: ["prices"], capabilities: ["quote"] },
  pricesEnded: {
    name: "Spot Prices",
    description: "Spot prices of tokens. No longer offered.",
    tags: ["prices", "tokens"],
    capabilities: ["quote"],
  },
  portrait: {
    name: "Portrait",
    description: "A portrait from a photo, drawn within a day.",
    tags: ["art", "portrait"],
    capabilities: ["draw"],
  },
} as const;

type Name = keyof typeof contents;

/** The exact texts of the documents. */
export const metadataTexts: readonly string[] = Object.values(contents).map((content) => JSON.stringify(content));

/** Metadata as the contracts refer to it: a URL and a hash. */
export type MetadataReference = { uri: string; hash: Hex };

/** The reference to a document with this text on a service with this base URL. */
export function referenceTo(baseUrl: string, text: string): MetadataReference {
  const hash = keccak256(stringToBytes(text));
  return { uri: `${baseUrl}/catalogs/${hash}`, hash };
}

/** Returns the references to metadata on a service with this base URL. */
export const metadataAt = (baseUrl: string) => (name: Name) => referenceTo(baseUrl, JSON.stringify(contents[name]));

/** Metadata that is on chain as a whole. */
export const solverMetadata = `data:application/json,${encodeURIComponent(
  JSON.stringify({
    name: "Thrifty",
    description: "Fills swaps and bridges at low fees.",
    tags: ["solver", "swaps"],
    capabilities: ["swap", "bridge"],
  }),
)}`;
