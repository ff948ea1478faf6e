import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { shopHeaders, type ShopSigner } from "./shop-requests.ts";

/** The times of a platform's sender; its own unless they are shortened. */
interface ShopTimes {
  /** The time that Shopify and WooCommerce wait for an answer. */
  answerMs?: number;
  /** The pause before each of Shopify's eight retries, which it spreads over four hours. */
  retryMs?: number;
}

interface Attempt {
  /** The status; null if no answer came in time. */
  status: number | null;
  /** The answer; null if it is no JSON. */
  answer: Record<string, unknown> | null;
}

/** The part of a shop system's own server that posts webhooks to an address, so that its owner needs no code. */
interface StandInShop {
  /** Makes one request for a topic, with its retries, in their order. */
  post(topic: string, body: string): Promise<Attempt[]>;
}

/** Plays Shopify, which takes any 2xx within five seconds, and else tries up to eight times more with the same webhook id. */
export function shopifyShop(address: string, secret: string, times: ShopTimes = {}): StandInShop {
  const { answerMs = 5_000, retryMs = 1_800_000 } = times;
  const signer: ShopSigner = { sourceType: "shopify", signingSecret: secret };
  return {
    async post(topic, body) {
      const id = randomUUID();
      const attempts: Attempt[] = [];
      for (let retries = 0; retries <= mostRetries; retries += 1) {
        if (retries > 0) await sleep(retryMs);
        const attempt = await request(address, shopHeaders(signer, body, { topic, id }), body, answerMs);
        attempts.push(attempt);
        if (isTaken(attempt)) break;
      }
      return attempts;
    },
  };
}

const mostRetries = 8;

interface WooCommerceShop extends StandInShop {
  /** Does what happens when a webhook is saved as active. */
  ping(): Promise<Attempt>;
  isActive(): boolean;
}

/** Plays WooCommerce, which tests the address once when a webhook is saved, never repeats a delivery, and switches the webhook off after five failures in a row. */
export function wooCommerceShop(address: string, secret: string, { answerMs = 60_000 }: ShopTimes = {}): WooCommerceShop {
  const signer: ShopSigner = { sourceType: "woocommerce", signingSecret: secret };
  let failures = 0;
  const isActive = (): boolean => failures < mostFailures;
  return {
    isActive,
    ping: () => request(address, { "Content-Type": "application/x-www-form-urlencoded" }, "webhook_id=12", answerMs),
    async post(topic, body) {
      if (!isActive()) return [];
      const attempt = await request(address, shopHeaders(signer, body, { topic }), body, answerMs);
      failures = isTaken(attempt) ? 0 : failures + 1;
      return [attempt];
    },
  };
}

const mostFailures = 5;

const isTaken = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

async function request(address: string, headers: Record<string, string>, body: string, answerMs: number): Promise<Attempt> {
  try {
    const response = await fetch(address, { method: "POST", headers, body, redirect: "manual", signal: AbortSignal.timeout(answerMs) });
    const text = await response.text();
    return { status: response.status, answer: text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : null };
  } catch {
    return { status: null, answer: null };
  }
}
