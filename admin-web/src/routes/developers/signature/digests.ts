type Hash = "SHA-1" | "SHA-256" | "SHA-512";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const toHex = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The HMAC of the body's UTF-8 bytes, keyed with the secret's, as lowercase hex. An empty secret is no key. */
export async function hmac(secret: string, body: string, hash: Hash = "SHA-256"): Promise<string> {
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash }, false, ["sign"]);
  return toHex(await crypto.subtle.sign("HMAC", key, bytesOf(body)));
}

/** The plain digest, which needs no secret. */
export const sha256 = async (text: string): Promise<string> => toHex(await crypto.subtle.digest("SHA-256", bytesOf(text)));

/** Browsers lend it to pages over https and to those of the own machine. */
export const canSign = (): boolean => "subtle" in crypto;
