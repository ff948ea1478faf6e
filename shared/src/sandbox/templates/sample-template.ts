import { randomId } from "../accounts/random-id.ts";
import type { TemplateRecord } from "./record.ts";

/** The approved sample that every account of the platform begins with. */
export function sampleTemplate(wabaId: string, now: number): TemplateRecord {
  return {
    id: randomId(),
    wabaId,
    name: "hello_world",
    language: "en_US",
    category: "UTILITY",
    previousCategory: null,
    parameterFormat: "POSITIONAL",
    components: [
      { type: "HEADER", format: "TEXT", text: "Hello World" },
      { type: "BODY", text: "Welcome and congratulations!! This message demonstrates your ability to send a template message." },
      { type: "FOOTER", text: "Sample message of the sandbox" },
    ],
    status: "APPROVED",
    rejectedReason: "NONE",
    quality: { score: "UNKNOWN", date: Math.floor(now / 1000) },
    ttlSeconds: null,
    createdAt: now,
    updatedAt: now,
    everApproved: true,
    edits: [],
    review: null,
  };
}
