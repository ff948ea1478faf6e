-- A form once stored the default words as an account's own when only the scope was changed. Such an account never changed its lists, so it follows the defaults.

update account set stop_words = null
  where stop_words = array[
    'stop', 'stop all', 'unsubscribe', 'opt out', 'stop promotions', 'रोकें', 'बंद करें', 'band karo', 'parar', 'pare', 'sair',
    'descadastrar', 'detener', 'baja', 'alto', 'cancelar suscripción', 'berhenti', 'berhenti berlangganan', 'إيقاف', 'ايقاف', 'توقف',
    'إلغاء الاشتراك', 'الغاء الاشتراك', 'روکیں', 'بند کریں', 'বন্ধ', 'বন্ধ করুন', 'стоп', 'отписаться', 'dur', 'durdur', 'ret',
    'abonelikten çık', 'stopp', 'abmelden', 'abbestellen', 'arrêt', 'arrêter', 'désabonner', 'se désabonner', 'ferma', 'disiscrivi',
    'disiscrivimi'
  ];

update account set start_words = null
  where start_words = array[
    'start', 'unstop', 'subscribe', 'opt in', 'शुरू', 'शुरू करें', 'shuru karo', 'iniciar', 'começar', 'inscrever', 'empezar', 'alta',
    'suscribirse', 'mulai', 'berlangganan', 'ابدأ', 'ابدا', 'اشتراك', 'شروع', 'شروع کریں', 'শুরু', 'শুরু করুন', 'старт', 'подписаться',
    'başla', 'başlat', 'abone ol', 'starten', 'anmelden', 'abonnieren', 'démarrer', 'commencer', 's''abonner', 'inizia', 'iscrivi',
    'iscrivimi'
  ];
