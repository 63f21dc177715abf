/**
 * Reads an exported workspace into a new or an empty one. Everything is inserted in one transaction, so that a workspace exists
 * whole or not at all. No change events are recorded, so that no webhook is sent. See docs/decisions/workspace-copies.md.
 */

import { COMMAND } from '#db/program'
import { allowTriggers, hasCitus, sendCommands } from '#db/citus'
import type { Database, Transaction } from '#db/connect'
import { allowLongTransaction } from '#db/run-in-transaction'
import { audit, COMMAND_LINE } from '#access/audit-log/audit'
import { picturePath } from '#access/members/pictures'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { BlobKey } from '#crm/blobs/byte-storage'
import { findBlob } from '#crm/blobs/store'
import { attributeType } from '#engine/attribute-types/registry'
import { compileCheck } from '#base/validation/compile-check'
import { computedAttributes, formulaCommands, trackedFormulas } from '#engine/formulas/formula-sql'
import { SqlRefused } from '#engine/sql/compile/source-text'
import { notifyModelChange } from '#engine/data-model/change-model'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { loadDataModel } from '#engine/data-model/load'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { ROLLUP_FUNCTIONS, TYPE_NAMES } from '#vocabulary/data-model'
import { createIndex, createTable, dropTable, WORKSPACE_TABLES } from '#engine/data-model/tables'
import {
  analyzeTables,
  continueHistorySequence,
  deleteRemains,
  hasAnyEntities,
} from '#engine/storage/dump/workspace-tables'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import { webhookRow } from '#events/webhooks/delivery'
import { insertSystemActivities } from '#engine/workspaces/create-activity'
import { createSchema, expectedTables, newWorkspaceSecret } from '#engine/workspaces/create-workspace'
import { CommandError, defineCommand, UsageError } from '#run/cli/command'
import type { FileDefinition } from '#run/cli/transfer/files/define-file'
import { CONTENT_FILES } from '#run/cli/transfer/files/content-files'
import { MODEL_FILES } from '#run/cli/transfer/files/model-files'
import {
  BYTES_FOLDER,
  entityFileNameOf,
  fileNameOf,
  type Manifest,
  MANIFEST,
  type WorkspaceEntry,
} from '#run/cli/transfer/format'
import { type Progress, createProgress, elapsedSeconds, perSecond } from '#run/cli/transfer/progress'
import { checkRollups, requestImported } from './check-rollups'
import { DamagedExport, messageOf, readChunks } from './open-file'
import {
  type CompleteRow,
  type ImportSource,
  insertLines,
  type LineInserter,
  rowInserter,
  type RowLine,
} from './insert-rows'
import { restoreAccess, saveAccess } from './previous-access'
import { createAccountWithoutPassword, findAccountByEmail } from '#access/accounts/accounts'
import { wholeModel } from '#engine/data-model/access/member-model'
import { SLUG_PATTERN, workspaceSchemaName } from '#engine/data-model/names'
import { readBlobs, openExport } from './open-export'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import { type DumpedValue, isDumped } from '#engine/storage/dump/read-dumped-entities'
import { dumpedEntityInserter, type PreparedEntity } from '#engine/storage/dump/insert-dumped-entities'
import { newId } from '#base/ids'

export interface ImportOptions {
  readonly db: Database
  readonly blobs: BlobStore
  readonly now: Clock
  readonly folder: string
  readonly manifest: Manifest
  /** The settings of the workspace: those of the manifest, with another slug or name. */
  readonly workspace: WorkspaceEntry
  readonly progress: Progress
  /** Of a workspace that moves here. */
  readonly move?: ArrivingWorkspace
}

/** The workspace keeps its id, and must not exist here. */
export interface ArrivingWorkspace {
  readonly id: string
  /** Inserts what exports lack, in the transaction of the import. */
  insertMissing(tx: Transaction): Promise<void>
}

