import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { type Role, roles } from "shared/core/role";
import { useMe } from "../../session/me.ts";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { roleWords } from "../../ui/role-words.ts";
import { readableMessage } from "../../ui/states/readable-message.ts";
import type { Member } from "./member.ts";

/** A person's role, to be changed in place. It shows what the server holds: a refused change is back at once, with the reason below. */
export function MemberRole({ member: { id, name, role } }: { member: Member }) {
  const isMe = useMe().user.id === id;
  const cache = trpc.useUtils();
  const [lesser, setLesser] = useState<Role | null>(null);
  const setRole = trpc.users.setRole.useMutation({
    onSuccess: () => Promise.all([cache.users.list.invalidate(), cache.auth.me.invalidate()]),
  });
  const choose = (chosen: Role | undefined) => {
    if (chosen === undefined || chosen === role) return;
    if (isMe) setLesser(chosen);
    else setRole.mutate({ id, role: chosen });
  };
  return (
    <>
      <NativeSelect
        aria-label={`Role of ${name}`}
        size="xs"
        maw={150}
        data={[...roles]}
        value={setRole.isPending ? setRole.variables.role : role}
        disabled={setRole.isPending}
        onChange={(event) => choose(roles.find((each) => each === event.currentTarget.value))}
        error={setRole.error && readableMessage(setRole.error.message)}
      />
      <ConfirmDialog
        title="Give up the role owner?"
        action="Give it up"
        opened={lesser !== null}
        onClose={() => setLesser(null)}
        onConfirm={async () => lesser !== null && setRole.mutateAsync({ id, role: lesser })}
      >
        You would be {lesser}: {lesser !== null && roleWords[lesser]}. Only another owner can make you an owner again.
      </ConfirmDialog>
    </>
  );
}
