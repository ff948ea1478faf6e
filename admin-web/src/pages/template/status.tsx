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
        Delete
      </Button>
      {bindings.length > 0 ? (
        <Dialog title={`${name} is in use`} opened={opened} onClose={dialog.close}>
          <Stack gap="sm">
            <Text size="sm">Delete these bindings, or give them another template; then it can be deleted.</Text>
            <BindingList bindings={bindings} />
          </Stack>
        </Dialog>
      ) : (
        <ConfirmDialog
          title={title}
          action="Delete"
          typed={status === "approved" ? name : undefined}
          opened={opened}
          onClose={dialog.close}
          onConfirm={() => remove(id)}
        >
          {platformId === null
            ? "The draft is gone for good. The platform never had it."
            : "It is deleted here and on the platform, in this language only. The platform keeps its name locked for a while: about a minute if it was never approved, else 30 days."}
        </ConfirmDialog>
      )}
    </>
  );
}

function useRemove(): (id: string) => Promise<void> {
  const cache = trpc.useUtils();
  const navigate = useNavigate();
  const { mutateAsync } = trpc.templates.delete.useMutation({
    // Somebody may have bound it meanwhile: the dialog then says who.
    onError: () => cache.bindings.list.invalidate(),
  });
  return async (id) => {
    await mutateAsync({ id });
    await navigate({ to: paths.templates });
    await cache.templates.invalidate();
  };
}

/** Leads to a new template with this one's text; nothing for one that the editor cannot hold. */
export function DuplicateLink({ template }: { template: Template }) {
  if (valuesOf(template) === null) return null;
  return (
    <ButtonLink
      to={paths.newTemplate}
      search={{ from: template.id }}
      variant="default"
      title="Into another language, or under another name"
    >
      Duplicate
    </ButtonLink>
  );
}

/** Where a template stands, why, and what to do. */
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
            The platform’s reason: <strong>{reason}</strong>
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
  /** What it means, and what to do. */
  text: string;
}

/** An approved one needs none. */
const statusWords: Record<Exclude<TemplateStatus, "approved">, StatusWords> = {
  draft: { color: "gray", title: "A draft", text: "It exists here only. Nobody can be sent it before the platform has approved it." },
  pending: {
    color: "blue",
    title: "In review",
    text: "The platform is reading it, mostly for minutes and at most for a day. The decision shows here by itself.",
  },
  rejected: { color: "red", title: "The platform rejected it", text: "Change what it objects to, and submit it again as often as needed." },
  paused: {
    color: "yellow",
    title: "The platform paused it",
    text:
      "Too many recipients blocked or reported it, and its messages fail meanwhile. A first pause ends by itself after 3 hours, a second after 6; " +
      "a third disables the template. Until then, send it only to people who expect it, or bind a clearer text.",
  },
  disabled: {
    color: "red",
    title: "The platform disabled it",
    text: "Its messages fail, and it cannot be changed. Duplicate it under another name with a better text, and give that to its bindings.",
  },
};

/** For a draft or a rejected template that the editor cannot hold. */
export function SubmitAsItIs({ id }: { id: string }) {
  const cache = trpc.useUtils();
  const submit = trpc.templates.submit.useMutation({ onSuccess: () => cache.templates.invalidate() });
  return (
    <Section title="Submit it" lead="It was made elsewhere and has parts that cannot be changed here. It can be submitted as it stands.">
      {submit.error !== null && <FailureNotice title="It was not submitted" error={submit.error} />}
      <Button w="fit-content" loading={submit.isPending} onClick={() => submit.mutate({ id })}>
        Submit
      </Button>
    </Section>
  );
}
