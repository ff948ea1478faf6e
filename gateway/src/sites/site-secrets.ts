import { timingSafeEqual } from "node:crypto";
import type { SiteForIngestRow } from "shared/db/site-for-ingest";
import { findSigner } from "shared/secrets/signature";
import { hashSiteKey } from "shared/secrets/site-key";
import type { Vault } from "shared/secrets/vault";

/** What a request may prove itself with until `endsAt`, unix milliseconds by this gateway's clock; the current ones never end. */
interface Lasting {
  id: string;
  endsAt: number;
}
interface SiteKey extends Lasting {
  hash: Buffer;
}
interface SigningSecret extends Lasting {
  secret: string;
}

export interface SiteSecrets {
  keys: SiteKey[];
  signing: SigningSecret[];
}

export const toSiteSecrets = ({ keys, secrets }: Pick<SiteForIngestRow, "keys" | "secrets">, vault: Vault): SiteSecrets => ({
  keys: keys.map(({ id, key_hash, expires_at }) => ({ id, hash: Buffer.from(key_hash, "hex"), endsAt: expires_at ?? Infinity })),
  signing: secrets.map(({ id, secret, expires_at }) => ({ id, secret: vault.decrypt(secret), endsAt: expires_at ?? Infinity })),
});

/** The id of the key if it is one of the site's at that time. */
export function matchKey({ keys }: SiteSecrets, key: string, at: Date): string | undefined {
  const hash = hashSiteKey(key);
  return lasting(keys, at).find((candidate) => timingSafeEqual(candidate.hash, hash))?.id;
}

/** The id of the site's secret that signed the body, if one that counts at that time did. */
export const matchSigner = ({ signing }: SiteSecrets, body: Buffer, header: string | undefined, at: Date): string | undefined =>
  findSigner(lasting(signing, at), body, header)?.id;

const lasting = <T extends Lasting>(all: readonly T[], at: Date): T[] => all.filter(({ endsAt }) => at.getTime() < endsAt);
