-- Sign-in by an OpenID issuer, which an account may demand.
alter table account add column require_sso boolean not null default false;
alter table user_session add column way text not null default 'password'   -- what opened it
  check (way in ('password', 'second_factor', 'passkey', 'sso'));
-- Whether the person is known to own the address: the server's first one, and whom the issuer vouched for.
alter table app_user add column address_proven boolean not null default false;
-- When what had been made before the issuer vouched for the address ended.
alter table app_user add column credentials_ended_at timestamptz;
update app_user set address_proven = true where id = (select id from app_user order by created_at, id limit 1);
