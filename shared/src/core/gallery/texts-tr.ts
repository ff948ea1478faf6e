import type { GalleryTexts } from "./entries.ts";

export const tr: GalleryTexts = {
  noName: "değerli müşterimiz",
  noCarrier: "anlaşmalı kargo firmamız",
  stop: "Abonelikten çık",
  examples: {
    name: "Elif",
    total: "TRY 1490.00",
    refundAmount: "350.00",
    currency: "TRY",
    carrier: "Yurtiçi Kargo",
    deliveryDate: "18 Mart",
    pickupPlace: "Çarşı Caddesi 12",
    plan: "Kahve kutusu",
    renewalDate: "1 Nisan",
    renewalAmount: "690,00 TL",
    service: "Diş kontrolü",
    appointmentDate: "18 Mart",
    appointmentTime: "09.30",
    product: "Mavi çaydanlık",
  },
  texts: {
    order_confirmed: {
      header: "Siparişiniz için teşekkürler",
      body: "Merhaba {{1}}, {{2}} numaralı ve {{3}} tutarındaki siparişinizi aldık. Yola çıktığında size haber vereceğiz.",
    },
    payment_received: {
      header: "Ödemeniz alındı",
      body: "Merhaba {{1}}, {{2}} tutarındaki ödemeniz {{3}} numaralı siparişiniz için alındı. Teşekkür ederiz! Siparişinizi şimdi hazırlıyoruz.",
    },
    payment_failed: {
      header: "Ödemeniz tamamlanamadı",
      body: "Merhaba {{1}}, {{2}} numaralı siparişinizin ödemesi tamamlanamadı. Buradan tekrar deneyebilirsiniz: {{3}}\n\nÖdemeyi yaptıysanız başka bir şey yapmanıza gerek yok.",
    },
    payment_reminder: {
      header: "Siparişiniz ödeme bekliyor",
      body: "Merhaba {{1}}, {{2}} numaralı ve {{3}} tutarındaki siparişinizin ödemesi henüz yapılmadı. Buradan ödeyebilirsiniz: {{4}}\n\nÖdemeyi yaptıysanız başka bir şey yapmanıza gerek yok.",
    },
    order_shipped: {
      header: "Siparişiniz yola çıktı",
      body: "Merhaba {{1}}, güzel haber: {{2}} numaralı siparişiniz depomuzdan çıktı ve size doğru yolda.",
    },
    order_shipped_tracking: {
      header: "Siparişiniz yola çıktı",
      body: "Merhaba {{1}}, güzel haber: {{2}} numaralı siparişiniz yola çıktı.\n\nKargo: {{3}}\nTakip numarası: {{4}}\n\nAlışverişiniz için teşekkür ederiz.",
    },
    order_delayed: {
      header: "Siparişiniz gecikiyor",
      body: "Merhaba {{1}}, üzgünüz: {{2}} numaralı siparişiniz beklenenden uzun sürüyor. Yeni tahmini teslim tarihi: {{3}}. Sabrınız için teşekkür ederiz.",
    },
    out_for_delivery: {
      header: "Bugün sizde",
      body: "Merhaba {{1}}, {{2}} numaralı siparişiniz dağıtıma çıktı ve bugün size ulaşması bekleniyor.",
    },
    order_delivered: {
      header: "Siparişiniz teslim edildi",
      body: "Merhaba {{1}}, {{2}} numaralı siparişiniz teslim edildi. Güle güle kullanın!",
    },
    pickup_ready: {
      header: "Siparişiniz teslim almaya hazır",
      body: "Merhaba {{1}}, {{2}} numaralı siparişiniz hazır. Buradan teslim alabilirsiniz: {{3}}\n\nLütfen sipariş numaranızı yanınızda bulundurun.",
    },
    order_cancelled: {
      header: "Siparişiniz iptal edildi",
      body: "Merhaba {{1}}, {{2}} numaralı siparişiniz iptal edildi. Ödeme yaptıysanız paranız iade edilecektir.",
    },
    order_refunded: {
      header: "İadeniz yapıldı",
      body: "Merhaba {{1}}, {{2}} numaralı siparişinizin ücretini iade ettik. Tutarın hesabınıza yansıması bankanıza göre birkaç gün sürebilir.",
    },
    order_partly_refunded: {
      header: "İadeniz yapıldı",
      body: "Merhaba {{1}}, {{4}} numaralı siparişinizin {{2}} {{3}} tutarındaki kısmını iade ettik. Tutarın hesabınıza yansıması bankanıza göre birkaç gün sürebilir.",
    },
    return_received: {
      header: "İade paketiniz bize ulaştı",
      body: "Merhaba {{1}}, {{2}} numaralı siparişinizin iade paketi bize ulaştı. Kontrol edip para iadesi hakkında size bilgi vereceğiz.",
    },
    invoice_ready: {
      header: "Faturanız",
      body: "Merhaba {{1}}, {{2}} numaralı faturanız hazır. Buradan indirebilirsiniz: {{3}}\n\nBizi tercih ettiğiniz için teşekkür ederiz.",
    },
    subscription_renewal: {
      header: "Aboneliğiniz yakında yenilenecek",
      body: "Merhaba {{1}}, {{2}} aboneliğiniz {{3}} tarihinde yenilenecek. Ücret olan {{4}} her zamanki ödeme yönteminizden tahsil edilecek.",
    },
    appointment_booked: {
      header: "Randevunuz alındı",
      body: "Merhaba {{1}}, randevunuz alındı.\n\nHizmet: {{2}}\nTarih: {{3}}\nSaat: {{4}}\n\nSizi bekliyoruz.",
    },
    appointment_reminder: {
      header: "Randevu hatırlatması",
      body: "Merhaba {{1}}, randevunuzu hatırlatmak isteriz.\n\nHizmet: {{2}}\nTarih: {{3}}\nSaat: {{4}}\n\nGelemeyecekseniz lütfen bize zamanında haber verin.",
    },
    appointment_changed: {
      header: "Randevunuz değişti",
      body: "Merhaba {{1}}, randevunuz değiştirildi.\n\nHizmet: {{2}}\nYeni tarih: {{3}}\nYeni saat: {{4}}\n\nSize uymuyorsa lütfen bizimle iletişime geçin.",
    },
    appointment_cancelled: {
      header: "Randevunuz iptal edildi",
      body: "Merhaba {{1}}, bu randevu iptal edildi.\n\nHizmet: {{2}}\nTarih: {{3}}\nSaat: {{4}}\n\nYeni bir randevu için lütfen bizimle iletişime geçin.",
    },
    abandoned_cart: {
      header: "Sepetiniz sizi bekliyor",
      body: "Merhaba {{1}}, sepetinizde ürün kaldı. Sizin için sakladık: {{2}}\n\nTek tıkla kaldığınız yerden devam edebilirsiniz.",
    },
    back_in_stock: {
      header: "Yeniden stokta",
      body: "Merhaba {{1}}, güzel haber: {{2}} yeniden stokta. Buradan alabilirsiniz: {{3}}\n\nBeklediğiniz için teşekkür ederiz.",
    },
    review_request: {
      header: "Nasıl buldunuz?",
      body: "Merhaba {{1}}, {{2}} numaralı siparişinizden memnun kaldığınızı umuyoruz. Mağazamızda bir değerlendirme bırakırsanız seviniriz. Diğer müşterilerin seçimine yardımcı olur.",
    },
    welcome: {
      header: "Hoş geldiniz!",
      body: "Merhaba {{1}}, aramıza hoş geldiniz. Bundan sonra siparişlerinizle ve mağazamızdaki yeniliklerle ilgili haberleri buradan alacaksınız.",
    },
  },
};
