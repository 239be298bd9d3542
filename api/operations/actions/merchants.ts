import type { Address, Hex } from "viem";
import { quotedText } from "../../../common/text";
import { chainString, MAX_TEXT } from "../../actions/terms";
import { address, flag, hash } from "../../core/inputs";
import { facilitators } from "../facilitators";
import { merchants } from "../merchants";
import { services } from "../services";
import { actionsOf } from "./action";
import {
  capabilityFields,
  describeActivity,
  describeUri,
  describeValues,
  hashedMetadataFields,
  hashOf,
  metadataOf,
} from "./metadata";
import type { Scope } from "./scope";

// What merchants and facilitators register.

const bob = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const dataMerchant = "0x976ea74026e726554db657fa54763abd0c3a0aa9";
const facilitatorAddress = "0x14dc79964da2c08b23698b3d3cc7ca32193d9955";

const commerce = actionsOf("CommerceRegistry");

const active = flag.optional().openapi({ description: "Default: unchanged." });

const capability = {
  capability: capabilityFields("capability_hash").capabilities,
  capability_hash: hash.optional().openapi({ description: "The hash itself. Instead of capability." }),
};

const currentOf = ({ metadata_uri, metadata_hash }: { metadata_uri: string; metadata_hash: string }) => ({
  uri: metadata_uri,
  hash: metadata_hash as Hex,
});

const serviceOf = (scope: Scope, serviceId: bigint) => scope.read(services.get, { id: String(serviceId) });

export const merchantActions = {
  registerMerchant: commerce("registerMerchant", {
    title: "Prepares the registration of a merchant.",
    fields: {
      payout_address: address.optional().openapi({ description: "Where it is paid. Default: from." }),
      ...hashedMetadataFields,
    },
    publishes: true,
    example: { from: bob, metadata_uri: "ipfs://merchants/3" },
    async plan(input, scope) {
      const payoutAddress = input.payout_address ?? scope.from;
      const { uri, hash: metadataHash } = await metadataOf(input, scope);
      return {
        summary: `Register a merchant of ${scope.from} that is paid at ${payoutAddress}: ${describeUri(uri)}, ${describeValues({ "metadata hash": metadataHash })}.`,
        args: { payoutAddress, metadataURI: uri, metadataHash },
      };
    },
  }),

  updateMerchant: commerce("updateMerchant", {
    title: "Prepares a change of a merchant.",
    description: "What is not given stays as it is.",
    fields: { payout_address: address.optional(), ...hashedMetadataFields, active },
    publishes: true,
    example: { from: dataMerchant, merchant_id: "1", payout_address: dataMerchant },
    async plan(input, scope) {
      const found = await scope.read(merchants.get, { id: input.merchant_id });
      const payoutAddress = input.payout_address ?? (found.payout_address as Address);
      const { uri, hash: metadataHash } = await metadataOf(input, scope, currentOf(found));
      const isActive = input.active ?? found.active;
      return {
        summary: `Update ${await scope.record("merchant", input.merchant_id)}: it is paid at ${payoutAddress}, ${describeUri(uri)}, ${describeValues({ "metadata hash": metadataHash })}, and ${describeActivity(found.active, isActive)}.`,
        args: { payoutAddress, metadataURI: uri, metadataHash, active: isActive },
      };
    },
  }),

  registerService: commerce("registerService", {
    title: "Prepares the registration of a service.",
    fields: {
      service_id: chainString.openapi({ description: "Your own name of the service.", example: "weather" }),
      ...hashedMetadataFields,
      ...capability,
    },
    publishes: true,
    example: { from: dataMerchant, merchant_id: "1", service_id: "tides", metadata_uri: "ipfs://services/4" },
    async plan(input, scope) {
      const { uri, hash: metadataHash } = await metadataOf(input, scope);
      const capabilityHash = hashOf("capability_hash", input.capability_hash, input.capability);
      return {
        summary: `Register the service ${quotedText(input.service_id, MAX_TEXT)} of ${await scope.record("merchant", input.merchant_id)}: ${describeUri(uri)}, ${describeValues({ "metadata hash": metadataHash, "capability hash": capabilityHash })}.`,
        args: { metadataURI: uri, metadataHash, capabilityHash },
      };
    },
  }),

  updateService: commerce("updateService", {
    title: "Prepares a change of a service.",
    description: "What is not given stays as it is.",
    fields: { ...hashedMetadataFields, ...capability, active },
    publishes: true,
    example: { from: dataMerchant, service_numeric_id: "1", active: false },
    async plan(input, scope) {
      const found = await serviceOf(scope, input.service_numeric_id);
      const { uri, hash: metadataHash } = await metadataOf(input, scope, currentOf(found));
      const current = found.capability_hash as Hex;
      const isActive = input.active ?? found.active;
      const capabilityHash = hashOf("capability_hash", input.capability_hash, input.capability, current);
      return {
        summary: `Update ${await scope.record("service", input.service_numeric_id)} of merchant ${found.merchant_id}: ${describeUri(uri)}, ${describeValues({ "metadata hash": metadataHash, "capability hash": capabilityHash })}, and ${describeActivity(found.active, isActive)}.`,
        args: { metadataURI: uri, metadataHash, capabilityHash, active: isActive },
      };
    },
  }),

  registerFacilitator: commerce("registerFacilitator", {
    title: "Prepares the registration of a facilitator.",
    description: "An address that is registered again keeps its id and becomes active.",
    fields: {
      facilitator: address.optional().openapi({ description: "The address that settles payments. Default: from." }),
      ...hashedMetadataFields,
    },
    publishes: true,
    example: { from: bob, metadata_uri: "ipfs://facilitators/2" },
    async plan(input, scope) {
      const facilitator = input.facilitator ?? scope.from;
      const { uri, hash: metadataHash } = await metadataOf(input, scope);
      return {
        summary: `Register ${facilitator} as a facilitator of payments: ${describeUri(uri)}, ${describeValues({ "metadata hash": metadataHash })}.`,
        args: { facilitator, metadataURI: uri, metadataHash },
      };
    },
  }),

  updateFacilitator: commerce("updateFacilitator", {
    title: "Prepares a change of a facilitator.",
    description: "What is not given stays as it is.",
    fields: { ...hashedMetadataFields, active },
    publishes: true,
    example: { from: facilitatorAddress, facilitator_id: "1", active: false },
    async plan(input, scope) {
      const found = await scope.read(facilitators.get, { id: input.facilitator_id });
      const { uri, hash: metadataHash } = await metadataOf(input, scope, currentOf(found));
      const isActive = input.active ?? found.active;
      return {
        summary: `Update ${await scope.record("facilitator", input.facilitator_id)}, ${found.facilitator}: ${describeUri(uri)}, ${describeValues({ "metadata hash": metadataHash })}, and ${describeActivity(found.active, isActive)}.`,
        args: { metadataURI: uri, metadataHash, active: isActive },
      };
    },
  }),
};
