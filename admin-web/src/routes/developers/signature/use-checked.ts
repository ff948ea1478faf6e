import { useEffect, useState } from "react";
import { canSign, hmac } from "./digests.ts";
import { judgeSignature, type Pasted, type Verdict } from "./judge-signature.ts";

interface Checked {
  /** The right header. */
  expected: string;
  /** Null while no header was pasted to compare. */
  verdict: Verdict | null;
}

/** Null until there is a secret, and while it is worked out. */
export function useChecked({ body, secret, header, timestamp }: Pasted): Checked | null {
  const [checked, setChecked] = useState<Checked | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const work = async () => {
      const done = await check({ body, secret, header, timestamp });
      if (isCurrent) setChecked(done);
    };
    void work();
    return () => {
      isCurrent = false;
    };
  }, [body, secret, header, timestamp]);
  return checked;
}

async function check(pasted: Pasted): Promise<Checked | null> {
  const { body, secret, header } = pasted;
  if (secret === "" || !canSign()) return null;
  const expected = `sha256=${await hmac(secret, body)}`;
  return { expected, verdict: header.trim() === "" ? null : await judgeSignature(pasted, expected) };
}
