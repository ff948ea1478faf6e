import { foldedText } from "./shapes.ts";

/**
 * The concepts that words of templates and keys of payloads stand for, in the languages in which shops write them and with the abbreviations of their
 * databases. Lower case, without accents. `=first` is a key that consists of that word alone. Endings and compounds are found by `conceptsOf`.
 */
const words = {
  // People.
  greeting:
    "hi hello hey dear welcome hallo liebe lieber guten moin servus gruezi hola estimado estimada querido querida buenos buenas bonjour bonsoir salut cher chere ola oi caro cara prezado prezada fala ciao gentile buongiorno buonasera merhaba selam sayin degerli beste geachte hoi goedemorgen witaj czesc szanowny szanowna drogi droga hej hejsan basta kara kaere hei مرحبا عزيزنا عزيزي عزيزتي اهلا السيد السيدة",
  firstName:
    "=first firstname given givenname forename vorname rufname primernombre prenom primeironome primonome prenome voornaam ilkad imie fornamn fornavn preferredname nickname",
  lastName:
    "=last lastname surname family familyname nachname zuname familienname apellido apellidos nomdefamille sobrenome cognome soyad soyadi soyisim achternaam nazwisko efternamn etternavn",
  name: "name names fullname displayname nombre nombrecompleto nom nomcomplet nome nomecompleto naam ad adi isim ismi adsoyad tamad namn navn nazwa nimi legalname",
  salutation:
    "salutation anrede aanhef civilite civ civilidad tratamento appellativo hitap unvan honorific prefix courtesy tilltal frau herr mr mrs ms mme monsieur madame senor senora sr sra",
  customer:
    "customer cust client cli kunde kundin cliente clienta acheteur buyer patient pat patientin paciente paziente hasta guest gast huesped invite hospede ospite misafir user usuario utente utilisateur member mitglied miembro membre membro socio socia uye lid abonne assinante abbonato student contact kontakt contacto contatto recipient receiver empfanger destinatario destinataire odbiorca mottagare ontvanger cnee consignee musteri alici attendee teilnehmer asistente participant participante shopper subscriber tenant mieter holder halter inhaber titular titulaire intestatario klient klant kund kunden owner propietario proprietaire proprietario eigentumer eigenaar wlasciciel sahibi besteller comprador acquirente purchaser applicant bewerber solicitante candidat borrower prestatario emprunteur policyholder insured versicherter asegurado assure segurado assicurato passenger fahrgast passagier pasajero passager passageiro passeggero yolcu pasazer traveler traveller reisender person persona personne billing facturacion facturation rechnungsadresse bill_to donor spender donante donateur booker bucher عميل العميل",
  guardian:
    "parent parents mother father eltern mutter vater elternteil sorgeberechtigte padre madre padres tutor guardian responsable responsavel genitore genitori veli ouder ouders rodzic foralder vardnadshavare famille familia familie",
  pupil:
    "pupil student schuler schulerin eleve alumno alumna aluno aluna alunno alunna studente ogrenci leerling uczen elev barn kind kinder child hijo hija enfant fils fille filho filha figlio figlia cocuk dziecko kid son daughter apprenti camper",
  staff:
    "staff doctor dr doc arzt arztin medico medica docteur medecin doktor hekim lekarz lakare stylist stylistin estilista coiffeur therapist therapeut terapeuta therapeute fysiotherapeut teacher lehrer lehrerin profesor profesora professeur professor professora prof insegnante docente ogretmen nauczyciel larare employee mitarbeiter mitarbeiterin empleado employe funcionario dipendente calisan medewerker agent agente driver fahrer conductor chauffeur motorista autista technician tech techniker tecnico tecnica technicien monteur mechanic mechaniker mecanico mecanicien meccanico teknisyen trainer trainerin entrenador entraineur treinador allenatore antrenor coach practitioner praticien behandler behandelaar provider professional profissional profesional berater beraterin asesor asesora conseiller conseillere consultor consulente danisman adviseur barber friseur friseurin peluquero cabeleireiro parrucchiere kuafor kapper fryzjer dentist zahnarzt dentista dentiste disci tandarts dentysta tandlakare vet tierarzt veterinario veterinaire veteriner dierenarts surgeon chirurg nurse enfermera infirmiere infermiere hemsire hygienist igienista optician designer artist artista instructor instrutor istruttore egitmen specialist spezialist especialista uzman advisor consultant officer clerk sachbearbeiter sachbearbeiterin gestor temsilci representative handler operator invitedby requestedby refundedby seenby host hostess anfitrion anfitriao guide kosmetikerin assistant manager gerente responsabile with mit con avec com bij med bei z ile met",
  courier:
    "courier kurier livreur rider repartidor mensajero entregador corriere kurye koerier bezorger kierowca zusteller driver fahrer conductor chauffeur budbringer",
  sender:
    "sender absender seller verkaufer remitente remetente mittente expediteur vendedor vendeur venditore satici gonderen nadawca sprzedawca afzender verkoper avsandare shpr shipper",
  company:
    "shop store boutique merchant brand firma unternehmen tienda comercio magasin loja negozio magaza dukkan company empresa entreprise societe azienda sirket bedrijf business geschaft salon salao salone praxis practice praktijk cabinet cabinete clinic klinik clinica clinique kliniek klinika ambulatorio studio studyo restaurant restaurante ristorante restoran restauracja lokal local gasthaus hotel venue property school schule escuela escola ecole scuola okul skola szkola academy colegio gym gimnasio academia palestra library organization organisation organizer veranstalter museum theatre theater teatro cinema kino winkel sklep butik butiken marketplace provider supplier labor laboratory lab center centre centro merkezi zentrum at bei chez presso vid hos site museo musee academie akademie accademia akademi circolo etablissement establecimiento estabelecimento struttura kurum kulup شركة متجر عيادة مدرسة فندق مطعم",
  pet: "pet tier haustier mascota animal animale hayvan dier huisdier zwierze dog hund perro chien cane cachorro kopek hond cat katze gato gatto chat kedi",
  // Things that messages are about.
  order:
    "order ord so bestellung bestell auftrag pedido orden encargo commande cmd encomenda ordine siparis sip purchase zamowienie bestelling bestallning ordre طلب طلبك الطلب طلبكم طلبية ",
  refund:
    "refund refunded erstattung ruckerstattung ruckzahlung reembolso devolucion rembourse remboursement reembolsar rimborso iade iadesi terugbetaling zwrot aterbetalning aterbetala estorno credited back zuruck terug tillbaka zwrocimy استرداد مسترد اعد",
  returned: "return rma retoure ruckgabe rucksendung devolucion retour devolucao reso iade zwrot retourneren retur",
  invoice:
    "invoice inv rechnung factura fact facture fatura fattura bill faktur faktura factuur receipt beleg quittung recibo recu ricevuta makbuz fis bon paragon kvitto statement فاتورة فاتورتك الفاتورة ",
  payment:
    "payment pmt pay paid zahlung bezahlung pago paiement payer pagamento odeme betaling platnosc betalning charge cobro cobranca kassenbuch payout دفع دفعة سداد",
  method:
    "method methode metodo zahlart zahlungsart forma formapago medio moyen mode modalita yontem sekli betaalwijze sposob visa mastercard amex paypal klarna bizum ideal blik swish sepa circuito bandeira",
  shipment:
    "shipment shipping ship delivery dlv lieferung versand sendung paket parcel package envio entrega livraison expedition colis spedizione consegna pacco remessa teslimat gonderi kargo zending bezorging pakket paczka przesylka dostawa leverans paketet paquete objeto pakke way unterwegs camino caminho viaggio yola onderweg drodze vag شحنة شحنتك توصيل التوصيل الشحن شحن خروج طريق",
  tracking:
    "tracking track awb waybill sendungsnummer sendungsverfolgung trackingnummer tracknumber seguimiento rastreo rastreamento rastreio suivi tracciamento takip guia localizador consignment codigorastreio ldv lettredevoiture sledzenia sparning sporing kolli paketnummer تتبع ",
  carrier:
    "carrier courier versanddienst versanddienstleister dienstleister paketdienst spediteur transportista transporteur transportadora vettore corriere kargo kargofirmasi przewoznik vervoerder transportor mensajeria paqueteria dhl ups usps fedex dpd gls hermes correos seur mrw chronopost colissimo mondialrelay brt sda aras yurtici mng ptt inpost postnord correios jadlog loggi postnl evri with mit con avec com met z ile ناقل",
  appointment:
    "appointment appt apt termin cita rendezvous rdv vous consulta consultation consulto visita visite appuntamento randevu booking buchung turno agendamento horario marcacao prenotazione afspraak wizyta wizyte besok tid session sesion seance sitzung lesson meeting treffen slot scheduled event موعد موعدك الموعد حجز ",
  reservation:
    "reservation reservierung reserva reservado rezervasyon reservering rezerwacja bokning booking buchung prenotazione stay aufenthalt estancia sejour soggiorno konaklama estadia verblijf pobyt",
  subscription:
    "subscription abo suscripcion abonnement assinatura abbonamento abonelik membership mitgliedschaft membresia adhesion uyelik plan tarif tarifa tier package paket paquete pass licence policy police poliza polizza apolice police karnet trial workspace team cycle laufzeit vertrag renewal renews renew renovacion renouvellement rinnovo renovacao yenileme contract contrato contrat contratto sozlesme insurance versicherung seguro assurance assicurazione sigorta waitlist اشتراك باقة",
  quote:
    "quote quotation angebot offerte presupuesto devis orcamento preventivo teklif estimate kostenvoranschlag oferta prijsopgave wycena offert",
  repair:
    "repair reparatur reparacion reparation reparo conserto riparazione onarim tamir reparatie naprawa ticket werkbon ordenservicio vorgang job workorder case fall caso dossier incident servis",
  loan: "loan kredit prestamo pret emprestimo prestito kredi lening pozyczka lan",
  instalment:
    "instalment installment rate cuota echeance mensualite parcela prestacao rata taksit termijn emi aidat beitrag cotisation contribution mensualidad",
  account: "account acct konto cuenta compte conta conto hesap rekening iban sortcode sort bic bankverbindung kontonummer contocorrente",
  card: "card karte tarjeta carte cartao carta kart kaart karta kort last4 final iban",
  show: "event show veranstaltung konzert evento espectaculo spectacle espetaculo spettacolo etkinlik evenement wydarzenie concert festival gala movie film pelicula funcion bilet biglietto billet entrada ingresso admission ticket eintritt",
  vehicle:
    "vehicle car auto fahrzeug coche vehiculo voiture vehicule carro veicolo macchina arac samochod bil voertuig bike velo fiets fahrrad bicicleta vozidlo",
  plate: "plate kennzeichen matricula patente immatriculation targa placa plaka kenteken rejestracja regnummer licenseplate",
  device: "device gerat dispositivo equipo appareil aparelho cihaz toestel urzadzenie enhet brand marca marke",
  product:
    "product prod item items line lineitem artikel art produkt produto producto articulo produit article prodotto articolo urun urunu varer product item goods ware merchandise gift cart basket منتج المنتج menu box refill سلعة",
  service:
    "service servicio servico servizio services treatment behandlung leistung tratamiento soin prestation tratamento trattamento prestazione hizmet islem procedure procedimiento therapy therapie terapia behandeling usluga zabieg tjanst behandling panel test examen exam prueba analisis untersuchung check motif for fur para pour per voor icin about uber sobre hakkinda massage procedimento muayene vaccination vaccine impfung vacuna vaccin vaccino vacina asi prescription rezept receta ordonnance ricetta receita recete checkup خدمة علاج objet anliegen betreff",
  course:
    "course kurs curso cours corso class clase classe classes lesson lektion leccion aula lezione ders cursus les lekcja zajecia lektion workshop training schulung formacion subject fach asignatura materia matiere disciplina konu vak przedmiot topic thema tema webinar seminar klasse grade sinif term excursion ausflug homework",
  // How things are described.
  label:
    "title titel titulo titre titolo intitule bezeichnung denominacion denominazione designation baslik tytul label caption heading objet asunto concept concepto konzept descripcion description beschreibung descrizione descricao aciklama omschrijving opis beskrivning desc designacao libelle summary for fur para pour per voor icin about uber sobre por hakkinda over",
  type: "type typ tipo tip art kind category kategorie categoria kategori model modell modelo modele modello class variant rodzaj soort brand marke marca marque merk marka make",
  number:
    "number num no nb nr nummer numero numara numarasi numer nommer ref reference referenz referencia referencia riferimento rif referans referentie confirmation folio vorgang vorgangsnummer code codigo codice kod kodu sygnatura booking_code locator pnr quote رقم رقمه ",
  id: "id ids idx uuid guid gid pk internal interno interne intern key schlussel token slug handle kuerzel kurzel abbr abbreviation short sigla sigle kisaltma afkorting skrot",
  token: "token key hash kennung cle clave chave chiave anahtar sleutel klucz uid secret pdf",
  slug: "slug handle permalink path",
  code: "code codigo codice kod kodu kode pin otp passcode password passwort senha contrasena clave codigoacesso zugangscode accesscode verification verifizierung verificacion verificacao verifica dogrulama sifre wachtwoord haslo losenord tan token qr pix cola puk parola رمز كود",
  access:
    "access door entry zugang acceso acces acesso accesso giris toegang dostep tur porte puerta porta kapi deur gate intercom cloakroom garderobe guardaroba vestiaire guardarropa locker spind wifi wlan cancello portail portao portone pforte tor gatecode keybox lockbox schlusselkasten chiavi llaves llave cles chaves portal",
  coupon:
    "coupon voucher gutschein gutscheincode rabattcode cupon cupom bono promo promotion promocional promocode discountcode codepromo sconto kupon kuponu indirim kortingscode rabatu rabattkod",
  money:
    "total amount amt price betrag summe preis gesamt gesamtbetrag importe monto mt precio prix montant valor preco totale prezzo importo tutar tutari fiyat toplam balance cost costs coste costo custo kosten cost charge payable owed outstanding saldo ucret kwota cena prijs bedrag totaal pris belopp summa kostnad koszt suma cuesta coute custa sum valores value worth fee premium مبلغ المبلغ السعر سعر قيمة ثمن خصم",
  total:
    "total totale totaal totals grand gesamt gesamtbetrag brutto gross ttc toplam suma summa razem endbetrag final all totaux now الاجمالي المجموع",
  net: "subtotal zwischensumme net netto net_total ht neto imponibile base exkl ara sousthotal parcial principal",
  tax: "tax taxes vat mwst ust steuer iva tva imposto impuesto kdv gst btw moms podatek",
  discount:
    "discount discounts rabatt descuento remise reduction desconto sconto indirim korting znizka saved savings ersparnis ahorro economie",
  shippingCost:
    "shippingcost shippingfee deliveryfee versandkosten portes frete frais fraisdeport fraisdelivraison speseconsegna kargoucreti verzendkosten fracht porto gastosenvio fee handlingfee",
  deposit:
    "deposit anzahlung kaution fianza senal acompte caution arrhes sinal caucao acconto caparra depozito kapora aanbetaling borg zaliczka kaucja handpenning deposition prepaid prepayment",
  remaining:
    "balance remaining outstanding offen restbetrag restant reste saldo pendiente pendente residuo rimanente kalan resterend pozostalo kvar left rest due amountdue topay owed",
  minimum: "minimum minimo minima mindestbetrag asgari min mini",
  part: "part interest zins intereses fee excess surcharge recargo supplement aufschlag limit limite insured paid declared cash change tip labour labor arbeitszeit",
  currency: "currency wahrung waehrung moneda devise moeda valuta parabirimi waluta curr",
  percent: "percent percentage pct prozent porcentaje pourcentage porcentagem percentuale yuzde procent",
  old: "previous former old alt alte alten bisherig bisheriger ancien ancienne anterior antiguo antigua vorher was before precedente vecchio eski onceki oude oud vorige tidigare gammal poprzedni poprzednia stary instead statt anstatt lieu moved originally original zamiast yerine istallet verschieben verschoben reporte deplace movido movida movimos cambiado spostato spostata trasladado adiado remarcado przeniesiona ertelendi verplaatst verzet flyttad flyttats flyttet rescheduled verlegt verlegen umgebucht verschoben",
  new: "new neu neue neuer neuen current now nuevo nueva nouveau nouvelle actuel novo nova atual nuovo nuova attuale yeni nieuw nieuwe nowy nowa nowe ny nytt nya jetzt updated",
  other:
    "other others andere otro otra otros autre autres altro altri outro outra diger anderen inne andra related recommended similar suggested alternative emergency",
  your: "your ihr ihre ihren ihrem ihrer dein deine deinen votre vos ton ta tes tu tus su sus seu sua seus suas teu tua tuo vostro suo je uw jouw twoj twoja twoje panstwa din ditt dina",
  next: "next nachste naechste nachster proximo proxima siguiente prochain prochaine suivant prossimo prossima sonraki volgende nastepny nastepna nasta again retry again checkup attempt followup",
  past: "ultima ultimo ultimavisita lastvisit derniere dernier letzter letzte letzten sonziyaret laatste ostatnia ostatni senaste",
  // When.
  date: "date dt datum day tag fecha dia jour data giorno tarih tarihi gun gunu data dzien dag on am el le den dla op w ter den تاريخ يوم بتاريخ ",
  time: "time uhr uhrzeit hora heure horaire ora orario ore saat saati clock godzina tijd tid klockan kl uur at um las alle ab zeit hours ts gotowa vers gegen hacia verso rond around الساعة ساعة وقت franja creneau fascia janela aralik zeitfenster zustellfenster zeitraum ",
  weekday: "weekday wochentag diasemana joursemaine giornosettimana jour dow each jeden cada chaque ogni her elke",
  month: "month monat mes mois mese ay maand miesiac manad period periode periodo",
  start:
    "start starts begin beginn beginnt inicio comienzo comienza debut commence inizio inizia comeco baslangic baslar aanvang rozpoczecie poczatek from desde von vom dalle scheduled curtain rozpoczyna arrival checkin check anreise ankunft entrada llegada arrivo giris aankomst zwischen between entre tra arasi sipario vorhang telon rideau perde",
  end: "end ends ende endet fin finaliza termino termina fine bitis einde koniec slut to hasta until checkout departure abreise salida depart partida saida partenza cikis vertrek wyjazd avresa closing sluitingstijd closes and und",
  arrival:
    "eta estimated expected arrival arrive arrives arriving ankunft liefertermin lieferdatum zustellung voraussichtlich ankommt erwartet estimada llegada llegara llega prevista previsto prevue arrivee arrive arrivera prevu chega chegada chegara previsao stimata arrivo arriva arrivera tahmini teslim teslimat deliver delivered delivers leverdatum verwacht spodziewana przewidywana beraknad forvantad forventet leverans window between lieferung livraison entrega consegna delivery levering dostawa leverans وصول متوقع",
  departure:
    "dispatch dispatched versendet verschickt versanddatum salida envoi expedie enviado despachado spedito gonderildi verzonden wyslano skickad",
  due: "due until till by expires expire expiry expiration deadline fallig faellig faelligkeit falligkeit vencimiento vence limite caduca echeance ech vencimento expira scadenza scade entro son sonodeme vade vadesi kadar valid gultig bis valido validohasta valable validade gecerli before avant antes prima vervalt vervaldatum tot uiterlijk termin platnosci przed forfaller forfallodatum senast ends validuntil ate guarda expiring payby vencer inlever ruckgabedatum returnby payby renewal_date trialends mahnung",
  created:
    "created placed updated modified timestamp createdat date_created erstellt angelegt erfasst eingang creado creada registrado cree creele criado criada creato creata olusturma registered sent issued ts bookedat booked aangemaakt utworzono skapad received recibido emitido emissao emission ingreso requested submitted added notified joined envio invio sentat verzonden uitgeleend ausgeliehen entliehen borrowed lent opened geoffnet abierto ouvert aperto aberto acildi received eingegangen entered paidat paidon cancelledat canceledat confirmedat completedat processedat emitidaem creeele bookingmade prenotazione_creata sentdate purchasedat registeredat lastgiven since",
  birth:
    "birth birthday birthdate geburtsdatum geburtstag nacimiento naissance nascimento nascita dogum geboortedatum urodzenia fodelse dob",
  ready: "ready fertig bereit abholbereit listo lista pret prete pronto pronta hazir klaar gereed gotowe gotowy klar klara",
  hours:
    "hours opening open openinghours offnungszeiten horario horaires orari saatleri openingstijden godziny oppettider oeffnungszeiten apertura einlass opens doors ouverture abertura",
  duration:
    "duration minutes minuten minutos min duree durata duracao dauer sure dakika duur czas nights nachte noches nuits noites notti gece days tage dias jours giorni gun dagen dni left remaining hours stunden",
  // Where.
  place:
    "branch filiale filial sucursal succursale agence sede sube vestiging oddzial location standort place lieu lugar luogo yer plats miejsce station estacion stazione estacao pickup abholort abholung ritiro retrait retirada recogida afhaalpunt punto point punt ponto punkt depot venue hub locker paketshop relais destination ziel airport bahnhof hall office filiala at bei chez presso collect abholen recoger retirer retirar ritirare ophalen odbior hamta where ort wo meeting treffpunkt incontro encuentro encontro bulusma rendezvouspoint stage taller atelier oficina officina werkstatt atolye terrace terrasse terraza terrazza مكان عنوان هنا فرع",
  address:
    "address addr adresse anschrift direccion endereco indirizzo adres adresi street strasse calle rua rue via line1 address1 sokak cadde straat ulica gata domicilio dropoff direccionenvio lieferadresse where",
  city: "city town stadt ciudad ville cidade citta sehir localidad localite municipio comune stad miasto ort heading destination destino zielort",
  zip: "zip zipcode postcode postal plz cp cep cap codepostal postalcode",
  country: "country land pais pays paese ulke kraj",
  room: "room raum zimmer sala salle stanza camera oda odaya salon quarto habitacion chambre kamer pokoj gabinet rum consultorio aula lab suite",
  table: "table tisch mesa tavolo masa masaniz tafel stolik bord tableno",
  seat: "seat sitz sitzplatz platz asiento butaca place posto poltrona koltuk stoel miejsce plats seatno zitplaats assento lugar",
  row: "row reihe fila rang sira rij rzad rad fileira",
  floor: "floor etage stock stockwerk piso planta andar piano kat verdieping pietro vaning level",
  gate: "gate terminal dock bay bahnsteig gleis anden quai binario platform peron perron puerta porta desk counter schalter mostrador guichet balcao sportello",
  // How to reach, and the rest.
  phone:
    "phone tel telephone telefon telefono telefone telefoon mobile mobil mob mobiltelefon handy handynummer movil celular cellulare portable cell cel gsm whatsapp fon fono msisdn call anrufen llama appelez ligue chiamaci arayin bel zadzwon",
  email: "email mail correo courriel eposta correio posta",
  url: "url link links href uri enlace lien collegamento baglanti website web page pagina permalink portal رابط",
  status: "status state estado statut etat stato durum durumu stand staat stan condition fase",
  reason:
    "reason grund motivo motif razon raison sebep sebebi nedeni reden powod orsak exception fault fehler defekt problem problema diagnostico diagnose probleme ariza fehlerbild السبب سبب بسبب because wegen ursache cause",
  note: "comment note notes message notiz nota bemerkung hinweis remark comentario commentaire wunsch wish request observacion observacao remarque anmerkung opmerking uwagi nachricht not kommentar special peticion demande",
  quantity:
    "quantity qty count anzahl menge cantidad quantite quantidade quantita adet pieces stuck aantal ilosc antal persons people personen personas personnes pessoas persone kisi kisilik guests gaste comensales couverts coperti party size pax osob os gasten hospedes ospiti asistentes adults units",
  points: "points punkte puntos pontos punti puan punten punkty poang score credits guthaben stars meilen miles",
  attempt: "attempt attempts versuch intento tentative tentativa tentativo deneme poging proba sequence instalment",
} as const;

