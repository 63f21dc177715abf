-- The note in which a file is an image, and which takes the file along when it is deleted. See docs/reference/notes.md (Images).

alter table relata.files add column note_id uuid;

create index files_of_note on relata.files (workspace_id, note_id) where note_id is not null;
