/** What is particular to entries, for the operations that records and entries share. See docs/reference/lists-and-entries.md. */

import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import type { EntityResource } from '#api/entities/resource'
import { entryNotFound, immutableMember, standardObjectDisabled, unknownParentRecord } from '#base/errors/attributes'
import { invalidBody } from '#base/errors/http'
import { multipleMatches } from '#base/errors/records'
import { findObject } from '#engine/data-model/find'
import { type DataModel, type ListType, ModelVersionConflict, type ObjectType } from '#engine/data-model/model'
import type { EntityCreation, EntityUpdate, EntityUpsert, NamedParent } from '#engine/entities/operations/definitions'
import type { UpsertMatch } from '#engine/entities/operations/match-by-attribute'
import type { EntityOperation } from '#engine/entities/operations/run-batch'
import { compileOperations, type NamedOperation } from '#engine/entities/operations/schemas'
import { headAsText, rendererOf } from '#engine/entities/read/render'
import { deleteEntryEntities } from '#engine/entities/write/delete-entity'
import type { WriteTry } from '#engine/entities/write/retry-on-conflict'
import {
  createRecordLookup,
  findEntriesFor,
  type Parent,
  parentUniqueKey,
  type StoredEntity,
  hasEntry,
} from '#engine/storage/read-entities'
import { ENTRY_OPERATIONS, type EntryChange, type EntryInput, type EntryUpsert } from './schemas'
import { timestampFromPostgres } from '#base/timing/clock'
import { createdAtText, idOf, parentOf, type Row } from '#engine/storage/layout'

export const newEntryOf = ({ entry_values, parent_object, parent_record_id }: EntryInput): EntityCreation => ({
  values: entry_values,
  parent: { parent_object, parent_record_id },
})

export const upsertInputOf = (upsert: EntryUpsert): EntityUpsert => ({
  ...newEntryOf(upsert),
  valuesOnCreate: upsert.values_on_create ?? {},
})

export const changeOf = ({
  entry_values,
  parent_object,
  parent_record_id,
}: EntryChange): Pick<EntityUpdate, 'values' | 'parent'> => ({
  values: entry_values,
  parent: { parent_object, parent_record_id },
})

const checkOperation = compileOperations(ENTRY_OPERATIONS)

function readOperation(named: NamedOperation): EntityOperation {
  const operation = checkOperation(named)
  switch (operation.op) {
    case 'create':
      return { op: 'create', ...newEntryOf(operation) }
    case 'update': {
      const { op, entry_id, mode = 'append' } = operation
      return { op, id: entry_id, ...changeOf(operation), multiselectWrite: mode, ifMatch: null }
    }
    case 'upsert':
      return { op: 'upsert', ...upsertInputOf(operation) }
    case 'delete':
      return { op: 'delete', id: operation.entry_id, ifMatch: null }
  }
}

export const ENTRIES: EntityResource<ListType> = {
  kind: 'list',
  member: 'entry_values',
  idMembers: ['list_id', 'entry_id'],
  find: (context, slugOrId) => getList(context, slugOrId, 'read-and-write'),
  findReadable: (context, slugOrId) => getList(context, slugOrId, 'read-only'),
  noun: 'Entry',
  missing: async (_context, _list, id) => entryNotFound(id),
  render: renderEntry,
  headWriter: ({ model }, list) => headAsText((row) => entryHead(model, list, row)),
  readOperation,
  findParent,
  refuseOtherParent,
  matchByParent,
  delete: deleteEntryEntities,
}

// The record that an entry stands for. See docs/reference/lists-and-entries.md (Entries).

/** Returns the parent record that a body names. Throws 400 when it does not exist or is not a record of the list's object. */
async function findParent(
  { model, db }: RequestContext,
  list: ListType,
  { parent_object, parent_record_id }: NamedParent,
  { assumeExists }: WriteTry,
): Promise<Parent> {
  const object = getParentObject(model, list, parent_object)
  const recordId = parent_record_id.toLowerCase()
  if (await createRecordLookup(db.sql, model, assumeExists).recordExists(object, recordId)) return { object, recordId }
  throw unknownParentRecord(parent_record_id)
}

function getParentObject(model: DataModel, list: ListType, slugOrId: string): ObjectType {
  const object = findObject(model, slugOrId)
  if (object === undefined || !list.parentObjects.some(({ id }) => id === object.id)) {
    const message = `Entries of list "${list.api_slug}" stand for records of another object`
    throw invalidBody([{ code: 'invalid', path: ['data', 'parent_object'], message }])
  }
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  return object
}

/** Refuses a change that names another parent than the entry has. */
function refuseOtherParent(
  { model }: RequestContext,
  list: ListType,
  entity: StoredEntity,
  { parent_object, parent_record_id }: Partial<NamedParent>,
): void {
  if (parent_record_id !== undefined && parent_record_id.toLowerCase() !== entity.parentRecordId) {
    throw immutableMember('parent_record_id')
  }
  if (parent_object !== undefined && findObject(model, parent_object)?.number !== entity.parentObject) {
    throw immutableMember('parent_object')
  }
}

/** Lists whose latest assert created an entry. The next assert tries to insert before it searches. See docs/decisions/lists-and-entries.md. */
const newOnes = new WeakSet<ListType>()

/** An upsert updates the one entry of a record. See docs/reference/lists-and-entries.md (Assert by record); docs/decisions/lists-and-entries.md. */
function matchByParent({ db, model }: RequestContext, list: ListType, { object, recordId }: Parent): UpsertMatch {
  return {
    async find() {
      const [found, ...others] = await findEntriesFor(db.sql, model, list, recordId)
      if (others.length > 0)
        throw multipleMatches(`Multiple entries of list "${list.api_slug}" stand for record "${recordId}".`)
      // A caller who asserts many entries usually creates most of them, or finds most of them.
      if (found) newOnes.delete(list)
      else newOnes.add(list)
      return found
    },
    isTaken: () => hasEntry(db.sql, list, recordId),
    isProbablyNew: newOnes.has(list),
    multiselectWriteOf: () => 'overwrite',
    parent: { object, recordId, uniqueKey: parentUniqueKey(list, recordId) },
  }
}

// Renders the row of an entry. See docs/reference/lists-and-entries.md (Entries) and docs/reference/values.md (The values of a record).

/** Renders an entry as JSON text. */
export function renderEntry({ model }: Pick<RequestContext, 'model'>, list: ListType, row: Row): string {
  return `${entryHead(model, list, row)}${rendererOf(model, list).renderValues(row)}}`
}

/** The members of an entry before its values. */
function entryHead(model: DataModel, list: ListType, row: Row): string {
  const { object, recordId } = parentOf(row)
  const parent = model.entityTypesByNumber.get(object)
  if (!parent) throw new ModelVersionConflict(`Object ${object} is not known.`)
  const id = `{"workspace_id":"${model.workspace.id}","list_id":"${list.id}","entry_id":"${idOf(row)}"}`
  const createdAt = timestampFromPostgres(createdAtText(row))
  return `{"id":${id},"parent_record_id":"${recordId}","parent_object":${JSON.stringify(parent.api_slug)},"created_at":"${createdAt}","entry_values":`
}
