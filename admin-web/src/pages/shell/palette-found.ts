import { useDebouncedValue } from "@mantine/hooks";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconArrowsSplit2 from "@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs";
import IconBolt from "@tabler/icons-react/dist/esm/icons/IconBolt.mjs";
import IconBook from "@tabler/icons-react/dist/esm/icons/IconBook.mjs";
import IconBuildingStore from "@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs";
import IconMessages from "@tabler/icons-react/dist/esm/icons/IconMessages.mjs";
import IconPackage from "@tabler/icons-react/dist/esm/icons/IconPackage.mjs";
import IconRefresh from "@tabler/icons-react/dist/esm/icons/IconRefresh.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconTemplate from "@tabler/icons-react/dist/esm/icons/IconTemplate.mjs";
import IconUser from "@tabler/icons-react/dist/esm/icons/IconUser.mjs";
import IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import IconWebhook from "@tabler/icons-react/dist/esm/icons/IconWebhook.mjs";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { readLogSearch } from "shared/core/log-search";
import { isE164 } from "shared/core/phone";
import { digitsOf } from "shared/core/phone-in-text";
import { formatLanguage, formatParts, formatTime } from "../../format.ts";
import { language as shownIn, t, translated } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { siteTitle } from "../../ui/base/labels.ts";
import { useMay } from "../../ui/base/role.ts";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { exactFirst } from "../../ui/list/list-filters.tsx";
import { kindLabel } from "../../ui/problem/problem-kinds.ts";
import { endpointName } from "../../ui/site/endpoints.tsx";

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

type More = Pick<PaletteEntry, "hint" | "stays">;

export const entryOf = (id: string, label: string, icon: PaletteEntry["icon"], run: () => unknown, more: More = {}): PaletteEntry => ({
  id,
  label,
  icon,
  run: () => void run(),
  ...more,
});

export type PaletteGroup = { label: string; entries: PaletteEntry[] };

export interface Found {
  groups: PaletteGroup[];
  /** What comes after pages and commands. */
  more?: PaletteGroup[];
  /** True while the server is still searching. */
  isLooking: boolean;
  error: { message: string } | null;
}

const typingPauseMs = 150;
const fewest = 2;
/** The most events that are looked at: somebody's own may be older than those of people whose names have the sought words too. */
const mostSought = 100;
/** Shorter texts are not looked for among events. */
const fewestSigns = 3;

/** An order, and the events of it that were found. */
export type FoundOrder = { number: string; eventIds: string[] };

/** What is sought: of `resend order 20123`, an action, only what it is about. */
function soughtIn(query: string): string {
  const words = query.trim().split(/\s+/u);
  const actions = [
    t("Resend order {number}", { number: "" }),
    t("Pause sending for {name}", { name: "" }),
    t("Resume sending for {name}", { name: "" }),
  ];
  const known = actions.map((action) => action.trim().toLowerCase().split(" ")).find((all) => all.includes(words[0]?.toLowerCase() ?? ""));
  return words.filter((word) => known?.includes(word.toLowerCase()) !== true).join(" ");
}

/** Matching sites, templates, customers, events, fields and problems, with what can be done with them; also a search of the log and of the documentation. */
export function useFound(query: string, resend: (order: FoundOrder) => void): Found {
  const navigate = useNavigate();
  const seesPhones = useMay("seePhones");
  const text = soughtIn(query);
  const [settled] = useDebouncedValue(text, typingPauseMs);
  const options = optionsOf(settled);
  const sites = trpc.sites.list.useQuery({ search: settled, limit: 5 }, options);
  const templates = trpc.templates.list.useQuery({ search: settled, limit: 5 }, options);
  const after = useFoundAfter(text, settled);
  const found = useFoundEvents(text, settled, text !== query.trim(), resend);
  const kind = pastedKind(text, seesPhones);
  // A number of digits may read like a phone and be an order's.
  const isPasted =
    kind !== null && !found.groups.some(({ entries }) => entries.some(({ label }) => label === t("Order {number}", { number: text })));
  const inLog = () => navigate({ to: paths.log, search: { search: text } });
  const search = entryOf("log", t("Search messages for {text}", { text }), IconSearch, inLog, {
    hint: isPasted ? (kind ?? undefined) : undefined,
  });
  const lists: PaletteGroup[] = [
    {
      label: t("Sites"),
      entries: (sites.data?.items ?? []).map(({ id, url, ...site }) =>
        entryOf(id, siteTitle(site), IconBuildingStore, () => navigate(pages.site(id)), { hint: url }),
      ),
    },
    {
      label: t("Templates"),
      entries: (templates.data?.items ?? []).map(({ id, name, language, status }) =>
        entryOf(id, name, IconTemplate, () => navigate(pages.template(id)), {
          hint: formatParts([formatLanguage(language), translated(status)]),
        }),
      ),
    },
  ];
  // Whoever has the phone that is sought comes before everything.
  const foremost = found.groups.slice(0, Number([t("Customers"), t("Recipients")].includes(found.groups[0]?.label ?? "")));
  return {
    groups: [
      ...foremost,
      ...(isPasted ? [{ label: t("Messages"), entries: [search] }] : []),
      ...found.groups.slice(foremost.length),
      ...(found.groups.length > 0 && !isPasted ? [{ label: t("Messages"), entries: [search] }] : []),
      ...(text.length >= fewest ? lists : []),
    ].filter(({ entries }) => entries.length > 0),
    more: text.length >= fewest ? after.groups : [],
    isLooking:
      text.length >= fewest &&
      (text !== settled || [found, after].some(({ isLooking }) => isLooking) || sites.isFetching || templates.isFetching),
    error: options.enabled ? (sites.error ?? templates.error ?? after.error ?? found.error) : null,
  };
}

