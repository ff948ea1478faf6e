import { Alert, Button, Group, List, Text, Timeline } from "@mantine/core";
import { describeReason } from "shared/core/reason";
import type { MediaFormat } from "shared/core/template/platform-limits";
import { formatLanguage } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Fact, Facts, Moment } from "../../ui/facts.tsx";
import { FormStatus, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { ListSkeleton } from "../../ui/paged-list.tsx";
import { useSiteName } from "../../ui/pickers.tsx";
import { categoryName, QualityBadge, TemplateStatusBadge } from "../../ui/template-words.tsx";
import { type MediaValues, type Template } from "./draft.ts";
import { MediaField } from "./media-field.tsx";

type MediaHeader = Extract<Template["header"], { format: MediaFormat }>;

/** The file of the messages. It is not part of the approval and may change at any time. */
export function HeaderMedia({ template: { id, header } }: { template: Template }) {
  const mayWrite = useMay("operator");
  if (header === null || header.format === "TEXT" || header.format === "OTHER") return null;
  const lacksFile = header.url === null && header.file === undefined;
  return (
    <Section title="Header file" lead="The file in the messages. Changing it needs no new review.">
      {lacksFile && (
        <Alert color="yellow" title="No file">
          Messages fail until you choose a file.
        </Alert>
      )}
      {mayWrite ? <MediaForm id={id} header={header} /> : <Text size="sm">{header.url ?? header.file?.name}</Text>}
    </Section>
  );
}

function MediaForm({ id, header }: { id: string; header: MediaHeader }) {
  const { format, url, file } = header;
  const cache = trpc.useUtils();
  const set = trpc.templates.setHeaderMedia.useMutation({ onSuccess: () => cache.templates.get.invalidate({ id }) });
  const initialValues: MediaValues = { by: url === null ? "file" : "url", url: url ?? "", file: file ?? null };
  const form = useInputForm({
    initialValues,
    toInput: (media) => ({ header: media.by === "url" ? { url: media.url.trim() } : { fileId: media.file?.id } }),
    check: () => [],
    members: ["header"],
    submit: (input) => set.mutateAsync({ id, ...input.header }),
  });
  return (
    <InputForm form={form} failure="The file was not changed">
      <MediaField format={format} media={form.values} error={Object.values(form.faults)[0]} onChange={form.change} />
      <Group gap="sm">
        <Button type="submit" variant="default" disabled={!form.isUnsaved()} loading={form.isSaving}>
          Use this file
        </Button>
        <FormStatus form={form} saved="Saved. New messages use this file." />
      </Group>
    </InputForm>
  );
}

export function TemplateBindings({ template: { id, status } }: { template: Template }) {
  const bindings = trpc.bindings.list.useQuery({ templateId: id, limit: 200 });
  const mayBind = useMay("operator") && status === "approved";
  return (
    <Section title="Bindings">
      {bindings.error !== null && (
        <FailureNotice title="Could not load the bindings" error={bindings.error} onRetry={() => void bindings.refetch()} />
      )}
      {bindings.isPending && <ListSkeleton what="the bindings" />}
      {bindings.data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          No binding uses this template yet.{" "}
          {mayBind && (
            <TextLink to={paths.newBinding} search={{ templateId: id }}>
              Create binding
            </TextLink>
          )}
        </Text>
      )}
      {bindings.data !== undefined && bindings.data.items.length > 0 && <BindingList bindings={bindings.data.items} />}
    </Section>
  );
}

/** Links to bindings, by event and site. */
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

export function TemplateFacts({ template }: { template: Template }) {
  const { status, language, quality, qualityAt, platformId, syncedAt, createdAt } = template;
  const isRated = quality !== null && quality !== "UNKNOWN";
  return (
    <Section title="Details">
      <Facts>
        <Fact name="Status">
          <TemplateStatusBadge status={status} />
        </Fact>
        <Fact name="Language">
          {formatLanguage(language)} ({language})
        </Fact>
        <Fact name="Category">{categoryWords(template)}</Fact>
        <Fact name="Quality">
          {isRated ? <QualityBadge quality={quality} /> : "Not rated yet"}
          {isRated && qualityAt !== null && (
            <>
              {" "}
              since <Moment at={qualityAt} />
            </>
          )}
        </Fact>
        <Fact name="WhatsApp ID">{platformId ?? "None yet"}</Fact>
        <Fact name="Last synced">{syncedAt === null ? "Not yet" : <Moment at={syncedAt} />}</Fact>
        <Fact name="Created">
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
  return `${name}. You requested ${asked}; WhatsApp changed it. Prices, consent and limits of ${name.toLowerCase()} apply.`;
}

type Change = Outputs["templates"]["get"]["history"][number];

const sources: Record<Change["source"], string> = {
  create: "created here",
  submit: "submitted here",
  delete: "deleted here",
  sync: "found by a sync",
  poll: "found by the hourly sync",
  callback: "reported by WhatsApp",
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
