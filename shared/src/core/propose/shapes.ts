import shapeFits from "./fits.json" with { type: "json" };
import places from "./shapes.json" with { type: "json" };

/** The shapes of values, in an example of a template or in an event. */
export type Shape = keyof typeof places;
const shapes = Object.keys(places) as Shape[];

/** The text in lower case and without accents. */
export const foldedText = (text: string): string =>
  /^[ -~]*$/u.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFD")
        .replaceAll(/\p{M}/gu, "")
        .toLowerCase()
        .replaceAll(/[ıßłøæœđ]/gu, (letter) => plainLetters[letter] ?? letter);

const plainLetters: Record<string, string> = { ı: "i", ß: "ss", ł: "l", ø: "o", æ: "ae", œ: "oe", đ: "d" };

/** The forms of the shapes; the first that fits counts, in a text without accents and in lower case. */
const forms: readonly (readonly [Shape, RegExp])[] = [
  ["empty", /^$/u],
  ["boolean", /^(?:true|false)$/u],
  ["url", /^(?:https?:\/\/|www\.)\S+$/u],
  ["url", /^[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}\/\S*$/u],
  ["email", /^[^\s@]+@[^\s@]+\.[^\s@]+$/u],
  ["uuid", /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u],
  ["datetime", /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/u],
  ["datetime", /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s.{0,8}\d{1,2}[:.h]\d\d/u],
  ["date", /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$/u],
  ["date", /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/u],
  ["date", /^\d{1,2}\.\d{1,2}\.$|^\d{1,2}\/\d{1,2}$/u],
  ["time", /^\d{1,2}(?:[:h]\d\d|h)(?::\d\d)?\s?(?:[ap]\.?m\.?|uhr|h|hs)?$/u],
  ["time", /^\d{1,2}\sh\s\d\d$/u],
  ["time", /^\d{1,2}\.\d\d\s?(?:[ap]\.?m\.?|uhr|h|hs)$/u],
  ["time", /^\d{1,2}\s?(?:[ap]\.?m\.?|uhr)$/u],
  ["span", /^\d{1,2}(?:[:.h]\d\d)?\s?(?:[ap]m|uhr|h|hs)?\s?(?:[-–]|to|bis|a|and|und|y|et|e)\s?\d{1,2}(?:[:.h]\d\d|\s?[ap]m|\s?h|\s?uhr)/u],
  ["phone", /^\+\d[\d ()/.-]{6,20}$/u],
  ["phone", /^0\d{1,5}[ /-][\d ()/-]{5,16}$/u],
  ["percent", /^-?\d{1,3}(?:[.,]\d{1,2})?\s?%$/u],
  [
    "money",
    /^(?:[$€£₺¥₹]|r\$|us\$|(?:usd|eur|gbp|chf|brl|mxn|try|tl|pln|sek|dkk|nok|zl|kr|aud|cad|nzd|inr|jpy|cny|sar|aed|egp|mad|zar|czk|huf|ron)\b)\s?-?\d[\d.,' ]*$/u,
  ],
  [
    "money",
    /^-?\d[\d.,' \u00a0\u202f]*(?:[$€£₺¥₹]|usd|eur|gbp|chf|brl|mxn|try|tl|pln|sek|dkk|nok|kr|zl|aud|cad|nzd|inr|jpy|cny|sar|aed|egp|mad|zar|czk|huf|ron|euros?)$/u,
  ],
  ["decimal", /^-?\d+[.,]\d{1,4}$/u],
  ["decimal", /^\d{1,3}(?:[.,]\d{3})+[.,]\d\d$/u],
  ["integer", /^-?\d{1,18}$/u],
  ["code", /^\d+$/u],
  ["masked", /^[*•x]{2}[*•x .-]*\d+$/u],
];

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const months = setOf(
  "january february march april may june july august september october november december januar februar marz maerz mai juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre janeiro fevereiro marco maio junho julho setembro outubro novembro dezembro gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik januari februari maart mei augustus stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien augusti jan feb mar apr jun jul aug sep sept oct okt nov dec dez ene abr ago dic يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر fev avr juil set out gen giu lug ott oca sub nis haz tem agu eyl kas ara",
);
const weekdays = setOf(
  "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so lunes martes miercoles jueves viernes sabado domingo lundi mardi mercredi jeudi vendredi samedi dimanche segunda terca quarta quinta sexta lunedi martedi mercoledi giovedi venerdi sabato domenica pazartesi sali carsamba persembe cuma cumartesi pazar maandag dinsdag woensdag donderdag vrijdag zaterdag zondag poniedzialek wtorek sroda czwartek piatek sobota niedziela mandag tisdag onsdag torsdag fredag lordag sondag lun mie jue vie sab dom mer jeu ven sam dim seg ter qua qui sex gio today tomorrow heute morgen manana hoy demain domani oggi yarin bugun amanha hoje jutro dzis imorgon idag",
);
const salutations = setOf(
  "mr mrs ms miss mx dr prof sir madam herr frau hr fr sr sra srta don dona senor senora senhor senhora m mme mlle monsieur madame mademoiselle sig signor signora signore sigra dott dottssa bay bayan hanim dhr mevr mevrouw meneer mw pan pani fru",
);
/** First names that people write as examples, and that many have. */
const givenNames = setOf(
  "anna anne ann annie maria marie mary john jane james jack joe joseph josephine michael mike david daniel dan robert rob robin bob william will thomas tom tim peter paul mark max maximilian moritz felix lukas lucas luca leon leonie lena laura lara lisa julia julie juliette jonas jan johan johannes karl carl klaus hans heinz jurgen stefan stephan sabine petra monika ursula claudia susanne sandra nicole tanja katrin katharina kathrin christian christine christina anton antonia emma emily emilia ella ellen eva sophie sofia sophia sofie mia hannah hanna oliver olivia noah liam ethan benjamin ben samuel sam alex alexander alexandra chris kim lee sarah sara susan karen linda patricia jennifer elizabeth emilie kate katie lucy lucia alice grace charlotte george harry henry charles charlie edward ryan kevin brian jason eric erik steve steven andrew andy anthony tony dana taylor jordan morgan casey jamie pat jose juan carlos luis jorge pedro pablo miguel manuel antonio francisco javier diego alejandro fernando sergio rafael mateo martin martina ana carmen isabel elena julio raul rosa marta pilar cristina beatriz paula andrea valentina camila daniela mariana gabriela gabriel joao paulo bruno tiago thiago rodrigo renata fernanda juliana mateus matheus felipe gustavo ricardo eduardo marcos leticia larissa beatrice giulia giuseppe giovanni marco matteo francesco francesca alessandro alessia chiara federica federico lorenzo stefano roberto paolo davide simone silvia elisa valeria ginevra pierre jean jacques louis luc hugo lea chloe camille manon clara elodie elise nicolas julien antoine mathieu thibault claire isabelle nathalie philippe karim mohamed mehmet ahmet mustafa ali ayse fatma zeynep elif emre can deniz murat hasan huseyin ozlem selin merve burak piet pieter willem bas daan sem lieke sanne femke fleur joost maarten anouk anders bjorn sven lars erika ingrid astrid karin kerstin gunnar nils linnea elsa saga kasia piotr krzysztof tomasz marek andrzej pawel agnieszka magdalena malgorzata ewa joanna zofia jakub mateusz bella ada yusuf omar fatima priya raj wei ines nuria sonia alba irene victor hector marcus wojtek ola liz beth rachel rebecca megan amy zoe ruby lily freya isla ava evie harper mason logan jacob aiden tyler justin brandon scott greg phil simon adam aaron nathan luke jake matt matthew dominic sean connor natalie olga igor ivan tatiana nadia leila samira hakan kemal selim emine elisabeth heike birgit renate uwe horst dieter jutta anja anke silke torsten markus matthias sebastian tobias florian philipp niklas finn jule greta frieda paulina zuzanna maciej tomek gosia dorota barbara iwona mette soren freja magnus oskar ebba alma maja elin nora kari vitor caio davi heitor isadora marina rita teresa tomas rui nuno jaime ramon rocio noelia alvaro adrian monica veronica gloria esther alicia salvatore enrico gianni luigi paola serena ilaria sabrina margaux amelie mathilde quentin romain benoit gerard yves craig keith holly louise amber rhys oscar sylvia imelda nerea ulrike paige hugh ian ross stuart neil graham derek colin nigel trevor gareth owen dylan evan lewis callum aidan kyle cameron ewan fiona heather hazel iris ivy daisy poppy rosie millie ellie molly katherine catherine deborah debbie denise diane donna dorothy eileen frances gail gillian hilary janet janice jill joan josie joyce judith karina kathleen kelly kirsten lauren leah lesley lorraine lynn maggie mandy marian marion maureen miriam naomi pamela pauline penny rhona rosemary roxanne sally sheila shirley stella theresa tracy vanessa vera wendy winifred yvonne abigail adrienne alan albert alfred allan arnold arthur barry bernard brent bruce calvin cedric chad clive curtis dale darren dean dennis donald douglas duncan earl edgar edwin ernest eugene francis frank franklin fred frederick gary gavin geoffrey geoff gerald gilbert glen gordon harold herbert howard isaac jared jeff jeffrey jeremy jerome joel jonathan joshua keanu kenneth kurt lance lawrence leonard leroy lloyd malcolm manfred maurice melvin mitchell morris nathaniel nicholas norman patrick ralph randy raymond reginald rex rodney roger roland ronald roy rufus russell samson seth shane shaun sidney stanley terence terry timothy toby todd travis trent vernon vincent wade wallace walter warren wayne wendell wesley zachary gonzalo andres fabian ignacio joaquin leandro lucio marcelo matias patricio rodolfo santiago tadeo vicente ximena yolanda zulema margot helene bernadette gaelle gilles didier denis emile etienne fabrice francois frederic gaston guillaume herve laurent marcel mathis maxime olivier pascal patrice raphael remi rene sylvie theo thierry yann dario fabio gabriele giacomo gianluca giorgio leonardo maurizio mauro michele nicola pietro riccardo silvio stefania vincenzo otavio otto rogerio sandro vanderlei wagner wellington fahd khalid khaled ahmad hassan ibrahim mariam noor nour sami tariq youssef zaid bernd dirk gerd gerhard gunter holger jorg konrad lothar maren nadine norbert ralf reinhard rolf rudiger siegfried svenja ulrich ute volker werner wolfgang wolfram",
);
/** Whether the first word, or the one behind a salutation, is a given name. */
export function startsWithGivenName(text: string): boolean {
  const words = foldedText(text.slice(0, mostRead)).match(/\p{L}+/gu) ?? [];
  return words.length < 5 && !/\d/u.test(text) && givenNames.has(words[startsWithSalutation(text) ? 1 : 0] ?? "");
}

const streets =
  /\b(?:street|st|road|rd|avenue|ave|av|lane|ln|drive|square|blvd|rue|place|allee|chemin|quai|calle|c|plaza|avenida|avda|paseo|carrera|rua|praca|travessa|rodovia|via|viale|piazza|corso|sokak|sk|cadde|caddesi|cad|mah|mahallesi|bulvari|ul|ulica|aleja|al|plac|laan|weg|plein|gracht|allee|platz|ring|gatan|vagen|torg)\b|(?:strasse|str\.|weg|platz|gasse|straat|laan|gatan|vagen)\b/u;

/** Whether the text begins with a salutation and goes on. */
export function startsWithSalutation(text: string): boolean {
  const [first = "", second] = foldedText(text.slice(0, mostRead)).split(/[\s.]+/u);
  return second !== undefined && second !== "" && salutations.has(first);
}

/** The shape of a value is read from this many of its first characters. */
const mostRead = 200;

export function shapeOf(whole: string): Shape {
  const text = whole.slice(0, mostRead).trim();
  const folded = foldedText(text);
  const form = forms.find(([, pattern]) => pattern.test(folded));
  if (form !== undefined) return form[0];
  const words = folded.match(/[\p{L}]+/gu) ?? [];
  const digits = /\d/u.test(folded);
  if ((folded.match(/\d{1,2}(?:[:h]\d\d|\s?h\b|\s?[ap]m\b|\s?uhr\b)/gu) ?? []).length > 1) return "span";
  const isDay = words.some((word) => months.has(word)) || weekdays.has(words[0] ?? "");
  if (digits && isDay && text.length < 40) return /\d{1,2}[:.h]\d\d/u.test(folded) ? "datetime" : "date";
  const isGivenName = /^\p{Lu}/u.test(text) && startsWithGivenName(text);
  if (words.length === 1 && !digits && !isGivenName) {
    if (weekdays.has(folded)) return "weekday";
    if (months.has(folded)) return "month";
    if (salutations.has(words[0] ?? "")) return "salutation";
  }
  if (/^#?[\p{L}\d]+(?:[-_/.#*][\p{L}\d]+)*$/u.test(text) && digits) return "code";
  if (/^[\p{L}\d]{1,4}(?:[ -][\p{L}\d]{1,5}){1,3}$/u.test(text) && digits && text === text.toUpperCase()) return "code";
  if (streets.test(folded) && (digits || words.length > 1)) return "address";
  if (/\p{L} \d{1,4} ?[a-z]?,|\b\d{5} \p{L}/u.test(folded)) return "address";
  if (!digits && (startsWithSalutation(text) || (words.length > 1 && isGivenName))) return "person";
  if (/^[a-z]+(?:[_-][a-z]+)+$/u.test(text)) return "slug";
  if (/^\p{Lu}[\p{L}'’.-]*(?: (?:\p{Lu}|de|da|do|dos|del|von|van|di|la)[\p{L}'’.-]*){0,4}$/u.test(text)) return "name";
  return "text";
}

/** How well a value of each shape stands where the example has this one: from -2 to 1.5, by `placeOfShape`. */
export const fitsOf = (example: Shape): Float64Array => Float64Array.from(shapes, (value) => fit(example, value));
export const placeOfShape = (shape: Shape): number => places[shape];

function fit(example: Shape, value: Shape): number {
  if (value === "empty") return -0.5;
  if (example === value) return loose.has(example) ? 0.8 : example === "slug" ? 1.2 : 1.5;
  return fits[`${example} ${value}`] ?? (loose.has(example) && loose.has(value) ? 0.4 : -1.5);
}

const loose: ReadonlySet<Shape> = new Set(["name", "text"]);
const fits: Readonly<Record<string, number>> = shapeFits;