export type Concept = keyof typeof words;

/** All concepts, in the order of their weights in vectors. */
export const concepts = Object.keys(words) as readonly Concept[];

const byWord = new Map<string, Concept[]>();
const byStem = new Map<string, Concept[]>();
for (const [concept, list] of Object.entries(words) as [Concept, string][]) {
  for (const word of new Set(list.split(" "))) {
    note(byWord, word, concept);
    if (word.length >= 4 && stemOf(word).length >= 4) note(byStem, stemOf(word), concept);
  }
}

function note(index: Map<string, Concept[]>, word: string, concept: Concept): void {
  const known = index.get(word) ?? [];
  if (!known.includes(concept)) index.set(word, [...known, concept]);
}

/** The word without the ending that marks number, case and gender in most of the languages. */
function stemOf(word: string): string {
  return word.replace(/(?:[aeiouy]|[aeo][nsmr]|s)$/u, "");
}

export type Weights = ReadonlyMap<Concept, number>;

const longest = 40;
const none: Weights = new Map();

/** The concepts of the last words, kept since the same words come again and again. */
const remembered = new Map<string, Weights>();
const mostRemembered = 4_000;

/** The concepts that a plain word may mean, each with how surely it does. */
export function conceptsOf(word: string): Weights {
  if (word.length > longest) return none;
  const known = remembered.get(word);
  if (known !== undefined) return known;
  const found = readWord(word);
  if (remembered.size === mostRemembered) remembered.clear();
  remembered.set(word, found);
  return found;
}

