import type { Address } from "viem";
import { type Call, call } from "./calls";
import { anyHash, anyOutsider, anyText, type Text } from "./values";
import { type ActionKind, anySender, type Facilitator, type Merchant, may, nextId, type World } from "./world";

function registerService(world: World, merchant: Merchant, serviceId: Text): Call {
  const { random } = world;
  world.services.push({ serviceNumericId: nextId(world.services), merchant, serviceId });
  const args = [merchant.merchantId, serviceId, anyText(random), anyHash(random), anyHash(random)] as const;
  return call(world, merchant.owner, "CommerceRegistry", "registerService", args);
}

const anyPayoutAddress = ({ random, participants }: World): Address =>
  (random.chance(0.5) && random.pick(participants)) || anyOutsider(random);

/** The accounts that may update a facilitator: its registrant and its own address. */
const speakers = (
  world: World,
  { registrant, facilitator }: Facilitator,
  functionName: "registerFacilitator" | "updateFacilitator",
): Address[] => [registrant, facilitator].filter((one) => may(world, one, "CommerceRegistry", functionName));

const ownedServices = (world: World, functionName: "registerService" | "updateService") =>
  world.services.filter(({ merchant }) => may(world, merchant.owner, "CommerceRegistry", functionName));

export const merchantActions: ActionKind[] = [
  {
    name: "register a merchant",
    weight: 3,
    act(world) {
      const { random } = world;
      const owner = anySender(world, "CommerceRegistry", "registerMerchant");
      if (!owner) return null;
      const payoutAddress = random.chance(0.5) ? owner : anyPayoutAddress(world);
      world.merchants.push({ merchantId: nextId(world.merchants), owner, payoutAddress });
      const args = [payoutAddress, anyText(random), anyHash(random)] as const;
      return call(world, owner, "CommerceRegistry", "registerMerchant", args);
    },
  },
  {
    name: "update a merchant",
    weight: 3,
    act(world) {
      const { random } = world;
      const merchant = random.pick(
        world.merchants.filter(({ owner }) => may(world, owner, "CommerceRegistry", "updateMerchant")),
      );
      if (!merchant) return null;
      const { merchantId, owner } = merchant;
      const payoutAddress = anyPayoutAddress(world);
      merchant.payoutAddress = payoutAddress;
      const args = [merchantId, payoutAddress, anyText(random), anyHash(random), random.chance(0.5)] as const;
      return call(world, owner, "CommerceRegistry", "updateMerchant", args);
    },
  },
  {
    name: "register a service",
    weight: 4,
    act(world) {
      const merchant = world.random.pick(
        world.merchants.filter(({ owner }) => may(world, owner, "CommerceRegistry", "registerService")),
      );
      return merchant ? registerService(world, merchant, anyText(world.random)) : null;
    },
  },
  {
    name: "register a service under an id used before",
    weight: 1,
    act(world) {
      const service = world.random.pick(ownedServices(world, "registerService"));
      return service ? registerService(world, service.merchant, service.serviceId) : null;
    },
  },
  {
    name: "update a service",
    weight: 3,
    act(world) {
      const { random } = world;
      const service = random.pick(ownedServices(world, "updateService"));
      if (!service) return null;
      const metadata = [anyText(random), anyHash(random), anyHash(random)] as const;
      const args = [service.serviceNumericId, ...metadata, random.chance(0.5)] as const;
      return call(world, service.merchant.owner, "CommerceRegistry", "updateService", args);
    },
  },
  {
    name: "register a facilitator",
    weight: 3,
    act(world) {
      const { random } = world;
      const registrant = anySender(world, "CommerceRegistry", "registerFacilitator");
      if (!registrant) return null;
      const facilitator = (random.chance(0.8) && random.pick(world.participants)) || anyOutsider(random);
      if (world.facilitators.some((known) => known.facilitator === facilitator)) return null;
      world.facilitators.push({ facilitatorId: nextId(world.facilitators), facilitator, registrant, active: true });
      const args = [facilitator, anyText(random), anyHash(random)] as const;
      return call(world, registrant, "CommerceRegistry", "registerFacilitator", args);
    },
  },
  {
    name: "register a facilitator again",
    weight: 2,
    act(world) {
      const { random } = world;
      const known = random.pick(
        world.facilitators.filter((one) => speakers(world, one, "registerFacilitator").length > 0),
      );
      const registrant = known && random.pick(speakers(world, known, "registerFacilitator"));
      if (!registrant) return null;
      Object.assign(known, { registrant, active: true });
      const args = [known.facilitator, anyText(random), anyHash(random)] as const;
      return call(world, registrant, "CommerceRegistry", "registerFacilitator", args);
    },
  },
  {
    name: "update a facilitator",
    weight: 2,
    act(world) {
      const { random } = world;
      const known = random.pick(
        world.facilitators.filter((one) => speakers(world, one, "updateFacilitator").length > 0),
      );
      const speaker = known && random.pick(speakers(world, known, "updateFacilitator"));
      if (!speaker) return null;
      known.active = random.chance(0.5);
      const args = [known.facilitatorId, anyText(random), anyHash(random), known.active] as const;
      return call(world, speaker, "CommerceRegistry", "updateFacilitator", args);
    },
  },
];