/** Returns the id of the workspace. */
export async function importWorkspace(options: ImportOptions): Promise<string> {
  const { db } = options
  const model = await importInTransaction(options)
  await analyzeTables((statement) => db.sql.unsafe(statement), model)
  return model.workspace.id
}

async function importInTransaction(options: ImportOptions): Promise<DataModel> {
  const { db, blobs } = options
  const stored: BlobKey[] = []
  try {
    const imported = await db.sql.begin(async (tx) => {
      await allowLongTransaction(tx)
      const target = await openTarget(db, tx, options)
      const model = await insertEverything(tx, target, options)
      await insertBytes(options, blobs, target.workspaceId, stored)
      return { model }
    })
    return (imported as { model: DataModel }).model // the driver's type for the callback's result is wider
  } catch (error) {
    await removeBytes(db, blobs, stored)
    throw error
  }
}

async function insertEverything(tx: Transaction, target: Target, options: ImportOptions): Promise<DataModel> {
  const { workspaceId } = target
  const listed = new Set(options.manifest.files.map(({ name }) => name))
  const insert = async (file: FileDefinition) => {
    const name = fileNameOf(file.name)
    if (file.isOptional === true && !listed.has(name)) return
    await insertLines(tx, options, name, rowInserter(target, file, completions(tx, options, workspaceId).get(file)))
  }
  for (const file of Object.values(MODEL_FILES)) await insert(file)
  await storePictures(tx, workspaceId)
  const last = Math.max(options.manifest.workspace.last_number, target.lastNumber)
  if (target.isExisting) await restoreAccess(tx, workspaceId, last)
  await storeLastNumber(tx, workspaceId, last)
  const model = wholeModel(await loadDataModel(tx, workspaceId))
  await insertEntities(tx, model, options)
  for (const file of Object.values(CONTENT_FILES)) await insert(file)
  await requestImported(tx, model, options.now)
  await continueHistorySequence(tx, model)
  await options.move?.insertMissing(tx)
  await insertSystemActivities({ tx, control: controlQueriesIn(tx), model }, timestampFromMicros(options.now()))
  await checkConstraints(tx)
  await notifyModelChange(tx, workspaceId)
  const { slug, name } = options.workspace
  const subject = { type: 'workspace', id: workspaceId, name }
  await audit(tx, {
    ...COMMAND_LINE,
    workspaceId,
    action: 'workspace.imported',
    subject,
    details: { slug },
    now: options.now(),
  })
  return model
}

/** Checks the references that are only checked at the end of a transaction. */
async function checkConstraints(tx: Transaction): Promise<void> {
  try {
    await tx`set constraints all immediate`
  } catch (error) {
    throw new CommandError(`A line refers to a row that the export lacks: ${messageOf(error)}.`)
  }
}

/** What the import adds to the lines of some files, or checks besides the types. */
const completions = (
  tx: Transaction,
  { db, now }: ImportOptions,
  workspaceId: string,
): ReadonlyMap<FileDefinition, CompleteRow> =>
  new Map<FileDefinition, CompleteRow>([
    [MODEL_FILES.members, accountsOfMembers(tx, now)],
    [MODEL_FILES.objects, checkEntityType],
    [MODEL_FILES.activities, checkEntityType],
    [MODEL_FILES.lists, checkEntityType],
    [MODEL_FILES.attributes, checkAttribute],
    [
      CONTENT_FILES.webhooks,
      async ({ id }) => ({
        secret: await db.secrets.encrypt(tx, webhookRow(workspaceId, String(id)), newWebhookSecret()),
      }),
    ],
  ])

const newWebhookSecret = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')

