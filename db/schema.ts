/** Generated from the migrations by `bun db:types`. Timestamps and json are text, as the driver gives them. */

import type { Generated, GeneratedAlways } from 'kysely'

export interface DB {
  'relata.accepted_invitations': AcceptedInvitationsTable
  'relata.account_sign_ins': AccountSignInsTable
  'relata.accounts': AccountsTable
  'relata.activities': ActivitiesTable
  'relata.actors': ActorsTable
  'relata.all_workspaces': AllWorkspacesTable
  'relata.app_secrets': AppSecretsTable
  'relata.apps': AppsTable
  'relata.attempts': AttemptsTable
  'relata.attributes': AttributesTable
  'relata.audit_log': AuditLogTable
  'relata.authorization_codes': AuthorizationCodesTable
  'relata.backup_schedule': BackupScheduleTable
  'relata.blobs': BlobsTable
  'relata.call_recording_fetches': CallRecordingFetchesTable
  'relata.call_recording_transcript_pages': CallRecordingTranscriptPagesTable
  'relata.call_recording_transcripts': CallRecordingTranscriptsTable
  'relata.call_recordings': CallRecordingsTable
  'relata.caller_writes': CallerWritesTable
  'relata.comments': CommentsTable
  'relata.connected_accounts': ConnectedAccountsTable
  'relata.consents': ConsentsTable
  'relata.contact_jobs': ContactJobsTable
  'relata.dashboard_schedules': DashboardSchedulesTable
  'relata.dashboards': DashboardsTable
  'relata.deleted_entity_types': DeletedEntityTypesTable
  'relata.deliveries': DeliveriesTable
  'relata.delivery_attempts': DeliveryAttemptsTable
  'relata.dismissed_duplicates': DismissedDuplicatesTable
  'relata.domains': DomainsTable
  'relata.email_addresses': EmailAddressesTable
  'relata.email_domains': EmailDomainsTable
  'relata.email_links': EmailLinksTable
  'relata.email_templates': EmailTemplatesTable
  'relata.email_texts': EmailTextsTable
  'relata.emails': EmailsTable
  'relata.entity_types': EntityTypesTable
  'relata.erasures': ErasuresTable
  'relata.events': EventsTable
  'relata.excluded_addresses': ExcludedAddressesTable
  'relata.file_import_leases': FileImportLeasesTable
  'relata.files': FilesTable
  'relata.followed_feeds': FollowedFeedsTable
  'relata.formula_fills': FormulaFillsTable
  'relata.grants': GrantsTable
  'relata.idempotent_answers': IdempotentAnswersTable
  'relata.import_pieces': ImportPiecesTable
  'relata.import_problems': ImportProblemsTable
  'relata.imported_meetings': ImportedMeetingsTable
  'relata.imports': ImportsTable
  'relata.inboxes': InboxesTable
  'relata.indexes': IndexesTable
  'relata.installation': InstallationTable
  'relata.interaction_refreshes': InteractionRefreshesTable
  'relata.invitations': InvitationsTable
  'relata.jobs': JobsTable
  'relata.kept_since': KeptSinceTable
  'relata.list_members': ListMembersTable
  'relata.list_teams': ListTeamsTable
  'relata.lists': ListsTable
  'relata.mailboxes': MailboxesTable
  'relata.meeting_links': MeetingLinksTable
  'relata.meeting_participants': MeetingParticipantsTable
  'relata.meetings': MeetingsTable
  'relata.member_pictures': MemberPicturesTable
  'relata.migrations': MigrationsTable
  'relata.notes': NotesTable
  'relata.notifications': NotificationsTable
  'relata.object_teams': ObjectTeamsTable
  'relata.objects': ObjectsTable
  'relata.options': OptionsTable
  'relata.outbox': OutboxTable
  'relata.outbox_writers': OutboxWritersTable
  'relata.passkey_challenges': PasskeyChallengesTable
  'relata.passkeys': PasskeysTable
  'relata.password_resets': PasswordResetsTable
  'relata.pending_sign_ins': PendingSignInsTable
  'relata.provider_identities': ProviderIdentitiesTable
  'relata.provider_requests': ProviderRequestsTable
  'relata.query_history': QueryHistoryTable
  'relata.query_scores': QueryScoresTable
  'relata.recent_requests': RecentRequestsTable
  'relata.record_followers': RecordFollowersTable
  'relata.record_pictures': RecordPicturesTable
  'relata.recovery_codes': RecoveryCodesTable
  'relata.refresh_tokens': RefreshTokensTable
  'relata.removed_entries': RemovedEntriesTable
  'relata.request_budgets': RequestBudgetsTable
  'relata.retention_rules': RetentionRulesTable
  'relata.rollup_refreshes': RollupRefreshesTable
  'relata.sample_items': SampleItemsTable
  'relata.saved_queries': SavedQueriesTable
  'relata.scim_requests': ScimRequestsTable
  'relata.secret_keys': SecretKeysTable
  'relata.sent_emails': SentEmailsTable
  'relata.sessions': SessionsTable
  'relata.sign_in_challenges': SignInChallengesTable
  'relata.sign_in_providers': SignInProvidersTable
  'relata.sign_in_rules': SignInRulesTable
  'relata.synced_events': SyncedEventsTable
  'relata.synced_meetings': SyncedMeetingsTable
  'relata.synced_messages': SyncedMessagesTable
  'relata.task_assignees': TaskAssigneesTable
  'relata.task_links': TaskLinksTable
  'relata.tasks': TasksTable
  'relata.team_invitations': TeamInvitationsTable
  'relata.team_members': TeamMembersTable
  'relata.teams': TeamsTable
  'relata.test_endpoints': TestEndpointsTable
  'relata.test_requests': TestRequestsTable
  'relata.threads': ThreadsTable
  'relata.tokens': TokensTable
  'relata.tool_calls': ToolCallsTable
  'relata.totp_secrets': TotpSecretsTable
  'relata.trash_expiries': TrashExpiriesTable
  'relata.trashed_files': TrashedFilesTable
  'relata.unsubscribed_emails': UnsubscribedEmailsTable
  'relata.view_pins': ViewPinsTable
  'relata.views': ViewsTable
  'relata.webhook_alerts': WebhookAlertsTable
  'relata.webhooks': WebhooksTable
  'relata.workers': WorkersTable
  'relata.workspace_members': WorkspaceMembersTable
  'relata.workspace_removals': WorkspaceRemovalsTable
  'relata.workspaces': WorkspacesTable
}

