import type { GalleryTexts, GalleryName } from "./entries.ts";

export const shopping = {
  order_confirmed: {
    en: {
      header: "Thank you for your order",
      body: "Hi {{1}}, we have received your order {{2}} for {{3}}. We will let you know as soon as it is on its way.",
    },
    de: {
      header: "Danke für Ihre Bestellung",
      body: "Hallo {{1}}, wir haben Ihre Bestellung {{2}} über {{3}} erhalten. Wir melden uns, sobald sie unterwegs ist.",
    },
    es: {
      header: "Gracias por tu pedido",
      body: "Hola, {{1}}: hemos recibido tu pedido {{2}} por {{3}}. Te avisaremos en cuanto esté en camino.",
    },
    fr: {
      header: "Merci pour votre commande",
      body: "Bonjour {{1}}, nous avons bien reçu votre commande {{2}} d'un montant de {{3}}. Nous vous préviendrons dès qu'elle sera en route.",
    },
    it: {
      header: "Grazie per il tuo ordine",
      body: "Ciao {{1}}, abbiamo ricevuto il tuo ordine {{2}} di {{3}}. Ti avviseremo appena sarà in viaggio.",
    },
    pt_BR: {
      header: "Obrigado pelo seu pedido",
      body: "Olá, {{1}}! Recebemos o seu pedido {{2}} no valor de {{3}}. Avisaremos assim que ele estiver a caminho.",
    },
    tr: {
      header: "Siparişiniz için teşekkürler",
      body: "Merhaba {{1}}, {{2}} numaralı ve {{3}} tutarındaki siparişinizi aldık. Yola çıktığında size haber vereceğiz.",
    },
    ar: { header: "شكرًا لطلبك", body: "مرحبًا {{1}}، استلمنا طلبك رقم {{2}} بقيمة {{3}}. سنخبرك فور خروجه للشحن." },
  },
  order_shipped: {
    en: {
      header: "Your order is on its way",
      body: "Hi {{1}}, good news: your order {{2}} has left our warehouse and is on its way to you.",
    },
    de: {
      header: "Ihre Bestellung ist unterwegs",
      body: "Hallo {{1}}, gute Nachrichten: Ihre Bestellung {{2}} hat unser Lager verlassen und ist auf dem Weg zu Ihnen.",
    },
    es: {
      header: "Tu pedido está en camino",
      body: "Hola, {{1}}: buenas noticias. Tu pedido {{2}} ha salido de nuestro almacén y va de camino a tu casa.",
    },
    fr: {
      header: "Votre commande est en route",
      body: "Bonjour {{1}}, bonne nouvelle : votre commande {{2}} a quitté notre entrepôt et arrive bientôt chez vous.",
    },
    it: {
      header: "Il tuo ordine è in viaggio",
      body: "Ciao {{1}}, buone notizie: il tuo ordine {{2}} ha lasciato il nostro magazzino ed è in viaggio verso di te.",
    },
    pt_BR: {
      header: "Seu pedido está a caminho",
      body: "Olá, {{1}}! Boa notícia: o seu pedido {{2}} saiu do nosso estoque e está a caminho.",
    },
    tr: {
      header: "Siparişiniz yola çıktı",
      body: "Merhaba {{1}}, güzel haber: {{2}} numaralı siparişiniz depomuzdan çıktı ve size doğru yolda.",
    },
    ar: { header: "طلبك في الطريق", body: "مرحبًا {{1}}، خبر سار: خرج طلبك رقم {{2}} من مستودعنا وهو في الطريق إليك." },
  },
  order_shipped_tracking: {
    en: {
      header: "Your order is on its way",
      body: "Hi {{1}}, good news: your order {{2}} is on its way to you.\n\nCarrier: {{3}}\nTracking number: {{4}}\n\nThank you for shopping with us.",
    },
    de: {
      header: "Ihre Bestellung ist unterwegs",
      body: "Hallo {{1}}, gute Nachrichten: Ihre Bestellung {{2}} ist auf dem Weg zu Ihnen.\n\nVersand: {{3}}\nSendungsnummer: {{4}}\n\nDanke für Ihren Einkauf.",
    },
    es: {
      header: "Tu pedido está en camino",
      body: "Hola, {{1}}: buenas noticias. Tu pedido {{2}} está en camino.\n\nTransportista: {{3}}\nNúmero de seguimiento: {{4}}\n\nGracias por tu compra.",
    },
    fr: {
      header: "Votre commande est en route",
      body: "Bonjour {{1}}, bonne nouvelle : votre commande {{2}} est en route.\n\nTransporteur : {{3}}\nNuméro de suivi : {{4}}\n\nMerci pour votre achat.",
    },
    it: {
      header: "Il tuo ordine è in viaggio",
      body: "Ciao {{1}}, buone notizie: il tuo ordine {{2}} è in viaggio.\n\nCorriere: {{3}}\nNumero di tracciamento: {{4}}\n\nGrazie per il tuo acquisto.",
    },
    pt_BR: {
      header: "Seu pedido está a caminho",
      body: "Olá, {{1}}! Boa notícia: o seu pedido {{2}} está a caminho.\n\nTransportadora: {{3}}\nCódigo de rastreio: {{4}}\n\nObrigado pela compra.",
    },
    tr: {
      header: "Siparişiniz yola çıktı",
      body: "Merhaba {{1}}, güzel haber: {{2}} numaralı siparişiniz yola çıktı.\n\nKargo: {{3}}\nTakip numarası: {{4}}\n\nAlışverişiniz için teşekkür ederiz.",
    },
    ar: {
      header: "طلبك في الطريق",
      body: "مرحبًا {{1}}، خبر سار: طلبك رقم {{2}} في الطريق إليك.\n\nشركة الشحن: {{3}}\nرقم التتبع: {{4}}\n\nشكرًا لتسوقك معنا.",
    },
  },
  order_delayed: {
    en: {
      header: "Your order is delayed",
      body: "Hi {{1}}, we are sorry: your order {{2}} takes longer than planned. We now expect it to arrive on {{3}}. Thank you for your patience.",
    },
    de: {
      header: "Ihre Bestellung verspätet sich",
      body: "Hallo {{1}}, es tut uns leid: Ihre Bestellung {{2}} braucht länger als geplant. Wir rechnen jetzt damit, dass sie am {{3}} bei Ihnen ist. Danke für Ihre Geduld.",
    },
    es: {
      header: "Tu pedido se retrasa",
      body: "Hola, {{1}}: lo sentimos, tu pedido {{2}} tarda más de lo previsto. Ahora esperamos que llegue el {{3}}. Gracias por tu paciencia.",
    },
    fr: {
      header: "Votre commande a du retard",
      body: "Bonjour {{1}}, nous sommes désolés : votre commande {{2}} prend plus de temps que prévu. Nous l'attendons désormais pour le {{3}}. Merci de votre patience.",
    },
    it: {
      header: "Il tuo ordine è in ritardo",
      body: "Ciao {{1}}, ci dispiace: il tuo ordine {{2}} richiede più tempo del previsto. La nuova data di consegna prevista è il {{3}}. Grazie per la pazienza.",
    },
    pt_BR: {
      header: "Seu pedido está atrasado",
      body: "Olá, {{1}}! Pedimos desculpas: o seu pedido {{2}} vai demorar mais que o previsto. A nova previsão de entrega é {{3}}. Obrigado pela paciência.",
    },
    tr: {
      header: "Siparişiniz gecikiyor",
      body: "Merhaba {{1}}, üzgünüz: {{2}} numaralı siparişiniz beklenenden uzun sürüyor. Yeni tahmini teslim tarihi: {{3}}. Sabrınız için teşekkür ederiz.",
    },
    ar: {
      header: "تأخر طلبك",
      body: "مرحبًا {{1}}، نعتذر منك: يستغرق طلبك رقم {{2}} وقتًا أطول من المتوقع. نتوقع وصوله الآن في {{3}}. شكرًا لصبرك.",
    },
  },
  out_for_delivery: {
    en: { header: "Arriving today", body: "Hi {{1}}, your order {{2}} is out for delivery and should reach you today." },
    de: {
      header: "Heute bei Ihnen",
      body: "Hallo {{1}}, Ihre Bestellung {{2}} ist in der Zustellung und sollte heute bei Ihnen ankommen.",
    },
    es: { header: "Llega hoy", body: "Hola, {{1}}: tu pedido {{2}} está en reparto y debería llegarte hoy." },
    fr: {
      header: "Livraison aujourd'hui",
      body: "Bonjour {{1}}, votre commande {{2}} est en cours de livraison et devrait arriver chez vous aujourd'hui.",
    },
    it: { header: "In arrivo oggi", body: "Ciao {{1}}, il tuo ordine {{2}} è in consegna e dovrebbe arrivare oggi." },
    pt_BR: { header: "Chega hoje", body: "Olá, {{1}}! O seu pedido {{2}} saiu para entrega e deve chegar hoje." },
    tr: { header: "Bugün sizde", body: "Merhaba {{1}}, {{2}} numaralı siparişiniz dağıtıma çıktı ve bugün size ulaşması bekleniyor." },
    ar: { header: "يصلك اليوم", body: "مرحبًا {{1}}، خرج طلبك رقم {{2}} للتوصيل ومن المتوقع أن يصلك اليوم." },
  },
  order_delivered: {
    en: { header: "Your order has arrived", body: "Hi {{1}}, your order {{2}} has been delivered. We hope you enjoy it!" },
    de: { header: "Ihre Bestellung ist da", body: "Hallo {{1}}, Ihre Bestellung {{2}} wurde zugestellt. Viel Freude damit!" },
    es: { header: "Tu pedido ha llegado", body: "Hola, {{1}}: tu pedido {{2}} se ha entregado. ¡Que lo disfrutes!" },
    fr: {
      header: "Votre commande est arrivée",
      body: "Bonjour {{1}}, votre commande {{2}} a été livrée. Nous espérons qu'elle vous plaira !",
    },
    it: { header: "Il tuo ordine è arrivato", body: "Ciao {{1}}, il tuo ordine {{2}} è stato consegnato. Speriamo che ti piaccia!" },
    pt_BR: { header: "Seu pedido chegou", body: "Olá, {{1}}! O seu pedido {{2}} foi entregue. Esperamos que você goste!" },
    tr: { header: "Siparişiniz teslim edildi", body: "Merhaba {{1}}, {{2}} numaralı siparişiniz teslim edildi. Güle güle kullanın!" },
    ar: { header: "وصل طلبك", body: "مرحبًا {{1}}، تم توصيل طلبك رقم {{2}}. نتمنى أن ينال إعجابك!" },
  },
  pickup_ready: {
    en: {
      header: "Ready for pickup",
      body: "Hi {{1}}, your order {{2}} is ready for you. Pick it up here: {{3}}\n\nPlease have your order number at hand.",
    },
    de: {
      header: "Bereit zur Abholung",
      body: "Hallo {{1}}, Ihre Bestellung {{2}} liegt für Sie bereit. Sie können sie hier abholen: {{3}}\n\nBitte halten Sie Ihre Bestellnummer bereit.",
    },
    es: {
      header: "Listo para recoger",
      body: "Hola, {{1}}: tu pedido {{2}} está listo. Puedes recogerlo aquí: {{3}}\n\nTen a mano tu número de pedido, por favor.",
    },
    fr: {
      header: "Prête à être retirée",
      body: "Bonjour {{1}}, votre commande {{2}} vous attend. Vous pouvez la retirer ici : {{3}}\n\nMerci d'avoir votre numéro de commande sous la main.",
    },
    it: {
      header: "Pronto per il ritiro",
      body: "Ciao {{1}}, il tuo ordine {{2}} è pronto. Puoi ritirarlo qui: {{3}}\n\nTieni a portata di mano il numero dell'ordine.",
    },
    pt_BR: {
      header: "Pronto para retirada",
      body: "Olá, {{1}}! O seu pedido {{2}} está pronto. Você pode retirá-lo aqui: {{3}}\n\nTenha o número do pedido em mãos, por favor.",
    },
    tr: {
      header: "Siparişiniz teslim almaya hazır",
      body: "Merhaba {{1}}, {{2}} numaralı siparişiniz hazır. Buradan teslim alabilirsiniz: {{3}}\n\nLütfen sipariş numaranızı yanınızda bulundurun.",
    },
    ar: { header: "طلبك جاهز للاستلام", body: "مرحبًا {{1}}، طلبك رقم {{2}} جاهز. يمكنك استلامه من هنا: {{3}}\n\nيرجى إحضار رقم الطلب معك." },
  },
  order_cancelled: {
    en: {
      header: "Your order was cancelled",
      body: "Hi {{1}}, your order {{2}} has been cancelled. If you have already paid, you will get your money back.",
    },
    de: {
      header: "Ihre Bestellung wurde storniert",
      body: "Hallo {{1}}, Ihre Bestellung {{2}} wurde storniert. Falls Sie schon bezahlt haben, bekommen Sie Ihr Geld zurück.",
    },
    es: {
      header: "Tu pedido se ha cancelado",
      body: "Hola, {{1}}: tu pedido {{2}} se ha cancelado. Si ya lo habías pagado, te devolveremos el dinero.",
    },
    fr: {
      header: "Votre commande a été annulée",
      body: "Bonjour {{1}}, votre commande {{2}} a été annulée. Si vous avez déjà payé, nous vous rembourserons.",
    },
    it: {
      header: "Il tuo ordine è stato annullato",
      body: "Ciao {{1}}, il tuo ordine {{2}} è stato annullato. Se hai già pagato, riceverai il rimborso.",
    },
    pt_BR: {
      header: "Seu pedido foi cancelado",
      body: "Olá, {{1}}! O seu pedido {{2}} foi cancelado. Se você já pagou, receberá o dinheiro de volta.",
    },
    tr: {
      header: "Siparişiniz iptal edildi",
      body: "Merhaba {{1}}, {{2}} numaralı siparişiniz iptal edildi. Ödeme yaptıysanız paranız iade edilecektir.",
    },
    ar: { header: "تم إلغاء طلبك", body: "مرحبًا {{1}}، تم إلغاء طلبك رقم {{2}}. إذا كنت قد دفعت فسنعيد إليك المبلغ." },
  },
  abandoned_cart: {
    en: {
      header: "Your cart is waiting",
      body: "Hi {{1}}, you left something in your cart. We have kept it for you: {{2}}\n\nOne click and you can go on where you stopped.",
    },
    de: {
      header: "Ihr Warenkorb wartet",
      body: "Hallo {{1}}, in Ihrem Warenkorb liegt noch etwas. Wir haben es für Sie aufgehoben: {{2}}\n\nMit einem Klick machen Sie dort weiter, wo Sie aufgehört haben.",
    },
    es: {
      header: "Tu carrito te espera",
      body: "Hola, {{1}}: has dejado algo en tu carrito. Te lo hemos guardado: {{2}}\n\nCon un clic puedes seguir donde lo dejaste.",
    },
    fr: {
      header: "Votre panier vous attend",
      body: "Bonjour {{1}}, vous avez laissé quelque chose dans votre panier. Nous vous l'avons gardé : {{2}}\n\nUn clic suffit pour reprendre où vous en étiez.",
    },
    it: {
      header: "Il tuo carrello ti aspetta",
      body: "Ciao {{1}}, hai lasciato qualcosa nel carrello. Lo abbiamo conservato per te: {{2}}\n\nBasta un clic per riprendere da dove avevi lasciato.",
    },
    pt_BR: {
      header: "Seu carrinho está esperando",
      body: "Olá, {{1}}! Você deixou algo no carrinho. Guardamos para você: {{2}}\n\nCom um clique você continua de onde parou.",
    },
    tr: {
      header: "Sepetiniz sizi bekliyor",
      body: "Merhaba {{1}}, sepetinizde ürün kaldı. Sizin için sakladık: {{2}}\n\nTek tıkla kaldığınız yerden devam edebilirsiniz.",
    },
    ar: {
      header: "سلتك في انتظارك",
      body: "مرحبًا {{1}}، تركت شيئًا في سلة التسوق وقد احتفظنا به لك: {{2}}\n\nبنقرة واحدة يمكنك المتابعة من حيث توقفت.",
    },
  },
  back_in_stock: {
    en: { header: "Back in stock", body: "Hi {{1}}, good news: {{2}} is available again. Get yours here: {{3}}\n\nThank you for waiting." },
    de: {
      header: "Wieder da",
      body: "Hallo {{1}}, gute Nachrichten: {{2}} ist wieder lieferbar. Hier geht es zum Produkt: {{3}}\n\nDanke fürs Warten.",
    },
    es: {
      header: "Disponible de nuevo",
      body: "Hola, {{1}}: buenas noticias. {{2}} vuelve a estar disponible. Consíguelo aquí: {{3}}\n\nGracias por esperar.",
    },
    fr: {
      header: "De nouveau en stock",
      body: "Bonjour {{1}}, bonne nouvelle : {{2}} est de nouveau disponible. C'est par ici : {{3}}\n\nMerci d'avoir patienté.",
    },
    it: {
      header: "Di nuovo disponibile",
      body: "Ciao {{1}}, buone notizie: {{2}} è di nuovo disponibile. Lo trovi qui: {{3}}\n\nGrazie per aver aspettato.",
    },
    pt_BR: {
      header: "Disponível de novo",
      body: "Olá, {{1}}! Boa notícia: {{2}} está disponível de novo. Garanta o seu aqui: {{3}}\n\nObrigado por esperar.",
    },
    tr: {
      header: "Yeniden stokta",
      body: "Merhaba {{1}}, güzel haber: {{2}} yeniden stokta. Buradan alabilirsiniz: {{3}}\n\nBeklediğiniz için teşekkür ederiz.",
    },
    ar: { header: "متوفر من جديد", body: "مرحبًا {{1}}، خبر سار: {{2}} متوفر من جديد. احصل عليه من هنا: {{3}}\n\nشكرًا لانتظارك." },
  },
  review_request: {
    en: {
      header: "How do you like it?",
      body: "Hi {{1}}, we hope you are happy with your order {{2}}. We would be glad if you left a review in our shop. It helps other customers choose.",
    },
    de: {
      header: "Wie gefällt es Ihnen?",
      body: "Hallo {{1}}, wir hoffen, Sie sind mit Ihrer Bestellung {{2}} zufrieden. Über eine Bewertung in unserem Shop würden wir uns freuen. Sie hilft anderen bei der Auswahl.",
    },
    es: {
      header: "¿Qué te ha parecido?",
      body: "Hola, {{1}}: esperamos que te guste tu pedido {{2}}. Nos alegraría que dejaras una reseña en nuestra tienda. Ayuda a otros clientes a elegir.",
    },
    fr: {
      header: "Qu'en pensez-vous ?",
      body: "Bonjour {{1}}, nous espérons que votre commande {{2}} vous plaît. Un avis dans notre boutique nous ferait plaisir et aiderait d'autres clients à choisir.",
    },
    it: {
      header: "Ti piace?",
      body: "Ciao {{1}}, speriamo che il tuo ordine {{2}} ti piaccia. Ci farebbe piacere una tua recensione nel nostro negozio: aiuta altri clienti a scegliere.",
    },
    pt_BR: {
      header: "O que você achou?",
      body: "Olá, {{1}}! Esperamos que você tenha gostado do pedido {{2}}. Ficaríamos felizes com uma avaliação na nossa loja. Ela ajuda outros clientes a escolher.",
    },
    tr: {
      header: "Nasıl buldunuz?",
      body: "Merhaba {{1}}, {{2}} numaralı siparişinizden memnun kaldığınızı umuyoruz. Mağazamızda bir değerlendirme bırakırsanız seviniriz. Diğer müşterilerin seçimine yardımcı olur.",
    },
    ar: {
      header: "ما رأيك؟",
      body: "مرحبًا {{1}}، نأمل أن يكون طلبك رقم {{2}} قد نال رضاك. يسعدنا أن تكتب تقييمًا في متجرنا، فهو يساعد العملاء الآخرين على الاختيار.",
    },
  },
  welcome: {
    en: {
      header: "Welcome!",
      body: "Hi {{1}}, good to have you with us. From now on you will hear from us here about your orders and what is new in our shop.",
    },
    de: {
      header: "Herzlich willkommen!",
      body: "Hallo {{1}}, schön, dass Sie da sind. Ab jetzt erfahren Sie hier von uns, was mit Ihren Bestellungen passiert und was es Neues gibt.",
    },
    es: {
      header: "¡Te damos la bienvenida!",
      body: "Hola, {{1}}: nos alegra tenerte con nosotros. A partir de ahora te contaremos por aquí cómo van tus pedidos y qué hay de nuevo en la tienda.",
    },
    fr: {
      header: "Bienvenue !",
      body: "Bonjour {{1}}, nous sommes ravis de vous compter parmi nous. Vous recevrez ici des nouvelles de vos commandes et de notre boutique.",
    },
    it: {
      header: "Ti diamo il benvenuto!",
      body: "Ciao {{1}}, siamo felici di averti con noi. Da ora riceverai qui notizie dei tuoi ordini e le novità del negozio.",
    },
    pt_BR: {
      header: "Boas-vindas!",
      body: "Olá, {{1}}! Que bom ter você com a gente. A partir de agora você recebe por aqui notícias dos seus pedidos e as novidades da loja.",
    },
    tr: {
      header: "Hoş geldiniz!",
      body: "Merhaba {{1}}, aramıza hoş geldiniz. Bundan sonra siparişlerinizle ve mağazamızdaki yeniliklerle ilgili haberleri buradan alacaksınız.",
    },
    ar: { header: "أهلًا وسهلًا!", body: "مرحبًا {{1}}، يسعدنا انضمامك إلينا. ستصلك هنا من الآن أخبار طلباتك وجديد متجرنا." },
  },
} satisfies Partial<Record<GalleryName, GalleryTexts>>;
