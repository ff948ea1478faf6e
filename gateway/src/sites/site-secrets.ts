import { timingSafeEqual } from "node:crypto";
import type { Proof } from "shared/core/sources/source";
import { sources } from "shared/core/sources/sources";
import type { SiteForIngestRow } from "shared/db/site-for-ingest";
import { secretPlace } from "shared/secrets/sealed-columns";
import { findBase64Signer, findSigner, findStandardSigner } from "shared/secrets/signature";
import type { Vault } from "shared/secrets/vault";

/** A key or secret that is valid until `endsAt`, unix milliseconds by this gateway's clock; `Infinity` for the current ones. */
interface Expiring {
  id: string;
  endsAt: number;
}
interface SiteKey extends Expiring {
  hash: Buffer;
}
interface SigningSecret extends Expiring {
  secret: string;
}

/** The keys and secrets that prove a site's requests. */
export interface SiteSecrets {
  keys: SiteKey[];
  signing: SigningSecret[];
  /** The secrets that sign the shop's requests. */
  ofShop: SigningSecret[];
}

export function toSiteSecrets({ account_id: accountId, keys, secrets, source_type }: SiteForIngestRow, vault: Vault): SiteSecrets {
  const ofKind = (wanted: SiteForIngestRow["secrets"][number]["kind"]): SigningSecret[] =>
    secrets
      .filter(({ kind }) => kind === wanted)
      .map(({ id, secret, expires_at }) => ({
        id,
        secret: vault.open(secret, secretPlace(accountId, id)),
        endsAt: expires_at ?? Infinity,
      }));
  const signing = ofKind("webhook_secret");
  return {
    keys: keys.map(({ id, key_hash, expires_at }) => ({ id, hash: Buffer.from(key_hash, "hex"), endsAt: expires_at ?? Infinity })),
    signing,
    ofShop: sources[source_type].secret === "webhook_secret" ? signing : ofKind("source_secret"),
  };
}

/** The id of the key with that hash, if it is valid for the site at that time. */
export const matchKey = ({ keys }: SiteSecrets, hash: Buffer, at: Date): string | undefined =>
  valid(keys, at).find((candidate) => timingSafeEqual(candidate.hash, hash))?.id;

/** The id of the secret that made the proof, if it is valid at that time. */
export function matchSigner(secrets: readonly SigningSecret[], body: Buffer, proof: Proof, at: Date): string | undefined {
  const candidates = valid(secrets, at);
  switch (proof.scheme) {
    case "hex":
      return findSigner(candidates, body, proof.signature)?.id;
    case "base64":
      return findBase64Signer(candidates, body, proof.signature)?.id;
    case "standard":
      return findStandardSigner(candidates, body, proof)?.id;
  }
}

/** Returns the list itself while all are valid, as they mostly are. */
const valid = <T extends Expiring>(all: readonly T[], at: Date): readonly T[] =>
  all.every(({ endsAt }) => at.getTime() < endsAt) ? all : all.filter(({ endsAt }) => at.getTime() < endsAt);
