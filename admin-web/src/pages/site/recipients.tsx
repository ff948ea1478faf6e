import { Stack, Button, Card, TextInput, Group, Switch } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { activePhonesLimit, addRecipientInput, updateRecipientInput } from "shared/core/input/sites";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialogs.tsx";
import { PhoneInput, UnsavedGuard, FormButtons } from "../../ui/inputs.tsx";
import { FailureNotice, readableMessage } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";
import classes from "./site.module.css";

type Recipient = Outputs["recipients"]["list"]["items"][number];

const columns = (mayChange: boolean): Column<Recipient>[] => [
  { name: "Phone", kind: "title", cell: ({ phone }) => phone },
  { name: "Label", cell: ({ label }) => label },
  {
    name: "Active",
    cell: (recipient) => (mayChange ? <RecipientSwitch recipient={recipient} /> : recipient.active ? "yes" : "no"),
  },
  ...(mayChange
    ? [{ name: "Actions", kind: "buttons", cell: (recipient) => <RecipientActions recipient={recipient} /> } satisfies Column<Recipient>]
    : []),
];

/** The site's own list of phones. */
export function RecipientsSection({ siteId }: { siteId: string }) {
  const mayChange = useMay("operator");
  const recipients = trpc.recipients.list.useInfiniteQuery({ siteId, limit: 200 }, { getNextPageParam: (page) => page.nextCursor });
  const active = recipients.data?.pages.flatMap((page) => page.items).filter((each) => each.active).length ?? 0;
  const count = recipients.data === undefined || recipients.hasNextPage ? "" : ` ${active} of ${activePhonesLimit} are active.`;
  return (
    <Section title="Recipients" lead={`Bindings to the site's own list send to every active phone here.${count}`}>
      <Stack gap="sm">
        {mayChange && <AddRecipientForm siteId={siteId} />}
        <PagedList
          query={recipients}
          what="the recipients"
          empty={
            <EmptyState title="No phone on the list">
              Put here whoever is to hear of this site's events beside its customers: the shop's owner, the front desk.
            </EmptyState>
          }
        >
          {(items) => <DataTable label="Recipients" columns={columns(mayChange)} rows={items} rowKey={({ id }) => id} />}
        </PagedList>
      </Stack>
    </Section>
  );
}

/** Made anew after each phone that was added, ready for the next. */
function AddRecipientForm({ siteId }: { siteId: string }) {
  const [added, setAdded] = useState(0);
  return <OneRecipientForm key={added} siteId={siteId} isNext={added > 0} onAdded={() => setAdded(added + 1)} />;
}

interface OneRecipientFormProps {
  siteId: string;
  /** Whether one was added just now, so that the field has the focus again. */
  isNext: boolean;
  onAdded: () => void;
}

function OneRecipientForm({ siteId, isNext, onAdded }: OneRecipientFormProps) {
  const cache = trpc.useUtils();
  const add = trpc.recipients.add.useMutation({
    onSuccess: async () => {
      await cache.recipients.list.invalidate({ siteId });
      onAdded();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: addRecipientInput,
    initialValues: { phone: "", label: "" },
    toInput: ({ phone, label }) => ({ siteId, phone, label: label.trim() }),
    submit: add.mutateAsync,
  });
  return (
    <Card withBorder component="form" padding="md" onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="sm">
        {refusal !== null && <FailureNotice title="The phone was not added" error={refusal} />}
        <div className={classes["fields"]} ref={isNext ? focusFirst : undefined}>
          <PhoneInput label="Phone" required {...form.getInputProps("phone")} />
          <TextInput label="Label" placeholder="Whose it is" autoComplete="off" {...form.getInputProps("label")} />
          <Button type="submit" variant="light" loading={add.isPending}>
            Add
          </Button>
        </div>
      </Stack>
    </Card>
  );
}

const focusFirst = (fields: HTMLElement | null) => fields?.querySelector("input")?.focus();

function RecipientActions({ recipient }: { recipient: Recipient }) {
  const { id, siteId, phone, label } = recipient;
  const [isEditing, editing] = useDisclosure(false);
  const [isRemoving, removing] = useDisclosure(false);
  const cache = trpc.useUtils();
  const remove = trpc.recipients.remove.useMutation({ onSuccess: () => cache.recipients.list.invalidate({ siteId }) });
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button variant="default" size="compact-sm" onClick={editing.open} aria-label={`Edit ${phone}`}>
        Edit
      </Button>
      <Button variant="default" size="compact-sm" onClick={removing.open} aria-label={`Remove ${phone}`}>
        Remove
      </Button>
      <Dialog title={`Edit ${phone}`} opened={isEditing} onClose={editing.close}>
        <EditRecipientForm recipient={recipient} onDone={editing.close} />
      </Dialog>
      <ConfirmDialog
        title={`Remove ${phone}?`}
        action="Remove"
        opened={isRemoving}
        onClose={removing.close}
        onConfirm={() => remove.mutateAsync({ id })}
      >
        {label === "" ? "The phone" : label} gets no message to the site's list any more. To stop them for a while, switch the phone off
        instead.
      </ConfirmDialog>
    </Group>
  );
}

function EditRecipientForm({ recipient, onDone }: { recipient: Recipient; onDone: () => void }) {
  const { id, siteId } = recipient;
  const cache = trpc.useUtils();
  const update = trpc.recipients.update.useMutation({
    onSuccess: async () => {
      await cache.recipients.list.invalidate({ siteId });
      onDone();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: updateRecipientInput,
    initialValues: { phone: recipient.phone, label: recipient.label },
    toInput: ({ phone, label }) => ({ id, phone, label: label.trim() }),
    submit: update.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="Nothing was changed" error={refusal} />}
        <PhoneInput label="Phone" required {...form.getInputProps("phone")} />
        <TextInput label="Label" autoComplete="off" data-autofocus {...form.getInputProps("label")} />
        <FormButtons submit="Save" isPending={update.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}

/** Whether messages go to the phone. Shows what was chosen at once; refused, it is back as the server holds it, with the reason. */
function RecipientSwitch({ recipient: { id, siteId, phone, active } }: { recipient: Recipient }) {
  const cache = trpc.useUtils();
  const update = trpc.recipients.update.useMutation({ onSuccess: () => cache.recipients.list.invalidate({ siteId }) });
  return (
    <Switch
      aria-label={`Messages to ${phone}`}
      checked={update.isPending ? update.variables.active === true : active}
      error={update.error && readableMessage(update.error.message)}
      onChange={(event) => update.mutate({ id, active: event.currentTarget.checked })}
    />
  );
}
