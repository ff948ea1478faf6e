-- Tries that are limited: sign-ins by address and e-mail, and the like. Of no worth after a crash.
create unlogged table login_try (
  key bytea primary key,                           -- SHA-256: neither addresses nor e-mails are kept
  tries timestamptz[] not null,
  expires_at timestamptz not null
);
create index login_try_expires on login_try (expires_at);

-- Sign-ins remove the sessions that ended.
create index user_session_expires on user_session (expires_at);
