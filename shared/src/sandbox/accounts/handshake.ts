import { randomInt } from "node:crypto";
import { request } from "undici";

const TIMEOUT_MS = 2_000;

/** The platform's verification of a callback address: whether it echoes our challenge (platform facts, 5.1). Never throws. */
export async function shakeHands({ callbackUrl, verifyToken }: { callbackUrl: string; verifyToken: string }): Promise<boolean> {
  const challenge = String(randomInt(1_000_000_000, 2_000_000_000));
  const url = new URL(callbackUrl);
  url.searchParams.set("hub.mode", "subscribe");
  url.searchParams.set("hub.challenge", challenge);
  url.searchParams.set("hub.verify_token", verifyToken);
  try {
    const answer = await request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return (await answer.body.text()) === challenge && answer.statusCode === 200;
  } catch {
    return false;
  }
}
