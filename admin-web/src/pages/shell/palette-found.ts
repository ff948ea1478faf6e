import { useDebouncedValue } from "@mantine/hooks";
import IconBolt from "@tabler/icons-react/dist/esm/icons/IconBolt.mjs";
import IconBuildingStore from "@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconTemplate from "@tabler/icons-react/dist/esm/icons/IconTemplate.mjs";
import IconUser from "@tabler/icons-react/dist/esm/icons/IconUser.mjs";
import type IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { readLogSearch } from "shared/core/message";
import { isE164 } from "shared/core/phone";
import { formatLanguage, formatParts, formatTime } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { siteTitle } from "../../ui/labels.ts";

/** A page or command of the palette. */
export interface PaletteEntry {
  id: string;
  label: string;
  /** Small text beside the label; searched too. */
  hint?: string | undefined;
  icon: typeof IconUsers;
  run: () => void;
  /** Keeps the palette open, to show the result. */
  stays?: boolean;
}

export interface PaletteGroup {
  label: string;
  entries: PaletteEntry[];
}

interface Found {
  groups: PaletteGroup[];
  /** True while the server is still searching. */
  isLooking: boolean;
  error: { message: string } | null;
}

const typingPauseMs = 150;
const fewest = 2;
/** Shorter texts are not looked for among events. */
const fewestSigns = 3;

/** Matching sites, templates, customers and events; for an ID or a phone number also a search of the log. */
export function useFound(query: string): Found {
  const navigate = useNavigate();
  const seesPhones = useMay("seePhones");
  const text = query.trim();
  const [settled] = useDebouncedValue(text, typingPauseMs);
  const options = { enabled: settled.length >= fewest, placeholderData: keepPreviousData, staleTime: 30_000 };
  const sites = trpc.sites.list.useQuery({ search: settled, limit: 5 }, options);
  const templates = trpc.templates.list.useQuery({ search: settled, limit: 5 }, options);
  const found = useFoundEvents(text, settled);
  const kind = pastedKind(text, seesPhones);
  const groups: PaletteGroup[] = [];
  if (kind !== null) {
    const run = () => void navigate({ to: paths.log, search: { search: text } });
    groups.push({
      label: t("Messages"),
      entries: [{ id: "log", label: t("Search messages for {text}", { text }), hint: kind, icon: IconSearch, run }],
    });
  }
  groups.push(...found.groups);
  if (found.groups.length > 0 && kind === null) {
    const run = () => void navigate({ to: paths.log, search: { search: text } });
    groups.push({
      label: t("Messages"),
      entries: [{ id: "log", label: t("Search messages for {text}", { text }), icon: IconSearch, run }],
    });
  }
  if (text.length >= fewest) {
    groups.push(
      {
        label: t("Sites"),
        entries: (sites.data?.items ?? []).map(({ id, url, ...site }) => ({
          id,
          label: siteTitle(site),
          hint: url,
          icon: IconBuildingStore,
          run: () => void navigate({ to: paths.site, params: { siteId: id } }),
        })),
      },
      {
        label: t("Templates"),
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
    isLooking: text.length >= fewest && (text !== settled || sites.isFetching || templates.isFetching || found.isLooking),
    error: options.enabled ? (sites.error ?? templates.error ?? found.error) : null,
  };
}

/** Events that match the text, and their customers. */
function useFoundEvents(text: string, settled: string): Found {
  const navigate = useNavigate();
  const isAsked = settled.length >= fewestSigns;
  const query = trpc.events.list.useQuery(
    { search: settled, limit: 5 },
    { enabled: isAsked, placeholderData: keepPreviousData, staleTime: 5_000 },
  );
  const events = text.length >= fewestSigns ? (query.data?.items ?? []) : [];
  const customers = customersOf(events).map(({ phone, name }) => ({
    id: `customer-${phone}`,
    label: name ?? phone,
    hint: name === null ? t("Customer") : phone,
    icon: IconUser,
    run: () => void navigate({ to: paths.customer, params: { phone } }),
  }));
  const entries = events.map(({ id, name, orderNumber, customer, receivedAt }) => ({
    id: `event-${id}`,
    label: formatParts([orderNumber ?? name, customer, formatTime(receivedAt)].filter((part) => part !== null)),
    hint: orderNumber === null ? undefined : name,
    icon: IconBolt,
    run: () => void navigate({ to: paths.events, search: { open: id } }),
  }));
  return {
    groups: [
      { label: t("Customers"), entries: customers },
      { label: t("Events"), entries },
    ].filter((group) => group.entries.length > 0),
    isLooking: query.isFetching,
    error: isAsked ? query.error : null,
  };
}

/** The recipients of found events, each once. */
function customersOf(events: readonly { recipient: string | null; customer: string | null }[]) {
  const names = new Map<string, string | null>();
  for (const { recipient, customer } of events) {
    if (recipient !== null && isE164(recipient)) names.set(recipient, names.get(recipient) ?? customer);
  }
  return [...names].slice(0, 3).map(([phone, name]) => ({ phone, name }));
}

/** The kind of a pasted text; null if it is neither ID nor phone number, or the person may not search for phones. */
export function pastedKind(text: string, seesPhones: boolean): string | null {
  const search = readLogSearch(text);
  if ("anyId" in search) return t("Message, event or order ID");
  if ("phone" in search) return seesPhones ? t("Phone number") : null;
  return search.waMessageId.startsWith("wamid.") ? "WhatsApp message ID" : null;
}
