import { randomInt } from "node:crypto";
import { once } from "node:events";
import { request } from "undici";

const TIMEOUT_MS = 2_000;

/** The platform's verification of a callback address: whether it echoes our challenge (platform facts, 5.1). Never throws, and never takes longer. */
export async function shakeHands({ callbackUrl, verifyToken }: { callbackUrl: string; verifyToken: string }): Promise<boolean> {
  const challenge = String(randomInt(1_000_000_000, 2_000_000_000));
  const url = new URL(callbackUrl);
  url.searchParams.set("hub.mode", "subscribe");
  url.searchParams.set("hub.challenge", challenge);
  url.searchParams.set("hub.verify_token", verifyToken);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // The signal alone would wait for a connection that is still being made, such as for a name that nobody resolves.
  return await Promise.race([echoes(url, challenge, signal), once(signal, "abort").then(() => false)]);
}

async function echoes(url: URL, challenge: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await request(url, { signal });
    return (await answer.body.text()) === challenge && answer.statusCode === 200;
  } catch {
    return false;
  }
}
