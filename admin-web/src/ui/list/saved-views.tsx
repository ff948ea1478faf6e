import { Menu } from "@mantine/core";
import IconBookmark from "@tabler/icons-react/dist/esm/icons/IconBookmark.mjs";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { ViewFilter } from "shared/core/input/views";
import { type ViewList, viewMembers } from "shared/core/saved-view";
import { locale, t } from "../../language.ts";
import { paths } from "../../paths.ts";
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
}

/** The views of a list by name, the one that is shown, and whether the present filter is none of them. */
function useViews(list: ViewList, search: object, zone: string | undefined) {
  const query = trpc.views.list.useQuery({ list, limit: 200 }, { staleTime: 60_000 });
  const views = (query.data?.items ?? []).toSorted((one, other) => one.name.localeCompare(other.name, locale));
  const given = { ...search };
  const filter = toViewFilter(list, given, undefined, zone);
  const isShortened = isPersonal(list, given);
  const present = isShortened ? undefined : views.find((view) => isSameFilter(view.filter, filter));
  const isNew = query.isSuccess && present === undefined && Object.keys(filter).length > 0;
  return { views, filter, isShortened, present, isNew };
}

/** The views of a list as a menu, for the end of a filter bar. Operators save, change and delete them there. */
export function SavedViewsMenu({ list, zone, search }: SavedViewsProps) {
  const mayWrite = useMay("operator");
  const { views, filter, isShortened, present, isNew } = useViews(list, search, zone);
  const [opened, open] = useState<"save" | "edit" | null>(null);
  const close = () => open(null);
  const [id, isBare] = [useId(), isShortened && !isNew];
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
              renderRoot={(props) => <Link to={paths[view.list]} search={toSearch(view.filter, undefined, zone) as never} {...props} />}
            >
              {view.name}
            </Menu.Item>
          ))}
          {views.length === 0 && <Menu.Label>{t("No saved views yet")}</Menu.Label>}
          {mayWrite && views.length > 0 && <Menu.Divider />}
          {mayWrite && (
            <Menu.Item disabled={!isNew} aria-describedby={isBare ? id : undefined} onClick={() => open("save")}>
              {t("Save view")}
            </Menu.Item>
          )}
          {mayWrite && isBare && (
            <Menu.Label id={id} fw={400}>
              {t("Add a filter first: the searched text, phone or ID is not saved, it may name a customer.")}
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
