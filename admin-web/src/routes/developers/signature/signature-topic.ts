/** The signature checker stands among the topics under this name. */
export const signatureTopic = "signature-checker";
export const signatureTitle = "Check a signature";
