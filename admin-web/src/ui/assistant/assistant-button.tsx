import IconSparkles from "@tabler/icons-react/dist/esm/icons/IconSparkles.mjs";
import { type ReactNode, useState } from "react";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { SecondaryButton } from "../base/buttons.tsx";
import { Awaiting, part, prepare, useAhead } from "../base/later.tsx";
import { useMay } from "../base/role.ts";
import type { Subject } from "./conversation.tsx";

const Conversation = part(async () => (await import("./conversation.tsx")).Conversation);

/** Opens a conversation about what has failed. */
export const AskAbout = ({ label = t("Explain"), ...subject }: { label?: string } & Subject) => (
  <AssistantButton label={label}>{(dialog) => <Conversation subject={subject} {...dialog} />}</AssistantButton>
);

interface AssistantButtonProps {
  label: string;
  /** True if the dialog is open at first, as a link may ask. */
  isOpen?: boolean;
  /** The dialog. It is loaded when it opens, and stays mounted when it closes, so that it can keep its state. */
  children: (dialog: { opened: boolean; onClose: () => void }) => ReactNode;
}

/** Opens a dialog that asks the assistant; draws nothing for those who may not ask, and if the account has none. */
export function AssistantButton({ label, isOpen = false, children }: AssistantButtonProps) {
  const mayAsk = useMay("operator");
  const assistant = trpc.assistant.get.useQuery(undefined, { enabled: mayAsk, staleTime: 60_000 });
  /** Null before it opens first. */
  const [opened, setOpened] = useState<boolean | null>(isOpen || null);
  const onClose = () => setOpened(false);
  useAhead(() => mayAsk && prepare(children({ opened: false, onClose })));
  if (!mayAsk || assistant.data?.isOn !== true) return null;
  return (
    <>
      <SecondaryButton size="xs" w="fit-content" leftSection={<IconSparkles size={16} aria-hidden />} onClick={() => setOpened(true)}>
        {label}
      </SecondaryButton>
      {opened !== null && <Awaiting>{children({ opened, onClose })}</Awaiting>}
    </>
  );
}
