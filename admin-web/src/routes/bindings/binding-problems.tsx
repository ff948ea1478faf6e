import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { reasonWords } from "../../ui/reason-words.ts";
import classes from "./binding-problems.module.css";

/** Why a binding cannot send, a line each. */
export function BindingProblems({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className={classes["problems"]}>
      {problems.map((problem) => (
        <li key={problem}>
          <IconAlertTriangle size={16} aria-hidden />
          {reasonWords(problem)}
        </li>
      ))}
    </ul>
  );
}
