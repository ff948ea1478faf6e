import { Alert, Box, Button, Checkbox, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { type GalleryLanguage, gallery, galleryMap } from "shared/core/gallery/entries";
import { type ReadyBinding, readyBindings } from "shared/core/gallery/ready";
import { describeSchedule } from "shared/core/schedule/describe";
import { sentenceCase } from "shared/core/text";
import { formatLanguage } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { pages } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { LabelBadge, Status } from "../../ui/base/facts.tsx";
import { ticked, bound } from "../../ui/base/fields.ts";
import { describeConditions } from "../../ui/base/labels.ts";
import { Columns, Rows, StickyBar } from "../../ui/base/layout.tsx";
import { Dimmed, News, FailureNotice } from "../../ui/base/page.tsx";
import { BindingState } from "../../ui/problem/binding-faults.tsx";
import { ListSkeleton } from "../../ui/table/data-table.tsx";
import { firstLanguage, galleryChoices, galleryLanguage } from "../../ui/template/gallery-language.ts";
import { ensureBinding, ensureTemplate, GalleryMessage, isGalleryText, useForEach, useOwnedTemplates } from "../../ui/template/gallery.tsx";
import { reviewMs, TemplateStatusBadge } from "../../ui/template/template-labels.tsx";
import type { ListedTemplate } from "../../ui/template/templates.ts";
import { describeSource } from "../../ui/template/variable-sources.ts";
import type { Site } from "./use-site.ts";
import classes from "./site.module.css";

/** Messages for the events that the site's source posts: one click submits their templates and creates their bindings. */
export function ReadyBindings({ site }: { site: Site }) {
  const bindings = trpc.bindings.list.useQuery(
    { siteId: site.id, limit: 200 },
    { refetchInterval: ({ state }) => state.data?.items.some(({ templateStatus }) => templateStatus === "pending") === true && reviewMs },
  );
  const [picked, setPicked] = useState<GalleryLanguage>();
  const language = picked ?? galleryLanguage(bindings.data?.items[0]?.language) ?? firstLanguage(site.country);
  const templates = useOwnedTemplates(language);
  const error = templates.error ?? bindings.error;
  return (
    <Stack>
      <NativeSelect
        label={t("Language")}
        maw={320}
        data={galleryChoices()}
        {...bound(language, (text) => setPicked(galleryLanguage(text) ?? language))}
      />
      <FailureNotice title={t("Could not load your messages")} of={{ error, refetch: bindings.refetch }} />
      {error === null && (!templates.isWhole || bindings.data === undefined) && <ListSkeleton what={t("your messages")} />}
      {templates.isWhole && bindings.data !== undefined && (
        <Choice key={language} site={site} language={language} owned={templates.owned} bindings={bindings.data.items} />
      )}
    </Stack>
  );
}

type Binding = Outputs["bindings"]["list"]["items"][number];

interface ChoiceProps {
  site: Site;
  language: GalleryLanguage;
  owned: ReadonlyMap<string, ListedTemplate>;
  bindings: readonly Binding[];
}

/** An offered message, with the template and the binding that the account has of it. */
interface Offer extends ReadyBinding {
  key: string;
  title: string;
  /** The site's binding of the message, in any language. */
  bound: Binding | undefined;
  /** The account's template of that name. */
  owned: ListedTemplate | undefined;
  /** Another template that the site's bindings send to the customer for the same event. */
  beside: string | undefined;
  mayChoose: boolean;
}

function toOffer(ready: ReadyBinding, { owned, bindings }: Pick<ChoiceProps, "owned" | "bindings">): Offer {
  const { event, template } = ready;
  const bound = bindings.find((each) => each.event === event && each.template === template);
  const beside =
    bound === undefined
      ? bindings.find((each) => each.event === event && each.enabled && each.recipient.strategy === "customer")?.template
      : undefined;
  const own = owned.get(template);
  const isForeign = own !== undefined && !isGalleryText(own);
  // A draft's submission was refused before.
  const mayChoose = bound === undefined ? !isForeign : own?.id === bound.templateId && own.status === "draft" && !isForeign;
  return { ...ready, key: `${event} ${template}`, title: translated(gallery[template].title), bound, owned: own, beside, mayChoose };
}

function Choice({ site, language, owned, bindings }: ChoiceProps) {
  const { run, isRunning, notices } = useForEach(t("Not set up"));
  const [outcome, setOutcome] = useState("");
  const [picked, setPicked] = useState<ReadonlyMap<string, boolean>>(new Map());
  const offers = readyBindings[site.sourceType].map((ready) => toOffer(ready, { owned, bindings }));
  // What is set up, or would send a second message for its event, is added only by hand.
  const isChosen = ({ key, mayChoose, isUsual, bound: has, beside }: Offer): boolean =>
    mayChoose && (picked.get(key) ?? (isUsual && has === undefined && beside === undefined));
  const chosen = offers.filter(isChosen);
  const setUp = async () => {
    setOutcome("");
    const done = await run(chosen, async ({ template, event, conditions, schedule, values, owned: own }) => {
      const templateId = await ensureTemplate(template, language, { owned: own, isSubmitted: true });
      const variableMap = galleryMap(template, language, values);
      await ensureBinding({
        siteId: site.id,
        event,
        templateId,
        recipient: { strategy: "customer" },
        variableMap,
        conditions,
        ...schedule,
      });
    });
    if (done.length > 0) setOutcome(t("{count, plural, one {# message} other {# messages}} set up.", { count: done.length }));
  };
  return (
    <>
      <Rows aria-label={t("Ready messages")}>
        {offers.map((offer) => (
          <li key={offer.key}>
            <OfferRow
              offer={offer}
              language={language}
              isChosen={isChosen(offer)}
              onChoose={(isOn) => setPicked((before) => new Map(before).set(offer.key, isOn))}
            />
          </li>
        ))}
      </Rows>
      {chosen.some(({ template }) => gallery[template].category === "MARKETING") && (
        <Alert color="yellow">{t("Marketing needs your customers' consent, and WhatsApp charges more for it.")}</Alert>
      )}
      {notices}
      <StickyBar justify="flex-end">
        <News>
          {outcome} {describeWaiting(offers)}
        </News>
        <Button disabled={chosen.length === 0} loading={isRunning} onClick={() => void setUp()}>
          {chosen.length === 0
            ? t("Set up messages")
            : t("Set up {count, plural, one {# message} other {# messages}}", { count: chosen.length })}
        </Button>
      </StickyBar>
    </>
  );
}

function describeWaiting(offers: readonly Offer[]): string {
  const waiting = offers.filter(({ bound }) => bound?.templateStatus === "pending").length;
  if (waiting === 0) return "";
  return t(
    "{waiting, plural, one {# message} other {# messages}} {waiting, plural, one {waits} other {wait}} for WhatsApp's approval and {waiting, plural, one {starts} other {start}} by {waiting, plural, one {itself} other {themselves}} after it.",
    { waiting },
  );
}

interface OfferRowProps {
  offer: Offer;
  language: GalleryLanguage;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}

function OfferRow({ offer, language, isChosen, onChoose }: OfferRowProps) {
  const { title, template, event, when, beside, mayChoose } = offer;
  const [isShown, { toggle }] = useDisclosure(false);
  const told =
    beside === undefined
      ? t("{when} Event: {event}", { when: translated(when), event })
      : t("A second message: {event} sends {template} already", { event, template: beside });
  return (
    <>
      <Group gap="xs" mih={44} py={6} wrap="nowrap" className={classes["offer"] ?? ""}>
        {mayChoose ? <Checkbox label={title} {...ticked(isChosen, onChoose)} /> : <Text truncate>{title}</Text>}
        {gallery[template].category === "MARKETING" && <LabelBadge>{t("Marketing")}</LabelBadge>}
        <Dimmed truncate flex={1} miw={0} title={told}>
          {beside === undefined ? told : <Status tone="attention">{told}</Status>}
        </Dimmed>
        <Standing {...offer} />
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={isShown}
          aria-label={t("Preview {title}", { title })}
          flex="none"
          onClick={toggle}
        >
          {isShown ? t("Hide") : t("Preview")}
        </Button>
      </Group>
      {isShown && <Preview ready={offer} language={language} />}
    </>
  );
}

/** The parts of the message that the account has already. */
function Standing({ title, bound, owned, mayChoose }: Offer) {
  if (bound !== undefined) {
    const { id, templateStatus, language } = bound;
    const open = t("Open binding ({language})", { language: formatLanguage(language) });
    return (
      <>
        {templateStatus === "approved" && <BindingState binding={bound} />}
        {templateStatus === "pending" && <Status tone="waiting">{t("waiting for approval")}</Status>}
        {templateStatus !== "approved" && templateStatus !== "pending" && <TemplateStatusBadge status={templateStatus} />}
        <Text truncate flex="0 1 auto">
          <TextLink underline="hover" {...pages.binding(id)} aria-label={`${open}: ${title}`}>
            {open}
          </TextLink>
        </Text>
      </>
    );
  }
  if (owned === undefined || mayChoose) return null;
  return (
    <Text truncate flex="0 1 auto">
      <TextLink underline="hover" {...pages.template(owned.id)}>
        {t("Your template {name} has a different text: create its binding yourself", { name: owned.name })}
      </TextLink>
    </Text>
  );
}

function Preview({ ready, language }: { ready: ReadyBinding; language: GalleryLanguage }) {
  const { template, conditions, schedule, values } = ready;
  const map = galleryMap(template, language, values);
  const rules = [
    conditions && t("if {conditions}", { conditions: describeConditions(conditions) }),
    schedule && describeSchedule(schedule, t),
  ].filter((rule) => rule !== null);
  return (
    <Columns least="18rem" gap="var(--mantine-spacing-md)">
      <GalleryMessage name={template} language={language} />
      <Stack gap="xs">
        <Text fw={600}>{t("To the customer, with these values of the event:")}</Text>
        <Box component="ol" m={0} ps="1.5rem" fz="sm" style={{ overflowWrap: "anywhere" }} aria-label={t("Variables")}>
          {Object.entries(map.body ?? {}).map(([slot, spec]) => (
            <li key={slot}>{describeSource(spec)}</li>
          ))}
        </Box>
        {rules.map((rule) => (
          <Text key={rule} style={{ overflowWrap: "anywhere" }}>
            {sentenceCase(rule)}.
          </Text>
        ))}
      </Stack>
    </Columns>
  );
}
