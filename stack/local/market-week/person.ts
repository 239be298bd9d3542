import { privateKeyToAccount } from "viem/accounts";
import { hashOf } from "../sample/people";

/** What the metadata of a participant says, and how it is chosen. */
export type Profile = { name: string; description: string; tags: readonly string[]; capabilities?: readonly string[] };

/** A participant of the market week with an account of its own. Its key is public, like its name. */
export const person = <Details extends Profile>(profile: Details) => ({
  ...profile,
  account: privateKeyToAccount(hashOf(`market week ${profile.name}`)),
});

export type Person = ReturnType<typeof person<Profile>>;
