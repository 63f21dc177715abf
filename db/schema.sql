-- Generated from the migrations by `bun db:types`: all control tables on one page.

create table relata.accepted_invitations (
  workspace_id uuid not null,
  invitation_id uuid not null,
  member_id uuid not null,
  primary key (workspace_id, invitation_id),
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade
);

create table relata.accounts (
  id uuid not null,
  email_address text not null,
  password_hash text not null,
  created_at timestamptz not null,
  primary key (id),
  unique (email_address)
);

create table relata.actors (
  workspace_id uuid not null,
  number int not null,
  type text not null,
  id uuid not null,
  primary key (workspace_id, number),
  unique (workspace_id, type, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((type = any (array['api-token'::text, 'workspace-member'::text, 'app'::text])))
);

create table relata.app_secrets (
  app_id uuid not null,
  id uuid not null,
  secret_hash bytea not null,
  hint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (app_id, id),
  foreign key (app_id) references relata.apps(id) on delete cascade
);

create table relata.apps (
  id uuid not null,
  workspace_id uuid,
  name text not null,
  description text,
  developer_name text,
  website_url text,
  logo_url text,
  is_public boolean not null,
  is_published boolean not null,
  redirect_uris text[] not null,
  scopes text[] not null,
  allows_plain_pkce boolean not null,
  uses_refresh_tokens boolean not null,
  created_at timestamptz not null,
  primary key (id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);
create index apps_registered on relata.apps using btree (workspace_id, created_at) where (workspace_id is null);
create index apps_workspace_id on relata.apps using btree (workspace_id);

create table relata.attempts (
  subject text not null,
  count int not null,
  since timestamptz not null,
  free_at timestamptz not null,
  pending int not null default 0,
  pending_until timestamptz not null default '-infinity'::timestamp with time zone,
  primary key (subject)
);

create table relata.attributes (
  workspace_id uuid not null,
  entity_type_id uuid not null,
  id uuid not null,
  number int not null,
  position int not null,
  title text not null,
  description text,
  api_slug text not null,
  type text not null,
  is_system_attribute boolean not null default false,
  is_writable boolean not null default true,
  is_required boolean not null default false,
  is_unique boolean not null default false,
  is_multiselect boolean not null default false,
  is_default_value_enabled boolean not null default false,
  is_archived boolean not null default false,
  has_history boolean not null default true,
  default_value jsonb,
  config jsonb not null default '{}'::jsonb,
  stored_in text not null default 'columns'::text,
  relationship_attribute_id uuid,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, number),
  unique (workspace_id, entity_type_id, api_slug),
  foreign key (workspace_id, entity_type_id) references relata.entity_types(workspace_id, id) on delete cascade,
  foreign key (workspace_id, relationship_attribute_id) references relata.attributes(workspace_id, id) deferrable initially deferred,
  check ((stored_in = any (array['columns'::text, 'entity'::text, 'partner'::text])))
);

create table relata.audit_log (
  id uuid not null,
  workspace_id uuid,
  account_id uuid,
  action text not null,
  actor_type text,
  actor_id text,
  subject_type text not null,
  subject_id text,
  subject_name text,
  details jsonb not null,
  address text,
  created_at timestamptz not null,
  primary key (id),
  foreign key (workspace_id) references relata.workspaces(id)
);
create index audit_log_account on relata.audit_log using btree (account_id, created_at) where (account_id is not null);
create index audit_log_action on relata.audit_log using btree (workspace_id, action, created_at, id);
create index audit_log_workspace on relata.audit_log using btree (workspace_id, created_at, id);

create table relata.authorization_codes (
  workspace_id uuid not null,
  code_hash bytea not null,
  app_id uuid not null,
  workspace_member_id uuid not null,
  redirect_uri text not null,
  scopes text[] not null,
  code_challenge text,
  code_challenge_method text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  grant_id uuid,
  resource text,
  primary key (code_hash),
  foreign key (app_id) references relata.apps(id) on delete cascade,
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, grant_id) references relata.grants(workspace_id, id) on delete cascade,
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members(workspace_id, id),
  check (((code_challenge is null) = (code_challenge_method is null))),
  check ((code_challenge_method = any (array['S256'::text, 'plain'::text]))),
  check ((resource = 'mcp'::text))
);
create index authorization_codes_expires_at on relata.authorization_codes using btree (expires_at);

create table relata.blobs (
  workspace_id uuid not null,
  digest bytea not null,
  size bigint not null,
  references_count int not null default 0,
  unreferenced_at timestamptz default clock_timestamp(),
  primary key (workspace_id, digest),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check (((references_count = 0) = (unreferenced_at is not null))),
  check ((length(digest) = 32)),
  check ((references_count >= 0))
);
create index blobs_unreferenced on relata.blobs using btree (unreferenced_at) where (unreferenced_at is not null);

create table relata.call_recording_fetches (
  workspace_id uuid not null,
  call_recording_id uuid not null,
  url text not null,
  size bigint not null,
  attempts int not null default 0,
  due_at timestamptz not null,
  leased_by uuid,
  worker text,
  primary key (workspace_id, call_recording_id),
  foreign key (workspace_id, call_recording_id) references relata.call_recordings(workspace_id, id) on delete cascade
);
create index call_recording_fetches_due on relata.call_recording_fetches using btree (due_at);

create table relata.call_recording_transcript_pages (
  workspace_id uuid not null,
  call_recording_id uuid not null,
  page int not null,
  segments json not null,
  primary key (workspace_id, call_recording_id, page),
  foreign key (workspace_id, call_recording_id) references relata.call_recording_transcripts(workspace_id, call_recording_id) on delete cascade
);

create table relata.call_recording_transcripts (
  workspace_id uuid not null,
  call_recording_id uuid not null,
  raw_transcript text not null,
  lexemes tsvector not null,
  primary key (workspace_id, call_recording_id),
  foreign key (workspace_id, call_recording_id) references relata.call_recordings(workspace_id, id) on delete cascade
);
create index call_recording_transcripts_lexemes on relata.call_recording_transcripts using gin (lexemes);

