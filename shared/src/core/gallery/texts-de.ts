import type { GalleryTexts } from "./entries.ts";

export const de: GalleryTexts = {
  noName: "und guten Tag",
  noCarrier: "unser Zustellpartner",
  stop: "Abmelden",
  examples: {
    name: "Jonas",
    total: "EUR 49,90",
    refundAmount: "19,95",
    deliveryDate: "18. März",
    pickupPlace: "Marktstraße 12",
    plan: "Kaffeebox",
    renewalDate: "1. April",
    renewalAmount: "24,00 EUR",
    service: "Zahnkontrolle",
    appointmentDate: "18. März",
    appointmentTime: "9:30 Uhr",
    product: "Die blaue Teekanne",
  },
  texts: {
    order_confirmed: {
      header: "Danke für Ihre Bestellung",
      body: "Hallo {{1}}, wir haben Ihre Bestellung {{2}} über {{3}} erhalten. Wir melden uns, sobald sie unterwegs ist.",
    },
    payment_received: {
      header: "Zahlung eingegangen",
      body: "Hallo {{1}}, Ihre Zahlung von {{2}} für die Bestellung {{3}} ist eingegangen. Vielen Dank! Wir machen Ihre Bestellung jetzt fertig.",
    },
    payment_failed: {
      header: "Ihre Zahlung hat nicht geklappt",
      body: "Hallo {{1}}, die Zahlung für Ihre Bestellung {{2}} hat leider nicht geklappt. Hier können Sie es noch einmal versuchen: {{3}}\n\nFalls Sie schon bezahlt haben, brauchen Sie nichts mehr zu tun.",
    },
    payment_reminder: {
      header: "Ihre Bestellung ist noch offen",
      body: "Hallo {{1}}, Ihre Bestellung {{2}} über {{3}} ist noch nicht bezahlt. Hier können Sie bezahlen: {{4}}\n\nFalls Sie schon bezahlt haben, brauchen Sie nichts mehr zu tun.",
    },
    order_shipped: {
      header: "Ihre Bestellung ist unterwegs",
      body: "Hallo {{1}}, gute Nachrichten: Ihre Bestellung {{2}} hat unser Lager verlassen und ist auf dem Weg zu Ihnen.",
    },
    order_shipped_tracking: {
      header: "Ihre Bestellung ist unterwegs",
      body: "Hallo {{1}}, gute Nachrichten: Ihre Bestellung {{2}} ist auf dem Weg zu Ihnen.\n\nVersand: {{3}}\nSendungsnummer: {{4}}\n\nDanke für Ihren Einkauf.",
    },
    order_delayed: {
      header: "Ihre Bestellung verspätet sich",
      body: "Hallo {{1}}, es tut uns leid: Ihre Bestellung {{2}} braucht länger als geplant. Wir rechnen jetzt damit, dass sie am {{3}} bei Ihnen ist. Danke für Ihre Geduld.",
    },
    out_for_delivery: {
      header: "Heute bei Ihnen",
      body: "Hallo {{1}}, Ihre Bestellung {{2}} ist in der Zustellung und sollte heute bei Ihnen ankommen.",
    },
    order_delivered: {
      header: "Ihre Bestellung ist da",
      body: "Hallo {{1}}, Ihre Bestellung {{2}} wurde zugestellt. Viel Freude damit!",
    },
    pickup_ready: {
      header: "Bereit zur Abholung",
      body: "Hallo {{1}}, Ihre Bestellung {{2}} liegt für Sie bereit. Sie können sie hier abholen: {{3}}\n\nBitte halten Sie Ihre Bestellnummer bereit.",
    },
    order_cancelled: {
      header: "Ihre Bestellung wurde storniert",
      body: "Hallo {{1}}, Ihre Bestellung {{2}} wurde storniert. Falls Sie schon bezahlt haben, bekommen Sie Ihr Geld zurück.",
    },
    order_refunded: {
      header: "Ihre Erstattung ist unterwegs",
      body: "Hallo {{1}}, wir haben Ihre Bestellung {{2}} erstattet. Je nach Bank dauert es einige Tage, bis Sie das Geld auf Ihrem Konto sehen.",
    },
    order_partly_refunded: {
      header: "Ihre Erstattung ist unterwegs",
      body: "Hallo {{1}}, wir haben {{2}} {{3}} Ihrer Bestellung {{4}} erstattet. Je nach Bank dauert es einige Tage, bis Sie das Geld auf Ihrem Konto sehen.",
    },
    return_received: {
      header: "Ihre Rücksendung ist da",
      body: "Hallo {{1}}, Ihre Rücksendung zur Bestellung {{2}} ist bei uns angekommen. Wir prüfen sie und melden uns wegen der Erstattung.",
    },
    invoice_ready: {
      header: "Ihre Rechnung",
      body: "Hallo {{1}}, Ihre Rechnung {{2}} ist fertig. Sie können sie hier herunterladen: {{3}}\n\nVielen Dank für Ihr Vertrauen.",
    },
    subscription_renewal: {
      header: "Ihr Abo verlängert sich bald",
      body: "Hallo {{1}}, Ihr Abo {{2}} verlängert sich am {{3}}. Wir buchen {{4}} über Ihre gewohnte Zahlungsart ab.",
    },
    appointment_booked: {
      header: "Ihr Termin ist gebucht",
      body: "Hallo {{1}}, Ihr Termin ist gebucht.\n\nWas: {{2}}\nDatum: {{3}}\nZeit: {{4}}\n\nWir freuen uns auf Sie.",
    },
    appointment_reminder: {
      header: "Erinnerung an Ihren Termin",
      body: "Hallo {{1}}, wir möchten Sie an Ihren Termin erinnern.\n\nWas: {{2}}\nDatum: {{3}}\nZeit: {{4}}\n\nWenn Sie nicht kommen können, sagen Sie uns bitte rechtzeitig Bescheid.",
    },
    appointment_changed: {
      header: "Ihr Termin wurde verschoben",
      body: "Hallo {{1}}, Ihr Termin wurde verschoben.\n\nWas: {{2}}\nNeues Datum: {{3}}\nNeue Zeit: {{4}}\n\nFalls das nicht passt, melden Sie sich bitte bei uns.",
    },
    appointment_cancelled: {
      header: "Ihr Termin wurde abgesagt",
      body: "Hallo {{1}}, dieser Termin wurde abgesagt.\n\nWas: {{2}}\nDatum: {{3}}\nZeit: {{4}}\n\nFür einen neuen Termin melden Sie sich bitte bei uns.",
    },
    abandoned_cart: {
      header: "Ihr Warenkorb wartet",
      body: "Hallo {{1}}, in Ihrem Warenkorb liegt noch etwas. Wir haben es für Sie aufgehoben: {{2}}\n\nMit einem Klick machen Sie dort weiter, wo Sie aufgehört haben.",
    },
    back_in_stock: {
      header: "Wieder da",
      body: "Hallo {{1}}, gute Nachrichten: {{2}} ist wieder lieferbar. Hier geht es zum Produkt: {{3}}\n\nDanke fürs Warten.",
    },
    review_request: {
      header: "Wie gefällt es Ihnen?",
      body: "Hallo {{1}}, wir hoffen, Sie sind mit Ihrer Bestellung {{2}} zufrieden. Über eine Bewertung in unserem Shop würden wir uns freuen. Sie hilft anderen bei der Auswahl.",
    },
    welcome: {
      header: "Herzlich willkommen!",
      body: "Hallo {{1}}, schön, dass Sie da sind. Ab jetzt erfahren Sie hier von uns, was mit Ihren Bestellungen passiert und was es Neues gibt.",
    },
  },
};
