import { useDebouncedValue } from "@mantine/hooks";
import IconBuildingStore from "@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconTemplate from "@tabler/icons-react/dist/esm/icons/IconTemplate.mjs";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { formatLanguage } from "../../../format.ts";
import { paths } from "../../../paths.ts";
import { useMay } from "../../../session/me.ts";
import { trpc } from "../../../trpc.ts";
import type { PaletteGroup } from "./palette-entry.ts";
import { pastedKind } from "./pasted.ts";

interface Found {
  groups: PaletteGroup[];
  /** Whether the server still looks. */
  isLooking: boolean;
  error: { message: string } | null;
}

const typingPauseMs = 150;
const fewest = 2;

/** What the account has that fits the query: sites, templates, and for an id or a phone the log. */
export function useFound(query: string): Found {
  const navigate = useNavigate();
  const seesPhones = useMay("operator");
  const text = query.trim();
  const [settled] = useDebouncedValue(text, typingPauseMs);
  const options = { enabled: settled.length >= fewest, placeholderData: keepPreviousData, staleTime: 30_000 };
  const sites = trpc.sites.list.useQuery({ search: settled, limit: 5 }, options);
  const templates = trpc.templates.list.useQuery({ search: settled, limit: 5 }, options);
  const kind = pastedKind(text, seesPhones);
  const groups: PaletteGroup[] = [];
  if (kind !== null) {
    const run = () => void navigate({ to: paths.log, search: { search: text } });
    groups.push({ label: "Log", entries: [{ id: "log", label: `Look for ${text}`, hint: kind, icon: IconSearch, run }] });
  }
  if (text.length >= fewest) {
    groups.push(
      {
        label: "Sites",
        entries: (sites.data?.items ?? []).map(({ id, name, url }) => ({
          id,
          label: name,
          hint: url,
          icon: IconBuildingStore,
          run: () => void navigate({ to: paths.site, params: { siteId: id } }),
        })),
      },
      {
        label: "Templates",
        entries: (templates.data?.items ?? []).map(({ id, name, language, status }) => ({
          id,
          label: name,
          hint: `${formatLanguage(language)}, ${status}`,
          icon: IconTemplate,
          run: () => void navigate({ to: paths.template, params: { templateId: id } }),
        })),
      },
    );
  }
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isLooking: text.length >= fewest && (text !== settled || sites.isFetching || templates.isFetching),
    error: options.enabled ? (sites.error ?? templates.error) : null,
  };
}
