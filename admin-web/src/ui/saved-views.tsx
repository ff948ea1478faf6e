import { Alert, Button, Group, Menu, Stack, Text, TextInput } from "@mantine/core";
import IconBookmark from "@tabler/icons-react/dist/esm/icons/IconBookmark.mjs";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { ViewFilter } from "shared/core/input/log";
import { longestViewName, type ViewList, viewMembers, viewPeriods } from "shared/core/saved-view";
import { locale, t } from "../language.ts";
import { paths } from "../paths.ts";
import { cache, type Outputs, trpc } from "../trpc.ts";
import { presetOf, rangeOf } from "./date-range.tsx";
import { ConfirmForm, Dialog } from "./dialogs.tsx";
import { readableMessage } from "./page.tsx";
import { searchOneOf } from "./search-params.ts";
import classes from "./saved-views.module.css";

type View = Outputs["views"]["list"]["items"][number];

interface SavedViewsProps {
  list: ViewList;
  /** The page's search parameters. */
  search: object;
  mayWrite: boolean;
}

/** The views of a list by name, the one that is shown, and whether the present filter is none of them. */
function useViews(list: ViewList, search: object) {
  const query = trpc.views.list.useQuery({ list, limit: 200 }, { staleTime: 60_000 });
  const views = (query.data?.items ?? []).toSorted((one, other) => one.name.localeCompare(other.name, locale));
  const given = { ...search };
  const filter = toViewFilter(list, given);
  const isShortened = isPersonal(given);
  const present = isShortened ? undefined : views.find((view) => isSameFilter(view.filter, filter));
  const isNew = query.isSuccess && present === undefined && Object.keys(filter).length > 0;
  return { views, filter, isShortened, present, isNew };
}

