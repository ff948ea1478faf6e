-- Requests that a site's sender was refused: the newest of each site, for whoever sets the sender up.
create table refused_request (
  site_id uuid not null references site on delete cascade,
  -- Its time is the request's.
  id uuid not null,
  because text not null,
  -- What the path or the shop calls the event; empty where nothing does.
  event text not null,
  -- Those that hold no secret.
  headers jsonb not null,
  -- Of the body; null where it was not read to its end.
  bytes integer,
  sha256 text,
  -- How it begins; null where the account encrypts what its customers are known by.
  start text,
  -- Requests just after it that are not listed, because too many came at once.
  skipped integer not null,
  primary key (site_id, id)
);
