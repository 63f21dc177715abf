/** Inserts and deletes entity types and attributes: their rows in the control tables, their tables and columns, their history and unique values. */
import { sql } from 'kysely'
import { sendCommands } from '#db/citus'
import { renderArray, type Transaction } from '#db/connect'
import type {
  ActivitiesTable,
  AttributesTable,
  DB,
  EntityTypesTable,
  ListMembersTable,
  ListsTable,
  ObjectsTable,
  OptionsTable,
} from '#db/schema'
import type { ModelChange } from '#engine/data-model/change-model'
import { entityTypeOf } from '#engine/data-model/find'
import { equal } from '#engine/data-model/kysely-in-transaction'
import type { ActivityType, Attribute, EntityType, ListType, ObjectType } from '#engine/data-model/model'
import { addColumns, createTable, describeEntityTable, dropColumns, dropTable } from '#engine/data-model/tables'
import { dropFunctions } from '#engine/formulas/formula-sql'
import { deleteImportsInto } from '#engine/storage/imports/imported-records'
import { deleteRowsOf } from '#engine/storage/statements/entity-type-statements'
import { attributeColumns } from './build-attribute'

/** The transaction and the workspace that rows are inserted into. */
interface InsertTarget {
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

/** Deletes attributes. Does not delete the other side of a relationship, so the caller names both sides. */
export async function dropAttributes(step: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  if (attributes.length === 0) return
  await deleteRowsOf(step.tx, step.model, 'history', attributes)
  await deleteRowsOf(step.tx, step.model, 'uniques', attributes)
  await step.control
    .deleteFrom('relata.attributes')
    .where('workspace_id', '=', step.model.workspace.id)
    .where(
      'id',
      'in',
      attributes.map(({ id }) => id),
    )
    .execute()
  await deleteIndexesOver(step, attributes)
  for (const attribute of attributes) {
    const entityType = entityTypeOf(step.model, attribute)
    await sendCommands(step.tx, dropColumns(entityType.table, attributeColumns(entityType, attribute).columns))
  }
}

/** PostgreSQL drops an index over several columns with each of them. */
async function deleteIndexesOver({ control, model }: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  await control
    .deleteFrom('relata.indexes')
    .where('workspace_id', '=', model.workspace.id)
    .where('attribute_ids', '&&', sql<string[]>`${renderArray(attributes.map(({ id }) => id))}::uuid[]`)
    .execute()
}

/**
 * Deletes an entity type with its attributes, and the entries of a list. The caller must have removed the records of an object and
 * references to it before.
 */
export async function dropEntityType(step: ModelChange, entityType: EntityType): Promise<void> {
  const { tx, control, model } = step
  await deleteRowsOf(tx, model, 'history', entityType.attributes)
  await deleteRowsOf(tx, model, 'uniques', entityType.attributes)
  await deleteImportsInto(tx, model, entityType)
  await control
    .deleteFrom('relata.entity_types')
    .where(equal({ workspace_id: model.workspace.id, id: entityType.id }))
    .execute()
  await tx.unsafe(dropTable(entityType.table))
  await sendCommands(tx, dropFunctions(model, entityType))
}