const optionsOf = (settled: string) => ({ enabled: settled.length >= fewest, placeholderData: keepPreviousData, staleTime: 30_000 });

const mostListed = 4;

/** Open problems, bindings by their events, endpoints, people of the account, fields, and the documentation. */
function useFoundAfter(text: string, settled: string): Found {
  const navigate = useNavigate();
  const fields = trpc.notifications.filterValues.useQuery({ field: "field", search: settled }, optionsOf(settled));
  const problems = trpc.problems.list.useQuery({ state: "open", limit: 100 }, optionsOf(settled));
  const bindings = trpc.bindings.list.useQuery({ limit: 200 }, optionsOf(settled));
  const endpoints = trpc.webhooks.list.useQuery({ limit: 200 }, optionsOf(settled));
  const isOwner = useMay("owner");
  const people = trpc.users.list.useQuery({ limit: 200 }, { ...optionsOf(settled), enabled: isOwner && settled.length >= fewest });
  const asked = [fields, problems, bindings, endpoints, people];
  const siteName = useSiteName();
  const inDocs = () => navigate({ to: paths.developers, search: { q: text } });
  /** The first entries that have the text among their words. */
  const sought = (label: string, entries: PaletteEntry[] = [], wordsOf = (entry: PaletteEntry) => entry.label): PaletteGroup => ({
    label,
    entries: entries.filter((entry) => wordsOf(entry).toLowerCase().includes(text.toLowerCase())).slice(0, mostListed),
  });
  const groups = [
    sought(
      t("Problems"),
      problems.data?.items.map(({ id, kind, siteId, title }) =>
        entryOf(`problem-${id}`, shownIn === "en" ? title : kindLabel(kind), IconAlertTriangle, () =>
          navigate({ to: paths.problems, search: { kind, siteId: siteId ?? undefined } }),
        ),
      ),
    ),
    sought(
      t("Bindings"),
      bindings.data?.items.map(({ id, event, siteId }) =>
        entryOf(`binding-${id}`, event, IconArrowsSplit2, () => navigate(pages.binding(id)), { hint: siteName(siteId) }),
      ),
    ),
    sought(
      t("Endpoints"),
      endpoints.data?.items.map(({ id, siteId, ...endpoint }) =>
        entryOf(`endpoint-${id}`, endpointName(endpoint), IconWebhook, () => navigate(pages.endpoint(id)), { hint: siteName(siteId) }),
      ),
    ),
    sought(
      t("People"),
      people.data?.items.map(({ id, name, email }) =>
        entryOf(`user-${id}`, name, IconUsers, () => navigate({ to: paths.people }), { hint: email }),
      ),
      ({ label, hint }) => `${label}\n${hint}`,
    ),
    sought(
      t("Fields"),
      fields.data?.items.map(({ value: field }) =>
        entryOf(`field-${field}`, field, IconArrowsSplit2, () => navigate({ to: paths.bindings, search: { field } }), {
          hint: t("Bindings that use it"),
        }),
      ),
    ),
    { label: t("Documentation"), entries: [entryOf("docs", t("Search the documentation for {text}", { text }), IconBook, inDocs)] },
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isLooking: asked.some(({ isFetching }) => isFetching),
    error: asked.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** Events that match the text, their orders and customers. `isAction`: the text began with one. */
function useFoundEvents(text: string, settled: string, isAction: boolean, resend: (order: FoundOrder) => void): Found {
  const mayResend = useMay("operator");
  const navigate = useNavigate();
  const isAsked = settled.length >= fewestSigns;
  const query = trpc.events.list.useQuery(
    { search: settled, limit: mostSought },
    { enabled: isAsked, placeholderData: keepPreviousData, staleTime: 5_000 },
  );
  const { ofOrder, owner, isLooking } = useFoundExactly(text, settled, isAsked);
  const isSought = ({ customer }: { customer: string | null }) => customer?.toLowerCase() === text.toLowerCase();
  const known = new Map([...ofOrder, ...(query.data?.items ?? [])].map((event) => [event.id, event]));
  const events = text.length >= fewestSigns ? exactFirst([...known.values()], text) : [];
  // Whoever is sought by the whole name comes first, with all that is about them.
  const found = [...events.filter(isSought), ...events.filter((event) => !isSought(event))];
  const people = owner === undefined ? customersOf(found) : [{ phone: owner.toPhone, name: owner.recipientName ?? null }];
  // The phone of the site's own people is no customer's.
  const isOwn = owner !== undefined && owner.customerName === null;
  const customers = people.map(({ phone, name }) =>
    entryOf(`customer-${phone}`, name ?? phone, IconUser, () => navigate(pages.customer(phone)), {
      hint: name !== null ? phone : isOwn ? t("Recipient") : t("Customer"),
    }),
  );
  const entries = found.slice(0, 5).map(({ id, name, orderNumber, customer, receivedAt }) => {
    const parts = [orderNumber ?? name, customer, formatTime(receivedAt)];
    const hint = orderNumber === null ? undefined : name;
    return entryOf(`event-${id}`, formatParts(parts), IconBolt, () => navigate(pages.event(id)), { hint });
  });
  const numbered = new Map(
    found.flatMap(({ orderId, orderNumber: number, customer }) =>
      orderId === null || number === null ? [] : [[orderId, { number, hint: customer ?? undefined }]],
    ),
  );
  const orders = [...numbered].slice(0, 3).flatMap(([orderId, { number, hint }]) => {
    const eventIds = found.filter((event) => event.orderId === orderId).map(({ id }) => id);
    const sees = [
      entryOf(`order-${orderId}`, t("Order {number}", { number }), IconPackage, () => navigate(pages.order(orderId)), { hint }),
      entryOf(`messages-${orderId}`, t("Messages of order {number}", { number }), IconMessages, () =>
        navigate({ to: paths.log, search: { search: number } }),
      ),
    ];
    // The dialog says where nothing has failed.
    const ask = () => resend({ number, eventIds });
    const does = entryOf(`resend-${orderId}`, t("Resend order {number}", { number }), IconRefresh, ask, { stays: true });
    return !mayResend ? sees : isAction ? [does, ...sees] : [...sees, does];
  });
  const groups = [
    { label: t("Orders"), entries: orders },
    { label: isOwn ? t("Recipients") : t("Customers"), entries: customers },
    { label: t("Events"), entries },
  ];
  const isName = customers[0]?.label.toLowerCase() === text.toLowerCase();
  if (isName || owner !== undefined || isPhoneOf(text, found)) groups.unshift(...groups.splice(1, 1));
  return {
    groups: groups.filter((group) => group.entries.length > 0),
    isLooking: isLooking || query.isFetching,
    error: isAsked ? query.error : null,
  };
}

/** The events of the order with the whole number, which may be older than all that only begin with it; and of the phone, of which lists tell the first recipient alone, the newest message. */
function useFoundExactly(text: string, settled: string, isAsked: boolean) {
  const seesPhones = useMay("seePhones");
  const read = readLogSearch(settled);
  const ofOrder = trpc.events.list.useQuery(
    { orderNumber: settled, limit: mostSought },
    { enabled: isAsked && /\d/u.test(settled), staleTime: 5_000 },
  );
  const to = trpc.notifications.list.useQuery(
    { phone: "phone" in read ? read.phone : "", limit: 1 },
    { enabled: isAsked && seesPhones && "phone" in read, staleTime: 5_000 },
  );
  const owner = text === settled ? to.data?.items[0] : undefined;
  return { ofOrder: ofOrder.data?.items ?? [], owner, isLooking: ofOrder.isFetching || to.isFetching };
}

/** Whether the text is the phone of a customer, or a part that is too long for anything else, and no order's number. */
function isPhoneOf(text: string, found: readonly { recipient: string | null; orderNumber: string | null }[]): boolean {
  const digits = digitsOf(text).replace(/^0+/u, "");
  if (digits.length < 6 || !/^[\d\s+()./-]+$/u.test(text) || found.some(({ orderNumber }) => digitsOf(orderNumber ?? "") === digits))
    return false;
  return found.some(({ recipient }) => recipient?.includes(digits));
}

/** The first recipients of found events, each once. */
function customersOf(events: readonly { recipient: string | null; customer: string | null; isToCustomer?: boolean }[]) {
  const names = new Map<string, string | null>();
  for (const { recipient, customer, isToCustomer } of events)
    if (recipient !== null && isToCustomer !== false && isE164(recipient)) names.set(recipient, names.get(recipient) ?? customer);
  return Array.from(names, ([phone, name]) => ({ phone, name })).slice(0, 3);
}

/** The kind of a pasted text; null if it is neither ID nor phone number, or the person may not search for phones. */
export function pastedKind(text: string, seesPhones: boolean): string | null {
  const search = readLogSearch(text);
  if ("anyId" in search) return t("Message, event or order ID");
  if ("phone" in search) return seesPhones ? t("Phone number") : null;
  return search.waMessageId.startsWith("wamid.") ? "WhatsApp message ID" : null;
}
