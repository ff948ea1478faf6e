import { ActionIcon, Menu } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { useState } from "react";
import { useMe } from "../../session/me.ts";
import type { Member } from "./member.ts";
import { RemoveMember } from "./remove-member.tsx";
import { ResetLink } from "./reset-link.tsx";

export function MemberActions({ member }: { member: Member }) {
  const isMe = useMe().user.id === member.id;
  const [open, setOpen] = useState<"reset" | "remove" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" aria-label={`Actions for ${member.name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!isMe && <Menu.Item onClick={() => setOpen("reset")}>Link for a new password</Menu.Item>}
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setOpen("remove")}>
            {isMe ? "Leave the account" : "Remove"}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ResetLink member={member} opened={open === "reset"} onClose={close} />
      <RemoveMember member={member} isMe={isMe} opened={open === "remove"} onClose={close} />
    </>
  );
}
