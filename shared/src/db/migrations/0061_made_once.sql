-- What a create with a client's own id has made. Keyed digests stand for the id and for the input: both may name a person.
create table made_once (
  account_id uuid not null references account on delete cascade,
  key text not null,
  input text not null,
  object_id uuid not null,
  made_at timestamptz not null default now(),
  primary key (account_id, key)
);
create index made_once_account on made_once (account_id, made_at);
create index made_once_at on made_once (made_at);