/** Indexes are built after the rows, which is faster than to insert into them. */
async function insertEntities(tx: Transaction, model: DataModel, options: ImportOptions): Promise<void> {
  const tables = expectedTables(model).filter((table) => !WORKSPACE_TABLES.includes(table))
  await sendCommands(
    tx,
    tables.flatMap((table) => createTable(model.schema, { ...table, indexes: [] })),
  )
  await createTriggers(tx, model)
  refuseFaultyRollups(model)
  const names = new Set(options.manifest.files.map(({ name }) => name).filter((name) => name.includes('/')))
  for (const entityType of model.entityTypes) {
    const name = entityFileNameOf(entityType)
    if (!names.delete(name)) throw new DamagedExport(MANIFEST, `the file ${name} is not listed.`)
    await insertLines(tx, options, name, entityInserter(model, entityType))
  }
  for (const name of names) throw new DamagedExport(name, 'no object, activity or list has this slug.')
  options.progress.begin('indexes')
  await sendCommands(
    tx,
    tables.flatMap(({ name, indexes }) => indexes.map((index) => createIndex(`${model.schema}."${name}"`, index))),
  )
}

/** The triggers compute the formulas of the rows, whose values an export leaves out. They parse each formula again, so that a line cannot contain other SQL. */
async function createTriggers(tx: Transaction, model: DataModel): Promise<void> {
  if (await hasCitus(tx)) refuseTracked(model)
  await allowTriggers(tx)
  for (const entityType of model.entityTypes) {
    if (computedAttributes(entityType).length === 0) continue
    try {
      await sendCommands(tx, formulaCommands(model, entityType))
    } catch (error) {
      if (error instanceof SqlRefused)
        throw new DamagedExport(fileNameOf(MODEL_FILES.attributes.name), `a formula is not valid: ${error.message}.`)
      throw error
    }
  }
}

/** Their triggers write to other tables, which fails on a node of Citus. */
function refuseTracked({ entityTypes }: DataModel): void {
  const tracked = entityTypes.flatMap((entityType) =>
    trackedFormulas(entityType).map(({ api_slug }) => `${entityType.api_slug}.${api_slug}`),
  )
  if (tracked.length > 0)
    throw new CommandError(
      `A database that Citus distributes has no formulas with tracked changes. Replace them before the export: ${tracked.join(', ')}.`,
    )
}

function refuseFaultyRollups(model: DataModel): void {
  try {
    checkRollups(model)
  } catch (error) {
    throw new DamagedExport(
      fileNameOf(MODEL_FILES.attributes.name),
      `a look-up or rollup is not valid: ${messageOf(error)}.`,
    )
  }
}

/** The path of a picture contains the id of the workspace. */
async function storePictures(tx: Transaction, workspaceId: string): Promise<void> {
  const pictures = await tx<{ id: string; digest: Buffer }[]>`
    select workspace_member_id as id, blob_digest as digest from relata.member_pictures where workspace_id = ${workspaceId}`
  for (const { id, digest } of pictures) {
    const avatar_url = picturePath({ workspaceId, memberId: id }, digest)
    await tx`
      update relata.workspace_members set avatar_url = ${avatar_url} where workspace_id = ${workspaceId} and id = ${id}`
  }
}

/** New objects, attributes, options and actors get numbers that no row of the workspace has. */
async function storeLastNumber(tx: Transaction, workspaceId: string, least: number): Promise<void> {
  await tx`
    update relata.workspaces w set last_number = greatest(${least}::int,
      (select max(number) from relata.entity_types where workspace_id = w.id),
      (select max(number) from relata.attributes where workspace_id = w.id),
      (select max(number) from relata.options where workspace_id = w.id),
      (select max(number) from relata.actors where workspace_id = w.id))
    where id = ${workspaceId}`
}

/** The accounts of imported members. */
const MAX_ADDRESS = 320
const WEB_ADDRESS = /^https?:\/\//

/**
 * Gives each member that had an account the account of this service with the same address. Without one, an account without a
 * password is created; its owner sets a password with a link.
 */
