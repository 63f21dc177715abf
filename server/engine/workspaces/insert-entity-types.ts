/** Inserts entity types and attributes: their rows in the control tables, and their tables and columns. */

import type { Transaction } from '#db/connect'
import { sendCommands } from '#db/citus'
import type {
  ActivitiesTable,
  AttributesTable,
  DB,
  ListMembersTable,
  ListsTable,
  ObjectsTable,
  OptionsTable,
  EntityTypesTable,
} from '#db/schema'
import type { ModelChange } from '#engine/data-model/change-model'
import type { ActivityType, Attribute, ListType, ObjectType, EntityType } from '#engine/data-model/model'
import { addColumns, createTable, describeEntityTable } from '#engine/data-model/tables'
import { attributeColumns } from './build-attribute'

/** The transaction and the workspace that rows are inserted into. */
export interface InsertTarget {
  readonly tx: Transaction
  readonly workspaceId: string
  /** Quoted, as in `DataModel.schema`. */
  readonly schema: string
}

export const insertTargetOf = ({ tx, model }: ModelChange): InsertTarget => ({
  tx,
  workspaceId: model.workspace.id,
  schema: model.schema,
})

/** Inserts objects with their attributes and options, and creates their tables. */
export async function insertObjects(target: InsertTarget, objects: readonly ObjectType[]): Promise<void> {
  await insertEntityTypes(target, objects)
  const rows = objects.map(({ id, singular_noun, plural_noun, standard_slug, is_enabled, grants }) => ({
    workspace_id: target.workspaceId,
    id,
    singular_noun,
    plural_noun,
    standard_slug,
    is_enabled,
    member_access: grants?.members ?? 'read-write',
  }))
  await insertRows<ObjectsTable>(target.tx, 'relata.objects', rows)
}

/** Inserts an activity with its attributes, and creates its table. */
export async function insertActivityType(target: InsertTarget, activity: ActivityType): Promise<void> {
  await insertEntityTypes(target, [activity])
  const { id, singular_noun, plural_noun, schema_slug, system_slug } = activity
  const row = { workspace_id: target.workspaceId, id, singular_noun, plural_noun, schema_slug, system_slug }
  await insertRows<ActivitiesTable>(target.tx, 'relata.activities', [row])
}

/** Inserts a list with its attributes and its members' access, and creates its table. */
export async function insertList(target: InsertTarget, list: ListType): Promise<void> {
  const { tx, workspaceId: workspace_id } = target
  await insertEntityTypes(target, [list])
  const { id, name, parentObjects, workspace_access, created_by } = list
  const [parent] = parentObjects
  if (parent === undefined) throw new Error(`List ${id} has no parent object.`)
  const row = { workspace_id, id, name, parent_object_id: parent.id, workspace_access, created_by }
  await insertRows<ListsTable>(tx, 'relata.lists', [row])
  await insertListMembers(target, list)
}

/** Inserts the access of single members, in the order of the request. */
export async function insertListMembers(
  { tx, workspaceId: workspace_id }: InsertTarget,
  { id: list_id, workspace_member_access }: Pick<ListType, 'id' | 'workspace_member_access'>,
): Promise<void> {
  const rows = workspace_member_access.map((access, position) => ({ ...access, workspace_id, list_id, position }))
  await insertRows<ListMembersTable>(tx, 'relata.list_members', rows)
}

/** Inserts the rows that all entity types share, and creates their tables. */
async function insertEntityTypes(target: InsertTarget, entityTypes: readonly EntityType[]): Promise<void> {
  const { tx, workspaceId: workspace_id, schema } = target
  const rows = entityTypes.map(({ id, number, kind, api_slug, created_at, isUnused = false }) => ({
    workspace_id,
    id,
    number,
    kind,
    api_slug,
    created_at,
    is_used: !isUnused,
  }))
  await insertRows<EntityTypesTable>(tx, 'relata.entity_types', rows)
  await insertAttributeRows(
    target,
    entityTypes.flatMap(({ attributes }) => attributes),
  )
  const tables = entityTypes.map((entityType) =>
    describeEntityTable(
      entityType,
      entityType.attributes.map((attribute) => attributeColumns(entityType, attribute)),
    ),
  )
  await sendCommands(
    tx,
    tables.flatMap((table) => createTable(schema, table)),
  )
}

/** Inserts attributes of an existing entity type, and adds their columns. */
export async function insertAttributes(
  target: InsertTarget,
  entityType: EntityType,
  attributes: readonly Attribute[],
): Promise<void> {
  await insertAttributeRows(target, attributes)
  const commands = addColumns(
    entityType.table,
    attributes.map((attribute) => attributeColumns(entityType, attribute)),
  )
  await sendCommands(target.tx, commands)
}

async function insertAttributeRows({ tx, workspaceId }: InsertTarget, attributes: readonly Attribute[]): Promise<void> {
  const rows = attributes.map((attribute) => attributeRow(workspaceId, attribute))
  await insertRows<AttributesTable>(tx, 'relata.attributes', rows)
  const options = attributes.flatMap((attribute) => optionRows(workspaceId, attribute))
  await insertRows<OptionsTable>(tx, 'relata.options', options)
}

/** The initial display order is the order of creation. */
function attributeRow(workspace_id: string, { options: _, ...attribute }: Attribute) {
  return { computed: null, ...attribute, workspace_id, position: attribute.number }
}

const optionRows = (workspace_id: string, { id, created_at, options }: Attribute) =>
  options.map((option) => ({ ...option, workspace_id, attribute_id: id, position: option.number, created_at }))

/** Sends all rows as one parameter. The rows must name every column, because defaults do not apply. */
async function insertRows<Table>(
  tx: Transaction,
  controlTable: keyof DB,
  rows: readonly Readonly<Record<keyof Table, unknown>>[],
): Promise<void> {
  if (rows.length === 0) return
  const values = `select * from json_populate_recordset(null::${controlTable}, $1::text::json)`
  await tx.unsafe(`insert into ${controlTable} ${values}`, [JSON.stringify(rows)])
}
