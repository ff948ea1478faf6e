import { Menu, Button, Group, Stack, Text, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Role, roles } from "shared/core/role";
import { sentenceCase } from "shared/core/text";
import { t, translated } from "../../language.ts";
import { RolePage } from "../../role-page.tsx";
import { useMe } from "../../session.tsx";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { AskButton, ConfirmDialog, Dialog, DialogButtons, SecretOnce } from "../../ui/base/dialogs.tsx";
import { Moment, Expiry, LabelBadge } from "../../ui/base/facts.tsx";
import { MoreActions } from "../../ui/base/more-actions.tsx";
import { FailureNotice, News, readableMessage, rich, Section, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { changedByIn } from "../../ui/form/form-version.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { EmailUnproven } from "../../ui/person/email-unproven.tsx";
import { describeRole, RoleSelect } from "../../ui/person/role-select.tsx";
import { type Column, byPage } from "../../ui/table/data-table.tsx";
import asks from "./ask-labels.json";

type Member = Outputs["users"]["list"]["items"][number];

export const PeoplePage = () => (
  <RolePage needed="owner" title={t("People")} lead={useStateLine()} actions={<InviteButton />}>
    <EmailUnproven {...useMe().user} />
    <Members />
    <Invitations />
  </RolePage>
);

/** How many may do what. */
function useStateLine() {
  const { data } = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000, enabled: useMay("owner") });
  const count = (role: Role) => data?.items.filter((each) => each.role === role).length;
  return tellState("people", { owner: count("owner"), operator: count("operator"), viewer: count("viewer") });
}

