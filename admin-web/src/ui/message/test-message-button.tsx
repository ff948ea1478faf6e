import type { ButtonProps } from "@mantine/core";
import { t } from "../../language.ts";
import { DialogButton } from "../base/dialogs.tsx";
import { part } from "../base/later.tsx";
import type { Tested } from "./test-message.tsx";

const TestMessage = part(async () => (await import("./test-message.tsx")).TestMessage);

/** Sends a message to a test phone. */
export const TestMessageButton = ({ tested, ...props }: { tested: Tested } & Pick<ButtonProps, "size">) => (
  <DialogButton label={t("Send test message")} title={t("Send test message")} {...props}>
    {(close) => <TestMessage tested={tested} onClose={close} />}
  </DialogButton>
);
