import { Menu } from "@mantine/core";
import IconBookmark from "@tabler/icons-react/dist/esm/icons/IconBookmark.mjs";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { ViewFilter } from "shared/core/input/views";
import { type ViewList, viewMembers } from "shared/core/saved-view";
import { locale, t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { SmallButton } from "../base/buttons.tsx";
import { Dialog } from "../base/dialogs.tsx";
import { part } from "../base/later.tsx";
import { useMay } from "../base/role.ts";
import { presetOf, rangeOf } from "./date-range.tsx";

const SaveForm = part(async () => (await import("./saved-view-forms.tsx")).SaveForm);
const Views = part(async () => (await import("./saved-view-forms.tsx")).Views);

interface SavedViewsProps {
  list: ViewList;
  zone: string | undefined;
  /** The page's search parameters. */
  search: object;
  /** Those that the page itself stands for, such as its endpoint: the views of others are not for it, and leave it. */
  within?: ViewFilter | undefined;
}

/** The views of a list by name, the one that is shown, and why the present filter cannot be saved as another. */
function useViews({ list, search, zone, within = {} }: SavedViewsProps) {
  const query = trpc.views.list.useQuery({ list, limit: 200 }, { staleTime: 60_000 });
  const views = (query.data?.items ?? [])
    .filter(({ filter }) => isSameFilter({ ...within, ...filter }, { ...filter, ...within }))
    .toSorted((one, other) => one.name.localeCompare(other.name, locale));
  const given = { ...search, ...within };
  const filter = toViewFilter(list, given, undefined, zone);
  const isShortened = isPersonal(list, given);
  const present = isShortened ? undefined : views.find((view) => isSameFilter({ ...view.filter, ...within }, filter));
  const isBare = Object.keys(filter).length === Object.keys(within).length;
  const why =
    present !== undefined
      ? t("This is the view “{name}”.", { name: present.name })
      : isBare && isShortened
        ? t("Add a filter first: the searched text, phone or ID is not saved, it may name a customer.")
        : isBare && t("Add a filter first: a view keeps the filters of the list.");
  return { views, filter, isShortened, present, why, isNew: query.isSuccess && why === false };
}

/** The views of a list as a menu, for the end of a filter bar. Operators save, change and delete them there. */
export function SavedViewsMenu(props: SavedViewsProps) {
  const { list, zone, within = {} } = props;
  const unset = Object.fromEntries(Object.keys(within).map((name) => [name, undefined]));
  const mayWrite = useMay("operator");
  const { views, filter, isShortened, present, why, isNew } = useViews(props);
  const [opened, open] = useState<"save" | "edit" | null>(null);
  const close = () => open(null);
  const id = useId();
  return (
    <>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <SmallButton maw="14rem" leftSection={<IconBookmark size={14} aria-hidden />}>
            {present?.name ?? t("Views")}
          </SmallButton>
        </Menu.Target>
        <Menu.Dropdown aria-label={t("Saved views")} maw="20rem" mah="20rem" style={{ overflowY: "auto" }}>
          {views.map((view) => (
            <Menu.Item
              key={view.id}
              fw={view === present ? 600 : undefined}
              {...(view === present && { "aria-current": "page" as const })}
              renderRoot={(item) => <Link to="." search={{ ...toSearch(view.filter, undefined, zone), ...unset } as never} {...item} />}
            >
              {view.name}
            </Menu.Item>
          ))}
          {views.length === 0 && <Menu.Label>{t("No saved views yet")}</Menu.Label>}
          {mayWrite && views.length > 0 && <Menu.Divider />}
          {mayWrite && (
            <Menu.Item disabled={!isNew} title={why || undefined} aria-describedby={why ? id : undefined} onClick={() => open("save")}>
              {t("Save view")}
            </Menu.Item>
          )}
          {mayWrite && why && (
            <Menu.Label id={id} fw={400}>
              {why}
            </Menu.Label>
          )}
          {mayWrite && views.length > 0 && <Menu.Item onClick={() => open("edit")}>{t("Edit views")}</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <Dialog title={t("Save view")} opened={opened === "save"} onClose={close}>
        <SaveForm {...{ list, filter, views, isShortened }} onDone={close} />
      </Dialog>
      <Dialog title={t("Saved views")} size="lg" opened={opened === "edit"} onClose={close}>
        <Views views={views} filter={isNew ? filter : undefined} />
      </Dialog>
    </>
  );
}

type Search = Readonly<Record<string, unknown>>;

/** The search parameters that a view of the list keeps. A usual period is kept by its name, so that it moves on with the days. */
export function toViewFilter(list: ViewList, search: Search, now = new Date(), zone?: string): ViewFilter {
  const kept: Record<string, unknown> = {};
  for (const name of viewMembers[list]) if (search[name] !== undefined) kept[name] = search[name];
  const { from, to, ...rest } = kept as ViewFilter;
  const period = presetOf({ from, to }, now, zone);
  return period === undefined ? kept : { ...rest, period };
}

/** The search parameters of a view, with its period as it is now. */
export const toSearch = ({ period, ...filter }: ViewFilter, now = new Date(), zone?: string): Omit<ViewFilter, "period"> =>
  period === undefined ? filter : { ...filter, ...rangeOf(period, now, zone) };

/** Whether the search holds a value that no view of the list keeps, since it may name a customer. */
export const isPersonal = (list: ViewList, search: Search): boolean =>
  personal.some((name) => search[name] !== undefined && !viewMembers[list].some((member) => member === name));

const personal = ["search", "phone", "eventId", "orderId"];

export const isSameFilter = (one: ViewFilter, other: ViewFilter): boolean => inOrder(one) === inOrder(other);

const inOrder = (filter: ViewFilter): string => JSON.stringify(Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1)));
