import type { GalleryTexts } from "./entries.ts";

export const en: GalleryTexts = {
  noName: "there",
  noCarrier: "our delivery partner",
  stop: "Stop",
  examples: { total: "USD 49.90" },
  texts: {
    order_confirmed: {
      header: "Thank you for your order",
      body: "Hi {{1}}, we have received your order {{2}} for {{3}}. We will let you know as soon as it is on its way.",
    },
    payment_received: {
      header: "Payment received",
      body: "Hi {{1}}, your payment of {{2}} for order {{3}} has arrived. Thank you! We are now getting your order ready.",
    },
    payment_failed: {
      header: "Your payment did not go through",
      body: "Hi {{1}}, the payment for your order {{2}} did not go through. You can try again here: {{3}}\n\nIf you have already paid, there is nothing more to do.",
    },
    payment_reminder: {
      header: "Your order is waiting for payment",
      body: "Hi {{1}}, your order {{2}} for {{3}} has not been paid yet. You can pay here: {{4}}\n\nIf you have already paid, there is nothing more to do.",
    },
    order_shipped: {
      header: "Your order is on its way",
      body: "Hi {{1}}, good news: your order {{2}} has left our warehouse and is on its way to you.",
    },
    order_shipped_tracking: {
      header: "Your order is on its way",
      body: "Hi {{1}}, good news: your order {{2}} is on its way to you.\n\nCarrier: {{3}}\nTracking number: {{4}}\n\nThank you for shopping with us.",
    },
    order_delayed: {
      header: "Your order is delayed",
      body: "Hi {{1}}, we are sorry: your order {{2}} takes longer than planned. We now expect it to arrive on {{3}}. Thank you for your patience.",
    },
    out_for_delivery: {
      header: "Arriving today",
      body: "Hi {{1}}, your order {{2}} is out for delivery and should reach you today.",
    },
    order_delivered: {
      header: "Your order has arrived",
      body: "Hi {{1}}, your order {{2}} has been delivered. We hope you enjoy it!",
    },
    pickup_ready: {
      header: "Ready for pickup",
      body: "Hi {{1}}, your order {{2}} is ready for you. Pick it up here: {{3}}\n\nPlease have your order number at hand.",
    },
    order_cancelled: {
      header: "Your order was cancelled",
      body: "Hi {{1}}, your order {{2}} has been cancelled. If you have already paid, you will get your money back.",
    },
    order_refunded: {
      header: "Your refund is on its way",
      body: "Hi {{1}}, we have refunded your order {{2}}. Depending on your bank, it can take a few days until you see the money in your account.",
    },
    order_partly_refunded: {
      header: "Your refund is on its way",
      body: "Hi {{1}}, we have refunded {{2}} {{3}} of your order {{4}}. Depending on your bank, it can take a few days until you see the money in your account.",
    },
    return_received: {
      header: "We have your return",
      body: "Hi {{1}}, your return for order {{2}} has arrived. We will check it and let you know about your refund.",
    },
    invoice_ready: {
      header: "Your invoice",
      body: "Hi {{1}}, your invoice {{2}} is ready. You can download it here: {{3}}\n\nThank you for your business.",
    },
    subscription_renewal: {
      header: "Your subscription renews soon",
      body: "Hi {{1}}, your subscription {{2}} renews on {{3}}. We will charge {{4}} to your usual payment method.",
    },
    appointment_booked: {
      header: "Your appointment is booked",
      body: "Hi {{1}}, your appointment is booked.\n\nWhat: {{2}}\nDate: {{3}}\nTime: {{4}}\n\nWe look forward to seeing you.",
    },
    appointment_reminder: {
      header: "Reminder of your appointment",
      body: "Hi {{1}}, we would like to remind you of your appointment.\n\nWhat: {{2}}\nDate: {{3}}\nTime: {{4}}\n\nIf you cannot come, please let us know in good time.",
    },
    appointment_changed: {
      header: "Your appointment has changed",
      body: "Hi {{1}}, your appointment has been moved.\n\nWhat: {{2}}\nNew date: {{3}}\nNew time: {{4}}\n\nIf this does not suit you, please contact us.",
    },
    appointment_cancelled: {
      header: "Your appointment is cancelled",
      body: "Hi {{1}}, this appointment has been cancelled.\n\nWhat: {{2}}\nDate: {{3}}\nTime: {{4}}\n\nPlease contact us for a new one.",
    },
    abandoned_cart: {
      header: "Your cart is waiting",
      body: "Hi {{1}}, you left something in your cart. We have kept it for you: {{2}}\n\nOne click and you can go on where you stopped.",
    },
    back_in_stock: {
      header: "Back in stock",
      body: "Hi {{1}}, good news: {{2}} is available again. Get yours here: {{3}}\n\nThank you for waiting.",
    },
    review_request: {
      header: "How do you like it?",
      body: "Hi {{1}}, we hope you are happy with your order {{2}}. We would be glad if you left a review in our shop. It helps other customers choose.",
    },
    welcome: {
      header: "Welcome!",
      body: "Hi {{1}}, good to have you with us. From now on you will hear from us here about your orders and what is new in our shop.",
    },
  },
};
