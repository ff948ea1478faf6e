import { Alert, List, Text, Timeline } from "@mantine/core";
import { describeReason } from "shared/core/reason";
import type { MediaFormat } from "shared/core/template/platform-limits";
import { formatCount, formatDuration, formatLanguage, formatPercent, formatUnit } from "../../format.ts";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, type OrEarlier, type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Fact, Facts, Moment, Status } from "../../ui/base/facts.tsx";
import { tableOf } from "../../ui/base/labels.ts";
import { Awaiting } from "../../ui/base/later.tsx";
import { Dimmed, Section, FailureNotice, Loaded, Loading, rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { Versions } from "../../ui/form/versions.tsx";
import { categoryName, QualityBadge, TemplateStatusBadge, toldReason } from "../../ui/template/template-labels.tsx";
import { useAllTemplates } from "../../ui/template/templates.ts";
import { type MediaValues, type Template, tellTemplate, valuesOf } from "./draft.ts";
import { MediaField } from "./fields.tsx";
import labels from "./labels.json";
import { useUploading } from "./use-editing.ts";

/** All of a template that is not edited. */
export const TemplateDetails = ({ template }: { template: Template }) => (
  <>
    <TemplateFacts template={template} />
    <HeaderMedia template={template} />
    <TemplateRates template={template} />
    <TemplateBindings template={template} />
    <TemplateLanguages template={template} />
  </>
);

/** What it was before. A single entry of its history says only that it was created. */
export const TemplatePast = ({ template, history }: { template: Template; history: Change[] }) => (
  <>
    <TemplateVersions template={template} />
    {history.length > 1 && <TemplateHistory history={history} />}
  </>
);

function TemplateVersions({ template: { id, status, updatedAt } }: { template: Template }) {
  const mayWrite = useMay("operator");
  // A change makes a version.
  const { data } = trpc.templates.versions.useQuery({ id }, { queryHash: `versions ${id} ${updatedAt}` });
  const tell = (version: NonNullable<typeof data>["items"][number]) => {
    const values = valuesOf(version);
    return values === null ? [{ name: t("Body"), text: version.body, at: [] }] : tellTemplate(values);
  };
  const mayRestore = mayWrite && (status === "draft" || status === "rejected");
  return <Versions of="templates" id={id} items={data?.items} tell={tell} mayRestore={mayRestore} />;
}

type MediaHeader = Extract<Template["header"], { format: MediaFormat }>;

/** The file of the messages. It is not part of the approval and may change at any time. */
function HeaderMedia({ template }: { template: Template }) {
  const { header } = template;
  const mayWrite = useMay("operator");
  if (header === null || header.format === "TEXT" || header.format === "OTHER") return null;
  const lacksFile = header.url === null && header.file === undefined;
  return (
    <Section title={t("Header file")} lead={t("The file in the messages. Changing it needs no new review.")}>
      {lacksFile && (
        <Alert color="yellow" title={t("No file")}>
          {t("Messages fail until you choose a file.")}
        </Alert>
      )}
      {mayWrite ? <MediaForm template={template} header={header} /> : <Text>{header.url ?? header.file?.name}</Text>}
    </Section>
  );
}

const mediaOf = ({ url, file }: MediaHeader): MediaValues => ({ by: url === null ? "file" : "url", url: url ?? "", file: file ?? null });

function MediaForm({ template: { id, updatedAt }, header }: { template: Template; header: MediaHeader }) {
  const { format } = header;
  const saved = t("Saved. New messages use this file.");
  const set = trpc.templates.setHeaderMedia.useMutation({ onSuccess: () => cache.templates.get.invalidate({ id }) });
  const form = useInputForm({
    initialValues: mediaOf(header),
    toInput: (media) => ({ header: media.by === "url" ? { url: media.url.trim() } : { fileId: media.file?.id } }),
    check: () => [],
    members: ["header"],
    submit: ({ header: chosen, ...version }) => set.mutateAsync({ id, ...chosen, ...version }),
    versioned: {
      updatedAt,
      fill: ({ header: theirs }: Template) => (theirs?.format === format ? mediaOf(theirs) : null),
      tell: ({ by, url, file }) => [{ name: t("Header file"), text: by === "url" ? url : (file?.name ?? ""), at: ["by", "url", "file"] }],
    },
  });
  const isSaving = useUploading() || form.isSaving;
  return (
    <InputForm form={{ ...form, isSaving }} failure={t("The file was not changed")} submit={t("Use this file")} saved={saved} isMinor>
      <Awaiting fallback={<Loading what={t("Header file")} />}>
        <MediaField format={format} media={form.values} error={Object.values(form.faults)[0]} onChange={form.change} />
      </Awaiting>
    </InputForm>
  );
}

function TemplateBindings({ template: { id, status } }: { template: Template }) {
  const bindings = trpc.bindings.list.useQuery({ templateId: id, limit: 200 });
  const mayBind = useMay("operator") && status === "approved";
  return (
    <Section title={t("Bindings")}>
      <Loaded query={bindings} what={t("the bindings")}>
        {({ items }) =>
          items.length > 0 ? (
            <BindingList bindings={items} />
          ) : (
            <Dimmed>
              {t("No binding uses this template yet. ")}
              {mayBind && (
                <TextLink to={paths.newBinding} search={{ templateId: id }}>
                  {t("Create binding")}
                </TextLink>
              )}
            </Dimmed>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Links to bindings, site by site. */
export function BindingList({ bindings }: { bindings: Outputs["bindings"]["list"]["items"] }) {
  const siteName = useSiteName();
  const sorted = bindings.toSorted((a, b) => siteName(a.siteId).localeCompare(siteName(b.siteId)) || a.event.localeCompare(b.event));
  return (
    <List spacing={4}>
      {sorted.map(({ id, siteId, event, enabled, problemCodes }) => (
        <List.Item key={id}>
          <TextLink {...pages.binding(id)} style={{ overflowWrap: "anywhere" }}>
            {t("{event} of {siteId}", { event, siteId: siteName(siteId) })}
          </TextLink>
          {!enabled && t(", switched off")}
          {problemCodes.map((problem, index) => (
            <div key={index}>
              <Status tone="attention">{describeReason(problem, t)}</Status>
            </div>
          ))}
        </List.Item>
      ))}
    </List>
  );
}

/** The delivery and read rates of the template's newest messages. */
function TemplateRates({ template: { id } }: { template: Template }) {
  const usage = trpc.templates.usage.useQuery({ ids: [id] });
  const use: OrEarlier<Outputs["templates"]["usage"]["items"][number], "tried"> | undefined = usage.data?.items[0];
  if (usage.error !== null) return <FailureNotice title={t("Could not load the delivery rates")} of={usage} />;
  if (use === undefined || (use.tried ?? use.accepted) === 0) return null;
  const { accepted, tried = accepted, delivered, read, medianReadSeconds, more } = use;
  const share = (part: number, of: number) =>
    t("{formatPercent} ({part} of {of})", { formatPercent: formatPercent(part / of), part: formatCount(part), of: formatCount(of) });
  return (
    <Section title={more ? t("Newest messages") : t("Last 30 days")} lead={more && t("Of the newest 200 messages of each site and event.")}>
      <Facts>
        <Fact name={t("Delivered")}>{share(delivered, tried)}</Fact>
        <Fact name={t("Read")}>{delivered > 0 && share(read, delivered)}</Fact>
        <Fact name={t("Read after")}>
          {medianReadSeconds !== null && t("{medianReadSeconds} (median)", { medianReadSeconds: formatDuration(medianReadSeconds) })}
        </Fact>
      </Facts>
    </Section>
  );
}

/** The same message in other languages. */
function TemplateLanguages({ template: { id, name } }: { template: Template }) {
  const { templates } = useAllTemplates();
  const others = templates.filter((each) => each.name === name && each.id !== id);
  if (others.length === 0) return null;
  return (
    <Section title={t("Other languages")}>
      <List spacing={4}>
        {others
          .toSorted((a, b) => formatLanguage(a.language).localeCompare(formatLanguage(b.language)))
          .map(({ id: otherId, language, status }) => (
            <List.Item key={otherId}>
              <TextLink {...pages.template(otherId)}>
                {formatLanguage(language)} ({language})
              </TextLink>{" "}
              <TemplateStatusBadge status={status} />
            </List.Item>
          ))}
      </List>
      <Dimmed>
        {rich(
          t("To send another language, select <0>bindings of this template</0> and change their template."),
          <TextLink to={paths.bindings} search={{ templateId: id }} />,
        )}
      </Dimmed>
    </Section>
  );
}

function TemplateFacts({ template }: { template: Template }) {
  const { language, quality, qualityAt, platformId, syncedAt, createdAt } = template;
  const isRated = quality !== null && quality !== "UNKNOWN";
  return (
    <Section title={t("Details")}>
      <Facts>
        <Fact name={t("Language")}>
          {formatLanguage(language)} ({language})
        </Fact>
        <Fact name={t("Category")}>{categoryWords(template)}</Fact>
        <Fact name={t("Upcoming category")}>{upcomingWords(template)}</Fact>
        <Fact name={t("Time to live")}>{timeToLive(template)}</Fact>
        <Fact name={t("Quality")}>
          {isRated ? <QualityBadge quality={quality} /> : t("Not rated yet")}
          {isRated && qualityAt !== null && rich(t(" since <0/>"), <Moment at={qualityAt} />)}
        </Fact>
        <Fact name={t("WhatsApp ID")}>{platformId ?? t("None yet")}</Fact>
        <Fact name={t("Last change from WhatsApp")}>{syncedAt === null ? t("Not yet") : <Moment at={syncedAt} />}</Fact>
        <Fact name={t("Created")}>
          <Moment at={createdAt} />
        </Fact>
      </Facts>
    </Section>
  );
}

function upcomingWords({ upcomingCategory: upcoming }: Template) {
  if (upcoming === null) return null;
  const name = categoryName(upcoming.category);
  if (upcoming.at === null) return t("{name}, soon. Prices, consent and limits of {name} apply then.", { name });
  return rich(t("{name} from <0/> on. Prices, consent and limits of {name} apply then.", { name }), <Moment at={upcoming.at} />);
}

function timeToLive({ ttlSeconds }: Template): string {
  if (ttlSeconds === null) return t("WhatsApp's default");
  return ttlSeconds === -1 ? formatUnit(30, "day") : formatDuration(ttlSeconds);
}

function categoryWords({ category, requestedCategory }: Template): string {
  const name = categoryName(category);
  if (requestedCategory === null || requestedCategory === category) return name;
  const asked = categoryName(requestedCategory).toLowerCase();
  return t("{name}. You requested {asked}; WhatsApp changed it. Prices, consent and limits of {name2} apply.", {
    name,
    asked,
    name2: name.toLowerCase(),
  });
}

type Change = Outputs["templates"]["get"]["history"][number];

const sources: Record<Change["source"], string> = tableOf(labels.sources);

/** Every change of status, newest first. */
const TemplateHistory = ({ history }: { history: Change[] }) => (
  <Section title={t("History")}>
    <Timeline bulletSize={12} lineWidth={2} active={history.length} role="list" aria-label={t("History")}>
      {history.map(({ at, to, reason, source }, index) => (
        <Timeline.Item key={history.length - index} role="listitem" title={<TemplateStatusBadge status={to} />}>
          <Text>{rich(t("<0/>, {words}", { words: sources[source] }), <Moment at={at} />)}</Text>
          {reason !== null && <Dimmed>{toldReason(reason)}</Dimmed>}
        </Timeline.Item>
      ))}
    </Timeline>
  </Section>
);
