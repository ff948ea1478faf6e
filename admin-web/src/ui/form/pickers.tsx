import { Autocomplete, type AutocompleteProps, Select, type SelectProps, Group, Text } from "@mantine/core";
import { useEffect } from "react";
import { formatLanguage } from "../../format.ts";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { siteTitle } from "../base/labels.ts";
import { Small } from "../base/page.tsx";
import { TemplateStatusBadge } from "../template/template-labels.tsx";
import { type ListedTemplate, useAllTemplates } from "../template/templates.ts";

/** A field for a word of the API, which no keyboard corrects. */
export const asTyped = { autoComplete: "off", autoCapitalize: "none", spellCheck: false } as const;

interface EventNameInputProps extends Omit<AutocompleteProps, "data"> {
  /** The site whose event names are offered; empty for none. */
  siteId: string;
}

const learnMs = 5_000;

/** An event name: one that the site has sent, or any other. */
export function EventNameInput({ siteId, ...props }: EventNameInputProps) {
  const names = trpc.events.names.useQuery(
    { siteId, limit: 200 },
    // The learner may be behind the newest events.
    { enabled: siteId !== "", refetchInterval: ({ state }) => state.data?.items.length === 0 && learnMs },
  );
  return (
    <Autocomplete
      label={t("Event")}
      placeholder="order.created"
      {...asTyped}
      maxDropdownHeight={280}
      data={siteId === "" ? [] : (names.data?.items.map(({ name }) => name) ?? [])}
      {...props}
    />
  );
}

export function SiteSelect({ error, ...props }: Omit<SelectProps, "data">) {
  const sites = trpc.sites.list.useQuery({ limit: 200 });
  const all = sites.data?.items ?? [];
  const data = all.map((site) => ({ value: site.id, label: siteTitle(site), isConnected: site.connectedAt !== null }));
  const { required = false, value, onChange } = props;
  const connected = data.filter(({ isConnected }) => isConnected);
  const [only] = data.length === 1 ? data : connected.length === 1 ? connected : [];
  // The only one, or the only one that posts, is the choice of a form that needs one.
  useEffect(() => {
    if (required && !value && only !== undefined) onChange?.(only.value, only);
  }, [required, value, only, onChange]);
  return (
    <Select
      label={t("Site")}
      data={data}
      searchable
      nothingFoundMessage={t("No matching sites")}
      error={error ?? (sites.error && t("Could not load the sites"))}
      {...props}
    />
  );
}

/** Approved templates first, then the others with their status. */
export function TemplateSelect({ error, ...props }: Omit<SelectProps, "data" | "renderOption">) {
  const { templates, isWhole, error: failure } = useAllTemplates();
  const byId = new Map(templates.map((template) => [template.id, template]));
  return (
    <Select
      label={t("Template")}
      placeholder={isWhole || failure !== null ? t("Search by name") : t("Loading…")}
      data={grouped(templates)}
      renderOption={({ option }) => <TemplateOption template={byId.get(option.value)} />}
      searchable
      maxDropdownHeight={320}
      nothingFoundMessage={t("No matching templates")}
      error={error ?? (failure && t("Could not load the templates"))}
      {...props}
    />
  );
}

function grouped(templates: readonly ListedTemplate[]) {
  const itemsOf = (isApproved: boolean) =>
    templates
      .filter(({ status }) => (status === "approved") === isApproved)
      .map(({ id, name, language }) => ({ value: id, label: `${name} (${language})` }));
  return [
    { group: t("Approved"), items: itemsOf(true) },
    { group: t("Not approved yet"), items: itemsOf(false) },
  ].filter(({ items }) => items.length > 0);
}

function TemplateOption({ template }: { template: ListedTemplate | undefined }) {
  if (template === undefined) return null;
  const { name, language, status, body } = template;
  return (
    <div>
      <Group gap="xs">
        <Text fw={600} span>
          {name}
        </Text>
        <Small span>{formatLanguage(language)}</Small>
        {status !== "approved" && <TemplateStatusBadge status={status} />}
      </Group>
      <Small lineClamp={1}>{body}</Small>
    </div>
  );
}
