import type { GalleryTexts, GalleryName } from "./entries.ts";

export const payments = {
  payment_received: {
    en: {
      header: "Payment received",
      body: "Hi {{1}}, your payment of {{2}} for order {{3}} has arrived. Thank you! We are now getting your order ready.",
    },
    de: {
      header: "Zahlung eingegangen",
      body: "Hallo {{1}}, Ihre Zahlung von {{2}} für die Bestellung {{3}} ist eingegangen. Vielen Dank! Wir machen Ihre Bestellung jetzt fertig.",
    },
    es: {
      header: "Pago recibido",
      body: "Hola, {{1}}: hemos recibido tu pago de {{2}} por el pedido {{3}}. ¡Gracias! Ya estamos preparando tu pedido.",
    },
    fr: {
      header: "Paiement reçu",
      body: "Bonjour {{1}}, votre paiement de {{2}} pour la commande {{3}} est bien arrivé. Merci ! Nous préparons maintenant votre commande.",
    },
    it: {
      header: "Pagamento ricevuto",
      body: "Ciao {{1}}, il tuo pagamento di {{2}} per l'ordine {{3}} è arrivato. Grazie! Ora prepariamo il tuo ordine.",
    },
    pt_BR: {
      header: "Pagamento recebido",
      body: "Olá, {{1}}! Recebemos o seu pagamento de {{2}} do pedido {{3}}. Obrigado! Já estamos preparando o seu pedido.",
    },
    tr: {
      header: "Ödemeniz alındı",
      body: "Merhaba {{1}}, {{2}} tutarındaki ödemeniz {{3}} numaralı siparişiniz için alındı. Teşekkür ederiz! Siparişinizi şimdi hazırlıyoruz.",
    },
    ar: { header: "تم استلام الدفعة", body: "مرحبًا {{1}}، وصلتنا دفعتك بقيمة {{2}} عن الطلب رقم {{3}}. شكرًا لك! نجهّز طلبك الآن." },
  },
  payment_failed: {
    en: {
      header: "Your payment did not go through",
      body: "Hi {{1}}, the payment for your order {{2}} did not go through. You can try again here: {{3}}\n\nIf you have already paid, there is nothing more to do.",
    },
    de: {
      header: "Ihre Zahlung hat nicht geklappt",
      body: "Hallo {{1}}, die Zahlung für Ihre Bestellung {{2}} hat leider nicht geklappt. Hier können Sie es noch einmal versuchen: {{3}}\n\nFalls Sie schon bezahlt haben, brauchen Sie nichts mehr zu tun.",
    },
    es: {
      header: "No se ha podido cobrar el pago",
      body: "Hola, {{1}}: el pago de tu pedido {{2}} no se ha podido completar. Puedes intentarlo de nuevo aquí: {{3}}\n\nSi ya has pagado, no tienes que hacer nada más.",
    },
    fr: {
      header: "Votre paiement n'a pas abouti",
      body: "Bonjour {{1}}, le paiement de votre commande {{2}} n'a pas abouti. Vous pouvez réessayer ici : {{3}}\n\nSi vous avez déjà payé, vous n'avez rien d'autre à faire.",
    },
    it: {
      header: "Il pagamento non è riuscito",
      body: "Ciao {{1}}, il pagamento del tuo ordine {{2}} non è riuscito. Puoi riprovare qui: {{3}}\n\nSe hai già pagato, non devi fare altro.",
    },
    pt_BR: {
      header: "O pagamento não foi concluído",
      body: "Olá, {{1}}! O pagamento do seu pedido {{2}} não foi concluído. Você pode tentar de novo aqui: {{3}}\n\nSe você já pagou, não precisa fazer mais nada.",
    },
    tr: {
      header: "Ödemeniz tamamlanamadı",
      body: "Merhaba {{1}}, {{2}} numaralı siparişinizin ödemesi tamamlanamadı. Buradan tekrar deneyebilirsiniz: {{3}}\n\nÖdemeyi yaptıysanız başka bir şey yapmanıza gerek yok.",
    },
    ar: {
      header: "لم تكتمل عملية الدفع",
      body: "مرحبًا {{1}}، لم تكتمل عملية الدفع لطلبك رقم {{2}}. يمكنك المحاولة مرة أخرى هنا: {{3}}\n\nإذا كنت قد دفعت بالفعل فلا حاجة لأي إجراء.",
    },
  },
  payment_reminder: {
    en: {
      header: "Your order is waiting for payment",
      body: "Hi {{1}}, your order {{2}} for {{3}} has not been paid yet. You can pay here: {{4}}\n\nIf you have already paid, there is nothing more to do.",
    },
    de: {
      header: "Ihre Bestellung ist noch offen",
      body: "Hallo {{1}}, Ihre Bestellung {{2}} über {{3}} ist noch nicht bezahlt. Hier können Sie bezahlen: {{4}}\n\nFalls Sie schon bezahlt haben, brauchen Sie nichts mehr zu tun.",
    },
    es: {
      header: "Tu pedido está pendiente de pago",
      body: "Hola, {{1}}: tu pedido {{2}} por {{3}} todavía no está pagado. Puedes pagarlo aquí: {{4}}\n\nSi ya has pagado, no tienes que hacer nada más.",
    },
    fr: {
      header: "Votre commande attend le paiement",
      body: "Bonjour {{1}}, votre commande {{2}} d'un montant de {{3}} n'est pas encore payée. Vous pouvez payer ici : {{4}}\n\nSi vous avez déjà payé, vous n'avez rien d'autre à faire.",
    },
    it: {
      header: "Il tuo ordine attende il pagamento",
      body: "Ciao {{1}}, il tuo ordine {{2}} di {{3}} non è ancora stato pagato. Puoi pagare qui: {{4}}\n\nSe hai già pagato, non devi fare altro.",
    },
    pt_BR: {
      header: "Seu pedido aguarda o pagamento",
      body: "Olá, {{1}}! O seu pedido {{2}} no valor de {{3}} ainda não foi pago. Você pode pagar aqui: {{4}}\n\nSe você já pagou, não precisa fazer mais nada.",
    },
    tr: {
      header: "Siparişiniz ödeme bekliyor",
      body: "Merhaba {{1}}, {{2}} numaralı ve {{3}} tutarındaki siparişinizin ödemesi henüz yapılmadı. Buradan ödeyebilirsiniz: {{4}}\n\nÖdemeyi yaptıysanız başka bir şey yapmanıza gerek yok.",
    },
    ar: {
      header: "طلبك في انتظار الدفع",
      body: "مرحبًا {{1}}، لم يُدفع بعد ثمن طلبك رقم {{2}} بقيمة {{3}}. يمكنك الدفع هنا: {{4}}\n\nإذا كنت قد دفعت بالفعل فلا حاجة لأي إجراء.",
    },
  },
  order_refunded: {
    en: {
      header: "Your refund is on its way",
      body: "Hi {{1}}, we have refunded your order {{2}}. Depending on your bank, it can take a few days until you see the money in your account.",
    },
    de: {
      header: "Ihre Erstattung ist unterwegs",
      body: "Hallo {{1}}, wir haben Ihre Bestellung {{2}} erstattet. Je nach Bank dauert es einige Tage, bis Sie das Geld auf Ihrem Konto sehen.",
    },
    es: {
      header: "Tu reembolso está en camino",
      body: "Hola, {{1}}: hemos reembolsado tu pedido {{2}}. Según tu banco, puede tardar unos días en aparecer en tu cuenta.",
    },
    fr: {
      header: "Votre remboursement est en route",
      body: "Bonjour {{1}}, nous avons remboursé votre commande {{2}}. Selon votre banque, le montant peut mettre quelques jours à apparaître sur votre compte.",
    },
    it: {
      header: "Il tuo rimborso è in arrivo",
      body: "Ciao {{1}}, abbiamo rimborsato il tuo ordine {{2}}. A seconda della banca, può volerci qualche giorno prima che l'importo compaia sul tuo conto.",
    },
    pt_BR: {
      header: "Seu reembolso está a caminho",
      body: "Olá, {{1}}! Reembolsamos o seu pedido {{2}}. Dependendo do banco, o valor pode levar alguns dias para aparecer na sua conta.",
    },
    tr: {
      header: "İadeniz yapıldı",
      body: "Merhaba {{1}}, {{2}} numaralı siparişinizin ücretini iade ettik. Tutarın hesabınıza yansıması bankanıza göre birkaç gün sürebilir.",
    },
    ar: {
      header: "تمت إعادة المبلغ",
      body: "مرحبًا {{1}}، أعدنا إليك ثمن طلبك رقم {{2}}. قد يستغرق ظهور المبلغ في حسابك بضعة أيام حسب البنك.",
    },
  },
  order_partly_refunded: {
    en: {
      header: "Your refund is on its way",
      body: "Hi {{1}}, we have refunded {{2}} {{3}} of your order {{4}}. Depending on your bank, it can take a few days until you see the money in your account.",
    },
    de: {
      header: "Ihre Erstattung ist unterwegs",
      body: "Hallo {{1}}, wir haben {{2}} {{3}} Ihrer Bestellung {{4}} erstattet. Je nach Bank dauert es einige Tage, bis Sie das Geld auf Ihrem Konto sehen.",
    },
    es: {
      header: "Tu reembolso está en camino",
      body: "Hola, {{1}}: hemos reembolsado {{2}} {{3}} de tu pedido {{4}}. Según tu banco, puede tardar unos días en aparecer en tu cuenta.",
    },
    fr: {
      header: "Votre remboursement est en route",
      body: "Bonjour {{1}}, nous avons remboursé {{2}} {{3}} sur votre commande {{4}}. Selon votre banque, le montant peut mettre quelques jours à apparaître sur votre compte.",
    },
    it: {
      header: "Il tuo rimborso è in arrivo",
      body: "Ciao {{1}}, abbiamo rimborsato {{2}} {{3}} del tuo ordine {{4}}. A seconda della banca, può volerci qualche giorno prima che l'importo compaia sul tuo conto.",
    },
    pt_BR: {
      header: "Seu reembolso está a caminho",
      body: "Olá, {{1}}! Reembolsamos {{2}} {{3}} do seu pedido {{4}}. Dependendo do banco, o valor pode levar alguns dias para aparecer na sua conta.",
    },
    tr: {
      header: "İadeniz yapıldı",
      body: "Merhaba {{1}}, {{4}} numaralı siparişinizin {{2}} {{3}} tutarındaki kısmını iade ettik. Tutarın hesabınıza yansıması bankanıza göre birkaç gün sürebilir.",
    },
    ar: {
      header: "تمت إعادة المبلغ",
      body: "مرحبًا {{1}}، أعدنا إليك {{2}} {{3}} من ثمن طلبك رقم {{4}}. قد يستغرق ظهور المبلغ في حسابك بضعة أيام حسب البنك.",
    },
  },
  return_received: {
    en: {
      header: "We have your return",
      body: "Hi {{1}}, your return for order {{2}} has arrived. We will check it and let you know about your refund.",
    },
    de: {
      header: "Ihre Rücksendung ist da",
      body: "Hallo {{1}}, Ihre Rücksendung zur Bestellung {{2}} ist bei uns angekommen. Wir prüfen sie und melden uns wegen der Erstattung.",
    },
    es: {
      header: "Hemos recibido tu devolución",
      body: "Hola, {{1}}: tu devolución del pedido {{2}} ha llegado. La revisaremos y te informaremos sobre el reembolso.",
    },
    fr: {
      header: "Nous avons reçu votre retour",
      body: "Bonjour {{1}}, votre retour pour la commande {{2}} est arrivé. Nous le vérifions et vous tiendrons au courant du remboursement.",
    },
    it: {
      header: "Abbiamo ricevuto il tuo reso",
      body: "Ciao {{1}}, il tuo reso per l'ordine {{2}} è arrivato. Lo controlleremo e ti faremo sapere del rimborso.",
    },
    pt_BR: {
      header: "Recebemos a sua devolução",
      body: "Olá, {{1}}! A sua devolução do pedido {{2}} chegou. Vamos conferi-la e avisaremos sobre o reembolso.",
    },
    tr: {
      header: "İade paketiniz bize ulaştı",
      body: "Merhaba {{1}}, {{2}} numaralı siparişinizin iade paketi bize ulaştı. Kontrol edip para iadesi hakkında size bilgi vereceğiz.",
    },
    ar: { header: "وصلتنا المرتجعات", body: "مرحبًا {{1}}، وصلتنا مرتجعات طلبك رقم {{2}}. سنفحصها ونخبرك بشأن إعادة المبلغ." },
  },
  invoice_ready: {
    en: {
      header: "Your invoice",
      body: "Hi {{1}}, your invoice {{2}} is ready. You can download it here: {{3}}\n\nThank you for your business.",
    },
    de: {
      header: "Ihre Rechnung",
      body: "Hallo {{1}}, Ihre Rechnung {{2}} ist fertig. Sie können sie hier herunterladen: {{3}}\n\nVielen Dank für Ihr Vertrauen.",
    },
    es: {
      header: "Tu factura",
      body: "Hola, {{1}}: tu factura {{2}} está lista. Puedes descargarla aquí: {{3}}\n\nGracias por tu confianza.",
    },
    fr: {
      header: "Votre facture",
      body: "Bonjour {{1}}, votre facture {{2}} est prête. Vous pouvez la télécharger ici : {{3}}\n\nMerci de votre confiance.",
    },
    it: {
      header: "La tua fattura",
      body: "Ciao {{1}}, la tua fattura {{2}} è pronta. Puoi scaricarla qui: {{3}}\n\nGrazie per la fiducia.",
    },
    pt_BR: {
      header: "Sua nota fiscal",
      body: "Olá, {{1}}! A sua nota fiscal {{2}} está pronta. Você pode baixá-la aqui: {{3}}\n\nObrigado pela confiança.",
    },
    tr: {
      header: "Faturanız",
      body: "Merhaba {{1}}, {{2}} numaralı faturanız hazır. Buradan indirebilirsiniz: {{3}}\n\nBizi tercih ettiğiniz için teşekkür ederiz.",
    },
    ar: { header: "فاتورتك", body: "مرحبًا {{1}}، فاتورتك رقم {{2}} جاهزة. يمكنك تنزيلها من هنا: {{3}}\n\nشكرًا لثقتك بنا." },
  },
  subscription_renewal: {
    en: {
      header: "Your subscription renews soon",
      body: "Hi {{1}}, your subscription {{2}} renews on {{3}}. We will charge {{4}} to your usual payment method.",
    },
    de: {
      header: "Ihr Abo verlängert sich bald",
      body: "Hallo {{1}}, Ihr Abo {{2}} verlängert sich am {{3}}. Wir buchen {{4}} über Ihre gewohnte Zahlungsart ab.",
    },
    es: {
      header: "Tu suscripción se renueva pronto",
      body: "Hola, {{1}}: tu suscripción {{2}} se renueva el {{3}}. Cobraremos {{4}} con tu forma de pago habitual.",
    },
    fr: {
      header: "Votre abonnement se renouvelle",
      body: "Bonjour {{1}}, votre abonnement {{2}} se renouvelle le {{3}}. Nous prélèverons {{4}} par votre moyen de paiement habituel.",
    },
    it: {
      header: "Il tuo abbonamento si rinnova",
      body: "Ciao {{1}}, il tuo abbonamento {{2}} si rinnova il {{3}}. Addebiteremo {{4}} sul tuo metodo di pagamento abituale.",
    },
    pt_BR: {
      header: "Sua assinatura será renovada",
      body: "Olá, {{1}}! A sua assinatura {{2}} será renovada em {{3}}. Cobraremos {{4}} na sua forma de pagamento habitual.",
    },
    tr: {
      header: "Aboneliğiniz yakında yenilenecek",
      body: "Merhaba {{1}}, {{2}} aboneliğiniz {{3}} tarihinde yenilenecek. Ücret olan {{4}} her zamanki ödeme yönteminizden tahsil edilecek.",
    },
    ar: { header: "سيتجدد اشتراكك قريبًا", body: "مرحبًا {{1}}، سيتجدد اشتراكك {{2}} في {{3}}. سنخصم {{4}} عبر وسيلة الدفع المعتادة." },
  },
} satisfies Partial<Record<GalleryName, GalleryTexts>>;
