import { type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconSparkles from "@tabler/icons-react/dist/esm/icons/IconSparkles.mjs";
import { type ReactNode, Suspense } from "react";
import { trpc } from "../../trpc.ts";
import { SecondaryButton } from "../base/buttons.tsx";

interface AssistantButtonProps extends Pick<ButtonProps, "size" | "variant"> {
  label: string;
  /** True if the person's role may ask. */
  mayAsk: boolean;
  /** True if the dialog is open at first, as a link may ask. */
  isOpen?: boolean;
  /** The dialog. It is loaded when it opens, and stays mounted when it closes, so that it can keep its state. */
  children: (dialog: { opened: boolean; onClose: () => void }) => ReactNode;
}

/** Opens a dialog that asks the assistant; draws nothing if the account has none. */
export function AssistantButton({ label, mayAsk, isOpen = false, children, ...props }: AssistantButtonProps) {
  const assistant = trpc.assistant.get.useQuery(undefined, { enabled: mayAsk, staleTime: 60_000 });
  const [opened, { open, close }] = useDisclosure(isOpen);
  const [wasOpened, noteOpened] = useDisclosure(isOpen);
  if (!mayAsk || assistant.data?.isOn !== true) return null;
  const begin = () => {
    noteOpened.open();
    open();
  };
  return (
    <>
      <SecondaryButton w="fit-content" leftSection={<IconSparkles size={16} aria-hidden />} {...props} onClick={begin}>
        {label}
      </SecondaryButton>
      {wasOpened && <Suspense>{children({ opened, onClose: close })}</Suspense>}
    </>
  );
}
