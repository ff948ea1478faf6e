import { Section } from "../../../ui/page/section.tsx";
import { ErasePerson } from "./erase-person.tsx";
import { Erasures } from "./erasures.tsx";

/** Forgetting one person, and what became of earlier requests. */
export function Erasing() {
  return (
    <Section
      title="Forget one person"
      lead="On a person's request: whatever here holds their phone is removed or made unreadable, for good."
    >
      <ErasePerson />
      <Erasures />
    </Section>
  );
}