export interface AcceptedInvitationsTable {
  workspace_id: string
  invitation_id: string
  member_id: string
}

export interface AccountSignInsTable {
  workspace_id: string
  state_hash: Buffer
  member_id: string
  provider: string
  code_verifier: string
  account: string
  expires_at: string
}

export interface AccountsTable {
  id: string
  email_address: string
  password_hash: string
  created_at: string
  language: string | null
}

export interface ActivitiesTable {
  workspace_id: string
  id: string
  singular_noun: string
  plural_noun: string
  schema_slug: string
  system_slug: string | null
}

export interface ActorsTable {
  workspace_id: string
  number: number
  type: string
  id: string
}

export interface AllWorkspacesTable {
  id: string
  number: GeneratedAlways<number>
  slug: string
  name: string
  logo_url: string | null
  data_model_version: Generated<number>
  last_number: Generated<number>
  secret: string
  shows_updated_at: Generated<boolean>
  created_at: string
  creates_contacts: Generated<boolean>
  member_permissions: Generated<string[]>
  default_country: string | null
  download_secret: string | null
  deleted_at: string | null
  stores_email_texts: Generated<boolean>
  tables_migration: Generated<string>
  moved_to: string | null
  shown_objects: Generated<string[]>
  fetches_pictures: Generated<boolean>
  fetches_company_logos: Generated<boolean>
}

export interface AppSecretsTable {
  app_id: string
  id: string
  secret_hash: Buffer
  hint: string
  created_at: string
  last_used_at: string | null
}

export interface AppsTable {
  id: string
  workspace_id: string | null
  name: string
  description: string | null
  developer_name: string | null
  website_url: string | null
  logo_url: string | null
  is_public: boolean
  is_published: boolean
  redirect_uris: string[]
  scopes: string[]
  allows_plain_pkce: boolean
  uses_refresh_tokens: boolean
  created_at: string
}

export interface AttemptsTable {
  subject: string
  count: number
  since: string
  free_at: string
  pending: Generated<number>
  pending_until: Generated<string>
}