/** The views of a list as a menu, for the end of a filter bar. Operators save, change and delete them there. */
export function SavedViewsMenu({ list, search, mayWrite }: SavedViewsProps) {
  const { views, filter, isShortened, present, isNew } = useViews(list, search);
  const [opened, open] = useState<"save" | "edit" | null>(null);
  const close = () => open(null);
  if (views.length === 0 && !(mayWrite && isNew) && opened === null) return null;
  return (
    <>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <Button size="compact-sm" fz={13} variant="default" maw="14rem" leftSection={<IconBookmark size={14} aria-hidden />}>
            {present?.name ?? t("Views")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label={t("Saved views")} maw="20rem" mah="20rem" style={{ overflowY: "auto" }}>
          {views.map((view) => (
            <Menu.Item
              key={view.id}
              fw={view === present ? 600 : undefined}
              {...(view === present && { "aria-current": "page" as const })}
              renderRoot={(props) => <Link to={paths[view.list]} search={toSearch(view.filter) as never} {...props} />}
            >
              {view.name}
            </Menu.Item>
          ))}
          {mayWrite && views.length > 0 && <Menu.Divider />}
          {mayWrite && isNew && <Menu.Item onClick={() => open("save")}>{t("Save view")}</Menu.Item>}
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

interface SaveFormProps {
  list: ViewList;
  filter: ViewFilter;
  views: readonly View[];
  /** True if a part of the search is not kept. */
  isShortened: boolean;
  onDone: () => void;
}

/** Saves a view; an existing name gets the present filters. */
function SaveForm({ list, filter, views, isShortened, onDone }: SaveFormProps) {
  const [name, setName] = useState("");
  const create = trpc.views.create.useMutation({ onSuccess });
  const update = trpc.views.update.useMutation({ onSuccess });
  const same = views.find((view) => view.name.toLowerCase() === name.trim().toLowerCase());
  return (
    <ConfirmForm
      action={same === undefined ? t("Save view") : t("Replace “{name}”", { name: same.name })}
      isMild
      isAllowed={name.trim() !== ""}
      onClose={onDone}
      onConfirm={() => (same === undefined ? create.mutateAsync({ list, name, filter }) : update.mutateAsync({ id: same.id, filter }))}
    >
      <Stack gap="md">
        {t("Everybody in the account sees the view. A period such as “Last 7 days” moves on with the days.")}
        {isShortened && <Alert color="yellow">{t("The searched text, phone or ID is not saved: it may name a customer.")}</Alert>}
        <TextInput
          label={t("Name of the view")}
          required
          data-autofocus
          autoComplete="off"
          maxLength={longestViewName}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmForm>
  );
}

interface ViewsProps {
  views: readonly View[];
  /** The present filter, unless it is a view already. */
  filter: ViewFilter | undefined;
}

function Views({ views, filter }: ViewsProps) {
  const [deleted, setDeleted] = useState<View[]>([]);
  const restore = trpc.views.create.useMutation({ onSuccess });
  const undo = (view: View) => {
    const { list, name, filter: its } = view;
    const onRestored = () => setDeleted((all) => all.filter((each) => each !== view));
    restore.mutate({ list, name, filter: its }, { onSuccess: onRestored });
  };
  return (
    <Stack gap="sm">
      {views.map((view) => (
        <ViewRow key={view.id} view={view} filter={filter} onDeleted={() => setDeleted((all) => [...all, view])} />
      ))}
      {deleted.map((view) => (
        <Group key={view.id} justify="space-between" role="status">
          <Text size="sm">{t("Deleted “{name}”", { name: view.name })}</Text>
          <Button size="compact-sm" variant="default" loading={restore.isPending} onClick={() => undo(view)}>
            {t("Undo")}
          </Button>
        </Group>
      ))}
      {restore.error && <Alert color="red">{readableMessage(restore.error.message)}</Alert>}
    </Stack>
  );
}

function ViewRow({ view, filter, onDeleted }: { view: View; filter: ViewFilter | undefined; onDeleted: () => void }) {
  const { id, name } = view;
  const [text, setText] = useState(name);
  const update = trpc.views.update.useMutation({ onSuccess });
  const remove = trpc.views.delete.useMutation({
    onSuccess: () => {
      onDeleted();
      return onSuccess();
    },
  });
  const error = update.error ?? remove.error;
  const rename = (event: FormEvent) => {
    event.preventDefault();
    update.mutate({ id, name: text });
  };
  return (
    <form onSubmit={rename} className={classes["change"]} aria-label={name}>
      <TextInput
        size="xs"
        className={classes["name"] ?? ""}
        aria-label={t("Name of the view")}
        autoComplete="off"
        maxLength={longestViewName}
        value={text}
        error={error && readableMessage(error.message)}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button
        type="submit"
        size="compact-sm"
        variant="default"
        disabled={text.trim() === "" || text.trim() === name}
        loading={update.isPending}
      >
        {t("Rename")}
      </Button>
      <Button size="compact-sm" variant="default" disabled={filter === undefined} onClick={() => filter && update.mutate({ id, filter })}>
        {t("Use present filters")}
      </Button>
      <Button size="compact-sm" variant="default" loading={remove.isPending} onClick={() => remove.mutate({ id })}>
        {t("Delete")}
      </Button>
    </form>
  );
}

const onSuccess = () => cache.views.list.invalidate();

type Search = Readonly<Record<string, unknown>>;

/** The search parameters that a view of the list keeps. A usual period is kept by its name, so that it moves on with the days. */
export function toViewFilter(list: ViewList, search: Search, now = new Date()): ViewFilter {
  const kept: Record<string, unknown> = {};
  for (const name of viewMembers[list]) if (search[name] !== undefined) kept[name] = search[name];
  const { from, to, ...rest } = kept as ViewFilter;
  const period = searchOneOf(viewPeriods, presetOf({ from, to }, now));
  return period === undefined ? kept : { ...rest, period };
}

/** The search parameters of a view, with its period as it is now. */
export function toSearch({ period, ...filter }: ViewFilter, now = new Date()): Omit<ViewFilter, "period"> {
  return period === undefined ? filter : { ...filter, ...rangeOf(period, now) };
}

/** Whether the search holds a value that no view keeps, since it may name a customer. */
export const isPersonal = (search: Search): boolean => personal.some((name) => search[name] !== undefined);

const personal = ["search", "phone", "eventId", "orderId"];

export const isSameFilter = (one: ViewFilter, other: ViewFilter): boolean => inOrder(one) === inOrder(other);

const inOrder = (filter: ViewFilter): string => JSON.stringify(Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1)));
