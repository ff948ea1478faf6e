import type { GalleryTexts } from "./entries.ts";

export const fr: GalleryTexts = {
  noName: "à vous",
  noCarrier: "notre transporteur",
  stop: "Se désabonner",
  examples: {
    name: "Camille",
    deliveryDate: "18 mars",
    pickupPlace: "12 rue du Marché",
    plan: "Coffret café",
    renewalDate: "1er avril",
    renewalAmount: "24,00 EUR",
    service: "Contrôle dentaire",
    appointmentDate: "18 mars",
    appointmentTime: "9 h 30",
    product: "La théière bleue",
  },
  texts: {
    order_confirmed: {
      header: "Merci pour votre commande",
      body: "Bonjour {{1}}, nous avons bien reçu votre commande {{2}} d'un montant de {{3}}. Nous vous préviendrons dès qu'elle sera en route.",
    },
    payment_received: {
      header: "Paiement reçu",
      body: "Bonjour {{1}}, votre paiement de {{2}} pour la commande {{3}} est bien arrivé. Merci ! Nous préparons maintenant votre commande.",
    },
    payment_failed: {
      header: "Votre paiement n'a pas abouti",
      body: "Bonjour {{1}}, le paiement de votre commande {{2}} n'a pas abouti. Vous pouvez réessayer ici : {{3}}\n\nSi vous avez déjà payé, vous n'avez rien d'autre à faire.",
    },
    payment_reminder: {
      header: "Votre commande attend le paiement",
      body: "Bonjour {{1}}, votre commande {{2}} d'un montant de {{3}} n'est pas encore payée. Vous pouvez payer ici : {{4}}\n\nSi vous avez déjà payé, vous n'avez rien d'autre à faire.",
    },
    order_shipped: {
      header: "Votre commande est en route",
      body: "Bonjour {{1}}, bonne nouvelle : votre commande {{2}} a quitté notre entrepôt et arrive bientôt chez vous.",
    },
    order_shipped_tracking: {
      header: "Votre commande est en route",
      body: "Bonjour {{1}}, bonne nouvelle : votre commande {{2}} est en route.\n\nTransporteur : {{3}}\nNuméro de suivi : {{4}}\n\nMerci pour votre achat.",
    },
    order_delayed: {
      header: "Votre commande a du retard",
      body: "Bonjour {{1}}, nous sommes désolés : votre commande {{2}} prend plus de temps que prévu. Nous l'attendons désormais pour le {{3}}. Merci de votre patience.",
    },
    out_for_delivery: {
      header: "Livraison aujourd'hui",
      body: "Bonjour {{1}}, votre commande {{2}} est en cours de livraison et devrait arriver chez vous aujourd'hui.",
    },
    order_delivered: {
      header: "Votre commande est arrivée",
      body: "Bonjour {{1}}, votre commande {{2}} a été livrée. Nous espérons qu'elle vous plaira !",
    },
    pickup_ready: {
      header: "Prête à être retirée",
      body: "Bonjour {{1}}, votre commande {{2}} vous attend. Vous pouvez la retirer ici : {{3}}\n\nMerci d'avoir votre numéro de commande sous la main.",
    },
    order_cancelled: {
      header: "Votre commande a été annulée",
      body: "Bonjour {{1}}, votre commande {{2}} a été annulée. Si vous avez déjà payé, nous vous rembourserons.",
    },
    order_refunded: {
      header: "Votre remboursement est en route",
      body: "Bonjour {{1}}, nous avons remboursé votre commande {{2}}. Selon votre banque, le montant peut mettre quelques jours à apparaître sur votre compte.",
    },
    order_partly_refunded: {
      header: "Votre remboursement est en route",
      body: "Bonjour {{1}}, nous avons remboursé {{2}} {{3}} sur votre commande {{4}}. Selon votre banque, le montant peut mettre quelques jours à apparaître sur votre compte.",
    },
    return_received: {
      header: "Nous avons reçu votre retour",
      body: "Bonjour {{1}}, votre retour pour la commande {{2}} est arrivé. Nous le vérifions et vous tiendrons au courant du remboursement.",
    },
    invoice_ready: {
      header: "Votre facture",
      body: "Bonjour {{1}}, votre facture {{2}} est prête. Vous pouvez la télécharger ici : {{3}}\n\nMerci de votre confiance.",
    },
    subscription_renewal: {
      header: "Votre abonnement se renouvelle",
      body: "Bonjour {{1}}, votre abonnement {{2}} se renouvelle le {{3}}. Nous prélèverons {{4}} par votre moyen de paiement habituel.",
    },
    appointment_booked: {
      header: "Votre rendez-vous est pris",
      body: "Bonjour {{1}}, votre rendez-vous est pris.\n\nObjet : {{2}}\nDate : {{3}}\nHeure : {{4}}\n\nAu plaisir de vous voir.",
    },
    appointment_reminder: {
      header: "Rappel de votre rendez-vous",
      body: "Bonjour {{1}}, nous vous rappelons votre rendez-vous.\n\nObjet : {{2}}\nDate : {{3}}\nHeure : {{4}}\n\nSi vous ne pouvez pas venir, merci de nous prévenir à temps.",
    },
    appointment_changed: {
      header: "Votre rendez-vous a changé",
      body: "Bonjour {{1}}, votre rendez-vous a été déplacé.\n\nObjet : {{2}}\nNouvelle date : {{3}}\nNouvelle heure : {{4}}\n\nSi cela ne vous convient pas, contactez-nous.",
    },
    appointment_cancelled: {
      header: "Votre rendez-vous est annulé",
      body: "Bonjour {{1}}, ce rendez-vous a été annulé.\n\nObjet : {{2}}\nDate : {{3}}\nHeure : {{4}}\n\nContactez-nous pour en prendre un autre.",
    },
    abandoned_cart: {
      header: "Votre panier vous attend",
      body: "Bonjour {{1}}, vous avez laissé quelque chose dans votre panier. Nous vous l'avons gardé : {{2}}\n\nUn clic suffit pour reprendre où vous en étiez.",
    },
    back_in_stock: {
      header: "De nouveau en stock",
      body: "Bonjour {{1}}, bonne nouvelle : {{2}} est de nouveau disponible. C'est par ici : {{3}}\n\nMerci d'avoir patienté.",
    },
    review_request: {
      header: "Qu'en pensez-vous ?",
      body: "Bonjour {{1}}, nous espérons que votre commande {{2}} vous plaît. Un avis dans notre boutique nous ferait plaisir et aiderait d'autres clients à choisir.",
    },
    welcome: {
      header: "Bienvenue !",
      body: "Bonjour {{1}}, nous sommes ravis de vous compter parmi nous. Vous recevrez ici des nouvelles de vos commandes et de notre boutique.",
    },
  },
};
