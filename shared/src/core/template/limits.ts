/** The platform's limits, in characters (see `textLength`). */
export const limits = {
  name: 512,
  header: 60,
  body: 1024,
  footer: 60,
  buttonText: 25,
  buttonPhone: 20,
  url: 2000,
  buttons: 10,
  urlButtons: 2,
  phoneButtons: 1,
  bodyEmoji: 10,
} as const;
