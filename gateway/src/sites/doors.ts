import { hash } from "node:crypto";
import type { Proof } from "shared/core/sources/source";
import { eventOfMacs, eventOfIds } from "shared/db/event/answer";
import type { SiteConfig } from "./sites.ts";

/** The ways into a site: the path of events, and the address that its shop posts to. */
type Door = "ingest" | "inbound";

/** A key that an event, or a request without one, needs beside its own. */
export interface Needed {
  /** The space of the key, in place of an event's name. */
  event: string;
  key: string;
  /** Who may hold the key already; null: the event alone. */
  holder: string | null;
}

/** The doors as holders of signatures. No event has such an id. */
const holders: Readonly<Record<Door, string>> = {
  ingest: "00000000-0000-0000-0000-000000000001",
  inbound: "00000000-0000-0000-0000-000000000002",
};

/**
 * The key by which a signature opens one door: who has seen a request at one cannot post it at the other, where another name makes it another event.
 * Undefined where the two doors share no signature, and for Standard Webhooks, whose signed id is known at both.
 */
export function neededAtDoor(site: Pick<SiteConfig, "sharesSignatures">, proof: Proof, door: Door): Needed | undefined {
  if (!site.sharesSignatures || proof.scheme === "standard") return undefined;
  const mac = proof.scheme === "hex" ? Buffer.from(proof.signature.replace(/^sha256=/, ""), "hex") : Buffer.from(proof.signature, "base64");
  // What is stored opens nothing.
  return { event: eventOfMacs, key: hash("sha256", mac, "base64url"), holder: holders[door] };
}

/** The key under which gateways of before 1.0 know a signed id that came to the shop's address: they may run beside this one. */
export const neededOfId = (key: string): Needed => ({ event: eventOfIds, key, holder: null });
