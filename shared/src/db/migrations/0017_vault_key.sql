-- The keys that outlive a master key, such as that of the phones' fingerprints, sealed under the master key that seals new records. One row, which the program makes at
-- its first start. `account.verify_token` and `opt_out.phone` hold records from here on: the admin server seals what earlier versions left in the clear.

create table vault_key (
  single boolean primary key default true check (single),
  record text not null
);
