import {
  Button,
  Group,
  PasswordInput,
  type PasswordInputProps,
  Text,
  TextInput,
  type TextInputProps,
  NativeSelect,
  type NativeSelectProps,
  Stack,
} from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { shortestPassword } from "shared/core/input/team";
import { isE164 } from "shared/core/phone";
import { isAtLeast, type Role, roles } from "shared/core/role";
import { Dialog } from "./dialogs.tsx";
import { roleLabels } from "./labels.ts";

interface FormButtonsProps {
  submit: string;
  isPending: boolean;
  /** Absent where there is nothing to go back to. */
  onCancel?: (() => void) | undefined;
}

/** What a form in a dialog ends with. */
export function FormButtons({ submit, isPending, onCancel }: FormButtonsProps) {
  return (
    <Group justify="flex-end" gap="sm">
      {onCancel !== undefined && (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
      <Button type="submit" loading={isPending}>
        {submit}
      </Button>
    </Group>
  );
}

/** Where a password is set, not asked for. */
export function NewPasswordInput(props: PasswordInputProps) {
  return (
    <PasswordInput
      label="New password"
      description={`At least ${shortestPassword} characters, and not a common one`}
      autoComplete="new-password"
      required
      {...props}
    />
  );
}

interface PhoneInputProps extends Omit<TextInputProps, "value" | "defaultValue" | "onChange"> {
  defaultValue?: string;
  /** Told the number alone as soon as it is whole, else what was typed. */
  onChange?: (phone: string) => void;
}

/** A phone number, read as it is typed: it says what is missing, and offers the correction where there is one. */
export function PhoneInput({ defaultValue = "", onChange, ...props }: PhoneInputProps) {
  const [text, setText] = useState(defaultValue);
  const reading = readPhone(text);
  const isWanting = reading.is === "near" || reading.is === "unfinished";
  const write = (next: string) => {
    setText(next);
    onChange?.(phoneValue(next));
  };
  return (
    <div>
      <TextInput
        type="tel"
        autoComplete="off"
        placeholder="+491701234567"
        rightSection={reading.is === "whole" && <IconCheck size={16} color="var(--mantine-color-anchor)" aria-hidden />}
        {...props}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
      />
      <Group gap="xs" mt={isWanting ? 4 : 0} aria-live="polite">
        {isWanting && (
          <Text size="xs" c="dimmed">
            {reading.reason}
          </Text>
        )}
        {reading.is === "near" && (
          <Button variant="light" size="compact-xs" onClick={() => write(reading.suggestion)}>
            Use {reading.suggestion}
          </Button>
        )}
      </Group>
    </div>
  );
}

/** What was typed as a phone: whole, perhaps whole after a correction that the person should see, or not yet. */
type PhoneReading =
  | { is: "empty" }
  | { is: "whole"; phone: string }
  | { is: "near"; suggestion: string; reason: string }
  | { is: "unfinished"; reason: string };

/** Reads a phone as people write it. What only groups its digits is left out; whatever else has to change is suggested, never done. */
export function readPhone(text: string): PhoneReading {
  const phone = text.replaceAll(/[\s().\-/\u2010-\u2015]/gu, "").replace(/^＋/u, "+");
  if (phone === "") return { is: "empty" };
  if (/[^\d+]/u.test(phone) || phone.lastIndexOf("+") > 0) return unfinished("Digits only, with a + at the front.");
  if (/^\s*(?:\+|00)[\d\s]*\(0\)/u.test(text)) return near(text.replace(/^\s*(?:\+|00)/u, "").replace("(0)", ""), "Leave out the (0):");
  if (phone.startsWith("00")) return near(phone.slice(2), "Write + in place of 00:");
  if (/^\+?0/u.test(phone)) return unfinished("Begin with + and the country code in place of the 0, such as +49 for Germany.");
  if (!phone.startsWith("+")) return near(phone, "It lacks the + before the country code:");
  return isE164(phone) ? { is: "whole", phone } : unfinished(lengthReason(phone));
}

/** What a field hands on: the number alone where that is certain, else what was typed. */
export function phoneValue(text: string): string {
  const reading = readPhone(text);
  return reading.is === "whole" ? reading.phone : text.trim();
}

function near(digits: string, reason: string): PhoneReading {
  const suggestion = `+${digits.replaceAll(/\D/gu, "")}`;
  return isE164(suggestion) ? { is: "near", suggestion, reason } : unfinished(lengthReason(suggestion));
}

const unfinished = (reason: string): PhoneReading => ({ is: "unfinished", reason });

const lengthReason = (phone: string): string =>
  phone.length > 8 ? "Too long: 15 digits at most, country code included." : "Go on: 7 to 15 digits, country code included.";

/** One of the roles up to `atMost`. */
export function RoleSelect({ atMost = "owner", ...props }: NativeSelectProps & { atMost?: Role }) {
  const data = roles.filter((role) => isAtLeast(atMost, role)).map((role) => ({ value: role, label: `${role}: ${roleLabels[role]}` }));
  return <NativeSelect label="Role" data={data} {...props} />;
}

interface UnsavedGuardProps {
  isUnsaved: () => boolean;
  /** What would be lost, where it is not what was entered. */
  loss?: string;
}

/** Asks before the page is left while `isUnsaved` says that something would be lost. */
export function UnsavedGuard({ isUnsaved, loss = "What you have entered here is not saved and will be lost." }: UnsavedGuardProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  const stay = () => blocker.reset?.();
  return (
    <Dialog title="Leave without saving?" opened={blocker.status === "blocked"} onClose={stay}>
      <Stack gap="md">
        <Text size="sm">{loss}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            Leave
          </Button>
          <Button data-autofocus onClick={stay}>
            Stay here
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
