import { parseEventName } from "../event.ts";
import { lookUp } from "../path.ts";
import type { Source } from "./source.ts";

/** Any program that signs as Standard Webhooks say. Its body is stored as it came. */
export const generic: Source = {
  secret: "webhook_secret",
  normalizesPhones: false,
  events: null,
  privacyTopics: new Map(),
  headers: { topics: [], signatures: ["webhook-signature"], shown: ["webhook-id", "webhook-timestamp"] },
  ping: null,
  orders: null,

  proofOf(headers) {
    const [id, timestamp, signature] = [headers("webhook-id"), headers("webhook-timestamp"), headers("webhook-signature")];
    return id === null || timestamp === null || signature === null ? null : { scheme: "standard", id, timestamp, signature };
  },

  deliveryOf(headers, body) {
    const name = [lookUp(body, "type"), lookUp(body, "event")].find((value) => value != null && value !== "");
    const topic = typeof name === "string" ? parseEventName(name) : null;
    if (topic === null) return null;
    const id = headers("webhook-id");
    return { topic, status: null, duplicateOf: id === null ? null : [id], once: null, order: null, isOver: false };
  },

  payloadOf: (body) => body,
};