export interface AttributesTable {
  workspace_id: string
  entity_type_id: string
  id: string
  number: number
  position: number
  title: string
  description: string | null
  api_slug: string
  type: string
  is_system_attribute: Generated<boolean>
  is_writable: Generated<boolean>
  is_required: Generated<boolean>
  is_unique: Generated<boolean>
  is_multiselect: Generated<boolean>
  is_default_value_enabled: Generated<boolean>
  is_archived: Generated<boolean>
  has_history: Generated<boolean>
  default_value: string | null
  config: Generated<string>
  stored_in: Generated<string>
  relationship_attribute_id: string | null
  created_at: string
  has_duplicates: Generated<boolean>
  computed: string | null
}

export interface AuditLogTable {
  id: string
  workspace_id: string | null
  account_id: string | null
  action: string
  actor_type: string | null
  actor_id: string | null
  subject_type: string
  subject_id: string | null
  subject_name: string | null
  details: string
  address: string | null
  created_at: string
}

export interface AuthorizationCodesTable {
  workspace_id: string
  code_hash: Buffer
  app_id: string
  workspace_member_id: string
  redirect_uri: string
  scopes: string[]
  code_challenge: string | null
  code_challenge_method: string | null
  created_at: string
  expires_at: string
  used_at: string | null
  grant_id: string | null
  resource: string | null
  level: Generated<string>
}

export interface BackupScheduleTable {
  workspace_id: Generated<string>
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
  place: string
  since: string
  succeeded_at: string | null
  seconds: number | null
  bytes: string | null
  failures: Generated<string>
  failures_in_a_row: Generated<number>
  alert_due_at: string | null
  alert_attempts: Generated<number>
  alerted_at: string | null
}

export interface BlobsTable {
  workspace_id: string
  digest: Buffer
  size: string
  references_count: Generated<number>
  unreferenced_at: Generated<string | null>
}

export interface CallRecordingFetchesTable {
  workspace_id: string
  call_recording_id: string
  url: string
  size: string
  attempts: Generated<number>
  due_at: string
  leased_by: string | null
  worker: string | null
}

export interface CallRecordingTranscriptPagesTable {
  workspace_id: string
  call_recording_id: string
  page: number
  segments: string
}

export interface CallRecordingTranscriptsTable {
  workspace_id: string
  call_recording_id: string
  raw_transcript: string
  lexemes: string
}

export interface CallRecordingsTable {
  workspace_id: string
  id: string
  meeting_id: string
  status: string
  blob_digest: Buffer | null
  created_at: string
  created_by: number
  media_type: string | null
}

export interface CallerWritesTable {
  workspace_id: string
  caller: string
  written_at: string
}

export interface CommentsTable {
  workspace_id: string
  id: string
  thread_id: string
  author_id: string
  content: string
  created_at: string
  record_id: string
  list_id: string | null
  edited_at: string | null
}

export interface ConnectedAccountsTable {
  workspace_id: string
  id: string
  member_id: string
  kind: string
  email_address: string
  settings: string
  secret: string | null
  sharing: Generated<string>
  history_days: number | null
  state: Generated<string>
  error_code: string | null
  error_message: string | null
  error_answer: string | null
  failing_since: string | null
  failures: Generated<number>
  sync_state: Generated<string>
  progress: Generated<string>
  pending_changes: Generated<string[]>
  synced_at: string | null
  created_at: string
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
  provider: string | null
}

export interface ConsentsTable {
  token_hash: Buffer
  session_id: string
  app_id: string
  redirect_uri: string
  state: string | null
  scopes: string[]
  code_challenge: string | null
  code_challenge_method: string | null
  created_at: string
  expires_at: string
  resource: string | null
  level: Generated<string>
}

export interface ContactJobsTable {
  workspace_id: string
  id: string
  meeting_id: string | null
  record_ids: string[] | null
  is_bulk: boolean
  created_at: string
  due_at: string
  attempts: Generated<number>
  worker: string | null
  leased_by: string | null
}

export interface DashboardSchedulesTable {
  workspace_id: string
  id: string
  dashboard_id: string
  member_id: string
  frequency: string
  weekday: number | null
  day: number | null
  hour: number
  time_zone: string
  period: string | null
  owner: string | null
  created_at: string
  last_sent_at: string | null
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
}

