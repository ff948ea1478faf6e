import type { OpenSandbox } from "./open-sandbox.ts";

/** An order message with every common part: one variable in the header, two in the body, one in the first button. */
export const orderTemplate = {
  name: "order_shipped",
  language: "en_US",
  category: "UTILITY",
  components: [
    { type: "HEADER", format: "TEXT", text: "Order {{1}}", example: { header_text: ["10042"] } },
    { type: "BODY", text: "Hello {{1}}, your parcel {{2}} is on its way.", example: { body_text: [["Ada", "DHL-77"]] } },
    { type: "FOOTER", text: "Example Shop" },
    {
      type: "BUTTONS",
      buttons: [
        { type: "URL", text: "Track", url: "https://shop.example/t/{{1}}", example: ["https://shop.example/t/77"] },
        { type: "PHONE_NUMBER", text: "Call us", phone_number: "+4930123456" },
      ],
    },
  ],
};

const textParameter = (value: string) => ({ type: "text", text: value });

/** A send's `template` that fits it. */
export const orderMessage = {
  name: "order_shipped",
  language: { code: "en_US" },
  components: [
    { type: "header", parameters: [textParameter("10042")] },
    { type: "body", parameters: [textParameter("Ada"), textParameter("DHL-77")] },
    { type: "button", sub_type: "url", index: "0", parameters: [textParameter("77")] },
  ],
};

/** Creates the template and waits for nothing: with a review of 0 ms it is approved. Answers its id. */
export async function addTemplate(sandbox: OpenSandbox, template: Record<string, unknown> = orderTemplate): Promise<string> {
  const { status, json, text } = await sandbox.call("POST", `/${sandbox.account.wabaId}/message_templates`, template);
  if (status !== 200) throw new Error(`the template was refused: ${text}`);
  return (json as { id: string }).id;
}
