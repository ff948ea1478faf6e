import type { GalleryTexts } from "./entries.ts";

export const es: GalleryTexts = {
  noName: "buenas",
  noCarrier: "nuestro transportista",
  stop: "Baja",
  examples: {
    name: "Lucía",
    deliveryDate: "18 de marzo",
    pickupPlace: "Calle del Mercado 12",
    plan: "Caja de café",
    renewalDate: "1 de abril",
    renewalAmount: "24,00 EUR",
    service: "Revisión dental",
    appointmentDate: "18 de marzo",
    product: "Tetera azul",
  },
  texts: {
    order_confirmed: {
      header: "Gracias por tu pedido",
      body: "Hola, {{1}}: hemos recibido tu pedido {{2}} por {{3}}. Te avisaremos en cuanto esté en camino.",
    },
    payment_received: {
      header: "Pago recibido",
      body: "Hola, {{1}}: hemos recibido tu pago de {{2}} por el pedido {{3}}. ¡Gracias! Ya estamos preparando tu pedido.",
    },
    payment_failed: {
      header: "No se ha podido cobrar el pago",
      body: "Hola, {{1}}: el pago de tu pedido {{2}} no se ha podido completar. Puedes intentarlo de nuevo aquí: {{3}}\n\nSi ya has pagado, no tienes que hacer nada más.",
    },
    payment_reminder: {
      header: "Tu pedido está pendiente de pago",
      body: "Hola, {{1}}: tu pedido {{2}} por {{3}} todavía no está pagado. Puedes pagarlo aquí: {{4}}\n\nSi ya has pagado, no tienes que hacer nada más.",
    },
    order_shipped: {
      header: "Tu pedido está en camino",
      body: "Hola, {{1}}: buenas noticias. Tu pedido {{2}} ha salido de nuestro almacén y va de camino a tu casa.",
    },
    order_shipped_tracking: {
      header: "Tu pedido está en camino",
      body: "Hola, {{1}}: buenas noticias. Tu pedido {{2}} está en camino.\n\nTransportista: {{3}}\nNúmero de seguimiento: {{4}}\n\nGracias por tu compra.",
    },
    order_delayed: {
      header: "Tu pedido se retrasa",
      body: "Hola, {{1}}: lo sentimos, tu pedido {{2}} tarda más de lo previsto. Ahora esperamos que llegue el {{3}}. Gracias por tu paciencia.",
    },
    out_for_delivery: {
      header: "Llega hoy",
      body: "Hola, {{1}}: tu pedido {{2}} está en reparto y debería llegarte hoy.",
    },
    order_delivered: {
      header: "Tu pedido ha llegado",
      body: "Hola, {{1}}: tu pedido {{2}} se ha entregado. ¡Que lo disfrutes!",
    },
    pickup_ready: {
      header: "Listo para recoger",
      body: "Hola, {{1}}: tu pedido {{2}} está listo. Puedes recogerlo aquí: {{3}}\n\nTen a mano tu número de pedido, por favor.",
    },
    order_cancelled: {
      header: "Tu pedido se ha cancelado",
      body: "Hola, {{1}}: tu pedido {{2}} se ha cancelado. Si ya lo habías pagado, te devolveremos el dinero.",
    },
    order_refunded: {
      header: "Tu reembolso está en camino",
      body: "Hola, {{1}}: hemos reembolsado tu pedido {{2}}. Según tu banco, puede tardar unos días en aparecer en tu cuenta.",
    },
    order_partly_refunded: {
      header: "Tu reembolso está en camino",
      body: "Hola, {{1}}: hemos reembolsado {{2}} {{3}} de tu pedido {{4}}. Según tu banco, puede tardar unos días en aparecer en tu cuenta.",
    },
    return_received: {
      header: "Hemos recibido tu devolución",
      body: "Hola, {{1}}: tu devolución del pedido {{2}} ha llegado. La revisaremos y te informaremos sobre el reembolso.",
    },
    invoice_ready: {
      header: "Tu factura",
      body: "Hola, {{1}}: tu factura {{2}} está lista. Puedes descargarla aquí: {{3}}\n\nGracias por tu confianza.",
    },
    subscription_renewal: {
      header: "Tu suscripción se renueva pronto",
      body: "Hola, {{1}}: tu suscripción {{2}} se renueva el {{3}}. Cobraremos {{4}} con tu forma de pago habitual.",
    },
    appointment_booked: {
      header: "Tu cita está reservada",
      body: "Hola, {{1}}: tu cita está reservada.\n\nServicio: {{2}}\nFecha: {{3}}\nHora: {{4}}\n\n¡Te esperamos!",
    },
    appointment_reminder: {
      header: "Recordatorio de tu cita",
      body: "Hola, {{1}}: te recordamos tu cita.\n\nServicio: {{2}}\nFecha: {{3}}\nHora: {{4}}\n\nSi no puedes venir, avísanos con tiempo, por favor.",
    },
    appointment_changed: {
      header: "Tu cita ha cambiado",
      body: "Hola, {{1}}: tu cita se ha cambiado.\n\nServicio: {{2}}\nNueva fecha: {{3}}\nNueva hora: {{4}}\n\nSi no te viene bien, ponte en contacto con nosotros.",
    },
    appointment_cancelled: {
      header: "Tu cita se ha cancelado",
      body: "Hola, {{1}}: esta cita se ha cancelado.\n\nServicio: {{2}}\nFecha: {{3}}\nHora: {{4}}\n\nPonte en contacto con nosotros para pedir otra.",
    },
    abandoned_cart: {
      header: "Tu carrito te espera",
      body: "Hola, {{1}}: has dejado algo en tu carrito. Te lo hemos guardado: {{2}}\n\nCon un clic puedes seguir donde lo dejaste.",
    },
    back_in_stock: {
      header: "Disponible de nuevo",
      body: "Hola, {{1}}: buenas noticias. {{2}} vuelve a estar disponible. Consíguelo aquí: {{3}}\n\nGracias por esperar.",
    },
    review_request: {
      header: "¿Qué te ha parecido?",
      body: "Hola, {{1}}: esperamos que te guste tu pedido {{2}}. Nos alegraría que dejaras una reseña en nuestra tienda. Ayuda a otros clientes a elegir.",
    },
    welcome: {
      header: "¡Te damos la bienvenida!",
      body: "Hola, {{1}}: nos alegra tenerte con nosotros. A partir de ahora te contaremos por aquí cómo van tus pedidos y qué hay de nuevo en la tienda.",
    },
  },
};
