-- What a test site sends goes to the sandbox alone. Its mode never changes.
alter table site add column mode text not null default 'live' constraint site_mode_check check (mode in ('live', 'test'));
alter table site add constraint site_id_mode_key unique (id, mode);

-- Programs that know of no test sites add secrets of live ones only: a test site's secret that they could read would let them send for it.
alter table site_secret add column site_mode text not null default 'live';
alter table site_secret add constraint site_secret_mode_fkey foreign key (site_id, site_mode) references site (id, mode) on delete cascade;

-- The account's business account in the sandbox, by which its test sites send. The tokens are encrypted.
create table test_connection (
  account_id uuid primary key references account on delete cascade,
  waba_id text not null,
  phone_number_id text not null,
  access_token text not null,
  app_secret text not null,
  updated_at timestamptz not null default now()
);
create trigger bump_insert after insert on test_connection referencing new table as changed for each statement execute function bump_accounts();
create trigger bump_update after update on test_connection referencing new table as changed for each statement execute function bump_accounts();
