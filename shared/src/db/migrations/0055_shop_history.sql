-- What was told of a shop's order, and which checkouts became orders: a shop posts late, again and in any order.

-- `history` is JSON, of a time and of keyed digests: it tells nobody what was bought, or by whom. `id` is the digest of the site and the order's, or the
-- checkout's, id; that of an order is the order's id in `customer_order`.
create table shop_history (
  site_id uuid not null references site on delete cascade,
  id uuid not null,
  history text not null,
  updated_at timestamptz not null default now(),
  primary key (site_id, id)
);
