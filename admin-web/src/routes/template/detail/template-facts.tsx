import { formatLanguage } from "../../../format.ts";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { Moment } from "../../../ui/moment.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { categoryName } from "../../../ui/template/category-name.ts";
import { QualityBadge } from "../../../ui/template/quality-badge.tsx";
import { TemplateStatusBadge } from "../../../ui/template/template-status-badge.tsx";
import type { Template } from "../template.ts";

/** What is known of it beside its text. */
export function TemplateFacts({ template }: { template: Template }) {
  const { status, language, quality, qualityAt, platformId, syncedAt, createdAt } = template;
  const isRated = quality !== null && quality !== "UNKNOWN";
  return (
    <Section title="About it">
      <Facts>
        <Fact name="Status">
          <TemplateStatusBadge status={status} />
        </Fact>
        <Fact name="Language">
          {formatLanguage(language)} ({language})
        </Fact>
        <Fact name="Category">{categoryWords(template)}</Fact>
        <Fact name="Quality">
          {isRated ? <QualityBadge quality={quality} /> : "not rated yet"}
          {isRated && qualityAt !== null && (
            <>
              {" "}
              since <Moment at={qualityAt} />
            </>
          )}
        </Fact>
        <Fact name="Platform’s id">{platformId ?? "none yet"}</Fact>
        <Fact name="Last read">{syncedAt === null ? "not yet" : <Moment at={syncedAt} />}</Fact>
        <Fact name="Made">
          <Moment at={createdAt} />
        </Fact>
      </Facts>
    </Section>
  );
}

function categoryWords({ category, requestedCategory }: Template): string {
  const name = categoryName(category);
  if (requestedCategory === null || requestedCategory === category) return name;
  const asked = categoryName(requestedCategory).toLowerCase();
  return `${name}, by the platform’s decision: you asked for ${asked}. Price, consent and limits are those of ${name.toLowerCase()}.`;
}
