import type { GalleryTexts } from "./entries.ts";

export const it: GalleryTexts = {
  noName: "a te",
  noCarrier: "il nostro corriere",
  stop: "Disiscrivimi",
  examples: {
    name: "Giulia",
    deliveryDate: "18 marzo",
    pickupPlace: "Via del Mercato 12",
    plan: "Box del caffè",
    renewalDate: "1 aprile",
    renewalAmount: "24,00 EUR",
    service: "Visita dentistica",
    appointmentDate: "18 marzo",
    product: "Teiera blu",
  },
  texts: {
    order_confirmed: {
      header: "Grazie per il tuo ordine",
      body: "Ciao {{1}}, abbiamo ricevuto il tuo ordine {{2}} di {{3}}. Ti avviseremo appena sarà in viaggio.",
    },
    payment_received: {
      header: "Pagamento ricevuto",
      body: "Ciao {{1}}, il tuo pagamento di {{2}} per l'ordine {{3}} è arrivato. Grazie! Ora prepariamo il tuo ordine.",
    },
    payment_failed: {
      header: "Il pagamento non è riuscito",
      body: "Ciao {{1}}, il pagamento del tuo ordine {{2}} non è riuscito. Puoi riprovare qui: {{3}}\n\nSe hai già pagato, non devi fare altro.",
    },
    payment_reminder: {
      header: "Il tuo ordine attende il pagamento",
      body: "Ciao {{1}}, il tuo ordine {{2}} di {{3}} non è ancora stato pagato. Puoi pagare qui: {{4}}\n\nSe hai già pagato, non devi fare altro.",
    },
    order_shipped: {
      header: "Il tuo ordine è in viaggio",
      body: "Ciao {{1}}, buone notizie: il tuo ordine {{2}} ha lasciato il nostro magazzino ed è in viaggio verso di te.",
    },
    order_shipped_tracking: {
      header: "Il tuo ordine è in viaggio",
      body: "Ciao {{1}}, buone notizie: il tuo ordine {{2}} è in viaggio.\n\nCorriere: {{3}}\nNumero di tracciamento: {{4}}\n\nGrazie per il tuo acquisto.",
    },
    order_delayed: {
      header: "Il tuo ordine è in ritardo",
      body: "Ciao {{1}}, ci dispiace: il tuo ordine {{2}} richiede più tempo del previsto. La nuova data di consegna prevista è il {{3}}. Grazie per la pazienza.",
    },
    out_for_delivery: {
      header: "In arrivo oggi",
      body: "Ciao {{1}}, il tuo ordine {{2}} è in consegna e dovrebbe arrivare oggi.",
    },
    order_delivered: {
      header: "Il tuo ordine è arrivato",
      body: "Ciao {{1}}, il tuo ordine {{2}} è stato consegnato. Speriamo che ti piaccia!",
    },
    pickup_ready: {
      header: "Pronto per il ritiro",
      body: "Ciao {{1}}, il tuo ordine {{2}} è pronto. Puoi ritirarlo qui: {{3}}\n\nTieni a portata di mano il numero dell'ordine.",
    },
    order_cancelled: {
      header: "Il tuo ordine è stato annullato",
      body: "Ciao {{1}}, il tuo ordine {{2}} è stato annullato. Se hai già pagato, riceverai il rimborso.",
    },
    order_refunded: {
      header: "Il tuo rimborso è in arrivo",
      body: "Ciao {{1}}, abbiamo rimborsato il tuo ordine {{2}}. A seconda della banca, può volerci qualche giorno prima che l'importo compaia sul tuo conto.",
    },
    order_partly_refunded: {
      header: "Il tuo rimborso è in arrivo",
      body: "Ciao {{1}}, abbiamo rimborsato {{2}} {{3}} del tuo ordine {{4}}. A seconda della banca, può volerci qualche giorno prima che l'importo compaia sul tuo conto.",
    },
    return_received: {
      header: "Abbiamo ricevuto il tuo reso",
      body: "Ciao {{1}}, il tuo reso per l'ordine {{2}} è arrivato. Lo controlleremo e ti faremo sapere del rimborso.",
    },
    invoice_ready: {
      header: "La tua fattura",
      body: "Ciao {{1}}, la tua fattura {{2}} è pronta. Puoi scaricarla qui: {{3}}\n\nGrazie per la fiducia.",
    },
    subscription_renewal: {
      header: "Il tuo abbonamento si rinnova",
      body: "Ciao {{1}}, il tuo abbonamento {{2}} si rinnova il {{3}}. Addebiteremo {{4}} sul tuo metodo di pagamento abituale.",
    },
    appointment_booked: {
      header: "Il tuo appuntamento è prenotato",
      body: "Ciao {{1}}, il tuo appuntamento è prenotato.\n\nServizio: {{2}}\nData: {{3}}\nOra: {{4}}\n\nTi aspettiamo.",
    },
    appointment_reminder: {
      header: "Promemoria del tuo appuntamento",
      body: "Ciao {{1}}, ti ricordiamo il tuo appuntamento.\n\nServizio: {{2}}\nData: {{3}}\nOra: {{4}}\n\nSe non puoi venire, avvisaci per tempo.",
    },
    appointment_changed: {
      header: "Il tuo appuntamento è cambiato",
      body: "Ciao {{1}}, il tuo appuntamento è stato spostato.\n\nServizio: {{2}}\nNuova data: {{3}}\nNuova ora: {{4}}\n\nSe non ti va bene, contattaci.",
    },
    appointment_cancelled: {
      header: "Il tuo appuntamento è annullato",
      body: "Ciao {{1}}, questo appuntamento è stato annullato.\n\nServizio: {{2}}\nData: {{3}}\nOra: {{4}}\n\nContattaci per fissarne un altro.",
    },
    abandoned_cart: {
      header: "Il tuo carrello ti aspetta",
      body: "Ciao {{1}}, hai lasciato qualcosa nel carrello. Lo abbiamo conservato per te: {{2}}\n\nBasta un clic per riprendere da dove avevi lasciato.",
    },
    back_in_stock: {
      header: "Di nuovo disponibile",
      body: "Ciao {{1}}, buone notizie: {{2}} è di nuovo disponibile. Lo trovi qui: {{3}}\n\nGrazie per aver aspettato.",
    },
    review_request: {
      header: "Ti piace?",
      body: "Ciao {{1}}, speriamo che il tuo ordine {{2}} ti piaccia. Ci farebbe piacere una tua recensione nel nostro negozio: aiuta altri clienti a scegliere.",
    },
    welcome: {
      header: "Ti diamo il benvenuto!",
      body: "Ciao {{1}}, siamo felici di averti con noi. Da ora riceverai qui notizie dei tuoi ordini e le novità del negozio.",
    },
  },
};
