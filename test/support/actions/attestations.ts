import { type Address, type Hex, keccak256, stringToHex, zeroHash } from "viem";
import { type Call, call } from "./calls";
import type { Random } from "./random";
import { anyHash, anyText } from "./values";
import { type ActionKind, anySender, may, nextId, type World } from "./world";

/** Few values, so that some attestations match an intent's requirement. */
const names = (prefix: string) => [1, 2, 3].map((number) => keccak256(stringToHex(`${prefix} ${number}`)));
const schemas = [zeroHash, ...names("schema")] as const;
const subjects = [zeroHash, ...names("subject")] as const;

export const anySchema = (random: Random): Hex => random.pick(schemas);
export const anySubject = (random: Random): Hex => random.pick(subjects);

function registerAttestor(world: World, operators: readonly Address[]): Call | null {
  const unregistered = operators.filter(
    (one) =>
      !world.attestors.some(({ operator }) => operator === one) &&
      may(world, one, "AttestorRegistry", "registerAttestor"),
  );
  const operator = world.random.pick(unregistered);
  if (!operator) return null;
  world.attestors.push({ attestorId: nextId(world.attestors), operator });
  return call(world, operator, "AttestorRegistry", "registerAttestor", [anyText(world.random), anyHash(world.random)]);
}

export const attestationActions: ActionKind[] = [
  {
    name: "attest",
    weight: 6,
    act(world) {
      const { random } = world;
      const attester = anySender(world, "AttestationRegistry", "submitAttestation");
      if (!attester) return null;
      const schema = anySchema(random);
      const subject = anySubject(random);
      world.attestations.push({ attestationId: nextId(world.attestations), attester, schema, subject, revoked: false });
      return call(world, attester, "AttestationRegistry", "submitAttestation", [schema, subject, anyHash(random)]);
    },
  },
  {
    name: "revoke an attestation",
    weight: 2,
    act(world) {
      const attestation = world.random.pick(
        world.attestations.filter(
          ({ revoked, attester }) => !revoked && may(world, attester, "AttestationRegistry", "revokeAttestation"),
        ),
      );
      if (!attestation) return null;
      attestation.revoked = true;
      const { attester, attestationId } = attestation;
      return call(world, attester, "AttestationRegistry", "revokeAttestation", [attestationId]);
    },
  },
  {
    name: "register an attestor",
    weight: 1,
    // Half of the participants may attest before they register.
    act: (world) => registerAttestor(world, world.participants.slice(0, world.participants.length / 2)),
  },
  {
    name: "register an attestor that has attested before",
    weight: 1,
    act: (world) =>
      registerAttestor(
        world,
        world.attestations.map(({ attester }) => attester),
      ),
  },
  {
    name: "update an attestor",
    weight: 2,
    act(world) {
      const { random } = world;
      const attestor = random.pick(
        world.attestors.filter(({ operator }) => may(world, operator, "AttestorRegistry", "updateAttestor")),
      );
      if (!attestor) return null;
      const { attestorId, operator } = attestor;
      const args = [attestorId, anyText(random), anyHash(random), random.chance(0.5)] as const;
      return call(world, operator, "AttestorRegistry", "updateAttestor", args);
    },
  },
];
