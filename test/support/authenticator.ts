import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

/** The options of `auth.startPasskey` that matter here. */
interface Creation {
  challenge: string;
  rp: { id?: string | undefined };
  user: { id: string };
}

/** The difference between an answer and that of a good authenticator. */
interface Fault {
  rpId?: string;
  origin?: string;
  type?: string;
  challenge?: string;
  /** True if the person was not verified, only present. */
  isUnverified?: true;
  counter?: number;
  userHandle?: string;
  /** The members of the attestation in place of `none`, as CBOR. */
  attestation?: Buffer;
}

/** A passkey in software: a P-256 key that answers like a browser, with a counter of signatures. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  const { x = "", y = "" } = publicKey.export({ format: "jwk" }) as { x?: string; y?: string };
  const cose = map([
    [int(1), int(2)],
    [int(3), int(-7)],
    [int(-1), int(1)],
    [int(-2), bytes(Buffer.from(x, "base64url"))],
    [int(-3), bytes(Buffer.from(y, "base64url"))],
  ]);
  let counter = 0;
  const clientData = (type: string, challenge: string, fault: Fault): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: fault.type ?? type,
        challenge: fault.challenge ?? challenge,
        origin: fault.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authData = (rpId: string, fault: Fault, credential?: Buffer): Buffer => {
    const flags = 1 | (fault.isUnverified === true ? 0 : 4) | (credential === undefined ? 0 : 64);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(fault.counter ?? (counter += 1));
    return Buffer.concat([sha256(Buffer.from(fault.rpId ?? rpId)), Buffer.from([flags]), count, credential ?? Buffer.alloc(0)]);
  };
  const answer = (response: Record<string, Buffer | string>) => {
    const encoded = Object.entries(response).map(([name, value]) => [
      name,
      typeof value === "string" ? value : value.toString("base64url"),
    ]);
    const name = id.toString("base64url");
    return {
      id: name,
      rawId: name,
      type: "public-key",
      clientExtensionResults: {},
      response: Object.fromEntries(encoded) as Record<string, string>,
    };
  };
  return {
    /** The answer of `navigator.credentials.create`. */
    create({ challenge, rp }: Creation, fault: Fault = {}) {
      const length = Buffer.from([id.length >> 8, id.length & 255]);
      const data = authData(rp.id ?? "", fault, Buffer.concat([Buffer.alloc(16), length, id, cose]));
      const attestation = fault.attestation ?? Buffer.concat([text("fmt"), text("none"), text("attStmt"), map([])]);
      const attestationObject = Buffer.concat([Buffer.from([0xa3]), attestation, text("authData"), bytes(data)]);
      return answer({ clientDataJSON: clientData("webauthn.create", challenge, fault), attestationObject });
    },
    /** The answer of `navigator.credentials.get`. */
    get({ challenge, rpId = "" }: { challenge: string; rpId?: string | undefined }, fault: Fault = {}) {
      const clientDataJSON = clientData("webauthn.get", challenge, fault);
      const authenticatorData = authData(rpId, fault);
      const signature = createSign("sha256")
        .update(Buffer.concat([authenticatorData, sha256(clientDataJSON)]))
        .sign(privateKey);
      return answer({
        clientDataJSON,
        authenticatorData,
        signature,
        ...(fault.userHandle !== undefined && { userHandle: fault.userHandle }),
      });
    },
  };
}

const sha256 = (data: Buffer): Buffer => createHash("sha256").update(data).digest();

// The parts of CBOR (RFC 8949) that passkeys need.

export const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]);

export const text = (value: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);

export const list = (items: readonly Buffer[]): Buffer => Buffer.concat([head(4, items.length), ...items]);

export const map = (entries: readonly (readonly [Buffer, Buffer])[]): Buffer => Buffer.concat([head(5, entries.length), ...entries.flat()]);

const int = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
