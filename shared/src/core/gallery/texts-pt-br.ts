import type { GalleryTexts } from "./entries.ts";

export const ptBR: GalleryTexts = {
  noName: "tudo bem",
  noCarrier: "nossa transportadora",
  stop: "Descadastrar",
  examples: {
    name: "Ana",
    total: "BRL 249.90",
    refundAmount: "89.90",
    currency: "BRL",
    deliveryDate: "18 de março",
    pickupPlace: "Rua do Mercado, 12",
    plan: "Caixa de café",
    renewalDate: "1º de abril",
    renewalAmount: "R$ 99,00",
    service: "Consulta odontológica",
    appointmentDate: "18 de março",
    product: "Bule azul",
  },
  texts: {
    order_confirmed: {
      header: "Obrigado pelo seu pedido",
      body: "Olá, {{1}}! Recebemos o seu pedido {{2}} no valor de {{3}}. Avisaremos assim que ele estiver a caminho.",
    },
    payment_received: {
      header: "Pagamento recebido",
      body: "Olá, {{1}}! Recebemos o seu pagamento de {{2}} do pedido {{3}}. Obrigado! Já estamos preparando o seu pedido.",
    },
    payment_failed: {
      header: "O pagamento não foi concluído",
      body: "Olá, {{1}}! O pagamento do seu pedido {{2}} não foi concluído. Você pode tentar de novo aqui: {{3}}\n\nSe você já pagou, não precisa fazer mais nada.",
    },
    payment_reminder: {
      header: "Seu pedido aguarda o pagamento",
      body: "Olá, {{1}}! O seu pedido {{2}} no valor de {{3}} ainda não foi pago. Você pode pagar aqui: {{4}}\n\nSe você já pagou, não precisa fazer mais nada.",
    },
    order_shipped: {
      header: "Seu pedido está a caminho",
      body: "Olá, {{1}}! Boa notícia: o seu pedido {{2}} saiu do nosso estoque e está a caminho.",
    },
    order_shipped_tracking: {
      header: "Seu pedido está a caminho",
      body: "Olá, {{1}}! Boa notícia: o seu pedido {{2}} está a caminho.\n\nTransportadora: {{3}}\nCódigo de rastreio: {{4}}\n\nObrigado pela compra.",
    },
    order_delayed: {
      header: "Seu pedido está atrasado",
      body: "Olá, {{1}}! Pedimos desculpas: o seu pedido {{2}} vai demorar mais que o previsto. A nova previsão de entrega é {{3}}. Obrigado pela paciência.",
    },
    out_for_delivery: {
      header: "Chega hoje",
      body: "Olá, {{1}}! O seu pedido {{2}} saiu para entrega e deve chegar hoje.",
    },
    order_delivered: {
      header: "Seu pedido chegou",
      body: "Olá, {{1}}! O seu pedido {{2}} foi entregue. Esperamos que você goste!",
    },
    pickup_ready: {
      header: "Pronto para retirada",
      body: "Olá, {{1}}! O seu pedido {{2}} está pronto. Você pode retirá-lo aqui: {{3}}\n\nTenha o número do pedido em mãos, por favor.",
    },
    order_cancelled: {
      header: "Seu pedido foi cancelado",
      body: "Olá, {{1}}! O seu pedido {{2}} foi cancelado. Se você já pagou, receberá o dinheiro de volta.",
    },
    order_refunded: {
      header: "Seu reembolso está a caminho",
      body: "Olá, {{1}}! Reembolsamos o seu pedido {{2}}. Dependendo do banco, o valor pode levar alguns dias para aparecer na sua conta.",
    },
    order_partly_refunded: {
      header: "Seu reembolso está a caminho",
      body: "Olá, {{1}}! Reembolsamos {{2}} {{3}} do seu pedido {{4}}. Dependendo do banco, o valor pode levar alguns dias para aparecer na sua conta.",
    },
    return_received: {
      header: "Recebemos a sua devolução",
      body: "Olá, {{1}}! A sua devolução do pedido {{2}} chegou. Vamos conferi-la e avisaremos sobre o reembolso.",
    },
    invoice_ready: {
      header: "Sua nota fiscal",
      body: "Olá, {{1}}! A sua nota fiscal {{2}} está pronta. Você pode baixá-la aqui: {{3}}\n\nObrigado pela confiança.",
    },
    subscription_renewal: {
      header: "Sua assinatura será renovada",
      body: "Olá, {{1}}! A sua assinatura {{2}} será renovada em {{3}}. Cobraremos {{4}} na sua forma de pagamento habitual.",
    },
    appointment_booked: {
      header: "Seu horário está marcado",
      body: "Olá, {{1}}! O seu horário está marcado.\n\nServiço: {{2}}\nData: {{3}}\nHora: {{4}}\n\nEsperamos por você.",
    },
    appointment_reminder: {
      header: "Lembrete do seu horário",
      body: "Olá, {{1}}! Lembramos você do seu horário marcado.\n\nServiço: {{2}}\nData: {{3}}\nHora: {{4}}\n\nSe não puder vir, avise-nos com antecedência, por favor.",
    },
    appointment_changed: {
      header: "Seu horário mudou",
      body: "Olá, {{1}}! O seu horário foi alterado.\n\nServiço: {{2}}\nNova data: {{3}}\nNova hora: {{4}}\n\nSe não for possível para você, fale conosco.",
    },
    appointment_cancelled: {
      header: "Seu horário foi cancelado",
      body: "Olá, {{1}}! Este horário foi cancelado.\n\nServiço: {{2}}\nData: {{3}}\nHora: {{4}}\n\nFale conosco para marcar outro.",
    },
    abandoned_cart: {
      header: "Seu carrinho está esperando",
      body: "Olá, {{1}}! Você deixou algo no carrinho. Guardamos para você: {{2}}\n\nCom um clique você continua de onde parou.",
    },
    back_in_stock: {
      header: "Disponível de novo",
      body: "Olá, {{1}}! Boa notícia: {{2}} está disponível de novo. Garanta o seu aqui: {{3}}\n\nObrigado por esperar.",
    },
    review_request: {
      header: "O que você achou?",
      body: "Olá, {{1}}! Esperamos que você tenha gostado do pedido {{2}}. Ficaríamos felizes com uma avaliação na nossa loja. Ela ajuda outros clientes a escolher.",
    },
    welcome: {
      header: "Boas-vindas!",
      body: "Olá, {{1}}! Que bom ter você com a gente. A partir de agora você recebe por aqui notícias dos seus pedidos e as novidades da loja.",
    },
  },
};
