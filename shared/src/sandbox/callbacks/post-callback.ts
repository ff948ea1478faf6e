import type { Agent } from "undici";
import { request } from "undici";
import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { signature } from "./sign.ts";

interface PostOptions {
  dispatcher: Agent;
  signal: AbortSignal;
}

/** Posts a body to the account's callback. Null when it was acknowledged, by a 200 and nothing else; otherwise why not. */
export async function postCallback(account: SandboxAccount, body: string, options: PostOptions): Promise<string | null> {
  try {
    const answer = await request(account.callbackUrl, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": "facebookexternalua",
        "x-hub-signature-256": signature(account.appSecret, body),
      },
      dispatcher: options.dispatcher,
      signal: options.signal,
    });
    await answer.body.dump();
    return answer.statusCode === 200 ? null : `answered ${answer.statusCode}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
