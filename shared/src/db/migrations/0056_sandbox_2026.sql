-- The sandbox as the platform is in 2026. `state` is JSON: what the platform says of the account, and how it treats it (sandbox/account-state.ts).
alter table sandbox.account add column state text not null default '{}';

-- The template whose pacing holds the message back, until it is over.
alter table sandbox.message add column held_by text;
create index message_held on sandbox.message (held_by) where held_by is not null;

-- People of whom there is something to say beside their phone: encrypted by the sandbox, under an id that tells nobody the phone.
create table sandbox.person (
  waba_id text not null references sandbox.account on delete cascade,
  id text not null,
  record text not null,                            -- sealed JSON: sandbox/people.ts
  primary key (waba_id, id)
);

-- Uploaded media, without their bytes.
create table sandbox.media (
  waba_id text not null references sandbox.account on delete cascade,
  id text not null,
  type text not null,
  size integer not null,
  sha256 text not null,
  at timestamptz not null,
  primary key (waba_id, id)
);
