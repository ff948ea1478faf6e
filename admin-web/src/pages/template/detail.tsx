import { Alert, Button, Group, Stack, Text, List, Timeline } from "@mantine/core";
import { useState } from "react";
import { describeReason } from "shared/core/reason";
import type { MediaFormat } from "shared/core/template/platform-limits";
import { sentenceCase } from "shared/core/text";
import { formatLanguage } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Fact, Facts, Moment } from "../../ui/facts.tsx";
import { UnsavedGuard } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { ListSkeleton } from "../../ui/paged-list.tsx";
import { useSiteName } from "../../ui/pickers.tsx";
import { categoryName, QualityBadge, TemplateStatusBadge } from "../../ui/template-words.tsx";
import { issuesOf } from "../../ui/use-input-form.ts";
import { type MediaValues, type Template } from "./draft.ts";
import { MediaField } from "./media-field.tsx";

type MediaHeader = Extract<Template["header"], { format: MediaFormat }>;

/** Which file its messages carry: that is no part of what was approved, and may change at any time. */
export function HeaderMedia({ template: { id, header } }: { template: Template }) {
  const mayWrite = useMay("operator");
  if (header === null || header.format === "TEXT" || header.format === "OTHER") return null;
  const lacksFile = header.url === null && header.file === undefined;
  return (
    <Section title="Header file" lead="Which file the messages carry. Changing it takes no new review.">
      {lacksFile && (
        <Alert color="yellow" title="It has no file">
          Messages of it fail until it gets one.
        </Alert>
      )}
      {mayWrite ? <MediaForm id={id} header={header} /> : <Text size="sm">{header.url ?? header.file?.name}</Text>}
    </Section>
  );
}

function MediaForm({ id, header }: { id: string; header: MediaHeader }) {
  const { format, url, file } = header;
  const stored: MediaValues = { by: url === null ? "file" : "url", url: url ?? "", file: file ?? null };
  const [media, setMedia] = useState(stored);
  const cache = trpc.useUtils();
  const set = trpc.templates.setHeaderMedia.useMutation({ onSuccess: () => cache.templates.get.invalidate({ id }) });
  const isChanged = media.by === "url" ? media.url.trim() !== stored.url : (media.file?.id ?? "") !== (stored.file?.id ?? "");
  const [issue] = set.error === null ? [] : issuesOf(set.error);
  return (
    <Stack gap="sm">
      <UnsavedGuard isUnsaved={() => isChanged} />
      <MediaField
        format={format}
        media={media}
        error={issue && sentenceCase(issue.message)}
        onChange={(changes) => setMedia((before) => ({ ...before, ...changes }))}
      />
      {set.error !== null && issue === undefined && <FailureNotice title="The file was not changed" error={set.error} />}
      <Group gap="sm">
        <Button
          variant="default"
          disabled={!isChanged}
          loading={set.isPending}
          onClick={() => set.mutate({ id, ...(media.by === "url" ? { url: media.url.trim() } : { fileId: media.file?.id }) })}
        >
          Use this file
        </Button>
        {set.isSuccess && !isChanged && (
          <Text size="sm" role="status">
            Messages carry it from now on.
          </Text>
        )}
      </Group>
    </Stack>
  );
}

/** What sends it. */
export function TemplateBindings({ template: { id, status } }: { template: Template }) {
  const bindings = trpc.bindings.list.useQuery({ templateId: id, limit: 200 });
  const mayBind = useMay("operator") && status === "approved";
  return (
    <Section title="Sent by">
      {bindings.error !== null && (
        <FailureNotice title="Could not load its bindings" error={bindings.error} onRetry={() => void bindings.refetch()} />
      )}
      {bindings.isPending && <ListSkeleton what="its bindings" />}
      {bindings.data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          No binding sends it yet.{" "}
          {mayBind && (
            <TextLink to={paths.newBinding} search={{ templateId: id }}>
              Bind it to an event
            </TextLink>
          )}
        </Text>
      )}
      {bindings.data !== undefined && bindings.data.items.length > 0 && <BindingList bindings={bindings.data.items} />}
    </Section>
  );
}

/** Bindings by their event and site, each a way to its page. */
export function BindingList({ bindings }: { bindings: Outputs["bindings"]["list"]["items"] }) {
  const siteName = useSiteName();
  return (
    <List size="sm" spacing={4}>
      {bindings.map(({ id, siteId, event, enabled, problemCodes }) => (
        <List.Item key={id}>
          <TextLink to={paths.binding} params={{ bindingId: id }} size="sm" style={{ overflowWrap: "anywhere" }}>
            {event} of {siteName(siteId)}
          </TextLink>
          {!enabled && ", switched off"}
          {problemCodes.map((problem, index) => (
            <Text key={index} size="sm" c="var(--mantine-color-error)">
              {describeReason(problem, "page")}
            </Text>
          ))}
        </List.Item>
      ))}
    </List>
  );
}

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

type Change = Outputs["templates"]["get"]["history"][number];

const sources: Record<Change["source"], string> = {
  create: "made here",
  submit: "submitted here",
  delete: "deleted here",
  sync: "seen when the templates were synced",
  poll: "seen at the hourly reading",
  callback: "told by the platform",
};

/** Every change of status, newest first. */
export function TemplateHistory({ history }: { history: Change[] }) {
  return (
    <Section title="History">
      <Timeline bulletSize={12} lineWidth={2} active={history.length} role="list" aria-label="History">
        {history.map(({ at, to, reason, source }, index) => (
          <Timeline.Item key={history.length - index} role="listitem" title={<TemplateStatusBadge status={to} />}>
            <Text size="sm">
              <Moment at={at} />, {sources[source]}
            </Text>
            {reason !== null && (
              <Text size="sm" c="dimmed">
                {reason}
              </Text>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
    </Section>
  );
}
