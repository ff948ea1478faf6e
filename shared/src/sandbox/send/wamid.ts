import { randomBytes } from "node:crypto";

const BEFORE = Buffer.from([0x1c, 0x18]);
const AFTER = Buffer.from([0x15, 0x02, 0x00, 0x11, 0x18, 0x12]);

/** A message id in the platform's form: `wamid.` and base64 over the recipient and a random part. Unique per call. */
export function newWamid(waId: string): string {
  const unique = randomBytes(9).toString("hex").toUpperCase();
  const parts = [BEFORE, Buffer.from([waId.length]), Buffer.from(waId), AFTER, Buffer.from(unique), Buffer.from([0])];
  return `wamid.${Buffer.concat(parts).toString("base64")}`;
}