/** Reads the concepts of a word: by itself, without its ending, as the beginning of a longer one, or as a part of a compound. */
function readWord(word: string): Weights {
  const own =
    byWord.get(word) ??
    byStem.get(stemOf(word)) ??
    arabicForms(word)
      .map((form) => byWord.get(form))
      .find((form) => form !== undefined);
  if (own !== undefined) return new Map(own.map((concept) => [concept, 1]));
  const found = new Map<Concept, number>();
  const add = (some: readonly Concept[], weight: number) => {
    for (const concept of some) found.set(concept, Math.max(found.get(concept) ?? 0, weight));
  };
  // Finds the longest beginning, and goes on from where it ends.
  let follows = false;
  for (let at = 0; at < word.length - 2;) {
    const [part, concepts] = longestAt(word, at, follows);
    if (concepts !== undefined) add(concepts, at + part.length === word.length ? 0.95 : at === 0 ? 0.8 : 0.6);
    follows = concepts !== undefined;
    at += follows ? part.length : 1;
  }
  return found;
}

/** An Arabic word without the article, prepositions and possessives that are written with it. */
function arabicForms(word: string): string[] {
  if (!/^\p{Script=Arabic}/u.test(word)) return [];
  const bare = word.replace(/^(?:وال|بال|لل|ال|[وبلكف])(?=..)/u, "");
  const owned = bare.replace(/(?:كم|ها|هم|نا|[كهيا])$/u, "");
  return [bare, owned, owned.replace(/ت$/u, "ة"), word.replace(/(?:كم|ها|هم|نا|[كهيا])$/u, "").replace(/ت$/u, "ة")];
}