export interface DashboardsTable {
  workspace_id: string
  id: string
  title: string
  charts: string
  created_at: string
  updated_at: string
  member_id: string | null
  version: Generated<number>
}

export interface DeletedEntityTypesTable {
  workspace_id: string
  entity_type_id: string
  deleted_at: string
  deleted_by: number
  expires_at: string
  names: string
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
}

export interface DeliveriesTable {
  workspace_id: string
  webhook_id: string
  id: string
  position: string
  event_id: string | null
  event_type: string
  record_id: string | null
  kind: string
  idempotency_key: string
  body: string
  status: Generated<string>
  attempts: Generated<number>
  due_at: string | null
  created_at: string
  finished_at: string | null
  list_id: string | null
  rights: string | null
  traceparent: string | null
}

export interface DeliveryAttemptsTable {
  workspace_id: string
  webhook_id: string
  delivery_id: string
  number: number
  at: string
  duration_ms: number
  status_code: number | null
  problem_code: string | null
  problem: string | null
  address: string | null
  request_headers: string
  response_headers: string
  response_body: string
}

export interface DismissedDuplicatesTable {
  workspace_id: string
  record_id: string
  other_record_id: string
  dismissed_by: number
  created_at: string
}

export interface DomainsTable {
  workspace_id: string
  id: string
  domain: string
  proof: string
  created_at: string
  verified_at: string | null
}

export interface EmailAddressesTable {
  workspace_id: string
  email_address: string
  sent_at: string
  email_id: string
  owner: number
}

export interface EmailDomainsTable {
  workspace_id: string
  email_domain: string
  sent_at: string
  email_id: string
  owner: number
}

export interface EmailLinksTable {
  workspace_id: string
  account_id: string
  message_key: string
  object_id: string
  record_id: string
  linked_at: string
}

export interface EmailTemplatesTable {
  workspace_id: string
  id: string
  object_id: string
  name: string
  subject: string
  body: string
  unsubscribe: boolean
  created_at: string
}

export interface EmailTextsTable {
  workspace_id: string
  email_id: string
  mailbox_id: string
  sent_at: string
  failures: Generated<number>
  read_at: string | null
  text: string | null
  is_cut: Generated<boolean>
  attachments: Generated<string>
}

export interface EmailsTable {
  workspace_id: string
  mailbox_id: string
  id: string
  message_key: string
  thread_key: string
  sent_at: string
  direction: string
  subject_line: string | null
  participants: string
}

export interface EntityTypesTable {
  workspace_id: string
  id: string
  number: number
  kind: string
  api_slug: string
  created_at: string
  is_used: Generated<boolean>
}

export interface ErasuresTable {
  workspace_id: string
  id: string
  terms: string
  expression: string
  begun_at: string
}

export interface EventsTable {
  workspace_id: string
  position: string
  id: string
  event_type: string
  occurred_at: string
  recorded_at: string
  body: string
}

export interface ExcludedAddressesTable {
  workspace_id: string
  member_id: string
  pattern: string
}

export interface FileImportLeasesTable {
  workspace_id: string
  member_id: string
  leased_by: string
  leased_until: string
  worker: string | null
}

export interface FilesTable {
  workspace_id: string
  id: string
  object_id: string
  record_id: string
  file_type: string
  parent_folder_id: string | null
  name: string | null
  content_type: string | null
  detected_type: string | null
  content_size: string | null
  blob_digest: Buffer | null
  storage_provider: string | null
  external_provider_file_id: string | null
  microsoft_drive_id: string | null
  created_by: number
  created_at: string
  url: string | null
  note_id: string | null
}

export interface FollowedFeedsTable {
  workspace_id: string
  position: string
  recorded_at: string
}

export interface FormulaFillsTable {
  workspace_id: string
  entity_type_id: string
  after: string
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
  computed_count: Generated<string>
  total_count: string | null
}

export interface GrantsTable {
  workspace_id: string
  id: string
  app_id: string
  workspace_member_id: string
  scopes: string[]
  created_at: string
  revoked_at: string | null
  resource: string | null
  level: Generated<string>
}

