/** Every table with rows of a workspace is exported or named here. A new table needs a decision. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { WORKSPACE_TABLES } from '#engine/data-model/tables'
import { testDatabase, type TestDatabase } from '#testing/database'
import { WorkspaceEntry } from '#run/cli/transfer/format'
import type { FileDefinition } from './define-file'
import { CONTENT_FILES } from './content-files'
import { MODEL_FILES } from './model-files'

const FILES = [...Object.values(MODEL_FILES), ...Object.values(CONTENT_FILES)]

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const exported = new Set(FILES.flatMap(({ table, targets }) => [table, ...(targets ?? []).map((each) => each.table)]))

/** docs/export-format.md (Export) says why. */
const NOT_EXPORTED = [
  ['accepted_invitations', 'invitations', 'team_invitations', 'domains', 'sign_in_providers', 'sign_in_rules'],
  [
    'provider_identities',
    'provider_requests',
    'sessions',
    'tokens',
    'apps',
    'grants',
    'refresh_tokens',
    'authorization_codes',
  ],
  ['audit_log', 'scim_requests', 'recent_requests', 'tool_calls'],
  ['query_history', 'query_scores', 'idempotent_answers', 'caller_writes'],
  ['events', 'events_default', 'outbox', 'outbox_writers', 'deliveries', 'deliveries_default', 'webhook_alerts'],
  ['delivery_attempts', 'delivery_attempts_default', 'test_endpoints', 'test_requests'],
  [
    'imports',
    'import_pieces',
    'import_problems',
    'file_import_leases',
    'call_recording_fetches',
    'contact_jobs',
    'erasures',
    'jobs',
    'retention_rules',
    'dashboard_schedules',
  ],
  [
    'backup_schedule',
    'indexes',
    'followed_feeds',
    'formula_fills',
    'sample_items',
    'interaction_refreshes',
    'trashed_files',
    'trash_expiries',
  ],
  [
    'workspace_removals',
    'connected_accounts',
    'excluded_addresses',
    'synced_messages',
    'email_texts',
    'synced_meetings',
    'synced_events',
    'sent_emails',
    'email_links',
    'account_sign_ins',
  ],
].flat()

/** A partition has the name of its table and a day. */
const withoutDay = (name: string) => name.replace(/_\d{4}_?\d{2}_?\d{2}$/, '')

test('control tables', async () => {
  const rows = await database.db.sql<{ name: string }[]>`
    select table_name as name from information_schema.columns where table_schema = 'relata' and column_name = 'workspace_id'`
  const tables = new Set(rows.map(({ name }) => withoutDay(name)))
  expect([...tables].filter((name) => !exported.has(name) && !NOT_EXPORTED.includes(name))).toEqual([])
})

test('tables of each workspace: unique values follow from the records, and what can be undone is left out', () => {
  const notExported = ['uniques', 'outbox', 'model', 'trash', 'trash_parts', 'import_creations', 'import_updates']
  const names = WORKSPACE_TABLES.map(({ name }) => name)
  expect(names.filter((name) => !exported.has(name) && !notExported.includes(name))).toEqual([])
})

/** A change of the data model locks the row of the workspace, and is refused while the workspace moves. */
const OF_THE_DATA_MODEL = [
  'actors',
  'entity_types',
  'objects',
  'activities',
  'lists',
  'attributes',
  'options',
  'deleted_entity_types',
]

/** The exported rows are inserted with deletions of records, which are refused, and by a worker, which waits. */
const OF_DELETIONS = ['rollup_refreshes']

test('every control table that is exported refuses writes while its workspace moves', async () => {
  const rows = await database.db.sql<{ name: string }[]>`
    select tgrelid::regclass::text as name from pg_trigger where tgname = 'refuse_while_moving'`
  const refusing = new Set(rows.map(({ name }) => name.replace('relata.', '')))
  const tables = FILES.flatMap(({ table, isInWorkspaceSchema }) => (isInWorkspaceSchema === true ? [] : [table]))
  expect(
    tables.filter((table) => !refusing.has(table) && ![...OF_THE_DATA_MODEL, ...OF_DELETIONS].includes(table)),
  ).toEqual([])
})

test('every column is exported, added or a constant, or is named here', async () => {
  const left = {
    workspace_members: ['account_id'],
    workspaces: [
      'id',
      'number',
      'data_model_version',
      'secret',
      'download_secret',
      'deleted_at',
      'moved_to',
      'tables_migration',
      'stores_email_texts',
      'fetches_pictures',
      'fetches_company_logos',
      'shown_objects',
    ],
    dashboards: ['version'],
    inboxes: ['due_at', 'attempts', 'digested_at', 'worker', 'leased_by'],
    deleted_entity_types: ['attempts', 'worker', 'leased_by'],
    record_pictures: ['sources_hash', 'expires_at', 'due_at', 'attempts', 'worker', 'leased_by'],
    rollup_refreshes: ['attempts', 'worker', 'leased_by', 'computed_count', 'total_count'],
    mailboxes: ['account_id'],
    blobs: ['references_count', 'unreferenced_at'],
    webhooks: [
      'degraded_at',
      'previous_secret',
      'previous_secret_until',
      'due_at',
      'leased_by',
      'leased_until',
      'failures',
      'waiting_since',
    ],
  } as Record<string, string[]>
  const rows = await database.db.sql<{ table: string; name: string }[]>`
    select table_name as table, column_name as name from information_schema.columns where table_schema = 'relata'`
  const columns = Map.groupBy(rows, ({ table }) => table)
  const workspace = { table: 'workspaces', columns: namesOnly(WorkspaceEntry.properties) }
  for (const { table, columns: members, constants, added } of [workspace, ...FILES] as FileDefinition[]) {
    const stored = Object.entries(members).map(([name, column]) =>
      typeof column === 'string' ? name : (column.column ?? name),
    )
    const known = new Set([
      'workspace_id',
      ...stored,
      ...Object.keys({ ...constants, ...added }),
      ...(left[table] ?? []),
    ])
    const missing = (columns.get(table) ?? []).filter(({ name }) => !known.has(name)).map(({ name }) => name)
    expect([table, missing]).toEqual([table, []])
  }
})

const namesOnly = (properties: object) => Object.fromEntries(Object.keys(properties).map((name) => [name, 'text']))
