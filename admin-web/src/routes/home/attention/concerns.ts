import type { TemplateStatus } from "shared/core/template/definition";
import type { Outputs } from "../../../trpc.ts";
import { reasonWords } from "../../../ui/reason-words.ts";
import { rejectionAdvice } from "../../../ui/template/rejection-advice.ts";

type SilentSite = Outputs["stats"]["silentSites"]["items"][number];
type Template = Pick<Outputs["templates"]["list"]["items"][number], "id" | "name" | "language" | "status" | "reason">;
type Binding = Pick<Outputs["bindings"]["list"]["items"][number], "id" | "event" | "templateId" | "template" | "enabled" | "problems">;

export type Concern =
  | { kind: "site"; id: string; title: string; site: SilentSite }
  | { kind: "template" | "binding"; id: string; title: string; text: string };

/** Statuses in which a template that was in use cannot be sent any more, and what to do. */
const troubled = {
  rejected: "Change it and submit it again.",
  paused: "The platform paused it, usually since recipients complained. It may come back by itself; look at its quality.",
  disabled: "The platform will not take it any more: make another one and bind that.",
} satisfies Partial<Record<TemplateStatus, string>>;

interface Found {
  sites: SilentSite[];
  templates: Template[];
  bindings: Binding[];
}

/** What somebody has to look after, the most urgent first. A binding is left out when its template says it all. */
export function toConcerns({ sites, templates, bindings }: Found): Concern[] {
  const named = new Set(templates.map(({ id }) => id));
  return [
    ...sites.map((site): Concern => ({ kind: "site", id: site.siteId, title: `${site.name} went silent`, site })),
    ...templates.map(({ id, name, language, status, reason }): Concern => {
      return { kind: "template", id, title: `Template ${name} (${language}) is ${status}`, text: whatToDo(status, reason) };
    }),
    ...bindings
      .filter(({ enabled, problems, templateId }) => enabled && problems.length > 0 && !named.has(templateId))
      .map(({ id, event, template, problems }): Concern => {
        return { kind: "binding", id, title: `${event} cannot send ${template}`, text: problems.map(reasonWords).join(" ") };
      }),
  ];
}

function whatToDo(status: TemplateStatus, reason: string | null): string {
  const advice = status === "rejected" && reason !== null ? rejectionAdvice(reason) : undefined;
  if (advice !== undefined) return `${advice} Then submit it again.`;
  return [reason, isTroubled(status) ? troubled[status] : null].filter(Boolean).join(" ");
}

const isTroubled = (status: TemplateStatus): status is keyof typeof troubled => status in troubled;
