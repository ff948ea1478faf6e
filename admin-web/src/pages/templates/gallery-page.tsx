import { Button, Card, Checkbox, Code, Group, Stack, Text } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type GalleryLanguage, type GalleryName, gallery, galleryNames, galleryTemplate } from "shared/core/gallery/entries";
import { t, translated } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { SecondaryButton, TextLink } from "../../ui/base/buttons.tsx";
import { LabelBadge } from "../../ui/base/facts.tsx";
import { ticked } from "../../ui/base/fields.ts";
import { Dimmed, FailureNotice, News, Page, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { FilterBar } from "../../ui/list/filter-bar.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { ListSkeleton } from "../../ui/table/data-table.tsx";
import { firstLanguage, galleryChoices, galleryLanguage } from "../../ui/template/gallery-language.ts";
import { ensureTemplate, GalleryMessage, isGalleryText, useForEach, useOwnedTemplates } from "../../ui/template/gallery.tsx";
import { categoryName, TemplateStatusBadge } from "../../ui/template/template-labels.tsx";
import type { ListedTemplate } from "../../ui/template/templates.ts";
import { type GallerySearch, readGallerySearch } from "./route.ts";
import classes from "./templates.module.css";

export function GalleryPage() {
  const { language: asked, search } = useSearch({ from: `/signed-in${paths.templateGallery}` });
  const language = galleryLanguage(asked) ?? firstLanguage();
  const { owned, isWhole, error, retry } = useOwnedTemplates(language);
  const found = galleryNames.filter((name) => matches(name, language, search ?? ""));
  return (
    <Page
      title={t("Template gallery")}
      lead={isWhole ? tellState("gallery", { owned: galleryNames.filter((name) => owned.has(name)).length }) : ""}
      back={{ to: paths.templates, label: t("Templates") }}
    >
      <FilterBar<GallerySearch>
        search={{ language, search }}
        read={readGallerySearch}
        placeholder={t("Event, name or text")}
        filters={[{ name: "language", label: t("Language"), isKept: true, options: galleryChoices() }]}
      />
      {error !== null && <FailureNotice title={t("Could not load your templates")} error={error} onRetry={retry} />}
      {error === null && !isWhole && <ListSkeleton what={t("your templates")} />}
      {isWhole && <Choice key={language} language={language} names={found} owned={owned} />}
    </Page>
  );
}

function matches(name: GalleryName, language: GalleryLanguage, search: string): boolean {
  const { events } = gallery[name];
  const title = galleryTitle(name);
  const { header, body } = galleryTemplate(name, language);
  const text = [name, title, ...events, header.text, body].join("\n").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

const cards = { gridTemplateColumns: "repeat(auto-fill, minmax(min(100%, 20rem), 1fr))" };

interface ChoiceProps {
  language: GalleryLanguage;
  names: readonly GalleryName[];
  owned: ReadonlyMap<string, ListedTemplate>;
}

function Choice({ language, names, owned }: ChoiceProps) {
  const mayWrite = useMay("operator");
  const [chosen, setChosen] = useState<readonly GalleryName[]>([]);
  const choose = (name: GalleryName, isChosen: boolean) =>
    setChosen((before) => [...before.filter((each) => each !== name), ...(isChosen ? [name] : [])]);
  return (
    <>
      {names.length === 0 && (
        <EmptyState title={t("Nothing in the gallery matches")}>{t("Search for fewer words, or in another language.")}</EmptyState>
      )}
      <Stack component="ul" display="grid" style={cards} aria-label={t("Gallery")}>
        {names.map((name) => (
          <li key={name}>
            <Offer
              name={name}
              language={language}
              owned={owned.get(name)}
              isChosen={chosen.includes(name)}
              onChoose={mayWrite ? (isChosen) => choose(name, isChosen) : undefined}
            />
          </li>
        ))}
      </Stack>
      {mayWrite && <SubmitChosen language={language} chosen={chosen} owned={owned} onDone={() => setChosen([])} />}
    </>
  );
}

const galleryTitle = (name: GalleryName): string => translated(gallery[name].title);

interface OfferProps {
  name: GalleryName;
  language: GalleryLanguage;
  owned: ListedTemplate | undefined;
  isChosen: boolean;
  /** Absent for a role that cannot choose. */
  onChoose: ((isChosen: boolean) => void) | undefined;
}

function Offer({ name, language, owned, isChosen, onChoose }: OfferProps) {
  const { events, category } = gallery[name];
  const title = galleryTitle(name);
  return (
    <Card
      h="100%"
      className={classes["offer"] ?? ""}
      style={{ gap: "var(--mantine-spacing-sm)", borderColor: isChosen ? "var(--mantine-color-teal-filled)" : undefined }}
    >
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        {owned === undefined && onChoose !== undefined ? (
          <Checkbox label={title} fw={600} {...ticked(isChosen, onChoose)} />
        ) : (
          <Text fw={600} component="h2">
            {title}
          </Text>
        )}
        <LabelBadge>{categoryName(category)}</LabelBadge>
      </Group>
      <Dimmed component="div">{rich(t("For <0>{events}</0>", { events: events.join(", ") }), <Code />)}</Dimmed>
      {owned !== undefined && (
        <Group gap="xs">
          <TemplateStatusBadge status={owned.status} />
          <Text>
            <TextLink {...pages.template(owned.id)}>
              {isGalleryText(owned) ? t("You have it") : t("Your {name} has a different text", { name: owned.name })}
            </TextLink>
          </Text>
        </Group>
      )}
      <GalleryMessage name={name} language={language} />
    </Card>
  );
}

interface SubmitChosenProps extends Omit<ChoiceProps, "names"> {
  chosen: readonly GalleryName[];
  onDone: () => void;
}

function SubmitChosen({ language, chosen, owned, onDone }: SubmitChosenProps) {
  const { run, isRunning, notices } = useForEach(t("Not submitted"));
  const [outcome, setOutcome] = useState<ReactNode>(null);
  const take = async (isSubmitted: boolean) => {
    setOutcome(null);
    const items = chosen.map((name) => ({ name, title: galleryTitle(name) }));
    const done = await run(items, ({ name }) => ensureTemplate(name, language, { owned: owned.get(name), isSubmitted }));
    if (done.length > 0)
      setOutcome(
        <TextLink to={paths.templates} search={{ status: isSubmitted ? undefined : "draft" }}>
          {isSubmitted
            ? t("{count, plural, one {# template submitted.} other {# templates submitted.}}", { count: done.length })
            : t("{count, plural, one {# template created as a draft.} other {# templates created as drafts.}}", { count: done.length })}
        </TextLink>,
      );
    onDone();
  };
  const none = chosen.length === 0;
  if (none && outcome === null && notices.length === 0 && !isRunning) return null;
  return (
    <Card padding="sm" pos="sticky" bottom="var(--mantine-spacing-sm)" style={{ zIndex: 1, gap: "var(--mantine-spacing-sm)" }}>
      {notices}
      <Group justify="space-between" gap="sm">
        <News>{none ? outcome : t("{count, plural, one {# template} other {# templates}} selected.", { count: chosen.length })}</News>
        {!none && (
          <Group gap="xs">
            <SecondaryButton disabled={isRunning} onClick={() => void take(false)}>
              {t("Create drafts")}
            </SecondaryButton>
            <Button loading={isRunning} onClick={() => void take(true)}>
              {t("Create and submit")}
            </Button>
          </Group>
        )}
      </Group>
    </Card>
  );
}
