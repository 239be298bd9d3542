import { type MetadataReference, referenceTo } from "../sample/metadata";
import { agents, attestors, facilitators, solvers } from "./cast";
import type { Person, Profile } from "./person";
import { type Merchant, merchantIdOf, merchants, type Service } from "./shops";

const profileText = ({ name, description, tags, capabilities }: Profile) =>
  JSON.stringify({ name, description, tags, capabilities });

const priceOf = ({ price }: Service) => ({ amount: price.toFixed(2), currency: "tUSD" });

/** A merchant's metadata is its catalog. */
const catalogText = ({ name, description, tags, services }: Merchant) =>
  JSON.stringify({
    ...{ name, description, tags },
    services: services.map((service) => ({
      ...{ service_id: service.id, name: service.name, description: service.description, price: priceOf(service) },
    })),
  });

const serviceText = (merchant: Merchant, service: Service) =>
  JSON.stringify({
    ...{ name: service.name, description: service.description, tags: merchant.tags, capabilities: [service.id] },
    ...{ provider: merchant.name, price: priceOf(service) },
  });

/** The metadata of all participants as the service publishes it: exact texts, and of a catalog its merchant. */
export const catalogs = (): { catalog_json: string; merchant_id?: string }[] => [
  ...[...solvers, ...agents, ...facilitators, ...attestors].map((someone) => ({ catalog_json: profileText(someone) })),
  ...merchants.map((merchant) => ({
    ...{ catalog_json: catalogText(merchant), merchant_id: String(merchantIdOf(merchant)) },
  })),
  ...merchants.flatMap((merchant) =>
    merchant.services.map((service) => ({ catalog_json: serviceText(merchant, service) })),
  ),
];

export type Metadata = {
  of: (someone: Person) => MetadataReference;
  ofMerchant: (merchant: Merchant) => MetadataReference;
  ofService: (merchant: Merchant, service: Service) => MetadataReference;
};

/** Returns the references to metadata on a service with this base URL. */
export const metadataAt = (baseUrl: string): Metadata => ({
  of: (someone) => referenceTo(baseUrl, profileText(someone)),
  ofMerchant: (merchant) => referenceTo(baseUrl, catalogText(merchant)),
  ofService: (merchant, service) => referenceTo(baseUrl, serviceText(merchant, service)),
});