export interface IdempotentAnswersTable {
  workspace_id: string
  scope: Buffer
  request: Buffer
  status: number
  headers: string
  body: string
  answered_at: string
  record_ids: Generated<string[]>
}

export interface ImportPiecesTable {
  workspace_id: string
  import_id: string
  number: number
  bytes: Buffer
}

export interface ImportProblemsTable {
  workspace_id: string
  import_id: string
  number: number
  line: number
  outcome: string
  column_name: string
  value: string
  reason: string
}

export interface ImportedMeetingsTable {
  workspace_id: string
  meeting_id: string
  uid_hash: string
  occurs_at: string | null
  is_separate: boolean
  sequence: number
  changed_at: string
  content_hash: string
}

export interface ImportsTable {
  workspace_id: string
  id: string
  object_id: string
  created_by: string
  file_name: string
  file_size: Generated<string>
  delimiter: string | null
  columns: string | null
  state: string
  plan: string | null
  counts: string | null
  bytes_read: Generated<string>
  problems: Generated<number>
  failure: string | null
  is_cancelled: Generated<boolean>
  created_at: string
  started_at: string | null
  ended_at: string | null
  leased_by: string | null
  undo_job_id: string | null
  worker: string | null
  due_at: string | null
  attempts: Generated<number>
  traceparent: string | null
}

export interface InboxesTable {
  workspace_id: string
  member_id: string
  sends_digest: Generated<boolean>
  due_at: string | null
  attempts: Generated<number>
  digested_at: string | null
  worker: string | null
  leased_by: string | null
}

export interface IndexesTable {
  workspace_id: string
  entity_type_id: string
  attribute_id: string | null
  name: string
  kind: string
  definition: string
  state: Generated<string>
  is_pinned: Generated<boolean>
  requests: Generated<number>
  first_requested_at: string
  last_requested_at: string
  failures: Generated<number>
  retry_at: string | null
  error: string | null
  built_at: string | null
  build_ms: number | null
  scans: Generated<string>
  last_used_at: string | null
  requested_by: Generated<string[]>
  attribute_ids: Generated<string[]>
  equal_columns: Generated<string[]>
  partial_of: string | null
  estimate_checked_at: string | null
}

export interface InstallationTable {
  id: Generated<boolean>
  identity: string
  found: string | null
  held_at: string | null
}

export interface InteractionRefreshesTable {
  workspace_id: string
  record_id: string
  object_id: string
  due_at: string | null
  refreshed_at: string | null
  worker: string | null
  leased_by: string | null
  attempts: Generated<number>
  requested_at: string | null
}

export interface InvitationsTable {
  workspace_id: string
  id: string
  email_address: string
  access_level: string
  token_hash: Buffer
  invited_by_workspace_member_id: string
  created_at: string
  expires_at: string
  first_name: Generated<string>
  last_name: Generated<string>
  external_id: string | null
  updated_at: string | null
}

export interface JobsTable {
  workspace_id: string
  id: string
  entity_type_id: string
  kind: string
  actor: number
  member_id: string
  client_id: string | null
  scopes: string[]
  filter: string
  operation: string
  status: string
  total: number
  done: Generated<number>
  failed: Generated<number>
  errors: Generated<string>
  failure: string | null
  position: string | null
  batch: string | null
  created_at: string
  ended_at: string | null
  due_at: string | null
  leased_by: string | null
  kept: Generated<number>
  worker: string | null
  attempts: Generated<number>
  traceparent: string | null
  time_zone: string | null
}

export interface KeptSinceTable {
  table_name: string
  since: string
}

export interface ListMembersTable {
  workspace_id: string
  list_id: string
  workspace_member_id: string
  position: number
  level: string
}

export interface ListTeamsTable {
  workspace_id: string
  list_id: string
  team_id: string
  level: string
}

export interface ListsTable {
  workspace_id: string
  id: string
  name: string
  parent_object_id: string
  workspace_access: string | null
  created_by: number
}

export interface MailboxesTable {
  workspace_id: string
  id: string
  member_id: string
  created_at: string
  account_id: string | null
}

export interface MeetingLinksTable {
  workspace_id: string
  meeting_id: string
  object_id: string
  record_id: string
  position: number
  linked_at: string
  linked_by: number
  is_given: boolean
  is_all_day: boolean
  duration_class: number
  starts_at: string
  ends_at: string
}

