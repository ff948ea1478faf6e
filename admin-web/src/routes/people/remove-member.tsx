import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import type { Member } from "./member.ts";

interface RemoveMemberProps {
  member: Member;
  isMe: boolean;
  opened: boolean;
  onClose: () => void;
}

export function RemoveMember({ member: { id, name, email }, isMe, opened, onClose }: RemoveMemberProps) {
  const cache = trpc.useUtils();
  const remove = trpc.users.remove.useMutation({
    onSuccess: () => (isMe ? cache.auth.state : cache.users.list).invalidate(),
  });
  return (
    <ConfirmDialog
      title={isMe ? "Leave the account?" : `Remove ${name}?`}
      action={isMe ? "Leave" : "Remove"}
      typed={email}
      opened={opened}
      onClose={onClose}
      onConfirm={() => remove.mutateAsync({ id })}
    >
      {isMe ? "You are" : `${name} is`} signed out everywhere at once, and the access tokens that {isMe ? "you" : "they"} made stop working:
      check that no program depends on one. To come back takes a new invitation.
    </ConfirmDialog>
  );
}