const memberColumns: Column<Member>[] = [
  { name: t("Name"), kind: "title", cell: (member) => <MemberName {...member} /> },
  { name: t("E-mail"), cell: ({ email }) => email },
  { name: t("Role"), cell: (member) => <MemberRole member={member} /> },
  { name: t("Joined"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: t("Actions"), kind: "buttons", cell: (member) => <MemberActions member={member} /> },
];

const Members = () => (
  <PagedTable
    label={t("People")}
    query={trpc.users.list.useInfiniteQuery({ limit: 50 }, byPage)}
    what={t("the people")}
    empty={<EmptyState title={t("No people yet")}>{t("Invite the first person.")}</EmptyState>}
    columns={memberColumns}
  />
);

const MemberName = ({ id, name }: Member) => (
  <>
    {name} {useMe().user.id === id && <LabelBadge>{t("you")}</LabelBadge>}
  </>
);

function MemberActions({ member }: { member: Member }) {
  const isMe = useMe().user.id === member.id;
  const [isAsked, ask] = useState(false);
  return (
    <>
      <MoreActions label={t("Actions for {name}", { name: member.name })}>
        {!isMe && <Menu.Item onClick={() => ask(true)}>{t("Reset password")}</Menu.Item>}
        {!isMe && <RemoveSecondFactor {...member} />}
        <RemoveMember {...member} />
      </MoreActions>
      <ResetLink member={member} opened={isAsked} onClose={() => ask(false)} />
    </>
  );
}

function RemoveMember({ id, name, email }: Member) {
  const isMe = useMe().user.id === id;
  return (
    <AskButton
      question={isMe ? asks.leave : asks.remove}
      values={{ name }}
      c="var(--mantine-color-error)"
      typed={email}
      onConfirm={() => settled(trpcClient.users.remove.mutate({ id }), isMe ? cache.auth.state : cache.users.list)}
    />
  );
}

const RemoveSecondFactor = ({ id, name }: Member) => (
  <AskButton question={asks.removeSecondFactor} values={{ name }} onConfirm={() => trpcClient.users.resetSecondFactor.mutate({ id })} />
);

/** Creates a link that lets the person set a new password. */
function ResetLink({ member: { id, name }, opened, onClose }: { member: Member; opened: boolean; onClose: () => void }) {
  const make = trpc.users.resetPassword.useMutation();
  const close = () => {
    onClose();
    make.reset();
  };
  return (
    <Dialog title={t("New password for {name}", { name })} opened={opened} onClose={close} insists={make.isSuccess}>
      {make.data === undefined ? (
        <Stack>
          <Text>
            {t(
              "Creates a link that works once, for a day. {name} sets a new password with it; until then the old one works. Earlier links stop working.",
              { name },
            )}
          </Text>
          <FailureNotice title={t("The link was not created")} of={make} />
          <DialogButtons action={t("Create reset link")} onAct={() => make.mutate({ id })} onClose={close} loading={make.isPending} />
        </Stack>
      ) : (
        <LinkOnce {...make.data} onSaved={close} />
      )}
    </Dialog>
  );
}

/** The link, and whether the person gets it by e-mail. */
const LinkOnce = ({ url, mailed, expiresAt, onSaved }: { url: string; mailed: boolean; expiresAt: string; onSaved: () => void }) => (
  <SecretOnce label={t("Link")} secret={url} onSaved={onSaved}>
    {mailed
      ? t("An e-mail with this link is on its way to them. You can also copy it and send it yourself.")
      : t(
          "Copy this link and send it yourself: no e-mail was sent. Once SMTP_URL is set, the server can e-mail such links, a few a day to each address.",
        )}
    {rich(t(" It works once and expires <0/>."), <Moment at={expiresAt} />)}
  </SecretOnce>
);

/** Changes a person's role once it was confirmed; if the server refuses, it goes back and says why. */
function MemberRole({ member: { id, name, role } }: { member: Member }) {
  const isMe = useMe().user.id === id;
  const [chosen, choose] = useState<Role | null>(null);
  const setRole = trpc.users.setRole.useMutation({
    onSettled: () => Promise.all([cache.users.list.invalidate(), cache.auth.me.invalidate()]),
  });
  const changedBy = changedByIn(setRole.error);
  return (
    <Group gap="xs" wrap="nowrap">
      <NativeSelect
        aria-label={t("Role of {name}", { name })}
        size="xs"
        maw={150}
        data={roles.map((each) => ({ value: each, label: sentenceCase(translated(each)) }))}
        value={setRole.isPending ? setRole.variables.role : role}
        onChange={(event) => choose(roles.find((each) => each === event.currentTarget.value) ?? null)}
        error={
          changedBy === null
            ? setRole.error && readableMessage(setRole.error.message)
            : t("{name} has changed this meanwhile", { name: changedBy })
        }
      />
      <News>{setRole.isSuccess && t("Saved")}</News>
      <ConfirmDialog
        isMild={!isMe}
        title={isMe ? t("Give up the owner role?") : t("Change the role of {name}?", { name })}
        action={isMe ? t("Give up role") : t("Change role")}
        opened={chosen !== null}
        onClose={() => choose(null)}
        onConfirm={async () => chosen !== null && setRole.mutateAsync({ id, role: chosen, ifRole: role })}
      >
        {isMe
          ? t("Your new role is {lesser}. Only another owner can make you an owner again.", {
              lesser: chosen !== null && describeRole(chosen),
            })
          : chosen !== null && describeRole(chosen)}
      </ConfirmDialog>
    </Group>
  );
}

const invitationColumns: Column<Outputs["users"]["invites"]["list"]["items"][number]>[] = [
  { name: t("E-mail"), kind: "title", cell: ({ email }) => email },
  { name: t("Role"), kind: "short", cell: ({ role }) => sentenceCase(translated(role)) },
  { name: t("Invited"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: t("Expires"), kind: "short", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { name: t("Actions"), kind: "buttons", cell: ({ id, email }) => <RevokeInvitation id={id} email={email} /> },
];

const Invitations = () => (
  <Section title={t("Open invitations")} lead={t("Invite links that were not accepted yet. Each works once, for 7 days.")}>
    <PagedTable
      label={t("Open invitations")}
      query={trpc.users.invites.list.useInfiniteQuery({ limit: 50 }, byPage)}
      what={t("the invitations")}
      empty={<EmptyState title={t("No open invitations")}>{t("Invite the first person with the button above.")}</EmptyState>}
      columns={invitationColumns}
    />
  </Section>
);

function RevokeInvitation({ id, email }: { id: string; email: string }) {
  const revoke = () => settled(trpcClient.users.invites.revoke.mutate({ id }), cache.users.invites.list);
  return <AskButton question={asks.revokeInvitation} values={{ email }} onConfirm={revoke} />;
}

function InviteButton() {
  const [opened, setOpened] = useState(false);
  const [made, setMade] = useState<Outputs["users"]["invite"] | null>(null);
  const close = () => {
    setOpened(false);
    setMade(null);
  };
  return (
    <>
      <Button onClick={() => setOpened(true)}>{t("Invite person")}</Button>
      <Dialog title={made === null ? t("Invite person") : t("Invite link")} opened={opened} onClose={close} insists={made !== null}>
        {made === null ? <InviteForm onMade={setMade} onCancel={close} /> : <LinkOnce {...made} onSaved={close} />}
      </Dialog>
    </>
  );
}

const initialValues: { email: string; role: Role } = { email: "", role: "operator" };

function InviteForm({ onMade, onCancel }: { onMade: (invitation: Outputs["users"]["invite"]) => void; onCancel: () => void }) {
  const form = useInputForm({
    initialValues,
    check: by("inviteInput"),
    submit: trpc.users.invite.useMutation({ onSuccess: () => void cache.users.invites.list.invalidate() }).mutateAsync,
    onSaved: onMade,
  });
  return (
    <InputForm form={form} failure={t("The invite link was not created")} submit={t("Create invite link")} onCancel={onCancel}>
      <TextInput label={t("E-mail")} type="email" required {...form.at("email")} />
      <RoleSelect {...form.at("role")} />
    </InputForm>
  );
}
