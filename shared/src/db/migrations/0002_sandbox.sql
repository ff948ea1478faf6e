-- The sandbox's own tables: what the messaging platform would hold. Apart from the service's, which only ever meets them over HTTP.
-- What a sandbox account holds guards nothing, so its token and secret stand in the clear.

create schema sandbox;

create table sandbox.account (
  waba_id text primary key,
  phone_number_id text not null unique,
  app_id text not null unique,
  name text not null,
  phone_number text not null unique,               -- digits only, country code first
  access_token text not null unique,
  app_secret text not null,
  callback_url text not null,
  verify_token text not null,
  subscribed boolean not null,                     -- without it no callback is made at all
  limits text[] not null default '{}',             -- which of the platform's rate limits are enforced: pair, number, management
  throttle_status smallint not null default 400,   -- HTTP status of a refusal for rate: 400 or 429
  refuse_code integer,                             -- every send is refused with it, until it is null again
  created_at timestamptz not null default now()
);

create table sandbox.template (
  id text primary key,
  seq bigint generated always as identity,         -- the order of creation
  waba_id text not null references sandbox.account on delete cascade,
  record text not null                             -- JSON: sandbox/templates/record.ts
);
create index template_waba on sandbox.template (waba_id);

-- A name and language that was deleted and may not be used again yet.
create table sandbox.template_lock (
  waba_id text not null references sandbox.account on delete cascade,
  name text not null,
  language text not null,
  until timestamptz not null,
  approved boolean not null,                       -- whether it ever was: the lock is then long
  primary key (waba_id, name, language)
);

-- What happens to a message is known when it is accepted: each instant is written at once, and its status is read off the clock.
create table sandbox.message (
  seq bigint generated always as identity primary key,
  id text not null unique,
  waba_id text not null,
  phone_number_id text not null,
  recipient text not null,                         -- digits, as addressed
  at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  content text not null                            -- JSON: sandbox/send/message-content.ts
);
create index message_recipient on sandbox.message (recipient, seq);
create index message_phone_number on sandbox.message (phone_number_id, seq);

-- Callbacks not yet acknowledged, also those whose time has not come. One row an update; several travel in one call.
create table sandbox.callback (
  id bigint generated always as identity primary key,
  waba_id text not null,
  subject text not null,                           -- id of the message or template
  field text not null,                             -- the platform's name of the subscription field
  kind text not null,                              -- the status or event told
  value text not null,                             -- JSON: one item of `statuses`, or the field's whole value
  due_at timestamptz not null,
  attempts integer not null default 0,
  created_at timestamptz not null
);
create index callback_due on sandbox.callback (waba_id, due_at);
create index callback_subject on sandbox.callback (subject);
