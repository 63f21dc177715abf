/** Writes new owners and attributes: their rows in the control tables, and their tables and columns. */

import { type Insertable, type Kysely, sql } from 'kysely'
import type { Transaction } from '../../db/connect'
import type { AttributesTable, DB, OptionsTable } from '../../db/schema'
import type { ModelChange } from '../data-model/change'
import type { Attribute, ObjectOwner, Owner } from '../data-model/model'
import { addColumns, createTable, describeHolderTable } from '../data-model/tables'
import { attributeColumns } from './attribute-columns'

/** Where new rows go: a transaction, and a workspace in it. */
export interface Target {
  readonly tx: Transaction
  readonly control: Kysely<DB>
  readonly workspaceId: string
  /** Quoted, as in `DataModel.schema`. */
  readonly schema: string
}

export const targetOf = ({ tx, control, model }: ModelChange): Target => ({
  tx,
  control,
  workspaceId: model.workspace.id,
  schema: model.schema,
})

/** New objects with all their attributes and options, and a table for each. */
export async function insertObjects(target: Target, objects: readonly ObjectOwner[]): Promise<void> {
  const { control, workspaceId: workspace_id } = target
  await insertOwners(target, objects)
  const rows = objects.map(({ id, singular_noun, plural_noun, standard_slug, is_enabled }) => ({
    workspace_id,
    id,
    singular_noun,
    plural_noun,
    standard_slug,
    is_enabled,
  }))
  await control.insertInto('relata.objects').values(rows).execute()
}

/** The rows that objects and lists have alike, and their tables. */
export async function insertOwners(target: Target, owners: readonly Owner[]): Promise<void> {
  const { tx, control, workspaceId: workspace_id, schema } = target
  const rows = owners.map(({ id, number, kind, api_slug, created_at }) => ({
    workspace_id,
    id,
    number,
    kind,
    api_slug,
    created_at,
  }))
  await control.insertInto('relata.owners').values(rows).execute()
  await insertAttributeRows(
    target,
    owners.flatMap(({ attributes }) => attributes),
  )
  const tables = owners.map((owner) =>
    describeHolderTable(
      owner,
      owner.attributes.map((attribute) => attributeColumns(owner, attribute)),
    ),
  )
  await tx.unsafe(tables.map((table) => createTable(schema, table)).join('\n'))
}

/** New attributes of an owner that exists, and their columns. */
export async function insertAttributes(target: Target, owner: Owner, attributes: readonly Attribute[]): Promise<void> {
  await insertAttributeRows(target, attributes)
  const statements = addColumns(
    owner.table,
    attributes.map((attribute) => attributeColumns(owner, attribute)),
  )
  if (statements !== '') await target.tx.unsafe(statements)
}

async function insertAttributeRows({ control, workspaceId }: Target, attributes: readonly Attribute[]): Promise<void> {
  const rows = attributes.map((attribute) => attributeRow(workspaceId, attribute))
  await control.insertInto('relata.attributes').values(rows).execute()
  const options = attributes.flatMap((attribute) => optionRows(workspaceId, attribute))
  if (options.length > 0) await control.insertInto('relata.options').values(options).execute()
}

function attributeRow(workspace_id: string, attribute: Attribute) {
  const { options: _, default_value, config, ...columns } = attribute
  return {
    ...columns,
    workspace_id,
    position: attribute.number,
    default_value: default_value === null ? null : jsonb(default_value),
    config: jsonb(config),
  } satisfies Record<keyof AttributesTable, unknown>
}

const optionRows = (workspace_id: string, attribute: Attribute): Insertable<OptionsTable>[] =>
  attribute.options.map((option) => ({
    ...option,
    workspace_id,
    attribute_id: attribute.id,
    position: option.number,
    created_at: attribute.created_at,
  }))

/** As a parameter for a jsonb column. */
export const jsonb = (value: unknown) => sql<string>`${JSON.stringify(value)}::text::jsonb`