const accountsOfMembers =
  (tx: Transaction, now: Clock): CompleteRow =>
  async ({ account_email_address: address, avatar_url }) => {
    if (avatar_url !== null && !(typeof avatar_url === 'string' && WEB_ADDRESS.test(avatar_url)))
      throw new Error('avatar_url is an address of the web or null.')
    if (address === null) return { account_id: null }
    if (typeof address !== 'string' || !address.includes('@') || address.length > MAX_ADDRESS) {
      throw new Error('account_email_address is an email address or null.')
    }
    const existing = await findAccountByEmail({ sql: tx }, address)
    return { account_id: existing ?? (await createAccountWithoutPassword({ sql: tx }, address, now())).id }
  }

/** Checks of the data model that PostgreSQL does not make. */
const STORED_IN = ['columns', 'entity', 'partner', 'formula', 'function', 'worker']

/** Types of a newer service are unknown. */
const checkAttribute: CompleteRow = (row) => {
  const { type, stored_in } = row
  checkNumber(row)
  checkComputed(row)
  if (!TYPE_NAMES.some((name) => name === type)) throw new Error(`the attribute type ${textOf(type)} is unknown.`)
  if (!STORED_IN.some((name) => name === stored_in)) throw new Error(`stored_in is one of ${STORED_IN.join(', ')}.`)
  return {}
}

const checkFormulaForm = compileCheck(
  Type.Object({
    formula: Type.Array(
      Type.Union([
        Type.String(),
        Type.Object({
          attribute: Type.String(),
          field: Type.Optional(Type.String()),
          is_quoted: Type.Optional(Type.Literal(true)),
        }),
      ]),
    ),
  }),
)

const checkLookupForm = compileCheck(
  Type.Object({ lookup: Type.Object({ reference: Type.String(), attribute: Type.String() }) }),
)

const checkRollupForm = compileCheck(
  Type.Object({
    rollup: Type.Object({
      through: Type.String(),
      function: Type.Enum([...ROLLUP_FUNCTIONS]),
      of: Type.Optional(Type.String()),
      field: Type.Optional(Type.String()),
      filter: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  }),
)

function checkComputed({ computed, stored_in, type, is_multiselect }: RowLine): void {
  if (stored_in === 'worker') {
    if (checkLookupForm(computed).length === 0 || checkRollupForm(computed).length === 0) return
    throw new Error('computed is a look-up or a rollup.')
  }
  if (stored_in !== 'formula' && stored_in !== 'function') return
  const hasForm = TYPE_NAMES.some((name) => name === type && attributeType(name).formula !== undefined)
  if (checkFormulaForm(computed).length > 0 || !hasForm || is_multiselect === true)
    throw new Error('computed is the formula of an attribute with one value.')
}

// oxlint-disable-next-line relata/no-super-linear-regexp -- the linter checks the pattern where it stands
const SLUG = new RegExp(SLUG_PATTERN)

/** The slug is the name of the file of the records or entries. */
const checkEntityType: CompleteRow = (row) => {
  checkNumber(row)
  const { id, api_slug } = row
  // The slug of a deleted object or activity, and of the lists of the object, is the id.
  if (typeof api_slug !== 'string' || (api_slug !== id && !SLUG.test(api_slug)))
    throw new Error(`the slug ${textOf(api_slug)} is invalid.`)
  return {}
}

/** Numbers are part of the names of tables and columns. */
function checkNumber({ number }: RowLine): void {
  if (!Number.isInteger(number) || Number(number) < 1) throw new Error('number is an integer from 1.')
}

const textOf = (value: unknown): string => String(JSON.stringify(value)).slice(0, 100)

// Stores the bytes of files. Their rows are inserted in the transaction of the import.

/** Adds the key of everything that it may have stored to `stored`, also when it throws. */
async function insertBytes(
  { folder, progress }: ImportSource,
  blobs: BlobStore,
  workspaceId: string,
  stored: BlobKey[],
): Promise<void> {
  progress.begin(BYTES_FOLDER)
  for await (const { digest, size } of readBlobs(folder)) {
    const key = { workspaceId, digest: Buffer.from(digest, 'hex') }
    // Before: an error may come after the bytes were stored.
    stored.push(key)
    await storeFile(blobs, key, readChunks(folder, `${BYTES_FOLDER}/${digest}`), size)
    progress.add(1)
  }
}

/**
 * Removes the bytes of a transaction that failed. Bytes with a row stay: a commit may succeed although the connection broke before
 * its answer.
 */
async function removeBytes({ sql }: Database, { bytes }: BlobStore, stored: readonly BlobKey[]): Promise<void> {
  for (const key of stored) {
    const isUsed = (await findBlob(sql, key)) !== undefined
    // The error of the import is the one to show. `bun relata files check --repair` removes what is left.
    if (!isUsed) await bytes.remove(key).catch(() => {})
  }
}

async function storeFile(
  blobs: BlobStore,
  key: BlobKey,
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): Promise<void> {
  const file = await blobs.receive(chunks, size)
  try {
    if (!file.digest.equals(key.digest)) {
      throw new DamagedExport(`${BYTES_FOLDER}/${key.digest.toString('hex')}`, 'the content changed during the import.')
    }
    await blobs.bytes.publish(key, file.path).catch((error: unknown) => {
      throw new CommandError(`The bytes ${key.digest.toString('hex')} could not be stored: ${messageOf(error)}`)
    })
  } finally {
    await file.remove()
  }
}

/** Checks and inserts the records of an object or the entries of a list. */
const Timestamp = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z$' })
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])
const STRICT = { additionalProperties: false }

