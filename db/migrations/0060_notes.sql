-- Texts about records.

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
  foreign key (workspace_id, parent_object_id) references relata.entity_types on delete cascade
);

-- Each order of the list of notes has an index: of all, of an object, of a record, and of an author.
create index notes_created_at on relata.notes (workspace_id, created_at, id);
create index notes_of_object on relata.notes (workspace_id, parent_object_id, created_at, id);
create index notes_of_record on relata.notes (workspace_id, parent_record_id, created_at, id);
create index notes_of_author on relata.notes (workspace_id, created_by, created_at, id);

-- The words of a title and the id of its workspace, so that a search reads the words of one workspace only.
create function relata.note_title_lexemes(workspace_id uuid, title text) returns tsvector
  language sql immutable strict parallel safe cost 100
  return array_to_tsvector(
    array_append(array_remove(string_to_array(relata.search_words(title), ' '), ''), workspace_id::text));

create index notes_title on relata.notes using gin (relata.note_title_lexemes(workspace_id, title));
