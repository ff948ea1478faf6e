import { Button, Group, PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import { useEffect, useRef, useState } from "react";
import { shortestPassword } from "shared/core/credentials";
import { isE164 } from "shared/core/phone";
import { t } from "../../language.ts";
import { bound } from "../base/fields.ts";
import { later } from "../base/later.tsx";
import { Small } from "../base/page.tsx";
import type { StrengthProps } from "./password-strength.tsx";

/** The name of a new thing. */
export const NewNameInput = TextInput.withProps({ label: t("Name"), required: true });

type NewPasswordInputProps = Omit<PasswordInputProps, "value"> & {
  value: string;
  /** The person's own words, such as their name, which people who guess try first. */
  words?: readonly string[];
};

/** A field for a new password, with its strength below as soon as it is typed; signing in has a field of its own. */
export function NewPasswordInput({ words = [], ...props }: NewPasswordInputProps) {
  const [isJudged, setJudged] = useState(false);
  return (
    <div onFocus={() => setJudged(true)}>
      <PasswordInput
        label={t("New password")}
        description={t("At least {shortestPassword} characters, hard to guess: several unrelated words, for example", { shortestPassword })}
        autoComplete="new-password"
        required
        {...props}
      />
      {isJudged && <PasswordStrength password={props.value} words={words} />}
    </div>
  );
}

/** The strength is loaded apart, since its dictionary is large. If it cannot be loaded, only the server judges. */
const PasswordStrength = later<StrengthProps>(async () => {
  const loaded = await import("./password-strength.tsx").catch(() => null);
  return loaded?.PasswordStrength ?? (() => null);
});

type UrlInputProps = Omit<TextInputProps, "value" | "onChange"> & {
  value: string;
  /** Takes an event of the field or a text. */
  onChange: (value: never) => void;
};

/** A URL; one that is typed without its scheme gets https once it is left or sent. */
export function UrlInput({ value, onChange, onBlur, ...props }: UrlInputProps) {
  const change = onChange as (value: unknown) => void;
  const complete = () => {
    const whole = completeUrl(value);
    if (whole !== value) change(whole);
  };
  return (
    <TextInput
      type="url"
      required
      {...props}
      value={value}
      onChange={change}
      onBlur={(event) => {
        complete();
        onBlur?.(event);
      }}
      onKeyDown={(event) => event.key === "Enter" && complete()}
    />
  );
}

/** Begins with a host such as `shop.example`, and has no scheme. */
const withoutScheme = /^(?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}(?=[:/?#]|$)/u;

export function completeUrl(text: string): string {
  const bare = text.trim();
  return withoutScheme.test(bare) ? `https://${bare}` : text;
}

interface PhoneInputProps extends Omit<TextInputProps, "value" | "onChange"> {
  value: string;
  /** Gets the bare number once it is complete, until then the typed text. */
  onChange: (phone: string) => void;
}

/** A phone number, checked while it is typed: it says what is missing and offers a correction. */
export function PhoneInput({ value, onChange, ...props }: PhoneInputProps) {
  const [typed, setTyped] = useState(value);
  // Spaces stay as they were typed, unless the value changed elsewhere.
  const text = phoneValue(typed) === value ? typed : value;
  const reading = readPhone(text);
  const isWanting = reading.is === "near" || reading.is === "unfinished";
  const write = (next: string) => {
    setTyped(next);
    onChange(phoneValue(next));
  };
  return (
    <div>
      <TextInput
        type="tel"
        placeholder="+491701234567"
        rightSection={reading.is === "whole" && <IconCheck size={16} color="var(--mantine-color-anchor)" aria-hidden />}
        {...props}
        {...bound(text, write)}
      />
      <Group gap="xs" mt={isWanting ? 4 : 0} aria-live="polite">
        {isWanting && <Small>{reading.reason}</Small>}
        {reading.is === "near" && (
          <Button variant="light" size="compact-xs" onClick={() => write(reading.suggestion)}>
            {t("Use {suggestion}", { suggestion: reading.suggestion })}
          </Button>
        )}
      </Group>
    </div>
  );
}

/** `near`: complete after a correction that the person confirms. */
type PhoneReading =
  | { is: "empty" }
  | { is: "whole"; phone: string }
  | { is: "near"; suggestion: string; reason: string }
  | { is: "unfinished"; reason: string };

/** Reads a phone as people write it. Signs that only group digits are dropped; any other correction is suggested, never made. */
export function readPhone(text: string): PhoneReading {
  const phone = text.replaceAll(/[\s().\-/\u2010-\u2015]/gu, "").replace(/^＋/u, "+");
  if (phone === "") return { is: "empty" };
  if (/[^\d+]/u.test(phone) || phone.lastIndexOf("+") > 0) return unfinished(t("Digits only, after a leading +."));
  if (/^\s*(?:\+|00)[\d\s]*\(0\)/u.test(text)) return near(text.replace(/^\s*(?:\+|00)/u, "").replace("(0)", ""), t("Leave out the (0):"));
  if (phone.startsWith("00")) return near(phone.slice(2), t("Write + instead of 00:"));
  if (/^\+?0/u.test(phone)) return unfinished(t("Replace the 0 with + and the country code, such as +49 for Germany."));
  if (!phone.startsWith("+")) return near(phone, t("Add + before the country code:"));
  return isE164(phone) ? { is: "whole", phone } : unfinished(lengthReason(phone));
}

/** The bare number if it is complete, else the typed text. */
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
  phone.length > 8 ? t("Too long: at most 15 digits with the country code.") : t("Keep typing: 7 to 15 digits with the country code.");

/** Gives the focus to the element of an id once it is drawn, as after a change of a list. */
export function useFocusNext(): (id: string) => void {
  const next = useRef<string | null>(null);
  useEffect(() => {
    if (next.current !== null) document.getElementById(next.current)?.focus();
    next.current = null;
  });
  return (id) => {
    next.current = id;
  };
}
