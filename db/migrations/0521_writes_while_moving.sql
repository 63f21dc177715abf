-- Writes of what an export has are refused while the workspace moves, also those without events. See docs/decisions/moves-of-workspaces.md.

-- A write holds the lock until it ends, and the beginning of a move waits for it.
create function relata.refuse_writes_while_moving() returns trigger language plpgsql as $$
declare
  workspace uuid;
begin
  if tg_op = 'DELETE' then workspace := old.workspace_id; else workspace := new.workspace_id; end if;
  perform pg_advisory_xact_lock_shared(hashtextextended(workspace::text, 2));
  if exists (select from relata.all_workspaces where id = workspace and moved_to is not null and deleted_at is null) then
    raise exception 'The workspace % is moving.', workspace using errcode = 'cannot_connect_now';
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end
$$;

-- The data model is not among them: its changes lock the row of the workspace.
do $$
declare
  name text;
begin
  foreach name in array array[
    'workspace_members', 'member_pictures', 'teams', 'team_members', 'object_teams', 'list_members', 'list_teams',
    'views', 'view_pins', 'removed_entries', 'meetings', 'meeting_participants', 'meeting_links', 'imported_meetings',
    'call_recordings', 'call_recording_transcripts', 'call_recording_transcript_pages', 'notes', 'tasks', 'task_assignees',
    'task_links', 'threads', 'comments', 'files', 'record_followers', 'dismissed_duplicates', 'mailboxes', 'emails', 'email_addresses',
    'email_domains', 'unsubscribed_emails', 'email_templates', 'dashboards', 'saved_queries'
  ] loop
    execute format('create trigger refuse_while_moving before insert or update or delete on relata.%I
      for each row execute function relata.refuse_writes_while_moving()', name);
  end loop;
end
$$;

-- Workers change the other columns of these while the workspace moves.
create trigger refuse_while_moving before insert or delete or update of revoked_at on relata.tokens
  for each row execute function relata.refuse_writes_while_moving();
create trigger refuse_while_moving before insert or delete on relata.blobs
  for each row execute function relata.refuse_writes_while_moving();
create trigger refuse_while_moving before insert or delete or update of sends_digest on relata.inboxes
  for each row execute function relata.refuse_writes_while_moving();
create trigger refuse_while_moving before insert or delete or update of read_at on relata.notifications
  for each row execute function relata.refuse_writes_while_moving();
create trigger refuse_while_moving before insert or delete or update of target_url, subscriptions, name on relata.webhooks
  for each row execute function relata.refuse_writes_while_moving();

-- An export has uploaded pictures. Pages that are read request the others.
create trigger refuse_while_moving before insert or update on relata.record_pictures
  for each row when (new.sources_hash is null) execute function relata.refuse_writes_while_moving();
create trigger refuse_deletion_while_moving before delete on relata.record_pictures
  for each row when (old.sources_hash is null) execute function relata.refuse_writes_while_moving();

create function relata.refuse_settings_while_moving() returns trigger language plpgsql as $$
begin
  raise exception 'The workspace % is moving.', old.id using errcode = 'cannot_connect_now';
end
$$;

create trigger refuse_while_moving
  before update of name, slug, logo_url, member_permissions, default_country, shows_updated_at, creates_contacts, fetches_pictures, fetches_company_logos on relata.all_workspaces
  for each row when (old.moved_to is not null and new.moved_to is not null and new.deleted_at is null)
  execute function relata.refuse_settings_while_moving();
