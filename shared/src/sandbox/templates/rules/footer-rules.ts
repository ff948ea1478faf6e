import { countEmoji } from "../../../core/text/emoji.ts";
import { textLength } from "../../../core/text/length.ts";
import { templateRefusal } from "../../errors/graph-error.ts";

const LIMIT = 60;

/** What the platform demands of a footer (platform facts, 3.1). */
export function checkFooter({ text }: { text: string }): void {
  if (textLength(text) > LIMIT) throw templateRefusal(2388040, "Character limit exceeded", `The footer may have ${LIMIT} characters.`);
  if (text.trim() === "" || /[\n\r]|\{\{|\}\}/.test(text) || countEmoji(text) > 0) {
    throw templateRefusal(
      2388073,
      "Message footer format is incorrect",
      "The footer can't be empty or have variables, new lines or emojis.",
    );
  }
}
