/** Numbers worth knowing first, and what the sandbox makes of a message to each. The documentation has them all. */
export const magicNumbers: { phone: string; meaning: string }[] = [
  { phone: "+15550108011", meaning: "Delivered, and not read until you read it here" },
  { phone: "+15550101026", meaning: "Accepted, then failed: not deliverable (131026)" },
  { phone: "+15550101049", meaning: "Accepted, then held back by the platform (131049)" },
  { phone: "+15550101050", meaning: "The person stopped marketing messages (131050)" },
  { phone: "+15550100403", meaning: "The person blocked the business (130403)" },
  { phone: "+15550101056", meaning: "Refused: too many messages to one person (131056)" },
  { phone: "+15550108005", meaning: "The connection breaks: in doubt, nothing arrives" },
  { phone: "+15550108008", meaning: "Takes a few seconds to be accepted" },
];
