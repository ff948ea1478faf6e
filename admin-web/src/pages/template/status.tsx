import { Button, Stack, Text, Alert } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import type { TemplateStatus } from "shared/core/template/definition";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { ButtonLink } from "../../ui/buttons.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialogs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { rejectionAdvice } from "../../ui/template-words.tsx";
import { BindingList } from "./detail.tsx";
import { type Template, valuesOf } from "./draft.ts";

export function DeleteTemplate({ template }: { template: Template }) {
  const { id, name, language, status, platformId } = template;
  const [opened, dialog] = useDisclosure(false);
  const bindings = trpc.bindings.list.useQuery({ templateId: id, limit: 200 }).data?.items ?? [];
  const remove = useRemove();
  const title = `Delete ${name} in ${language}?`;
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Delete template
      </Button>
      {bindings.length > 0 ? (
        <Dialog title={`${name} is in use`} opened={opened} onClose={dialog.close}>
          <Stack gap="sm">
            <Text size="sm">Before you delete it, delete these bindings or give them another template.</Text>
            <BindingList bindings={bindings} />
          </Stack>
        </Dialog>
      ) : (
        <ConfirmDialog
          title={title}
          action="Delete template"
          typed={status === "approved" ? name : undefined}
          opened={opened}
          onClose={dialog.close}
          onConfirm={() => remove(id)}
        >
          {platformId === null
            ? "The draft is deleted for good. It was never submitted."
            : "It is deleted here and at WhatsApp, in this language only. The name stays locked: for 30 days if the template was ever approved, otherwise for about a minute."}
        </ConfirmDialog>
      )}
    </>
  );
}

function useRemove(): (id: string) => Promise<void> {
  const cache = trpc.useUtils();
  const navigate = useNavigate();
  const { mutateAsync } = trpc.templates.delete.useMutation({
    // Somebody may have bound it in the meantime: the dialog then shows the bindings.
    onError: () => cache.bindings.list.invalidate(),
  });
  return async (id) => {
    await mutateAsync({ id });
    await navigate({ to: paths.templates });
    await cache.templates.invalidate();
  };
}

/** Opens a new template with this one's text, if the editor can hold it. */
export function DuplicateLink({ template }: { template: Template }) {
  if (valuesOf(template) === null) return null;
  return (
    <ButtonLink to={paths.newTemplate} search={{ from: template.id }} variant="default" title="In another language or under another name">
      Duplicate template
    </ButtonLink>
  );
}

export function StatusNotice({ template }: { template: Template }) {
  const { status, reason } = template;
  const mayWrite = useMay("operator");
  if (status === "approved" || (status === "draft" && reason === null && mayWrite)) return null;
  const { color, title, text } = statusWords[status];
  const advice = reason === null ? undefined : rejectionAdvice(reason);
  return (
    <Alert color={color} title={title} role="status">
      <Stack gap={6}>
        {reason !== null && (
          <Text size="sm">
            Reason from WhatsApp: <strong>{reason}</strong>
          </Text>
        )}
        {advice !== undefined && <Text size="sm">{advice}</Text>}
        <Text size="sm">{text}</Text>
      </Stack>
    </Alert>
  );
}

interface StatusWords {
  color: string;
  title: string;
  /** The meaning and the next step. */
  text: string;
}

const statusWords: Record<Exclude<TemplateStatus, "approved">, StatusWords> = {
  draft: { color: "gray", title: "Draft", text: "It exists only here. It cannot be sent until WhatsApp approves it." },
  pending: {
    color: "blue",
    title: "In review",
    text: "WhatsApp reviews it, usually within minutes and at most within a day. The decision appears here.",
  },
  rejected: { color: "red", title: "Rejected by WhatsApp", text: "Change the template and submit it again, as often as needed." },
  paused: {
    color: "yellow",
    title: "Paused by WhatsApp",
    text:
      "Too many recipients blocked or reported it. Its messages fail until the pause ends: after 3 hours the first time, after 6 the second; " +
      "the third time disables the template. Send it only to people who expect it, or use a clearer text.",
  },
  disabled: {
    color: "red",
    title: "Disabled by WhatsApp",
    text: "Its messages fail, and it cannot be changed. Duplicate it under another name, improve the text, and use the copy in the bindings.",
  },
};

/** For a draft or a rejected template that the editor cannot hold. */
export function SubmitAsItIs({ id }: { id: string }) {
  const cache = trpc.useUtils();
  const submit = trpc.templates.submit.useMutation({ onSuccess: () => cache.templates.invalidate() });
  return (
    <Section title="Submit template" lead="It was created elsewhere and has parts that cannot be edited here. You can submit it unchanged.">
      {submit.error !== null && <FailureNotice title="The template was not submitted" error={submit.error} />}
      <Button w="fit-content" loading={submit.isPending} onClick={() => submit.mutate({ id })}>
        Submit template
      </Button>
    </Section>
  );
}
