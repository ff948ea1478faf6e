-- Opt-outs, on the page of privacy, and access tokens have saved views too.
alter table saved_view
  drop constraint saved_view_list_check,
  add constraint saved_view_list_check check (list in
    ('log', 'events', 'scheduled', 'bindings', 'statistics', 'webhooks', 'problems', 'operations', 'audit', 'sites', 'templates', 'privacy', 'tokens'));
