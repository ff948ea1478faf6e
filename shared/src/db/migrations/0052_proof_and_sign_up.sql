-- What a lesser role, a stolen session, a free account or a shop's request may cause.

-- A shop's requests to erase a person: each waits for an owner, two weeks at most, and then reaches the data of its site alone.
create table erasure_request (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  site_id uuid not null references site on delete cascade,
  -- Who is meant: phone, e-mail, the shop's customer and orders, as JSON, encrypted. Null once it is decided and done.
  person text,
  person_hash text not null,
  -- The masked phone, which is all that is left of the person.
  hint text not null,
  asked_at timestamptz not null default now(),
  state text not null default 'asked' check (state in ('asked', 'confirmed', 'refused', 'done')),
  -- Who decided; null: the time.
  decided_by text,
  decided_at timestamptz,
  below uuid not null,
  pass integer not null default 0,
  step integer not null default 0,
  position uuid,
  postponed integer not null default 0,
  scanned bigint not null default 0,
  counts json not null default '{}',
  due_at timestamptz not null,
  owner uuid,
  lease_until timestamptz,
  served_at timestamptz,
  finished_at timestamptz,
  check (person is not null or state in ('refused', 'done'))
);
create unique index erasure_request_open on erasure_request (site_id, person_hash) where state in ('asked', 'confirmed');
create index erasure_request_account on erasure_request (account_id, id);
create index erasure_request_served on erasure_request (account_id, served_at);
create index erasure_request_due on erasure_request (due_at) where state in ('asked', 'confirmed');

-- Gateways of an earlier version ask for the erasure at once, in the whole account. No server carries that out: it becomes a request, see above.
create function hold_shop_erasure() returns trigger language plpgsql as $$
begin
  new.due_at := 'infinity';
  new.phone_hash := 'shop:' || new.id;
  return new;
end $$;
create trigger hold_shop_erasure before insert on erasure for each row
  when (new.requested_by = 'shopify') execute function hold_shop_erasure();
update erasure set due_at = 'infinity', phone_hash = 'shop:' || id
where requested_by = 'shopify' and finished_at is null and owner is null and pass = 0 and step = 0 and position is null;
create index erasure_held on erasure (id) where due_at = 'infinity' and finished_at is null;

-- When a server last took an account's erasure: the one that has waited for longest comes next.

-- Whether the person has opened a link that was mailed to the address, and whether nothing is open to them until then. People from before count as proven.
alter table app_user add column email_proven boolean not null default true;
alter table app_user add column sleeps boolean not null default false;
-- Who the person is at the OpenID issuer: digests of the issuer and of its name for the person.
alter table app_user add column openid_issuer text;
alter table app_user add column openid_subject text;
create unique index app_user_openid on app_user (openid_issuer, openid_subject) where openid_subject is not null;

-- A keyed digest of the network from which a free account was opened.
alter table account add column opened_from text;
