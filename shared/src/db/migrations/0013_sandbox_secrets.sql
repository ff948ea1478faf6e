-- What the sandbox holds opens nothing to whoever reads the table: tokens are hashes, and it encrypts secrets, verify tokens and the people in `stopped`
-- itself when it starts. `owner` binds a business account to the account of the service that it was made for.

alter table sandbox.account rename column access_token to access_token_hash;
update sandbox.account set access_token_hash = encode(sha256(convert_to(access_token_hash, 'UTF8')), 'hex');
alter table sandbox.account add column owner text unique;
update sandbox.account s set owner = a.id from public.account a where a.verify_token = s.verify_token
  and s.created_at = (select min(t.created_at) from sandbox.account t where t.verify_token = s.verify_token);
alter table sandbox.account add column demo boolean not null default false;
