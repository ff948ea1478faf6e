import type { ButtonProps } from "@mantine/core";
import { lazy } from "react";
import { t } from "../../language.ts";
import { DialogButton } from "../base/dialogs.tsx";
import type { Tested } from "./test-message.tsx";

const TestMessage = lazy(async () => ({ default: (await import("./test-message.tsx")).TestMessage }));

/** Sends a message to a test phone. */
export const TestMessageButton = ({ tested, ...props }: { tested: Tested } & Pick<ButtonProps, "size">) => (
  <DialogButton label={t("Send test message")} title={t("Send test message")} {...props}>
    {(close) => <TestMessage tested={tested} onClose={close} />}
  </DialogButton>
);
