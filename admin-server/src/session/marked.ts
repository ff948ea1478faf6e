import { isSameSecret } from "shared/secrets/signature";
import type { Vault } from "shared/secrets/vault";

/** What a text says that comes back to this installation, and until when it counts, in milliseconds. */
type Claims = Record<"until", number>;

type Marker = Pick<Vault, "fingerprint">;

/** The claims as a text with a mark that only this installation can make. `purpose`: what the text is for; it counts for nothing else. Nothing of it is stored. */
export function writeMarked<Told extends Claims>(vault: Marker, purpose: string, claims: Told): string {
  const text = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${text}.${vault.fingerprint(`${purpose} ${text}`)}`;
}

/** The claims of a text of `writeMarked`; null if it is none, or is too old. */
export function readMarked<Told extends Claims>(vault: Marker, purpose: string, marked: string, now: Date): Told | null {
  const [text = "", mark = ""] = marked.split(".");
  if (!isSameSecret(mark, vault.fingerprint(`${purpose} ${text}`))) return null;
  const claims = JSON.parse(Buffer.from(text, "base64url").toString()) as Told;
  return claims.until > now.getTime() ? claims : null;
}
