import { Card, Group, Stack, Switch, TextInput } from "@mantine/core";
import { useRef } from "react";
import { activePhonesLimit } from "shared/core/site";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { AskButton, DialogButton } from "../../ui/base/dialogs.tsx";
import { Section, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSwitch } from "../../ui/base/use-switch.ts";
import type { ToldField } from "../../ui/form/conflict.tsx";
import { InputForm, SubmitButton, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { PhoneInput } from "../../ui/form/inputs.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { type Column, byPage, buttonsOf } from "../../ui/table/data-table.tsx";
import asks from "./ask-labels.json";
import classes from "./site.module.css";

type Recipient = Outputs["recipients"]["list"]["items"][number];

const columns = (mayChange: boolean): Column<Recipient>[] => [
  { name: t("Phone"), kind: "title", cell: ({ phone }) => phone },
  { name: t("Label"), cell: ({ label }) => label },
  {
    name: t("Active"),
    cell: (recipient) => (mayChange ? <RecipientSwitch recipient={recipient} /> : recipient.active ? t("Yes") : t("No")),
  },
  ...buttonsOf<Recipient>(mayChange, (recipient) => <RecipientActions recipient={recipient} />),
];

export function RecipientsSection({ siteId }: { siteId: string }) {
  const mayChange = useMay("operator");
  const recipients = trpc.recipients.list.useInfiniteQuery({ siteId, limit: 200 }, byPage);
  const active = recipients.data?.pages.flatMap((page) => page.items).filter((each) => each.active).length ?? 0;
  const count =
    recipients.data === undefined || recipients.hasNextPage
      ? ""
      : t(" {active} of at most {activePhonesLimit} are active.", {
          active: formatCount(active),
          activePhonesLimit: formatCount(activePhonesLimit),
        });
  return (
    <Section title={t("Recipients")} lead={t("Bindings to the site's recipients send to every active phone here.{count}", { count })}>
      <Stack gap="sm">
        {mayChange && <AddRecipientForm siteId={siteId} />}
        <PagedTable
          label={t("Recipients")}
          columns={columns(mayChange)}
          query={recipients}
          what={t("the recipients")}
          empty={
            <EmptyState title={t("No recipients yet")}>
              {t(
                "Add people other than customers who should get messages about this site's events, such as the shop owner or the front desk.",
              )}
            </EmptyState>
          }
        />
      </Stack>
    </Section>
  );
}

function AddRecipientForm({ siteId }: { siteId: string }) {
  const fields = useRef<HTMLDivElement>(null);
  const initialValues = { phone: "", label: "" };
  const form = useInputForm({
    initialValues,
    toInput: ({ phone, label }) => ({ siteId, phone, label: label.trim() }),
    check: by("addRecipientInput"),
    submit: trpc.recipients.add.useMutation({ onSuccess: () => cache.recipients.list.invalidate({ siteId }) }).mutateAsync,
    afterSave: () => initialValues,
    // The field is ready for the next phone.
    onSaved: () => fields.current?.querySelector("input")?.focus(),
  });
  return (
    <Card maw="40rem">
      <InputForm form={form} failure={t("The phone was not added")}>
        <div className={classes["fields"]} ref={fields}>
          <PhoneInput label={t("Phone")} required {...form.at("phone")} />
          <TextInput label={t("Label")} placeholder={t("Whose phone it is")} {...form.at("label")} />
          <SubmitButton form={form}>{t("Add phone")}</SubmitButton>
        </div>
      </InputForm>
    </Card>
  );
}

function RecipientActions({ recipient }: { recipient: Recipient }) {
  const { id, phone, label } = recipient;
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <DialogButton size="compact-sm" label={t("Edit")} aria-label={t("Edit {phone}", { phone })} title={t("Edit {phone}", { phone })}>
        {(close) => <EditRecipientForm recipient={recipient} onDone={close} />}
      </DialogButton>
      <AskButton
        question={asks.removePhone}
        values={{ phone, value: label || t("This phone") }}
        onConfirm={() => settled(trpcClient.recipients.remove.mutate({ id }), cache.recipients.list)}
      />
    </Group>
  );
}

const namedOf = ({ phone, label }: Recipient) => ({ phone, label });

const tellNamed = ({ phone, label }: ReturnType<typeof namedOf>): ToldField[] => [
  { name: t("Phone"), text: phone, at: ["phone"] },
  { name: t("Label"), text: label, at: ["label"] },
];

function EditRecipientForm({ recipient, onDone }: { recipient: Recipient; onDone: () => void }) {
  const { id, siteId, updatedAt } = recipient;
  const form = useInputForm({
    initialValues: namedOf(recipient),
    toInput: ({ phone, label }) => ({ id, phone, label: label.trim() }),
    check: by("updateRecipientInput"),
    submit: trpc.recipients.update.useMutation({ onSuccess: () => cache.recipients.list.invalidate({ siteId }) }).mutateAsync,
    versioned: { updatedAt, fill: namedOf, tell: tellNamed },
    onSaved: onDone,
  });
  return (
    <InputForm form={form} failure={t("The recipient was not saved")} submit={t("Save recipient")} onCancel={onDone}>
      <PhoneInput label={t("Phone")} required {...form.at("phone")} />
      <TextInput label={t("Label")} data-autofocus {...form.at("label")} />
    </InputForm>
  );
}

function RecipientSwitch({ recipient: { id, phone, active } }: { recipient: Recipient }) {
  const turn = (isOn: boolean) => settled(trpcClient.recipients.update.mutate({ id, active: isOn }), cache.recipients.list);
  return <Switch aria-label={t("Messages to {phone}", { phone })} {...useSwitch(active, turn)} />;
}
