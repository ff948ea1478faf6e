import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { later } from "../base/later.tsx";
import type { Conflict, ToldField } from "./conflict.tsx";

/** What a form is filled from, and how it is filled again when somebody else has changed that meanwhile. */
export interface Versioned<Values> {
  /** Absent where the input tells by itself what was read. */
  updatedAt?: string;
  /** The fields filled from what stands now; null if that cannot be changed here any more. */
  fill: (current: never) => Values | null | Promise<Values | null>;
  /** The fields in words. */
  tell: (values: Values) => readonly ToldField[];
}

/** Fields over the version of what they were filled from. */
export interface Rebased<Values> {
  updatedAt: string | undefined;
  base: Values;
  values: Values;
}

/** The version that a form's fields were filled from, and what comes between it and a save. `rebase` fills the fields over what stands now. */
export function useVersion<Values extends object>(
  versioned: Versioned<Values> | undefined,
  rebase: (theirs: Values, mine: Values) => void,
) {
  const [updatedAt, setUpdatedAt] = useState(versioned?.updatedAt);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const queries = useQueryClient();
  const settle = (theirs: Rebased<Values>) => {
    setConflict(null);
    setUpdatedAt(theirs.updatedAt);
    rebase(theirs.base, theirs.values);
  };

  /** Sends the fields until nothing has come between; false if nothing is saved yet, or the person has to choose first. */
  async function send<Input, Result>(
    mine: Rebased<Values>,
    toInput: (values: Values) => Input,
    submit: (input: Input) => Promise<Result | false>,
    keep: (rebased: Rebased<Values>) => void,
  ): Promise<{ answer: Result; sent: Values } | false> {
    setConflict(null);
    try {
      const answer = await submit({ ...toInput(mine.values), ...(mine.updatedAt !== undefined && { ifUpdatedAt: mine.updatedAt }) });
      if (answer === false) return false;
      setUpdatedAt(mine.updatedAt && (versionIn(answer) ?? mine.updatedAt));
      return { answer, sent: mine.values };
    } catch (error) {
      const current = currentIn(error);
      const theirs = current && versioned && (await versioned.fill(current as never));
      if (current === null || versioned === undefined || !theirs) throw error;
      const { compareSides } = await import("./conflict.tsx");
      const { rows, merged } = compareSides(versioned.tell, { base: mine.base, mine: mine.values, theirs });
      const rebased = { updatedAt: versionIn(current), base: theirs, values: merged };
      if (rows.length === 0) {
        settle(rebased);
        return await send(rebased, toInput, submit, keep);
      }
      const keepMine = () => {
        settle(rebased);
        keep(rebased);
      };
      const takeTheirs = () => {
        settle({ ...rebased, values: theirs });
        void queries.invalidateQueries();
      };
      setConflict({ rows, by: changedByIn(error), keepMine, takeTheirs });
      return false;
    }
  }
  return { conflict, updatedAt, send };
}

/** What stands now, in the refusal of a save over another version. */
const currentIn = (error: unknown): object | null => (error as { data?: { current?: object | null } | null } | null)?.data?.current ?? null;

/** The name of whoever has made it, as lists of people have it; of somebody who is no member any more the e-mail address. */
export function changedByIn(error: unknown): string | null {
  const { changedBy = null, changedByName } = (error as { data?: Record<string, string | null> } | null)?.data ?? {};
  return changedByName ?? changedBy;
}

/** The `updatedAt` of an answer, or of the object in it. */
function versionIn(answer: unknown): string | undefined {
  const found = [answer, ...Object.values(answer ?? {})].find(
    (each) => typeof (each as Partial<Versioned<object>> | null)?.updatedAt === "string",
  );
  return (found as Versioned<object> | undefined)?.updatedAt;
}

const ConflictNotice = later(async () => (await import("./conflict.tsx")).ConflictNotice);

/** What somebody else has saved since the form was filled. */
export const FormConflict = ({ form: { conflict } }: { form: { conflict: Conflict | null } }) =>
  conflict !== null && <ConflictNotice {...conflict} />;