create table relata.call_recordings (
  workspace_id uuid not null,
  id uuid not null,
  meeting_id uuid not null,
  status text not null,
  blob_digest bytea,
  created_at timestamptz not null,
  created_by int not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, blob_digest) references relata.blobs(workspace_id, digest),
  foreign key (workspace_id, meeting_id) references relata.meetings(workspace_id, id) on delete cascade,
  check ((status = any (array['processing'::text, 'completed'::text, 'failed'::text])))
);
create index call_recordings_created on relata.call_recordings using btree (workspace_id, created_at, id);
create index call_recordings_of_blob on relata.call_recordings using btree (workspace_id, blob_digest) where (blob_digest is not null);
create index call_recordings_of_meeting on relata.call_recordings using btree (workspace_id, meeting_id, created_at, id);

create table relata.comments (
  workspace_id uuid not null,
  id uuid not null,
  thread_id uuid not null,
  author_id uuid not null,
  content jsonb not null,
  created_at timestamptz not null,
  record_id uuid not null,
  list_id uuid,
  primary key (workspace_id, id),
  foreign key (workspace_id, author_id) references relata.workspace_members(workspace_id, id),
  foreign key (workspace_id, thread_id) references relata.threads(workspace_id, id) on delete cascade
);
create index comments_of_record on relata.comments using btree (workspace_id, record_id, created_at, id) include (list_id);
create index comments_of_thread on relata.comments using btree (workspace_id, thread_id, created_at, id);

create table relata.consents (
  token_hash bytea not null,
  session_id uuid not null,
  app_id uuid not null,
  redirect_uri text not null,
  state text,
  scopes text[] not null,
  code_challenge text,
  code_challenge_method text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  resource text,
  primary key (token_hash),
  foreign key (app_id) references relata.apps(id) on delete cascade,
  check (((code_challenge is null) = (code_challenge_method is null))),
  check ((code_challenge_method = any (array['S256'::text, 'plain'::text]))),
  check ((resource = 'mcp'::text))
);
create index consents_expires_at on relata.consents using btree (expires_at);

create table relata.contact_jobs (
  workspace_id uuid not null,
  id uuid not null,
  meeting_id uuid,
  record_ids uuid[],
  is_bulk boolean not null,
  created_at timestamptz not null,
  due_at timestamptz not null,
  attempts int not null default 0,
  worker text,
  leased_by uuid,
  primary key (workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, meeting_id) references relata.meetings(workspace_id, id) on delete cascade,
  check (((meeting_id is null) <> (record_ids is null)))
);
create index contact_jobs_bulk on relata.contact_jobs using btree (workspace_id, created_at) where is_bulk;
create index contact_jobs_due on relata.contact_jobs using btree (due_at);
create index contact_jobs_of_meeting on relata.contact_jobs using btree (workspace_id, meeting_id) where (meeting_id is not null);

create table relata.deliveries (
  workspace_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  position bigint not null,
  event_id uuid,
  event_type text not null,
  record_id uuid,
  kind text not null,
  idempotency_key uuid not null,
  body text not null,
  status text not null default 'waiting'::text,
  attempts int not null default 0,
  due_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  list_id text,
  rights text,
  primary key (webhook_id, id, created_at),
  check ((kind = any (array['event'::text, 'test'::text]))),
  check ((status = any (array['waiting'::text, 'succeeded'::text, 'failed'::text, 'dropped'::text])))
);
create index deliveries_again on only relata.deliveries using btree (webhook_id, due_at) where ((due_at is not null) and (attempts > 0));
create index deliveries_first on only relata.deliveries using btree (webhook_id, "position", id) where ((due_at is not null) and (attempts = 0));

create table relata.deliveries_default (
  workspace_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  position bigint not null,
  event_id uuid,
  event_type text not null,
  record_id uuid,
  kind text not null,
  idempotency_key uuid not null,
  body text not null,
  status text not null default 'waiting'::text,
  attempts int not null default 0,
  due_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  list_id text,
  rights text,
  primary key (webhook_id, id, created_at),
  check ((kind = any (array['event'::text, 'test'::text]))),
  check ((status = any (array['waiting'::text, 'succeeded'::text, 'failed'::text, 'dropped'::text])))
);
create index deliveries_default_webhook_id_due_at_idx on relata.deliveries_default using btree (webhook_id, due_at) where ((due_at is not null) and (attempts > 0));
create index deliveries_default_webhook_id_position_id_idx on relata.deliveries_default using btree (webhook_id, "position", id) where ((due_at is not null) and (attempts = 0));

create table relata.delivery_attempts (
  workspace_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  number int not null,
  at timestamptz not null,
  duration_ms int not null,
  status_code int,
  problem_code text,
  problem text,
  address text,
  request_headers json not null,
  response_headers json not null,
  response_body text not null,
  primary key (delivery_id, number, at)
);
create index delivery_attempts_of_webhook on only relata.delivery_attempts using btree (webhook_id, at);

create table relata.delivery_attempts_default (
  workspace_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  number int not null,
  at timestamptz not null,
  duration_ms int not null,
  status_code int,
  problem_code text,
  problem text,
  address text,
  request_headers json not null,
  response_headers json not null,
  response_body text not null,
  primary key (delivery_id, number, at)
);
create index delivery_attempts_default_webhook_id_at_idx on relata.delivery_attempts_default using btree (webhook_id, at);

create table relata.dismissed_duplicates (
  workspace_id uuid not null,
  record_id uuid not null,
  other_record_id uuid not null,
  dismissed_by int not null,
  created_at timestamptz not null,
  primary key (workspace_id, record_id, other_record_id),
  foreign key (workspace_id, dismissed_by) references relata.actors(workspace_id, number),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((record_id < other_record_id))
);
create index dismissed_duplicates_other on relata.dismissed_duplicates using btree (workspace_id, other_record_id);

