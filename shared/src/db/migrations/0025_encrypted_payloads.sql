-- An account may have its customers' data encrypted at rest, under a key of its own. The key is made when that is first switched on, stays when it is
-- switched off again, and is encrypted under the master key. Records look like no plain value of their columns: `s1.…` and `c1.…` (secrets/row-codec.ts).
alter table account add column encrypt_payloads boolean not null default false, add column data_key text,
  add constraint account_data_key_check check (data_key is not null or not encrypt_payloads);

-- Encrypts what an account has stored before: one row from the switch until nothing is left. Its members are those of `erasure`.
create table encryption (
  account_id uuid primary key references account on delete cascade,
  requested_at timestamptz not null default now(),
  steps json not null,
  pass integer not null default 0,
  step integer not null default 0,
  position uuid,
  -- Rows that this pass encrypted, and all of them.
  changed integer not null default 0,
  total bigint not null default 0,
  due_at timestamptz not null default now(),
  owner uuid,
  lease_until timestamptz
);
