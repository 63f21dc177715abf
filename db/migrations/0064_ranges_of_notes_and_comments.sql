-- Indexes that make a page of a list one range. Decision 0084.

-- Notes of an object and an author.
create index notes_of_object_and_author on relata.notes
  (workspace_id, parent_object_id, created_by, created_at, id);

-- The record and the list of the thread, so that the comments of a record are one range.
alter table relata.comments add column record_id uuid, add column list_id uuid;
update relata.comments c set record_id = t.record_id, list_id = t.list_id
  from relata.threads t where t.workspace_id = c.workspace_id and t.id = c.thread_id;
alter table relata.comments alter column record_id set not null;
create index comments_of_record on relata.comments (workspace_id, record_id, created_at, id) include (list_id);
