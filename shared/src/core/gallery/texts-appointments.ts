import type { GalleryTexts, GalleryName } from "./entries.ts";

export const appointments = {
  appointment_booked: {
    en: {
      header: "Your appointment is booked",
      body: "Hi {{1}}, your appointment is booked.\n\nWhat: {{2}}\nDate: {{3}}\nTime: {{4}}\n\nWe look forward to seeing you.",
    },
    de: {
      header: "Ihr Termin ist gebucht",
      body: "Hallo {{1}}, Ihr Termin ist gebucht.\n\nWas: {{2}}\nDatum: {{3}}\nZeit: {{4}}\n\nWir freuen uns auf Sie.",
    },
    es: {
      header: "Tu cita está reservada",
      body: "Hola, {{1}}: tu cita está reservada.\n\nServicio: {{2}}\nFecha: {{3}}\nHora: {{4}}\n\n¡Te esperamos!",
    },
    fr: {
      header: "Votre rendez-vous est pris",
      body: "Bonjour {{1}}, votre rendez-vous est pris.\n\nObjet : {{2}}\nDate : {{3}}\nHeure : {{4}}\n\nAu plaisir de vous voir.",
    },
    it: {
      header: "Il tuo appuntamento è prenotato",
      body: "Ciao {{1}}, il tuo appuntamento è prenotato.\n\nServizio: {{2}}\nData: {{3}}\nOra: {{4}}\n\nTi aspettiamo.",
    },
    pt_BR: {
      header: "Seu horário está marcado",
      body: "Olá, {{1}}! O seu horário está marcado.\n\nServiço: {{2}}\nData: {{3}}\nHora: {{4}}\n\nEsperamos por você.",
    },
    tr: {
      header: "Randevunuz alındı",
      body: "Merhaba {{1}}, randevunuz alındı.\n\nHizmet: {{2}}\nTarih: {{3}}\nSaat: {{4}}\n\nSizi bekliyoruz.",
    },
    ar: { header: "تم حجز موعدك", body: "مرحبًا {{1}}، تم حجز موعدك.\n\nالخدمة: {{2}}\nالتاريخ: {{3}}\nالوقت: {{4}}\n\nنتطلع إلى رؤيتك." },
  },
  appointment_reminder: {
    en: {
      header: "Reminder of your appointment",
      body: "Hi {{1}}, we would like to remind you of your appointment.\n\nWhat: {{2}}\nDate: {{3}}\nTime: {{4}}\n\nIf you cannot come, please let us know in good time.",
    },
    de: {
      header: "Erinnerung an Ihren Termin",
      body: "Hallo {{1}}, wir möchten Sie an Ihren Termin erinnern.\n\nWas: {{2}}\nDatum: {{3}}\nZeit: {{4}}\n\nWenn Sie nicht kommen können, sagen Sie uns bitte rechtzeitig Bescheid.",
    },
    es: {
      header: "Recordatorio de tu cita",
      body: "Hola, {{1}}: te recordamos tu cita.\n\nServicio: {{2}}\nFecha: {{3}}\nHora: {{4}}\n\nSi no puedes venir, avísanos con tiempo, por favor.",
    },
    fr: {
      header: "Rappel de votre rendez-vous",
      body: "Bonjour {{1}}, nous vous rappelons votre rendez-vous.\n\nObjet : {{2}}\nDate : {{3}}\nHeure : {{4}}\n\nSi vous ne pouvez pas venir, merci de nous prévenir à temps.",
    },
    it: {
      header: "Promemoria del tuo appuntamento",
      body: "Ciao {{1}}, ti ricordiamo il tuo appuntamento.\n\nServizio: {{2}}\nData: {{3}}\nOra: {{4}}\n\nSe non puoi venire, avvisaci per tempo.",
    },
    pt_BR: {
      header: "Lembrete do seu horário",
      body: "Olá, {{1}}! Lembramos você do seu horário marcado.\n\nServiço: {{2}}\nData: {{3}}\nHora: {{4}}\n\nSe não puder vir, avise-nos com antecedência, por favor.",
    },
    tr: {
      header: "Randevu hatırlatması",
      body: "Merhaba {{1}}, randevunuzu hatırlatmak isteriz.\n\nHizmet: {{2}}\nTarih: {{3}}\nSaat: {{4}}\n\nGelemeyecekseniz lütfen bize zamanında haber verin.",
    },
    ar: {
      header: "تذكير بموعدك",
      body: "مرحبًا {{1}}، نود تذكيرك بموعدك.\n\nالخدمة: {{2}}\nالتاريخ: {{3}}\nالوقت: {{4}}\n\nإذا تعذر عليك الحضور فيرجى إبلاغنا مسبقًا.",
    },
  },
  appointment_changed: {
    en: {
      header: "Your appointment has changed",
      body: "Hi {{1}}, your appointment has been moved.\n\nWhat: {{2}}\nNew date: {{3}}\nNew time: {{4}}\n\nIf this does not suit you, please contact us.",
    },
    de: {
      header: "Ihr Termin wurde verschoben",
      body: "Hallo {{1}}, Ihr Termin wurde verschoben.\n\nWas: {{2}}\nNeues Datum: {{3}}\nNeue Zeit: {{4}}\n\nFalls das nicht passt, melden Sie sich bitte bei uns.",
    },
    es: {
      header: "Tu cita ha cambiado",
      body: "Hola, {{1}}: tu cita se ha cambiado.\n\nServicio: {{2}}\nNueva fecha: {{3}}\nNueva hora: {{4}}\n\nSi no te viene bien, ponte en contacto con nosotros.",
    },
    fr: {
      header: "Votre rendez-vous a changé",
      body: "Bonjour {{1}}, votre rendez-vous a été déplacé.\n\nObjet : {{2}}\nNouvelle date : {{3}}\nNouvelle heure : {{4}}\n\nSi cela ne vous convient pas, contactez-nous.",
    },
    it: {
      header: "Il tuo appuntamento è cambiato",
      body: "Ciao {{1}}, il tuo appuntamento è stato spostato.\n\nServizio: {{2}}\nNuova data: {{3}}\nNuova ora: {{4}}\n\nSe non ti va bene, contattaci.",
    },
    pt_BR: {
      header: "Seu horário mudou",
      body: "Olá, {{1}}! O seu horário foi alterado.\n\nServiço: {{2}}\nNova data: {{3}}\nNova hora: {{4}}\n\nSe não for possível para você, fale conosco.",
    },
    tr: {
      header: "Randevunuz değişti",
      body: "Merhaba {{1}}, randevunuz değiştirildi.\n\nHizmet: {{2}}\nYeni tarih: {{3}}\nYeni saat: {{4}}\n\nSize uymuyorsa lütfen bizimle iletişime geçin.",
    },
    ar: {
      header: "تغيّر موعدك",
      body: "مرحبًا {{1}}، تم تغيير موعدك.\n\nالخدمة: {{2}}\nالتاريخ الجديد: {{3}}\nالوقت الجديد: {{4}}\n\nإذا لم يناسبك ذلك فيرجى التواصل معنا.",
    },
  },
  appointment_cancelled: {
    en: {
      header: "Your appointment is cancelled",
      body: "Hi {{1}}, this appointment has been cancelled.\n\nWhat: {{2}}\nDate: {{3}}\nTime: {{4}}\n\nPlease contact us for a new one.",
    },
    de: {
      header: "Ihr Termin wurde abgesagt",
      body: "Hallo {{1}}, dieser Termin wurde abgesagt.\n\nWas: {{2}}\nDatum: {{3}}\nZeit: {{4}}\n\nFür einen neuen Termin melden Sie sich bitte bei uns.",
    },
    es: {
      header: "Tu cita se ha cancelado",
      body: "Hola, {{1}}: esta cita se ha cancelado.\n\nServicio: {{2}}\nFecha: {{3}}\nHora: {{4}}\n\nPonte en contacto con nosotros para pedir otra.",
    },
    fr: {
      header: "Votre rendez-vous est annulé",
      body: "Bonjour {{1}}, ce rendez-vous a été annulé.\n\nObjet : {{2}}\nDate : {{3}}\nHeure : {{4}}\n\nContactez-nous pour en prendre un autre.",
    },
    it: {
      header: "Il tuo appuntamento è annullato",
      body: "Ciao {{1}}, questo appuntamento è stato annullato.\n\nServizio: {{2}}\nData: {{3}}\nOra: {{4}}\n\nContattaci per fissarne un altro.",
    },
    pt_BR: {
      header: "Seu horário foi cancelado",
      body: "Olá, {{1}}! Este horário foi cancelado.\n\nServiço: {{2}}\nData: {{3}}\nHora: {{4}}\n\nFale conosco para marcar outro.",
    },
    tr: {
      header: "Randevunuz iptal edildi",
      body: "Merhaba {{1}}, bu randevu iptal edildi.\n\nHizmet: {{2}}\nTarih: {{3}}\nSaat: {{4}}\n\nYeni bir randevu için lütfen bizimle iletişime geçin.",
    },
    ar: {
      header: "تم إلغاء موعدك",
      body: "مرحبًا {{1}}، تم إلغاء هذا الموعد.\n\nالخدمة: {{2}}\nالتاريخ: {{3}}\nالوقت: {{4}}\n\nيرجى التواصل معنا لحجز موعد جديد.",
    },
  },
} satisfies Partial<Record<GalleryName, GalleryTexts>>;
