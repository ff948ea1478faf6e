import { Alert, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ViewFilter } from "shared/core/input/views";
import { longestViewName, type ViewList } from "shared/core/saved-view";
import { isBlank } from "shared/core/text";
import { t } from "../../language.ts";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { SmallButton } from "../base/buttons.tsx";
import { ConfirmForm } from "../base/dialogs.tsx";
import { bound, running } from "../base/fields.ts";
import { readableMessage } from "../base/page.tsx";
import { FormConflict } from "../form/form-version.tsx";
import { useInputForm } from "../form/input-form.tsx";
import classes from "./saved-views.module.css";

type View = Outputs["views"]["list"]["items"][number];

interface SaveFormProps {
  list: ViewList;
  filter: ViewFilter;
  views: readonly View[];
  /** True if a part of the search is not kept. */
  isShortened: boolean;
  onDone: () => void;
}

/** Saves a view; an existing name gets the present filters. */
export function SaveForm({ list, filter, views, isShortened, onDone }: SaveFormProps) {
  const [name, setName] = useState("");
  const { create, update } = trpcClient.views;
  const same = views.find((view) => view.name.toLowerCase() === name.trim().toLowerCase());
  return (
    <ConfirmForm
      action={same === undefined ? t("Save view") : t("Replace “{name}”", { name: same.name })}
      isMild
      isAllowed={!isBlank(name)}
      onClose={onDone}
      onConfirm={() =>
        settled<unknown>(
          same === undefined ? create.mutate({ list, name, filter }) : update.mutate({ id: same.id, filter, ifUpdatedAt: same.updatedAt }),
          cache.views.list,
        )
      }
    >
      <Stack>
        {t("Everybody in the account sees the view. A period such as “Last 7 days” moves on with the days.")}
        {isShortened && <Alert color="yellow">{t("The searched text, phone or ID is not saved: it may name a customer.")}</Alert>}
        <TextInput label={t("Name of the view")} required maxLength={longestViewName} {...bound(name, setName)} />
      </Stack>
    </ConfirmForm>
  );
}

/** `filter`: the present one, unless it is a view already. */
export function Views({ views, filter }: { views: readonly View[]; filter: ViewFilter | undefined }) {
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
          <Text>{t("Deleted “{name}”", { name: view.name })}</Text>
          <SmallButton loading={restore.isPending} onClick={() => undo(view)}>
            {t("Undo")}
          </SmallButton>
        </Group>
      ))}
      {restore.error && <Alert color="red">{readableMessage(restore.error.message)}</Alert>}
    </Stack>
  );
}

function ViewRow({ view, filter, onDeleted }: { view: View; filter: ViewFilter | undefined; onDeleted: () => void }) {
  const { id, name, updatedAt } = view;
  const update = trpc.views.update.useMutation({ onSettled: onSuccess });
  const form = useInputForm({
    initialValues: { name },
    toInput: (values) => ({ id, ...values }),
    check: () => [],
    submit: update.mutateAsync,
    versioned: {
      updatedAt,
      fill: (current: View) => ({ name: current.name }),
      tell: (values) => [{ name: t("Name of the view"), text: values.name, at: ["name"] }],
    },
  });
  const remove = trpc.views.delete.useMutation({
    onSuccess: () => {
      onDeleted();
      return onSuccess();
    },
  });
  const error = form.refusal ?? remove.error;
  return (
    <form onSubmit={form.onSubmit} aria-label={name}>
      <FormConflict form={form} />
      <Group gap="xs" className={classes["change"] ?? ""}>
        <TextInput
          size="xs"
          className={classes["name"] ?? ""}
          aria-label={t("Name of the view")}
          maxLength={longestViewName}
          {...form.at("name")}
          error={form.faults["name"] ?? (error && readableMessage(error.message))}
        />
        <SmallButton type="submit" disabled={isBlank(form.values.name) || !form.isUnsaved()} loading={form.isSaving}>
          {t("Rename")}
        </SmallButton>
        <SmallButton disabled={filter === undefined} onClick={() => void form.send((input) => update.mutateAsync({ ...input, filter }))}>
          {t("Use present filters")}
        </SmallButton>
        <SmallButton {...running(remove, { id })}>{t("Delete")}</SmallButton>
      </Group>
    </form>
  );
}

const onSuccess = () => cache.views.list.invalidate();
