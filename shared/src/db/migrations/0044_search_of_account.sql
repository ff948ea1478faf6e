-- In the index each word stands behind the word of its account: what other accounts have in common costs a search nothing.

drop index event_search_beginnings;
create index event_search_beginnings on event_search
  using gin (array_to_tsvector(string_to_array(replace(words, ' ', ' ' || split_part(words, ' ', 1)), ' '))) with (gin_pending_list_limit = 512);