create table relata.domains (
  workspace_id uuid not null,
  id uuid not null,
  domain text not null,
  proof text not null,
  created_at timestamptz not null,
  verified_at timestamptz,
  primary key (workspace_id, id),
  unique (workspace_id, domain),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.email_addresses (
  workspace_id uuid not null,
  email_address text not null,
  sent_at timestamptz not null,
  email_id uuid not null,
  owner int not null,
  primary key (workspace_id, email_address, sent_at, email_id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.email_domains (
  workspace_id uuid not null,
  email_domain text not null,
  sent_at timestamptz not null,
  email_id uuid not null,
  owner int not null,
  primary key (workspace_id, email_domain, sent_at, email_id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.emails (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  message_key text not null,
  thread_key text not null,
  sent_at timestamptz not null,
  direction text not null,
  subject_line text,
  participants jsonb not null,
  primary key (workspace_id, id),
  unique (workspace_id, mailbox_id, message_key),
  foreign key (workspace_id, mailbox_id) references relata.mailboxes(workspace_id, id) on delete cascade,
  check ((direction = any (array['inbound'::text, 'outbound'::text])))
);
create index emails_sent on relata.emails using btree (workspace_id, sent_at, id);

create table relata.entity_types (
  workspace_id uuid not null,
  id uuid not null,
  number int not null,
  kind text not null,
  api_slug text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, kind, api_slug),
  unique (workspace_id, number),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((kind = any (array['object'::text, 'list'::text])))
);

create table relata.events (
  workspace_id uuid not null,
  position bigint not null,
  id uuid not null,
  event_type text not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  body json not null,
  primary key (workspace_id, "position", recorded_at)
);

create table relata.events_default (
  workspace_id uuid not null,
  position bigint not null,
  id uuid not null,
  event_type text not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  body json not null,
  primary key (workspace_id, "position", recorded_at)
);

create table relata.file_import_leases (
  workspace_id uuid not null,
  member_id uuid not null,
  leased_by uuid not null,
  leased_until timestamptz not null,
  worker text,
  primary key (workspace_id, member_id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade
);

create table relata.files (
  workspace_id uuid not null,
  id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  file_type text not null,
  parent_folder_id uuid,
  name text,
  content_type text,
  detected_type text,
  content_size bigint,
  blob_digest bytea,
  storage_provider text,
  external_provider_file_id text,
  microsoft_drive_id text,
  created_by int not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, blob_digest) references relata.blobs(workspace_id, digest),
  foreign key (workspace_id, object_id) references relata.entity_types(workspace_id, id) on delete cascade,
  foreign key (workspace_id, parent_folder_id) references relata.files(workspace_id, id) on delete cascade,
  check (((file_type = 'file'::text) = ((blob_digest is not null) and (content_size is not null)))),
  check (((file_type = any (array['file'::text, 'folder'::text])) = (name is not null))),
  check (((file_type = any (array['file'::text, 'folder'::text])) = (storage_provider is null))),
  check (((storage_provider is null) = (external_provider_file_id is null))),
  check (((storage_provider is null) or (parent_folder_id is null))),
  check ((file_type = any (array['file'::text, 'folder'::text, 'connected-file'::text, 'connected-folder'::text]))),
  check ((storage_provider = any (array['dropbox'::text, 'box'::text, 'google-drive'::text, 'microsoft-onedrive'::text])))
);
create index files_of_blob on relata.files using btree (workspace_id, blob_digest) where (blob_digest is not null);
create index files_of_folder on relata.files using btree (workspace_id, parent_folder_id, created_at, id) where (parent_folder_id is not null);
create index files_of_provider on relata.files using btree (workspace_id, record_id, storage_provider, created_at, id);
create index files_of_record on relata.files using btree (workspace_id, record_id, created_at, id);
create index files_of_top_level on relata.files using btree (workspace_id, record_id, created_at, id) where (parent_folder_id is null);

create table relata.grants (
  workspace_id uuid not null,
  id uuid not null,
  app_id uuid not null,
  workspace_member_id uuid not null,
  scopes text[] not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  resource text,
  primary key (workspace_id, id),
  foreign key (app_id) references relata.apps(id) on delete cascade,
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members(workspace_id, id),
  check ((resource = 'mcp'::text))
);
create index grants_app_id on relata.grants using btree (app_id);

create table relata.idempotent_answers (
  workspace_id uuid not null,
  scope bytea not null,
  request bytea not null,
  status int not null,
  headers jsonb not null,
  body text not null,
  answered_at timestamptz not null,
  record_ids uuid[] not null default '{}'::uuid[],
  primary key (workspace_id, scope),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);
create index idempotent_answers_answered_at on relata.idempotent_answers using btree (answered_at);
create index idempotent_answers_record_ids on relata.idempotent_answers using gin (record_ids);

create table relata.import_pieces (
  workspace_id uuid not null,
  import_id uuid not null,
  number int not null,
  bytes bytea not null,
  primary key (workspace_id, import_id, number),
  foreign key (workspace_id, import_id) references relata.imports(workspace_id, id) on delete cascade
);

create table relata.import_problems (
  workspace_id uuid not null,
  import_id uuid not null,
  number int not null,
  line int not null,
  outcome text not null,
  column_name text not null,
  value text not null,
  reason text not null,
  primary key (workspace_id, import_id, number),
  foreign key (workspace_id, import_id) references relata.imports(workspace_id, id) on delete cascade,
  check ((outcome = any (array['skipped'::text, 'left out'::text])))
);

create table relata.imported_meetings (
  workspace_id uuid not null,
  meeting_id uuid not null,
  uid_hash text not null,
  occurs_at timestamptz,
  is_separate boolean not null,
  sequence int not null,
  changed_at timestamptz not null,
  content_hash text not null,
  primary key (workspace_id, meeting_id),
  foreign key (workspace_id, meeting_id) references relata.meetings(workspace_id, id) on delete cascade
);
create index imported_meetings_uid on relata.imported_meetings using btree (workspace_id, uid_hash);

create table relata.imports (
  workspace_id uuid not null,
  id uuid not null,
  object_id uuid not null,
  created_by uuid not null,
  file_name text not null,
  file_size bigint not null default 0,
  delimiter text,
  columns jsonb,
  state text not null,
  plan jsonb,
  counts jsonb,
  bytes_read bigint not null default 0,
  problems int not null default 0,
  failure text,
  is_cancelled boolean not null default false,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  leased_by uuid,
  undo_job_id uuid,
  is_recorded boolean not null default false,
  worker text,
  due_at timestamptz,
  attempts int not null default 0,
  primary key (workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((state = any (array['uploading'::text, 'ready'::text, 'waiting'::text, 'running'::text, 'finished'::text, 'cancelled'::text, 'failed'::text])))
);
create index imports_due on relata.imports using btree (due_at) where (due_at is not null);
create index imports_of_object on relata.imports using btree (workspace_id, object_id, created_at desc);

create table relata.inboxes (
  workspace_id uuid not null,
  member_id uuid not null,
  sends_digest boolean not null default true,
  due_at timestamptz,
  attempts int not null default 0,
  digested_at timestamptz,
  worker text,
  leased_by uuid,
  primary key (workspace_id, member_id),
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade
);
create index inboxes_due on relata.inboxes using btree (due_at) where (due_at is not null);

create table relata.indexes (
  workspace_id uuid not null,
  entity_type_id uuid not null,
  attribute_id uuid,
  name text not null,
  kind text not null,
  definition text not null,
  state text not null default 'wanted'::text,
  is_pinned boolean not null default false,
  requests int not null default 0,
  first_requested_at timestamptz not null,
  last_requested_at timestamptz not null,
  failures int not null default 0,
  retry_at timestamptz,
  error text,
  built_at timestamptz,
  build_ms int,
  scans bigint not null default 0,
  last_used_at timestamptz,
  requested_by text[] not null default '{}'::text[],
  attribute_ids uuid[] not null default '{}'::uuid[],
  equal_columns text[] not null default '{}'::text[],
  partial_of text,
  estimate_checked_at timestamptz,
  primary key (workspace_id, name),
  foreign key (workspace_id, attribute_id) references relata.attributes(workspace_id, id) on delete cascade,
  foreign key (workspace_id, entity_type_id) references relata.entity_types(workspace_id, id) on delete cascade,
  check ((kind = any (array['ordered'::text, 'descending'::text, 'exact'::text, 'elements'::text, 'trigram'::text, 'search'::text, 'composite'::text, 'partial'::text]))),
  check ((state = any (array['wanted'::text, 'building'::text, 'ready'::text, 'failed'::text, 'refused'::text])))
);

create table relata.installation (
  id boolean not null default true,
  identity jsonb not null,
  found jsonb,
  held_at timestamptz,
  primary key (id),
  check (((found is null) = (held_at is null))),
  check (id)
);

create table relata.interaction_feeds (
  workspace_id uuid not null,
  position bigint not null,
  recorded_at timestamptz not null,
  primary key (workspace_id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.interaction_refreshes (
  workspace_id uuid not null,
  record_id uuid not null,
  object_id uuid not null,
  due_at timestamptz,
  refreshed_at timestamptz,
  worker text,
  leased_by uuid,
  attempts int not null default 0,
  primary key (workspace_id, record_id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, object_id) references relata.entity_types(workspace_id, id) on delete cascade
);
create index interaction_refreshes_due on relata.interaction_refreshes using btree (workspace_id, due_at) where (due_at is not null);

create table relata.invitations (
  workspace_id uuid not null,
  id uuid not null,
  email_address text not null,
  access_level text not null,
  token_hash bytea not null,
  invited_by_workspace_member_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  first_name text not null default ''::text,
  last_name text not null default ''::text,
  external_id text,
  updated_at timestamptz,
  primary key (workspace_id, id),
  unique (token_hash),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, invited_by_workspace_member_id) references relata.workspace_members(workspace_id, id),
  check ((access_level = any (array['admin'::text, 'member'::text])))
);
create index invitations_created_at on relata.invitations using btree (workspace_id, created_at, id);
create unique index invitations_email_address on relata.invitations using btree (workspace_id, lower(email_address));

create table relata.jobs (
  workspace_id uuid not null,
  id uuid not null,
  entity_type_id uuid not null,
  kind text not null,
  actor int not null,
  member_id uuid not null,
  client_id uuid,
  scopes text[] not null,
  filter jsonb not null,
  operation jsonb not null,
  status text not null,
  total int not null,
  done int not null default 0,
  failed int not null default 0,
  errors jsonb not null default '[]'::jsonb,
  failure text,
  position jsonb,
  batch jsonb,
  created_at timestamptz not null,
  ended_at timestamptz,
  due_at timestamptz,
  leased_by uuid,
  kept int not null default 0,
  worker text,
  attempts int not null default 0,
  primary key (workspace_id, id),
  foreign key (workspace_id, actor) references relata.actors(workspace_id, number),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((kind = any (array['object'::text, 'list'::text]))),
  check ((status = any (array['running'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);
create index jobs_due on relata.jobs using btree (due_at) where (due_at is not null);
create index jobs_ended on relata.jobs using btree (ended_at) where (ended_at is not null);
create index jobs_newest on relata.jobs using btree (workspace_id, created_at desc, id desc);

create table relata.kept_since (
  table_name text not null,
  since timestamptz not null,
  primary key (table_name)
);

create table relata.list_members (
  workspace_id uuid not null,
  list_id uuid not null,
  workspace_member_id uuid not null,
  position int not null,
  level text not null,
  primary key (workspace_id, list_id, workspace_member_id),
  foreign key (workspace_id, list_id) references relata.lists(workspace_id, id) on delete cascade,
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members(workspace_id, id) deferrable initially deferred,
  check ((level = any (array['full-access'::text, 'read-and-write'::text, 'read-only'::text])))
);

create table relata.list_teams (
  workspace_id uuid not null,
  list_id uuid not null,
  team_id uuid not null,
  level text not null,
  primary key (workspace_id, list_id, team_id),
  foreign key (workspace_id, list_id) references relata.lists(workspace_id, id) on delete cascade,
  foreign key (workspace_id, team_id) references relata.teams(workspace_id, id) on delete cascade,
  check ((level = any (array['full-access'::text, 'read-and-write'::text, 'read-only'::text])))
);
create index list_teams_team on relata.list_teams using btree (workspace_id, team_id);

create table relata.lists (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  parent_object_id uuid not null,
  workspace_access text,
  created_by int not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, id) references relata.entity_types(workspace_id, id) on delete cascade,
  foreign key (workspace_id, parent_object_id) references relata.objects(workspace_id, id) deferrable initially deferred,
  check ((workspace_access = any (array['full-access'::text, 'read-and-write'::text, 'read-only'::text])))
);

create table relata.mailboxes (
  workspace_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, member_id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade
);

create table relata.meeting_links (
  workspace_id uuid not null,
  meeting_id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  position int not null,
  linked_at timestamptz not null,
  linked_by int not null,
  is_given boolean not null,
  is_all_day boolean not null,
  duration_class smallint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  primary key (workspace_id, meeting_id, record_id),
  foreign key (workspace_id, meeting_id) references relata.meetings(workspace_id, id) on delete cascade,
  foreign key (workspace_id, object_id) references relata.entity_types(workspace_id, id) on delete cascade
);
create index meeting_links_linked on relata.meeting_links using btree (workspace_id, record_id, linked_at, meeting_id);
create index meeting_links_start on relata.meeting_links using btree (workspace_id, record_id, is_all_day, duration_class, starts_at, meeting_id);

create table relata.meeting_participants (
  workspace_id uuid not null,
  meeting_id uuid not null,
  position int not null,
  email_address text,
  name text,
  is_organizer boolean not null,
  status text not null,
  is_all_day boolean not null,
  duration_class smallint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  primary key (workspace_id, meeting_id, "position"),
  foreign key (workspace_id, meeting_id) references relata.meetings(workspace_id, id) on delete cascade,
  check (((email_address is not null) or (name is not null))),
  check ((status = any (array['accepted'::text, 'tentative'::text, 'declined'::text, 'pending'::text])))
);
create index meeting_participants_address on relata.meeting_participants using btree (workspace_id, email_address, starts_at desc, meeting_id) where (email_address is not null);
create index meeting_participants_start on relata.meeting_participants using btree (workspace_id, email_address, is_all_day, duration_class, starts_at, meeting_id) where (email_address is not null);

create table relata.meetings (
  workspace_id uuid not null,
  id uuid not null,
  title text not null,
  description text not null,
  is_all_day boolean not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  start_timezone text,
  end_timezone text,
  duration_class smallint not null,
  external_key text,
  created_at timestamptz not null,
  created_by int not null,
  version int not null default 1,
  primary key (workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((ends_at > starts_at))
);
create index meetings_start on relata.meetings using btree (workspace_id, is_all_day, duration_class, starts_at, id);
create unique index meetings_external_key on relata.meetings using btree (workspace_id, external_key) where (external_key is not null);

create table relata.member_pictures (
  workspace_id uuid not null,
  workspace_member_id uuid not null,
  blob_digest bytea not null,
  content_type text not null,
  primary key (workspace_id, workspace_member_id),
  foreign key (workspace_id, blob_digest) references relata.blobs(workspace_id, digest),
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members(workspace_id, id) on delete cascade,
  check ((content_type = any (array['image/png'::text, 'image/jpeg'::text, 'image/webp'::text])))
);
create index member_pictures_of_blob on relata.member_pictures using btree (workspace_id, blob_digest);

create table relata.migrations (
  name text not null,
  applied_at timestamptz not null default now(),
  primary key (name)
);

create table relata.notes (
  workspace_id uuid not null,
  id uuid not null,
  parent_object_id uuid not null,
  parent_record_id uuid not null,
  title text not null,
  content jsonb not null,
  meeting_id uuid,
  created_by int not null,
  created_at timestamptz not null,
  version int not null default 1,
  primary key (workspace_id, id),
  foreign key (workspace_id, meeting_id) references relata.meetings(workspace_id, id) on delete set null (meeting_id),
  foreign key (workspace_id, parent_object_id) references relata.entity_types(workspace_id, id) on delete cascade
);
create index notes_created_at on relata.notes using btree (workspace_id, created_at, id);
create index notes_of_author on relata.notes using btree (workspace_id, created_by, created_at, id);
create index notes_of_meeting on relata.notes using btree (workspace_id, meeting_id) where (meeting_id is not null);
create index notes_of_object on relata.notes using btree (workspace_id, parent_object_id, created_at, id);
create index notes_of_object_and_author on relata.notes using btree (workspace_id, parent_object_id, created_by, created_at, id);
create index notes_of_record on relata.notes using btree (workspace_id, parent_record_id, created_at, id);
create index notes_title on relata.notes using gin (relata.note_title_lexemes(workspace_id, title));

create table relata.notifications (
  workspace_id uuid not null,
  member_id uuid not null,
  id uuid not null,
  kind text not null,
  comment_id uuid,
  task_id uuid,
  actor int not null,
  created_at timestamptz not null,
  read_at timestamptz,
  is_digested boolean not null default false,
  primary key (workspace_id, member_id, id),
  foreign key (workspace_id, comment_id) references relata.comments(workspace_id, id) on delete cascade,
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade,
  foreign key (workspace_id, task_id) references relata.tasks(workspace_id, id) on delete cascade,
  check (((kind = 'task-assigned'::text) = (task_id is not null))),
  check (((kind = 'task-assigned'::text) = (comment_id is null))),
  check ((kind = any (array['mention'::text, 'reply'::text, 'task-assigned'::text])))
);
create index notifications_of_comment on relata.notifications using btree (workspace_id, comment_id) where (comment_id is not null);
create index notifications_of_task on relata.notifications using btree (workspace_id, task_id) where (task_id is not null);
create index notifications_unread on relata.notifications using btree (workspace_id, member_id, id) where (read_at is null);

create table relata.object_teams (
  workspace_id uuid not null,
  object_id uuid not null,
  team_id uuid not null,
  access text not null,
  primary key (workspace_id, object_id, team_id),
  foreign key (workspace_id, object_id) references relata.objects(workspace_id, id) on delete cascade,
  foreign key (workspace_id, team_id) references relata.teams(workspace_id, id) on delete cascade,
  check ((access = any (array['read-write'::text, 'read-only'::text, 'hidden'::text])))
);
create index object_teams_team on relata.object_teams using btree (workspace_id, team_id);

create table relata.objects (
  workspace_id uuid not null,
  id uuid not null,
  singular_noun text not null,
  plural_noun text not null,
  standard_slug text,
  is_enabled boolean not null default true,
  member_access text not null default 'read-write'::text,
  primary key (workspace_id, id),
  unique (workspace_id, plural_noun),
  unique (workspace_id, singular_noun),
  foreign key (workspace_id, id) references relata.entity_types(workspace_id, id) on delete cascade,
  check ((member_access = any (array['read-write'::text, 'read-only'::text, 'hidden'::text])))
);

create table relata.options (
  workspace_id uuid not null,
  attribute_id uuid not null,
  id uuid not null,
  number int not null,
  position int not null,
  title text not null,
  is_archived boolean not null default false,
  celebration_enabled boolean not null default false,
  target_time_in_status text,
  created_at timestamptz not null,
  color text,
  primary key (workspace_id, id),
  unique (workspace_id, number),
  foreign key (workspace_id, attribute_id) references relata.attributes(workspace_id, id) on delete cascade,
  check ((color = any (array['indigo'::text, 'green'::text, 'orange'::text, 'pink'::text, 'blue'::text, 'purple'::text, 'gray'::text])))
);
create unique index options_title on relata.options using btree (workspace_id, attribute_id, lower(title));

create table relata.outbox (
  id bigint not null generated always as identity,
  workspace_id uuid not null,
  occurred_at timestamptz not null,
  actor int not null,
  events json not null,
  primary key (id)
);

create table relata.outbox_writers (
  workspace_id uuid not null,
  process text not null,
  is_publishing boolean not null,
  registered_until timestamptz not null,
  primary key (workspace_id, process)
);

create table relata.passkey_challenges (
  account_id uuid not null,
  challenge text not null,
  purpose text not null,
  expires_at timestamptz not null,
  primary key (account_id, challenge),
  foreign key (account_id) references relata.accounts(id) on delete cascade,
  check ((purpose = any (array['enrolment'::text, 'proof'::text])))
);

create table relata.passkeys (
  account_id uuid not null,
  id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (account_id, id),
  unique (credential_id),
  foreign key (account_id) references relata.accounts(id) on delete cascade
);

create table relata.password_resets (
  token_hash bytea not null,
  account_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (token_hash),
  foreign key (account_id) references relata.accounts(id) on delete cascade
);
create index password_resets_account on relata.password_resets using btree (account_id);

create table relata.pending_sign_ins (
  token_hash bytea not null,
  account_id uuid not null,
  method text not null,
  expires_at timestamptz not null,
  provider_sign_out_url text,
  primary key (token_hash),
  foreign key (account_id) references relata.accounts(id) on delete cascade,
  check ((method = any (array['password'::text, 'provider'::text])))
);
create index pending_sign_ins_account on relata.pending_sign_ins using btree (account_id);

create table relata.provider_identities (
  id uuid not null,
  workspace_id uuid,
  issuer text not null,
  subject text not null,
  account_id uuid not null,
  created_at timestamptz not null,
  primary key (id),
  foreign key (account_id) references relata.accounts(id) on delete cascade,
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);
create unique index provider_identities_subject on relata.provider_identities using btree (workspace_id, issuer, subject) nulls not distinct;

create table relata.provider_requests (
  state_hash bytea not null,
  browser_hash bytea not null,
  workspace_id uuid,
  issuer text not null,
  client_id text not null,
  nonce text not null,
  code_verifier text not null,
  expires_at timestamptz not null,
  primary key (state_hash),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.query_history (
  workspace_id uuid not null,
  member_id uuid not null,
  id uuid not null,
  sql text not null,
  ran_at timestamptz not null,
  duration_ms int not null,
  row_count int,
  primary key (workspace_id, member_id, id),
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade
);

create table relata.query_scores (
  workspace_id uuid not null,
  slot bigint not null,
  score int not null,
  primary key (workspace_id, slot)
);

create table relata.recovery_codes (
  account_id uuid not null,
  code_hash bytea not null,
  primary key (account_id, code_hash),
  foreign key (account_id) references relata.accounts(id) on delete cascade
);

create table relata.refresh_tokens (
  workspace_id uuid not null,
  token_hash bytea not null,
  grant_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (token_hash),
  foreign key (workspace_id, grant_id) references relata.grants(workspace_id, id) on delete cascade
);
create index refresh_tokens_expires_at on relata.refresh_tokens using btree (expires_at);
create index refresh_tokens_grant_id on relata.refresh_tokens using btree (workspace_id, grant_id);

create table relata.removed_entries (
  workspace_id uuid not null,
  record_id uuid not null,
  list_id uuid not null,
  entry_id uuid not null,
  created_at timestamptz not null,
  created_by int not null,
  removed_at timestamptz not null,
  removed_by int not null,
  primary key (workspace_id, record_id, entry_id),
  foreign key (workspace_id, list_id) references relata.entity_types(workspace_id, id) on delete cascade
);
create index removed_entries_created_at on relata.removed_entries using btree (workspace_id, record_id, created_at, entry_id);
create index removed_entries_removed_at on relata.removed_entries using btree (workspace_id, record_id, removed_at, entry_id);

create table relata.request_budgets (
  caller text not null,
  kind text not null,
  tokens double precision not null,
  filled_at double precision not null,
  primary key (caller, kind)
);

create table relata.saved_queries (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  sql text not null,
  version int not null default 1,
  member_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade
);
create index saved_queries_member on relata.saved_queries using btree (workspace_id, member_id);
create unique index saved_queries_name on relata.saved_queries using btree (workspace_id, lower(name));

create table relata.scim_requests (
  workspace_id uuid not null,
  id uuid not null,
  method text not null,
  path text not null,
  status int not null,
  detail text,
  user_agent text,
  duration_ms int not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.sessions (
  id uuid not null,
  account_id uuid not null,
  token_hash bytea not null,
  user_agent text not null,
  address text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  method text not null,
  second_factor text,
  workspace_id uuid,
  proven_at timestamptz,
  provider_sign_out_url text,
  primary key (id),
  unique (token_hash),
  foreign key (account_id) references relata.accounts(id) on delete cascade,
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((method = any (array['password'::text, 'passkey'::text, 'provider'::text]))),
  check ((second_factor = any (array['passkey'::text, 'totp'::text, 'recovery-code'::text, 'provider'::text])))
);
create index sessions_account on relata.sessions using btree (account_id, last_used_at);
create index sessions_workspace on relata.sessions using btree (workspace_id) where (workspace_id is not null);

create table relata.sign_in_challenges (
  challenge text not null,
  expires_at timestamptz not null,
  primary key (challenge)
);
create index sign_in_challenges_expires_at on relata.sign_in_challenges using btree (expires_at);

create table relata.sign_in_providers (
  workspace_id uuid not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  client_secret text not null,
  updated_at timestamptz not null,
  primary key (workspace_id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.sign_in_rules (
  workspace_id uuid not null,
  requires_provider boolean not null default false,
  break_glass_member_id uuid,
  requires_second_factor boolean not null default false,
  primary key (workspace_id),
  foreign key (workspace_id, break_glass_member_id) references relata.workspace_members(workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check (((not requires_provider) or (break_glass_member_id is not null)))
);

create table relata.task_assignees (
  workspace_id uuid not null,
  task_id uuid not null,
  assignee int not null,
  is_completed boolean not null,
  completed_at timestamptz,
  deadline_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, task_id, assignee),
  foreign key (workspace_id, task_id) references relata.tasks(workspace_id, id) on delete cascade
);
create index task_assignees_completed on relata.task_assignees using btree (workspace_id, assignee, completed_at nulls first, created_at, task_id);
create index task_assignees_created on relata.task_assignees using btree (workspace_id, assignee, is_completed, created_at, task_id);
create index task_assignees_deadline on relata.task_assignees using btree (workspace_id, assignee, is_completed, deadline_at, created_at, task_id);
create index task_assignees_deadline_desc on relata.task_assignees using btree (workspace_id, assignee, is_completed, deadline_at desc nulls last, created_at desc, task_id desc);

create table relata.task_links (
  workspace_id uuid not null,
  task_id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  position int not null,
  linked_at timestamptz not null,
  linked_by int not null,
  is_completed boolean not null,
  completed_at timestamptz,
  deadline_at timestamptz,
  assignees int[] not null,
  created_at timestamptz not null,
  primary key (workspace_id, task_id, record_id),
  foreign key (workspace_id, object_id) references relata.entity_types(workspace_id, id) on delete cascade,
  foreign key (workspace_id, task_id) references relata.tasks(workspace_id, id) on delete cascade
);
create index task_links_completed on relata.task_links using btree (workspace_id, record_id, completed_at nulls first, created_at, task_id);
create index task_links_created on relata.task_links using btree (workspace_id, record_id, is_completed, created_at, task_id);
create index task_links_deadline on relata.task_links using btree (workspace_id, record_id, is_completed, deadline_at, created_at, task_id);
create index task_links_deadline_desc on relata.task_links using btree (workspace_id, record_id, is_completed, deadline_at desc nulls last, created_at desc, task_id desc);
create index task_links_linked on relata.task_links using btree (workspace_id, record_id, linked_at, task_id);

create table relata.tasks (
  workspace_id uuid not null,
  id uuid not null,
  content text not null,
  deadline_at timestamptz,
  deadline_ns smallint,
  is_completed boolean not null,
  completed_at timestamptz,
  completed_by int,
  assignees int[] not null,
  created_at timestamptz not null,
  created_by int not null,
  version int not null default 1,
  primary key (workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check (((is_completed = (completed_at is not null)) and (is_completed = (completed_by is not null))))
);
create index tasks_completed on relata.tasks using btree (workspace_id, completed_at nulls first, created_at, id);
create index tasks_created on relata.tasks using btree (workspace_id, is_completed, created_at, id);
create index tasks_deadline on relata.tasks using btree (workspace_id, is_completed, deadline_at, created_at, id);
create index tasks_deadline_desc on relata.tasks using btree (workspace_id, is_completed, deadline_at desc nulls last, created_at desc, id desc);

create table relata.team_invitations (
  workspace_id uuid not null,
  team_id uuid not null,
  invitation_id uuid not null,
  primary key (workspace_id, team_id, invitation_id),
  foreign key (workspace_id, invitation_id) references relata.invitations(workspace_id, id) on delete cascade,
  foreign key (workspace_id, team_id) references relata.teams(workspace_id, id) on delete cascade
);
create index team_invitations_invitation on relata.team_invitations using btree (workspace_id, invitation_id);

create table relata.team_members (
  workspace_id uuid not null,
  team_id uuid not null,
  member_id uuid not null,
  primary key (workspace_id, team_id, member_id),
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade,
  foreign key (workspace_id, team_id) references relata.teams(workspace_id, id) on delete cascade
);
create index team_members_member on relata.team_members using btree (workspace_id, member_id);

create table relata.teams (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  external_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);
create index teams_created_at on relata.teams using btree (workspace_id, created_at, id);
create index teams_external_id on relata.teams using btree (workspace_id, external_id) where (external_id is not null);
create unique index teams_name on relata.teams using btree (workspace_id, lower(name));

create table relata.test_endpoints (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  token text not null,
  status int not null,
  headers jsonb not null,
  body text not null,
  delay_ms int not null,
  fail_first int not null,
  received int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, id),
  unique (token),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.test_requests (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  method text not null,
  path text not null,
  headers json not null,
  body text not null,
  webhook_id uuid,
  signature text not null,
  answered_status int not null,
  bytes bytea,
  event_type text,
  list_id text,
  primary key (workspace_id, endpoint_id, id),
  foreign key (workspace_id, endpoint_id) references relata.test_endpoints(workspace_id, id) on delete cascade,
  check ((signature = any (array['valid'::text, 'invalid'::text, 'absent'::text])))
);

create table relata.threads (
  workspace_id uuid not null,
  id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  list_id uuid,
  entry_id uuid,
  created_at timestamptz not null,
  resolved_at timestamptz,
  resolved_by int,
  primary key (workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, list_id) references relata.entity_types(workspace_id, id) on delete cascade,
  foreign key (workspace_id, object_id) references relata.entity_types(workspace_id, id) on delete cascade,
  check (((list_id is null) = (entry_id is null))),
  check (((resolved_at is null) = (resolved_by is null)))
);
create index threads_of_entry on relata.threads using btree (workspace_id, entry_id, created_at, id) where (entry_id is not null);
create index threads_of_list on relata.threads using btree (workspace_id, list_id) where (list_id is not null);
create index threads_of_object on relata.threads using btree (workspace_id, object_id);
create index threads_of_parent on relata.threads using btree (workspace_id, record_id);
create index threads_of_record on relata.threads using btree (workspace_id, record_id, created_at, id) where (entry_id is null);

create table relata.tokens (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  token_hash bytea not null,
  hint text not null,
  scopes text[] not null,
  client_id uuid not null,
  actor int not null,
  authorized_by_workspace_member_id uuid not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  grant_id uuid,
  resource text,
  primary key (workspace_id, id),
  unique (token_hash),
  foreign key (workspace_id, actor) references relata.actors(workspace_id, number),
  foreign key (workspace_id, authorized_by_workspace_member_id) references relata.workspace_members(workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  foreign key (workspace_id, grant_id) references relata.grants(workspace_id, id) on delete cascade,
  check ((resource = 'mcp'::text))
);
create index tokens_client_id on relata.tokens using btree (workspace_id, client_id) where ((grant_id is null) and (revoked_at is null));
create index tokens_grant_id on relata.tokens using btree (workspace_id, grant_id) where (grant_id is not null);

create table relata.tool_calls (
  workspace_id uuid not null,
  created_at timestamptz not null,
  id uuid not null,
  actor int not null,
  tool text not null,
  subject text,
  subject_id text,
  status int not null,
  duration_ms int not null,
  primary key (workspace_id, created_at, id),
  foreign key (workspace_id, actor) references relata.actors(workspace_id, number),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.totp_secrets (
  account_id uuid not null,
  secret text not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  last_step bigint not null default 0,
  primary key (account_id),
  foreign key (account_id) references relata.accounts(id) on delete cascade
);

create table relata.trash_expiries (
  workspace_id uuid not null,
  due_at timestamptz not null,
  primary key (workspace_id, due_at),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);
create index trash_expiries_due on relata.trash_expiries using btree (due_at);

create table relata.trashed_files (
  workspace_id uuid not null,
  file_id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  blob_digest bytea not null,
  primary key (workspace_id, file_id),
  foreign key (workspace_id, blob_digest) references relata.blobs(workspace_id, digest),
  foreign key (workspace_id, object_id) references relata.entity_types(workspace_id, id) on delete cascade
);
create index trashed_files_of_blob on relata.trashed_files using btree (workspace_id, blob_digest);
create index trashed_files_of_record on relata.trashed_files using btree (workspace_id, record_id);

create table relata.unsubscribed_emails (
  workspace_id uuid not null,
  email_address text not null,
  created_at timestamptz not null,
  primary key (workspace_id, email_address),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.view_pins (
  workspace_id uuid not null,
  member_id uuid not null,
  entity_type_id uuid not null,
  view_id uuid not null,
  created_at timestamptz not null,
  primary key (workspace_id, member_id, view_id),
  foreign key (workspace_id, entity_type_id, view_id) references relata.views(workspace_id, entity_type_id, id) on delete cascade,
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade
);
create index view_pins_view on relata.view_pins using btree (workspace_id, entity_type_id, view_id);

create table relata.views (
  workspace_id uuid not null,
  entity_type_id uuid not null,
  id uuid not null,
  title text not null,
  type text not null,
  filter jsonb not null,
  sorts jsonb not null,
  visible_attributes jsonb,
  is_archived boolean not null default false,
  created_at timestamptz not null,
  board jsonb,
  member_id uuid,
  primary key (workspace_id, entity_type_id, id),
  foreign key (workspace_id, member_id) references relata.workspace_members(workspace_id, id) on delete cascade,
  foreign key (workspace_id, entity_type_id) references relata.entity_types(workspace_id, id) on delete cascade,
  check ((type = any (array['table'::text, 'board'::text])))
);

create table relata.webhook_alerts (
  workspace_id uuid not null,
  id bigint not null generated always as identity,
  webhook_id uuid not null,
  status text not null,
  at timestamptz not null,
  due_at timestamptz not null,
  attempts int not null default 0,
  worker text,
  leased_by uuid,
  primary key (workspace_id, id),
  foreign key (workspace_id, webhook_id) references relata.webhooks(workspace_id, id) on delete cascade,
  check ((status = any (array['degraded'::text, 'inactive'::text])))
);

create table relata.webhooks (
  workspace_id uuid not null,
  id uuid not null,
  client_id uuid,
  created_by int not null,
  target_url text not null,
  subscriptions jsonb not null,
  fingerprint text not null,
  status text not null default 'active'::text,
  degraded_at timestamptz,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  due_at timestamptz,
  leased_by uuid,
  leased_until timestamptz,
  failures int not null default 0,
  waiting_since timestamptz not null default '-infinity'::timestamp with time zone,
  saved_by int not null,
  primary key (workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((status = any (array['active'::text, 'degraded'::text, 'inactive'::text])))
);
create index webhooks_due on relata.webhooks using btree (due_at) where (due_at is not null);
create unique index webhooks_fingerprint on relata.webhooks using btree (workspace_id, coalesce(client_id, '00000000-0000-0000-0000-000000000000'::uuid), fingerprint);

create table relata.workers (
  name text not null,
  primary key (name)
);

create table relata.workspace_members (
  workspace_id uuid not null,
  id uuid not null,
  account_id uuid,
  first_name text not null,
  last_name text not null,
  email_address text not null,
  avatar_url text,
  access_level text not null,
  created_at timestamptz not null,
  external_id text,
  updated_at timestamptz,
  former_access_level text,
  user_deleted_at timestamptz,
  primary key (workspace_id, id),
  foreign key (account_id) references relata.accounts(id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((access_level = any (array['admin'::text, 'member'::text, 'suspended'::text]))),
  check ((former_access_level = any (array['admin'::text, 'member'::text])))
);
create index workspace_members_created_at on relata.workspace_members using btree (workspace_id, created_at, id);
create index workspace_members_external_id on relata.workspace_members using btree (workspace_id, external_id) where (external_id is not null);
create unique index workspace_members_account on relata.workspace_members using btree (account_id, workspace_id);
create unique index workspace_members_email_address on relata.workspace_members using btree (workspace_id, lower(email_address));

create table relata.workspaces (
  id uuid not null,
  number int not null generated always as identity,
  slug text not null,
  name text not null,
  logo_url text,
  data_model_version int not null default 1,
  last_number int not null default 0,
  secret uuid not null default gen_random_uuid(),
  shows_updated_at boolean not null default false,
  created_at timestamptz not null,
  creates_contacts boolean not null default true,
  member_permissions text[] not null default '{}'::text[],
  default_country text,
  primary key (id),
  unique (number),
  unique (slug),
  check ((default_country ~ '^[A-Z]{2}$'::text)),
  check ((member_permissions <@ array['data_model'::text, 'webhooks'::text, 'api_keys'::text, 'apps'::text, 'import_definitions'::text]))
);
