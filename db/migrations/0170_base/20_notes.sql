-- Notes on records.

create function relata.note_title_lexemes(workspace_id uuid, title text) returns tsvector
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

create table relata.notes (
  workspace_id uuid not null,
  id uuid not null,
  parent_object_id uuid not null,
  parent_record_id uuid not null,
  title text not null,
  -- A block document: the type `BlockDocument` of `server/base/text/block-document`.
  content jsonb not null,
  meeting_id uuid,
  -- The number of the actor.
  created_by int not null,
  created_at timestamptz not null,
  -- Each change of the note increments it.
  version int not null default 1,
  primary key (workspace_id, id),
  -- An object is deleted with its notes. The record is in a workspace table, so `server/engine/attachments` deletes and moves its notes.
  foreign key (workspace_id, parent_object_id) references relata.entity_types on delete cascade,
  -- A note of a meeting that is deleted stays.
  foreign key (workspace_id, meeting_id) references relata.meetings on delete set null (meeting_id)
);

-- Each order of the list of notes has an index: of all, of an object, of a record, of an author, and of an object and an author.
create index notes_created_at on relata.notes (workspace_id, created_at, id);
create index notes_of_object on relata.notes (workspace_id, parent_object_id, created_at, id);
create index notes_of_record on relata.notes (workspace_id, parent_record_id, created_at, id);
create index notes_of_author on relata.notes (workspace_id, created_by, created_at, id);
create index notes_of_object_and_author on relata.notes
  (workspace_id, parent_object_id, created_by, created_at, id);
create index notes_title on relata.notes using gin (relata.note_title_lexemes(workspace_id, title));
create index notes_of_meeting on relata.notes (workspace_id, meeting_id) where meeting_id is not null;
