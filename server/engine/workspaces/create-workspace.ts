/** Creates a workspace: its row, its schema with the tables of every workspace, the five standard objects, and the system activities. */

import { randomUUID } from 'node:crypto'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { createSchemasLocally, distributeSchema, sendCommands } from '#db/citus'
import type { Database, Transaction } from '#db/connect'
import { readMigrations } from '#db/read-migrations'
import { lastOfWorkspaces } from '#db/migrate-workspaces'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { loadDataModel } from '#engine/data-model/load'
import { qualifiedTableName, workspaceSchemaName } from '#engine/data-model/names'
import { createTable, describeEntityTable, MODEL_TABLE, type Table, WORKSPACE_TABLES } from '#engine/data-model/tables'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { insertObjects } from './write-entity-types'
import { attributeColumns, isStoringSide, type StandardAttribute, standardAttribute } from './build-attribute'
import { insertSystemActivities } from './create-activity'
import { CREATION_ATTRIBUTES, RECORD_ID_ATTRIBUTE, STANDARD_OBJECTS, type StandardObject } from './standard-objects'

interface WorkspaceInput {
  readonly name: string
  readonly slug: string
  readonly now: Micros
}

/** Enables all five standard objects. They have the same creation time. See docs/reference/objects-and-attributes.md (Standard objects). */
export async function createWorkspace(db: Database, input: WorkspaceInput): Promise<{ id: string }> {
  const id = newId()
  await db.sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    const secret = await newWorkspaceSecret(db, tx, id)
    const created_at = timestampFromMicros(input.now)
    const { number, version } = await control
      .insertInto('relata.workspaces')
      .values({ id, slug: input.slug, name: input.name, secret, created_at })
      .returning(['number', 'data_model_version as version'])
      .executeTakeFirstOrThrow()
    const schema = `"${workspaceSchemaName(number)}"`
    await createSchema(tx, { workspaceId: id, schema, version })
    const { objects, lastNumber } = standardObjects(number, created_at)
    await insertObjects({ tx, workspaceId: id, schema }, objects)
    await control.updateTable('relata.workspaces').set({ last_number: lastNumber }).where('id', '=', id).execute()
    await insertSystemActivities({ tx, control, model: await loadDataModel(tx, id) }, created_at)
  })
  return { id }
}

/** Returns a new secret of a workspace, encrypted. It signs cursors, addresses of downloads and the password of the SQL role. */
export const newWorkspaceSecret = ({ secrets }: Database, tx: Transaction, id: string): Promise<string> =>
  secrets.encrypt(tx, { table: 'workspaces', key: [id] }, randomUUID())

interface NewSchema {
  readonly workspaceId: string
  /** Quoted. */
  readonly schema: string
  /** The version of the data model. */
  readonly version: number
}

/** Creates the schema of a workspace with the tables that every workspace has, as the last migration of workspaces leaves them. */
export async function createSchema(tx: Transaction, { workspaceId, schema, version }: NewSchema): Promise<void> {
  const tables = WORKSPACE_TABLES.flatMap((table) => createTable(schema, table))
  const model = `insert into ${schema}.${MODEL_TABLE.name} (version) values (${version})`
  await createSchemasLocally(tx)
  await sendCommands(tx, [`create schema ${schema}`, ...tables])
  await distributeSchema(tx, schema)
  await sendCommands(tx, [model])
  await controlQueriesIn(tx)
    .updateTable('relata.all_workspaces')
    .set({ tables_migration: LAST_MIGRATION })
    .where('id', '=', workspaceId)
    .execute()
}

const LAST_MIGRATION = lastOfWorkspaces(readMigrations())

/** Numbers objects, attributes and options as if they were created one after the other. */
function standardObjects(workspaceNumber: number, created_at: string): { objects: ObjectType[]; lastNumber: number } {
  let lastNumber = 0
  const next = () => ++lastNumber
  const entityTypes = STANDARD_OBJECTS.map((standard) => newObject(standard, workspaceNumber, next(), created_at))
  const ids = new Map(entityTypes.map(({ api_slug, id }) => [api_slug, id]))
  const unpairedObjects = entityTypes.map((entityType, index) => ({
    ...entityType,
    attributes: specsOf(STANDARD_OBJECTS[index]?.attributes ?? []).map((spec) =>
      standardAttribute(spec, { entity_type_id: entityType.id, number: next(), created_at }, next, ids),
    ),
  }))
  return { objects: pairRelationships(unpairedObjects), lastNumber }
}

const newObject = (
  { api_slug, singular_noun, plural_noun }: StandardObject,
  workspaceNumber: number,
  number: number,
  created_at: string,
): ObjectType => ({
  id: newId(),
  number,
  kind: 'object',
  api_slug,
  created_at,
  table: qualifiedTableName(workspaceNumber, { kind: 'object', number }),
  attributes: [],
  singular_noun,
  plural_noun,
  standard_slug: api_slug,
  is_enabled: true,
  ...(!USED_BY_MOST.includes(api_slug) && { isUnused: true }),
})

/** The others begin as unused. */
const USED_BY_MOST = ['people', 'companies']

const specsOf = (attributes: readonly StandardAttribute[]): StandardAttribute[] => [
  RECORD_ID_ATTRIBUTE,
  ...attributes,
  ...CREATION_ATTRIBUTES,
]

/** Links the two sides of each relationship, and decides which side stores the references. */
function pairRelationships(objects: readonly ObjectType[]): ObjectType[] {
  const find = (object: string | undefined, slug: string | undefined) =>
    objects.find(({ api_slug }) => api_slug === object)?.attributes.find(({ api_slug }) => api_slug === slug)
  return objects.map((entityType) => {
    const standard = STANDARD_OBJECTS.find(({ api_slug }) => api_slug === entityType.api_slug)
    const attributes = entityType.attributes.map((attribute) => {
      const spec = standard?.attributes.find(({ api_slug }) => api_slug === attribute.api_slug)
      const partner = find(spec?.refers_to, spec?.mirrored_by)
      return partner ? pairedWith(attribute, partner) : attribute
    })
    return { ...entityType, attributes }
  })
}

function pairedWith(attribute: Attribute, partner: Attribute): Attribute {
  const isFirst = attribute.number < partner.number
  const stores = isFirst ? isStoringSide(attribute, partner) : !isStoringSide(partner, attribute)
  return { ...attribute, stored_in: stores ? 'columns' : 'partner', relationship_attribute_id: partner.id }
}

// Describes the tables that a workspace must have by its data model, for comparison with those that exist.

/** Every table of the workspace's schema, with the columns in the order of a new table. */
export const expectedTables = (model: DataModel): Table[] => [
  ...WORKSPACE_TABLES,
  ...model.entityTypes.map((entityType) =>
    describeEntityTable(
      entityType,
      entityType.attributes.map((attribute) => attributeColumns(entityType, attribute)),
    ),
  ),
]
