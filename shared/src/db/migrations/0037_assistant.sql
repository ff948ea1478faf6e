-- An assistant that asks a language model, of a provider that the account's owner has entered.

create table assistant (
  account_id uuid primary key references account on delete cascade,
  provider text not null check (provider in ('openai', 'anthropic')),
  base_url text not null check (length(base_url) <= 2048),
  model text not null check (length(model) <= 200),
  api_key text,                                    -- encrypted; null: the provider takes none
  api_key_hint text not null default '',
  timeout_seconds integer not null,
  output_tokens integer not null,                  -- of one answer
  daily_tokens integer not null,                   -- of the account in 24 hours
  updated_at timestamptz not null default now()
);

-- One question to the provider: it counts against the account's limit for a day.
create table assistant_use (
  id uuid primary key,                             -- carries the time
  account_id uuid not null references account on delete cascade,
  user_id uuid not null references app_user on delete cascade,
  kind text not null,
  model text not null,
  tokens integer not null,                         -- the most that it may cost, then what it has cost
  input json,                                      -- what was asked for; null once the question is under way
  running_until timestamptz                        -- null: it has ended
);
create index assistant_use_account on assistant_use (account_id, id);
create index assistant_use_running on assistant_use (running_until) where running_until is not null;

-- Where this person has agreed that questions go; null: nowhere yet.
alter table membership add column assistant_agreed text;