export interface MeetingParticipantsTable {
  workspace_id: string
  meeting_id: string
  position: number
  email_address: string | null
  name: string | null
  is_organizer: boolean
  status: string
  is_all_day: boolean
  duration_class: number
  starts_at: string
  ends_at: string
}

export interface MeetingsTable {
  workspace_id: string
  id: string
  title: string
  description: string
  is_all_day: boolean
  starts_at: string
  ends_at: string
  start_timezone: string | null
  end_timezone: string | null
  duration_class: number
  external_key: string | null
  created_at: string
  created_by: number
  version: Generated<number>
}

export interface MemberPicturesTable {
  workspace_id: string
  workspace_member_id: string
  blob_digest: Buffer
  content_type: string
}

export interface MigrationsTable {
  name: string
  applied_at: Generated<string>
  version: string | null
}

export interface NotesTable {
  workspace_id: string
  id: string
  parent_object_id: string
  parent_record_id: string
  title: string
  content: string
  meeting_id: string | null
  created_by: number
  created_at: string
  version: Generated<number>
}

export interface NotificationsTable {
  workspace_id: string
  member_id: string
  id: string
  kind: string
  comment_id: string | null
  task_id: string | null
  actor: number
  created_at: string
  read_at: string | null
  is_digested: Generated<boolean>
}

export interface ObjectTeamsTable {
  workspace_id: string
  object_id: string
  team_id: string
  access: string
}

export interface ObjectsTable {
  workspace_id: string
  id: string
  singular_noun: string
  plural_noun: string
  standard_slug: string | null
  is_enabled: Generated<boolean>
  member_access: Generated<string>
}

export interface OptionsTable {
  workspace_id: string
  attribute_id: string
  id: string
  number: number
  position: number
  title: string
  is_archived: Generated<boolean>
  celebration_enabled: Generated<boolean>
  target_time_in_status: string | null
  created_at: string
  color: string | null
}

export interface OutboxTable {
  id: GeneratedAlways<string>
  workspace_id: string
  occurred_at: string
  actor: number
  events: string
}

export interface OutboxWritersTable {
  workspace_id: string
  process: string
  is_publishing: boolean
  registered_until: string
}

export interface PasskeyChallengesTable {
  account_id: string
  challenge: string
  purpose: string
  expires_at: string
}

export interface PasskeysTable {
  account_id: string
  id: string
  credential_id: string
  public_key: Buffer
  counter: string
  transports: string[]
  name: string
  created_at: string
  last_used_at: string | null
}

export interface PasswordResetsTable {
  token_hash: Buffer
  account_id: string
  created_at: string
  expires_at: string
}

export interface PendingSignInsTable {
  token_hash: Buffer
  account_id: string
  method: string
  expires_at: string
  provider_sign_out_url: string | null
}

export interface ProviderIdentitiesTable {
  id: string
  workspace_id: string | null
  issuer: string
  subject: string
  account_id: string
  created_at: string
}

export interface ProviderRequestsTable {
  state_hash: Buffer
  browser_hash: Buffer
  workspace_id: string | null
  issuer: string
  client_id: string
  nonce: string
  code_verifier: string
  expires_at: string
}

export interface QueryHistoryTable {
  workspace_id: string
  member_id: string
  id: string
  sql: string
  ran_at: string
  duration_ms: number
  row_count: number | null
}

export interface QueryScoresTable {
  workspace_id: string
  slot: string
  score: number
}

export interface RecentRequestsTable {
  workspace_id: string
  created_at: string
  id: string
  count: number
  requests: string
}

export interface RecordFollowersTable {
  workspace_id: string
  object_id: string
  record_id: string
  member_id: string
  followed_at: string
}

export interface RecordPicturesTable {
  workspace_id: string
  object_id: string
  record_id: string
  blob_digest: Buffer | null
  sources_hash: Buffer | null
  expires_at: string | null
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
}

export interface RecoveryCodesTable {
  account_id: string
  code_hash: Buffer
}

export interface RefreshTokensTable {
  workspace_id: string
  token_hash: Buffer
  grant_id: string
  created_at: string
  expires_at: string
  used_at: string | null
}

