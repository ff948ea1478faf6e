import { isE164 } from "shared/core/phone";
import { paths } from "../paths.ts";
import { TextLink } from "./buttons.tsx";

/** A phone that leads to everything known about it; plain text if it is masked. */
export function CustomerLink({ phone }: { phone: string }) {
  return isE164(phone) ? (
    <TextLink to={paths.customer} params={{ phone }}>
      {phone}
    </TextLink>
  ) : (
    phone
  );
}