/** The longest known part from that place on, with its concepts: four letters or more at the beginning, five within, or three that follow another part to the end. */
function longestAt(word: string, at: number, follows: boolean): [string, readonly Concept[] | undefined] {
  for (let end = word.length; end - at >= (at === 0 ? 4 : 5) || (end === word.length && follows && end - at >= 3); end -= 1) {
    const part = word.slice(at, end);
    const concepts = byWord.get(part) ?? (part.length >= 5 || at === 0 ? byStem.get(part) : undefined);
    if (concepts !== undefined) return [part, concepts];
  }
  return ["", undefined];
}

/** The concepts that weighted words mean together. */
export function meaningOf(words: ReadonlyMap<string, number>): Weights {
  const concepts = new Map<Concept, number>();
  for (const [word, weight] of words) {
    for (const [concept, part] of conceptsOf(word)) concepts.set(concept, Math.max(concepts.get(concept) ?? 0, weight * part));
  }
  return concepts;
}

/** Words with the same first letters, this many, count as forms of one. */
export const stemLength = 5;

const camel = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** The plain words of a text or key. */
export const wordsIn = (text: string): string[] => foldedText(text).match(/\p{L}+/gu) ?? [];
export const wordsOfKey = (key: string): string[] => key.split(camel).flatMap((part) => foldedText(part).match(/\p{L}+\d?/gu) ?? []);
