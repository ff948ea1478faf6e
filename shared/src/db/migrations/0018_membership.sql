-- A person may belong to several accounts, with a role in each. What they opened or made in an account ends with their membership of it.

create table membership (
  id uuid primary key,
  user_id uuid not null references app_user on delete cascade,
  account_id uuid not null references account on delete cascade,
  role text not null check (role in ('owner', 'operator', 'viewer')),
  chosen_at timestamptz not null default now(),    -- when the person last chose to work in the account; a sign-in opens the latest
  created_at timestamptz not null default now(),
  unique (user_id, account_id)
);
create index membership_account on membership (account_id, id);

insert into membership (id, user_id, account_id, role, chosen_at, created_at) select id, id, account_id, role, created_at, created_at from app_user;

alter table user_session add column account_id uuid;   -- where the session works
update user_session s set account_id = u.account_id from app_user u where u.id = s.user_id;
alter table user_session alter column account_id set not null,
  add constraint user_session_membership_fkey foreign key (user_id, account_id) references membership (user_id, account_id) on delete cascade;

alter table access_token drop constraint access_token_created_by_fkey,
  add constraint access_token_membership_fkey foreign key (created_by, account_id) references membership (user_id, account_id) on delete cascade;
alter table invite drop constraint invite_created_by_fkey,
  add constraint invite_membership_fkey foreign key (created_by, account_id) references membership (user_id, account_id) on delete cascade;

alter table password_reset add column account_id uuid;  -- of the owner who made the link
update password_reset r set account_id = u.account_id from app_user u where u.id = r.created_by;
alter table password_reset alter column account_id set not null,
  drop constraint password_reset_user_id_fkey, drop constraint password_reset_created_by_fkey,
  add constraint password_reset_user_fkey foreign key (user_id, account_id) references membership (user_id, account_id) on delete cascade,
  add constraint password_reset_maker_fkey foreign key (created_by, account_id) references membership (user_id, account_id) on delete cascade;

alter table app_user drop column account_id, drop column role;
