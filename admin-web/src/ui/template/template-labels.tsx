import type { Tone } from "shared/core/message";
import type { TemplateStatus } from "shared/core/template/definition";
import { formatParts, formatPercent } from "../../format.ts";
import { t, translated } from "../../language.ts";
import type { OrEarlier, Outputs } from "../../trpc.ts";
import { Status } from "../base/facts.tsx";
import { tableOf } from "../base/labels.ts";
import rejectionLabels from "./rejection-labels.json";

const categories: Record<string, string> = { UTILITY: t("Utility"), MARKETING: t("Marketing"), AUTHENTICATION: t("Authentication") };

/** The name of a category: Utility for `UTILITY`. */
export const categoryName = (category: string): string => categories[category] ?? category.charAt(0) + category.slice(1).toLowerCase();

const ratings: Record<string, { tone: Tone; label: string; meaning: string }> = {
  GREEN: { tone: "delivered", label: t("high"), meaning: t("Recipients rarely block or report it.") },
  YELLOW: { tone: "attention", label: t("medium"), meaning: t("Some recipients block or report it. If more do, WhatsApp pauses it.") },
  RED: { tone: "failed", label: t("low"), meaning: t("Many recipients block or report it: WhatsApp may pause it at any time.") },
};

/** The platform's rating of a template; draws nothing while it has none. */
export function QualityBadge({ quality }: { quality: string | null }) {
  const known = ratings[quality ?? ""];
  if (known === undefined) return null;
  return (
    <span title={known.meaning}>
      <Status tone={known.tone}>{known.label}</Status>
    </span>
  );
}

/** Advice by the platform's rejection reason. */
const rejections: Record<string, string> = tableOf(rejectionLabels);

/** The advice for a reason, which starts with its code and may continue in free text. */
export const rejectionAdvice = (reason: string): string | undefined => rejections[reason.split(":", 1)[0] ?? ""];

type Rates = OrEarlier<Pick<Outputs["templates"]["usage"]["items"][number], "accepted" | "tried" | "delivered" | "read">, "tried">;

/** `98% delivered, 71% read`; null without messages. */
export function describeRates(use: Rates | undefined): string | null {
  const { accepted = 0, tried = accepted, delivered = 0, read = 0 } = use ?? {};
  if (tried === 0) return null;
  return formatParts([
    t("{formatPercent} delivered", { formatPercent: formatPercent(delivered / tried) }),
    delivered > 0 && t("{formatPercent} read", { formatPercent: formatPercent(read / delivered) }),
  ]);
}

/** The time between two looks while a template is in review. */
export const reviewMs = 3_000;

const tones: Record<TemplateStatus, Tone> = {
  draft: "waiting",
  pending: "waiting",
  approved: "delivered",
  rejected: "failed",
  paused: "attention",
  disabled: "failed",
};

export const TemplateStatusBadge = ({ status }: { status: TemplateStatus }) => <Status tone={tones[status]}>{translated(status)}</Status>;

/** A reason as it is read: its parts are joined by colons, also behind a whole sentence. */
export const toldReason = (reason: string): string => reason.replaceAll(/(?<=[.!?]): /gu, " ");
