import { useEffect, useState } from "react";
import type { Said } from "shared/core/wording";
import { formatMoment } from "../../format.ts";
import { language } from "../../language.ts";
import { inReadersWords, loadRefusals } from "../../refusals.ts";

interface ToldProps {
  /** The server's English text. */
  text: string | undefined;
  said: Said | null | undefined;
}

/** A sentence of the server, in the reader's language once its texts are loaded. */
export const Told = (told: ToldProps) => useTold(told);

export function useTold({ text = "", said }: ToldProps): string {
  const [isLoaded, setLoaded] = useState(language === "en");
  useEffect(() => {
    if (!isLoaded && said != null) void loadRefusals().then(() => setLoaded(true));
  }, [isLoaded, said]);
  if (said == null) return text;
  return isLoaded ? inReadersWords(inReadersZone(said)) : "";
}

const inReadersZone = ({ text, values }: Said): Said => ({
  text,
  values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isInstant(value) ? formatMoment(value) : value])),
});

const isInstant = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u.test(value);