/** `active_from` is parsed later, where it differs from the creation of the record. */
const Value = Type.Object(
  {
    active_from: Type.String(),
    active_until: Type.Null(),
    actor: Type.Integer(),
    mirrored: Type.Optional(Type.Literal(true)),
    rank: Type.Optional(Type.Integer()),
    value: Type.Record(Type.String(), Scalar),
  },
  STRICT,
)
const RECORD = {
  id: Type.String(),
  created_at: Timestamp,
  created_by: Type.Integer(),
  updated_at: Timestamp,
  updated_by: Type.Integer(),
  version: Type.Integer({ minimum: 1 }),
  refreshes: Type.Integer({ minimum: 0 }),
  values: Type.Record(Type.String(), Type.Array(Value, { minItems: 1 })),
}
const CHECKS = {
  object: Compile(Type.Object(RECORD, STRICT)),
  activity: Compile(Type.Object(RECORD, STRICT)),
  list: Compile(Type.Object({ ...RECORD, parent_object: Type.Integer(), parent_record_id: Type.String() }, STRICT)),
}

function entityInserter(model: DataModel, entityType: EntityType): LineInserter<PreparedEntity> {
  const shape = CHECKS[entityType.kind]
  const attributes = new Map(entityType.attributes.filter(isDumped).map((each) => [each.api_slug, each]))
  const { prepare, insert } = dumpedEntityInserter(model, entityType)
  return {
    insert,
    parse(text) {
      const entity: unknown = JSON.parse(text)
      if (!shape.Check(entity)) {
        const [first] = shape.Errors(entity)
        throw new Error(`${first?.instancePath.slice(0, 200) ?? ''} ${first?.message ?? 'is invalid'}.`)
      }
      for (const [slug, values] of Object.entries(entity.values)) checkValues(attributes.get(slug), slug, values)
      return prepare(entity)
    },
  }
}

function checkValues(attribute: Attribute | undefined, slug: string, values: readonly DumpedValue[]): void {
  if (attribute === undefined)
    throw new Error(`there is no attribute ${JSON.stringify(slug.slice(0, 100))} with values.`)
  if (!attribute.is_multiselect && values.length > 1) throw new Error(`${slug} has one value at most.`)
  const members = columnsOf(attribute).map(({ member }) => member)
  for (const { value } of values) {
    const given = Object.keys(value)
    if (given.length !== members.length || given.some((member) => !members.includes(member)))
      throw new Error(`a value of ${slug} has the members ${members.join(', ')}.`)
  }
}

