import { useEffect, useState } from "react";
import type { Said } from "shared/core/wording";
import { language } from "../language.ts";
import { inReadersWords, loadRefusals } from "../refusals.ts";

interface ToldProps {
  /** The server's English text. */
  text: string | undefined;
  said: Said | null | undefined;
}

/** A sentence of the server, in the reader's language once its texts are loaded. */
export const Told = (told: ToldProps) => useTold(told);

export function useTold({ text = "", said }: ToldProps): string {
  const isForeign = said != null && language !== "en";
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    if (isForeign) void loadRefusals().then(() => setLoaded(true));
  }, [isForeign]);
  if (!isForeign) return text;
  return isLoaded ? inReadersWords(said) : "";
}
