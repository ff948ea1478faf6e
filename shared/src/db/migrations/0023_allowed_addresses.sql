-- Networks from which an account lets its people and its access tokens in; none: from everywhere.

alter table account
  add column dashboard_addresses text[] not null default '{}' check (cardinality(dashboard_addresses) <= 80),
  add column token_addresses text[] not null default '{}' check (cardinality(token_addresses) <= 80);