/** The workspace that an import fills: a new one, or an empty one. */
interface Target {
  readonly workspaceId: string
  /** Quoted, as in `DataModel.schema`. */
  readonly schema: string
  /** Whether the workspace had members and API keys, which were set aside. */
  readonly isExisting: boolean
  /** The last number of the workspace before the import. */
  readonly lastNumber: number
}

interface WorkspaceRow {
  readonly id: string
  readonly number: number
  readonly last_number: number
}

/** Nothing else can change the workspace before the transaction ends. Throws `CommandError` for a workspace that is not empty. */
async function openTarget(
  db: Database,
  tx: Transaction,
  { workspace, move }: Pick<ImportOptions, 'workspace' | 'move'>,
): Promise<Target> {
  if (move !== undefined) return createTarget(db, tx, workspace, move.id)
  const [existing] = await tx<WorkspaceRow[]>`
    select id, number, last_number from relata.workspaces where slug = ${workspace.slug} for update`
  return existing === undefined ? createTarget(db, tx, workspace) : emptyTarget(tx, existing, workspace)
}

async function createTarget(
  db: Database,
  tx: Transaction,
  workspace: WorkspaceEntry,
  id: string = newId(),
): Promise<Target> {
  const { slug, name, created_at } = workspace
  const [row] = await tx<{ number: number; version: number }[]>`
    insert into relata.workspaces (id, slug, name, secret, created_at)
    values (${id}, ${slug}, ${name}, ${await newWorkspaceSecret(db, tx, id)}, ${created_at})
    on conflict (slug) do nothing returning number, data_model_version as version`
  if (row === undefined)
    throw new CommandError(`There is a workspace ${slug} already, or a deleted one; see ${COMMAND} workspace list.`)
  const schema = `"${workspaceSchemaName(row.number)}"`
  await createSchema(tx, { workspaceId: id, schema, version: row.version })
  await storeSettings(tx, id, workspace)
  return { workspaceId: id, schema, isExisting: false, lastNumber: 0 }
}

async function emptyTarget(tx: Transaction, row: WorkspaceRow, workspace: WorkspaceEntry): Promise<Target> {
  const { id, last_number } = row
  const model = await loadDataModel(tx, id)
  await assertEmpty(tx, model)
  await clearWorkspace(tx, model)
  await saveAccess(tx, id)
  await storeSettings(tx, id, workspace)
  return { workspaceId: id, schema: model.schema, isExisting: true, lastNumber: last_number }
}

const storeSettings = (tx: Transaction, id: string, workspace: WorkspaceEntry) => tx`
  update relata.workspaces set name = ${workspace.name}, logo_url = ${workspace.logo_url},
    shows_updated_at = ${workspace.shows_updated_at}, creates_contacts = ${workspace.creates_contacts},
    member_permissions = ${workspace.member_permissions}::text[], default_country = ${workspace.default_country}
  where id = ${id}`

// An existing workspace that an import may fill: its members and API keys stay, its data model is replaced.

/** The control tables that may have rows of an empty workspace. Rows of any other table are content. */
const TABLES_OF_EMPTY: ReadonlySet<string> = new Set(
  [
    ['actors', 'workspace_members', 'member_pictures', 'inboxes', 'tokens', 'sessions', 'provider_identities'],
    ['entity_types', 'objects', 'object_teams', 'activities', 'attributes', 'options', 'indexes', 'blobs'],
    ['outbox', 'outbox_writers', 'events', 'followed_feeds', 'interaction_refreshes'],
    ['audit_log', 'query_history', 'query_scores', 'idempotent_answers', 'accepted_invitations'],
    ['trashed_files', 'trash_expiries'],
  ].flat(),
)

