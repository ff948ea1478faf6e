import type { OptOutScope } from "./message.ts";

/** The words by which people stop and resume an account's messages, and the messages that a stop word stops. */
export interface OptOutWords {
  stopWords: readonly string[];
  startWords: readonly string[];
  scope: OptOutScope;
}

/** Tells what a person's text asks for; null when it is neither a stop nor a start word. */
export type WordReader = (text: string) => "stop" | "start" | null;

/** Makes a reader of these words. A text counts only if the whole of it is one of them, whatever its case and the spaces around it. */
export function readWords({ stopWords, startWords }: Pick<OptOutWords, "stopWords" | "startWords">): WordReader {
  const words = new Map<string, "stop" | "start">();
  for (const word of startWords) words.set(foldWord(word), "start");
  for (const word of stopWords) words.set(foldWord(word), "stop");
  return (text) => (text.length > longestText ? null : (words.get(foldWord(text)) ?? null));
}

/** Longer texts are not compared; the characters around a word may make a text longer than the word. */
const longestText = 300;

/** The form in which words are compared: without case in any language, so that `İPTAL`, `iptal` and `IPTAL` are equal, and without invisible characters. */
export const foldWord = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll("\u0307", "");

/**
 * Stop words in the platform's largest languages: English, Hindi, Portuguese, Spanish, Indonesian, Arabic, Urdu, Bengali, Russian, Turkish, German, French,
 * Italian.
 */
export const defaultStopWords: readonly string[] = [
  ["stop", "stop all", "unsubscribe", "opt out", "stop promotions"],
  ["रोकें", "बंद करें", "band karo"],
  ["parar", "pare", "sair", "descadastrar"],
  ["detener", "baja", "alto", "cancelar suscripción"],
  ["berhenti", "berhenti berlangganan"],
  ["إيقاف", "ايقاف", "توقف", "إلغاء الاشتراك", "الغاء الاشتراك"],
  ["روکیں", "بند کریں"],
  ["বন্ধ", "বন্ধ করুন"],
  ["стоп", "отписаться"],
  ["dur", "durdur", "ret", "abonelikten çık"],
  ["stopp", "abmelden", "abbestellen"],
  ["arrêt", "arrêter", "désabonner", "se désabonner"],
  ["ferma", "disiscrivi", "disiscrivimi"],
].flat();

export const defaultStartWords: readonly string[] = [
  ["start", "unstop", "subscribe", "opt in"],
  ["शुरू", "शुरू करें", "shuru karo"],
  ["iniciar", "começar", "inscrever"],
  ["empezar", "alta", "suscribirse"],
  ["mulai", "berlangganan"],
  ["ابدأ", "ابدا", "اشتراك"],
  ["شروع", "شروع کریں"],
  ["শুরু", "শুরু করুন"],
  ["старт", "подписаться"],
  ["başla", "başlat", "abone ol"],
  ["starten", "anmelden", "abonnieren"],
  ["démarrer", "commencer", "s'abonner"],
  ["inizia", "iscrivi", "iscrivimi"],
].flat();
