import { useState } from "react";
import { isE164 } from "shared/core/phone";
import { PhoneInput } from "../../../ui/form/phone-input.tsx";

interface PhoneSearchProps {
  phone: string | undefined;
  /** Told a whole number, or that the field was emptied. */
  onChange: (phone: string | undefined) => void;
}

/** Looks for one person as soon as the number is whole. Cleared from outside, it is empty. */
export function PhoneSearch({ phone, onChange }: PhoneSearchProps) {
  const [told, setTold] = useState(phone);
  const [round, setRound] = useState(0);
  if (phone !== told) {
    setTold(phone);
    if (phone === undefined) setRound(round + 1);
  }
  const tell = (typed: string) => {
    if (typed !== "" && !isE164(typed)) return;
    setTold(typed || undefined);
    onChange(typed || undefined);
  };
  return (
    <search aria-label="People who opted out">
      <PhoneInput key={round} label="Look for a phone" maw="20rem" defaultValue={phone ?? ""} onChange={tell} />
    </search>
  );
}
