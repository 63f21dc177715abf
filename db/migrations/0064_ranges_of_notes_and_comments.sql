-- Indexes that make a page of a list one range. See docs/decisions/activity-and-tasks.md.

-- Notes of an object and an author.
create index notes_of_object_and_author on relata.notes
  (workspace_id, parent_object_id, created_by, created_at, id);

-- The record and the list of the thread, so that the comments of a record are one range.
alter table relata.comments add column record_id uuid, add column list_id uuid;
update relata.comments c set record_id = t.record_id, list_id = t.list_id
  from relata.threads t where t.workspace_id = c.workspace_id and t.id = c.thread_id;
alter table relata.comments alter column record_id set not null;
create index comments_of_record on relata.comments (workspace_id, record_id, created_at, id) include (list_id);

-- Each word of a title behind the id of its workspace: a search for a rare word then reads the entries of that word alone.
drop index relata.notes_title;
create or replace function relata.note_title_lexemes(workspace_id uuid, title text) returns tsvector
  -- Searches are short: starting other processes for them would take longer than they do.
  language plpgsql immutable strict parallel restricted cost 100 as $$
declare
  prefix text := workspace_id::text;
  words text := relata.search_words(title);
begin
  -- `wordsOf` of `server/engine/search/words.ts` has the same limit. A lexeme has at most 2046 bytes.
  if octet_length(words) > 1000 then
    words := regexp_replace(words, '(\S{250})\S+', '\1', 'g');
  end if;
  return array_to_tsvector(array_remove(string_to_array(prefix || replace(words, ' ', ' ' || prefix), ' '), prefix));
end
$$;
create index notes_title on relata.notes using gin (relata.note_title_lexemes(workspace_id, title));
