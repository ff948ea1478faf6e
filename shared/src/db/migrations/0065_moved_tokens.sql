-- Inbound addresses of sites that have moved to another installation: their shops get 401 here, as its other senders do.
create table moved_token (
  digest bytea primary key check (length(digest) = 32),
  account_id uuid not null
);
create index moved_token_account on moved_token (account_id);