export interface RemovedEntriesTable {
  workspace_id: string
  record_id: string
  list_id: string
  entry_id: string
  created_at: string
  created_by: number
  removed_at: string
  removed_by: number
}

export interface RequestBudgetsTable {
  caller: string
  kind: string
  tokens: number
  filled_at: number
}

export interface RetentionRulesTable {
  workspace_id: string
  object_id: string
  days: number
  action: string
  position: string | null
  deleted: Generated<number>
  ran_at: string | null
  ran_deleted: number | null
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
}

export interface RollupRefreshesTable {
  workspace_id: string
  id: string
  entity_type_id: string
  attribute_id: string | null
  entity_id: string | null
  after: string | null
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
  requested_at: Generated<string>
  is_erasure: Generated<boolean>
  computed_count: Generated<string>
  total_count: string | null
}

export interface SampleItemsTable {
  workspace_id: string
  kind: string
  id: string
  object_id: string | null
  position: number
}

export interface SavedQueriesTable {
  workspace_id: string
  id: string
  name: string
  sql: string
  version: Generated<number>
  member_id: string
  created_at: string
  updated_at: string
}

export interface ScimRequestsTable {
  workspace_id: string
  id: string
  method: string
  path: string
  status: number
  detail: string | null
  user_agent: string | null
  duration_ms: number
  created_at: string
}

export interface SecretKeysTable {
  id: string
  check_value: string
  is_current: boolean
  created_at: Generated<string>
}

export interface SentEmailsTable {
  workspace_id: string
  id: string
  account_id: string
  member_id: string
  state: Generated<string>
  message_id: string
  message_key: string
  from_address: string
  from_name: string | null
  recipients: string
  subject: string
  body_text: string | null
  body_html: string | null
  attachments: Generated<string>
  reply_to_key: string | null
  in_reply_to: string | null
  reference_ids: string | null
  refused: Generated<string>
  error_code: string | null
  error_message: string | null
  error_answer: string | null
  failures: Generated<number>
  needs_copy: Generated<boolean>
  created_at: string
  sent_at: string | null
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
  unsubscribe_url: string | null
}

export interface SessionsTable {
  id: string
  account_id: string
  token_hash: Buffer
  user_agent: string
  address: string | null
  created_at: string
  last_used_at: string
  expires_at: string
  method: string
  second_factor: string | null
  workspace_id: string | null
  proven_at: string | null
  provider_sign_out_url: string | null
}

export interface SignInChallengesTable {
  challenge: string
  expires_at: string
}

export interface SignInProvidersTable {
  workspace_id: string
  name: string
  issuer: string
  client_id: string
  client_secret: string
  updated_at: string
}

export interface SignInRulesTable {
  workspace_id: string
  requires_provider: Generated<boolean>
  break_glass_member_id: string | null
  requires_second_factor: Generated<boolean>
}

export interface SyncedEventsTable {
  workspace_id: string
  account_id: string
  calendar: number
  event_key: string
  etag: string
}

export interface SyncedMeetingsTable {
  workspace_id: string
  meeting_id: string
  account_id: string
  calendar: number
  event_key: string
}

export interface SyncedMessagesTable {
  workspace_id: string
  account_id: string
  folder: number
  uid: string
  message_key: string
}

export interface TaskAssigneesTable {
  workspace_id: string
  task_id: string
  assignee: number
  is_completed: boolean
  completed_at: string | null
  deadline_at: string | null
  created_at: string
}

export interface TaskLinksTable {
  workspace_id: string
  task_id: string
  object_id: string
  record_id: string
  position: number
  linked_at: string
  linked_by: number
  is_completed: boolean
  completed_at: string | null
  deadline_at: string | null
  assignees: string[]
  created_at: string
}

export interface TasksTable {
  workspace_id: string
  id: string
  content: string
  deadline_at: string | null
  deadline_ns: number | null
  is_completed: boolean
  completed_at: string | null
  completed_by: number | null
  assignees: string[]
  created_at: string
  created_by: number
  version: Generated<number>
}

export interface TeamInvitationsTable {
  workspace_id: string
  team_id: string
  invitation_id: string
}

export interface TeamMembersTable {
  workspace_id: string
  team_id: string
  member_id: string
}

export interface TeamsTable {
  workspace_id: string
  id: string
  name: string
  external_id: string | null
  created_at: string
  updated_at: string
}