/** Throws `CommandError` that says what the workspace has. */
async function assertEmpty(tx: Transaction, model: DataModel): Promise<void> {
  const { id, slug } = model.workspace
  const contents: string[] = []
  if (await hasAnyEntities(tx, model)) contents.push('records')
  if (model.entityTypes.some((each) => each.kind === 'object' && each.standard_slug === null))
    contents.push('custom objects')
  if (model.entityTypes.some((each) => each.kind === 'activity' && each.system_slug === null))
    contents.push('custom activities')
  for (const table of await listControlTables(tx)) {
    if (TABLES_OF_EMPTY.has(table)) continue
    const rows = await tx.unsafe(`select 1 from relata."${table}" where workspace_id = $1 limit 1`, [id])
    if (rows.length > 0) contents.push(table.replaceAll('_', ' '))
  }
  if (contents.length > 0) throw new CommandError(`The workspace ${slug} is not empty. It has: ${contents.join(', ')}.`)
}

/** The control tables with rows of workspaces, partitioned ones as a whole. */
async function listControlTables(tx: Transaction): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
    where c.relnamespace = 'relata'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`
  return rows.map(({ name }) => name)
}

/** Removes the data model and the files that nothing refers to. */
async function clearWorkspace(tx: Transaction, model: DataModel): Promise<void> {
  const { id } = model.workspace
  await deleteRemains(tx, model)
  await tx`delete from relata.entity_types where workspace_id = ${id}`
  await tx`delete from relata.blobs where workspace_id = ${id}`
  await sendCommands(
    tx,
    model.entityTypes.map(({ table }) => dropTable(table)),
  )
}

const WORKSPACE_SLUG = /^(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*$/

/** Reads an exported workspace into a new or an empty one. See docs/export-format.md. */
export const importWorkspaceCommand = defineCommand({
  name: 'import-workspace',
  summary: 'Reads an exported workspace into a new or an empty workspace.',
  positionals: ['<folder>'],
  options: {
    workspace: {
      kind: 'text',
      value: '<slug>',
      description: 'The slug of the workspace, which is created or empty. Default: that of the export.',
    },
    name: { kind: 'text', value: '<name>', description: 'The name of the workspace. Default: that of the export.' },
  },
  async run({ options, positionals: [folder = ''] }, { db, blobs, now, print }) {
    const progress = createProgress(process.stderr)
    const startedAt = performance.now()
    const manifest = await openExport(folder, progress)
    const workspace = withGiven(manifest, options)
    await importWorkspace({ db, blobs, now, folder, manifest, workspace, progress })
    progress.done()
    const lines = manifest.files.reduce((sum, file) => sum + file.lines, 0)
    print(
      `Imported the workspace ${workspace.slug}: ${lines} lines and ${manifest.blobs.count} files ` +
        `in ${elapsedSeconds(startedAt)} s (${perSecond(lines, startedAt)} lines/s).`,
    )
    print(`Members without an account on this service sign in after ${COMMAND} account reset-password <email>.`)
  },
})

function withGiven(
  manifest: Manifest,
  given: { readonly workspace: string | undefined; readonly name: string | undefined },
): WorkspaceEntry {
  const slug = given.workspace ?? manifest.workspace.slug
  const name = given.name ?? manifest.workspace.name
  if (given.workspace !== undefined && !WORKSPACE_SLUG.test(slug))
    throw new UsageError(
      `--workspace is a slug of lower-case letters, digits and hyphens, not "${slug.slice(0, 100)}".`,
    )
  if (!WORKSPACE_SLUG.test(slug)) throw new CommandError('The slug of the export is invalid; give --workspace.')
  if (name.trim() === '' || name.length > 200) throw new UsageError('--name has from 1 to 200 characters.')
  return { ...manifest.workspace, slug, name }
}
