-- A person may stop and resume messages by a word that they send; what else they write is not kept.

alter table account
  -- Null: the defaults of core/opt-out-words.ts.
  add column stop_words text[],
  add column start_words text[],
  add column opt_out_scope text not null default 'all' check (opt_out_scope in ('marketing', 'all'));

alter table opt_out
  drop constraint opt_out_source_check,
  add constraint opt_out_source_check check (source in ('preference', 'callback', 'refusal', 'operator', 'keyword'));
