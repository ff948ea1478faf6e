import { hmac, sha256 } from "./digests.ts";
import { readHeader } from "./header-form.ts";
import { bodyVariants, secretVariants } from "./variants.ts";

export interface Pasted {
  body: string;
  secret: string;
  /** What the code sent as `X-Service-Signature`. */
  header: string;
  /** What it sent as `X-Service-Timestamp`; may be empty. */
  timestamp: string;
}

/** `valid`: a gateway takes it. Else each fault says what to change. */
export type Verdict = { is: "valid" } | { is: "invalid"; faults: string[] };

/** Compares the header that was sent with the right one, and says what made the difference where that can be found out. */
export async function judgeSignature(pasted: Pasted, expected: string): Promise<Verdict> {
  const { hex, faults } = readHeader(pasted.header);
  if (`sha256=${hex}` === expected) return faults.length === 0 ? { is: "valid" } : { is: "invalid", faults };
  if (hex !== "" && hex.length < 64 && expected.startsWith(`sha256=${hex}`)) return { is: "invalid", faults };
  const cause = (await findCause(pasted, hex)) ?? unknownCause(pasted.secret);
  return { is: "invalid", faults: [...faults, cause] };
}

/** A mistake, and the digest that it leads to. */
interface Mistake {
  fault: string;
  digest: () => Promise<string>;
}

async function findCause({ body, secret, timestamp }: Pasted, hex: string): Promise<string | undefined> {
  const mistakes: Mistake[] = [
    ...bodyVariants(body, timestamp).map(({ text, fault }) => ({ fault, digest: () => hmac(secret, text) })),
    ...secretVariants(secret).map(({ text, fault }) => ({ fault, digest: () => hmac(text, body) })),
    ...otherWays(body, secret),
  ];
  for (const { fault, digest } of mistakes) if ((await digest()) === hex) return fault;
  return undefined;
}

const otherWays = (body: string, secret: string): Mistake[] => [
  {
    fault: "This is the plain SHA-256 of the body, without the secret. It takes the HMAC, keyed with the secret.",
    digest: () => sha256(body),
  },
  {
    fault: "This is the SHA-256 of the secret and the body in a row. It takes the HMAC, keyed with the secret.",
    digest: () => sha256(secret + body),
  },
  {
    fault: "This is the SHA-256 of the body and the secret in a row. It takes the HMAC, keyed with the secret.",
    digest: () => sha256(body + secret),
  },
  {
    fault: "Key and body are swapped: the secret is the key, the body is what is signed.",
    digest: async () => (body === "" ? "" : hmac(body, secret)),
  },
  { fault: "It is right but for the hash: SHA-1 was taken.", digest: () => hmac(secret, body, "SHA-1") },
  { fault: "It is right but for the hash: SHA-512 was taken.", digest: () => hmac(secret, body, "SHA-512") },
];

function unknownCause(secret: string): string {
  if (secret.trim().startsWith("sk_"))
    return "What is pasted as the secret is an API key: it begins with sk_. The webhook secret begins with whs_.";
  return "It is of another secret or of other bytes. Check that the secret is this site's current one, and that the body is the very text that was sent.";
}