export interface TestEndpointsTable {
  workspace_id: string
  id: string
  name: string
  token: string
  status: number
  headers: string
  body: string
  delay_ms: number
  fail_first: number
  received: Generated<number>
  created_at: string
  expires_at: string
}

export interface TestRequestsTable {
  workspace_id: string
  endpoint_id: string
  id: string
  at: string
  method: string
  path: string
  headers: string
  body: string
  webhook_id: string | null
  signature: string
  answered_status: number
  bytes: Buffer | null
  event_type: string | null
  list_id: string | null
}

export interface ThreadsTable {
  workspace_id: string
  id: string
  object_id: string
  record_id: string
  list_id: string | null
  entry_id: string | null
  created_at: string
  resolved_at: string | null
  resolved_by: number | null
}

export interface TokensTable {
  workspace_id: string
  id: string
  name: string
  token_hash: Buffer
  hint: string
  scopes: string[]
  client_id: string
  actor: number
  authorized_by_workspace_member_id: string
  created_at: string
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
  grant_id: string | null
  resource: string | null
  level: Generated<string>
}

export interface ToolCallsTable {
  workspace_id: string
  created_at: string
  id: string
  actor: number
  tool: string
  subject: string | null
  subject_id: string | null
  status: number
  duration_ms: number
}

export interface TotpSecretsTable {
  account_id: string
  secret: string
  created_at: string
  confirmed_at: string | null
  last_step: Generated<string>
}

export interface TrashExpiriesTable {
  workspace_id: string
  due_at: string
}

export interface TrashedFilesTable {
  workspace_id: string
  file_id: string
  object_id: string
  record_id: string
  blob_digest: Buffer
}

export interface UnsubscribedEmailsTable {
  workspace_id: string
  email_address: string
  created_at: string
}

export interface ViewPinsTable {
  workspace_id: string
  member_id: string
  entity_type_id: string
  view_id: string
  created_at: string
}

export interface ViewsTable {
  workspace_id: string
  entity_type_id: string
  id: string
  title: string
  type: string
  filter: string
  sorts: string
  visible_attributes: string | null
  is_archived: Generated<boolean>
  created_at: string
  board: string | null
  member_id: string | null
  group_by: string | null
  is_default: Generated<boolean>
}

export interface WebhookAlertsTable {
  workspace_id: string
  id: GeneratedAlways<string>
  webhook_id: string
  status: string
  at: string
  due_at: string
  attempts: Generated<number>
  worker: string | null
  leased_by: string | null
}

export interface WebhooksTable {
  workspace_id: string
  id: string
  client_id: string | null
  created_by: number
  target_url: string
  subscriptions: string
  status: Generated<string>
  degraded_at: string | null
  secret: string
  previous_secret: string | null
  previous_secret_until: string | null
  created_at: string
  due_at: string | null
  leased_by: string | null
  leased_until: string | null
  failures: Generated<number>
  waiting_since: Generated<string>
  saved_by: number
  name: string | null
}

export interface WorkersTable {
  name: string
  version: string | null
}

export interface WorkspaceMembersTable {
  workspace_id: string
  id: string
  account_id: string | null
  first_name: string
  last_name: string
  email_address: string
  avatar_url: string | null
  access_level: string
  created_at: string
  external_id: string | null
  updated_at: string | null
  former_access_level: string | null
  user_deleted_at: string | null
}

export interface WorkspaceRemovalsTable {
  workspace_id: string
  begun_at: string | null
  due_at: string | null
  attempts: Generated<number>
  leased_by: string | null
  worker: string | null
}

export interface WorkspacesTable {
  id: string
  number: GeneratedAlways<number>
  slug: string
  name: string
  logo_url: string | null
  data_model_version: Generated<number>
  last_number: Generated<number>
  secret: string
  shows_updated_at: Generated<boolean>
  created_at: string
  creates_contacts: Generated<boolean>
  member_permissions: Generated<string[]>
  default_country: string | null
  download_secret: string | null
  deleted_at: string | null
  stores_email_texts: Generated<boolean>
  tables_migration: Generated<string>
  moved_to: string | null
  shown_objects: Generated<string[]>
  fetches_pictures: Generated<boolean>
  fetches_company_logos: Generated<boolean>
}
