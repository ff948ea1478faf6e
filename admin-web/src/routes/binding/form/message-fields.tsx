import { Section } from "../../../ui/page/section.tsx";
import type { BindingForm } from "../use-binding-form.ts";
import { RecipientFields } from "./recipient-fields.tsx";
import { TemplateField } from "./template-field.tsx";
import type { LearnedField } from "./use-learned-fields.ts";
import classes from "./fields.module.css";

/** What is sent, and who gets it. */
export function MessageFields({ form, fields }: { form: BindingForm; fields: readonly LearnedField[] }) {
  return (
    <Section title="Send">
      <div className={classes["pair"]}>
        <TemplateField form={form} />
        <RecipientFields form={form} fields={fields} />
      </div>
    </Section>
  );
}
