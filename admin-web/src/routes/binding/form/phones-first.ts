import { readPhone } from "../../../ui/form/read-phone.ts";
import type { LearnedField } from "./use-learned-fields.ts";

/** The fields that held a phone, or are called one, before the others. */
export function phonesFirst(fields: readonly LearnedField[]): LearnedField[] {
  const isPhone = ({ path, sample }: LearnedField) => readPhone(sample ?? "").is === "whole" || /phone|mobile|whatsapp/iu.test(path);
  return [...fields.filter(isPhone), ...fields.filter((field) => !isPhone(field))];
}
