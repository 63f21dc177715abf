/** Finds the records that the body of a task names. See docs/reference/tasks.md (Linked records). */

import type { Transaction } from '#db/connect'
import { matchingKey } from '#engine/attribute-types/definition/parse-value'
import { readIdentifier, readReference, type Reference } from '#engine/attribute-types/formats/references'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { InvalidValue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { standardObjectDisabled } from '#base/errors/objects'
import { unknownRecord, unknownRecordOfAnyObject } from '#base/errors/records'
import { findObjectsOfRecords, lockExistingRecords } from '#engine/storage/find-records'
import { findByKeys } from '#engine/storage/statements/read-many-records'
import { storedKey } from '#engine/storage/unique-keys'
import type { LinkedRecordInput } from './schemas'
import type { TaskLink } from './task'

/** A record as a body names it: by id alone, or as references of attributes do. */
export type NamedRecord = { readonly anyId: string } | Reference

/** A task can be linked to records of all objects. */
const OF_ALL_OBJECTS = { config: {} }

/** Throws 400 for inputs that name no record of an object. */
export function parseLinkedRecords(model: DataModel, inputs: readonly LinkedRecordInput[]): NamedRecord[] {
  return inputs.map((input, index) => {
    try {
      return parseLinkedRecord(model, input)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      const at = ['data', 'linked_records', index]
      throw invalidBody(error.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] })))
    }
  })
}

function parseLinkedRecord(model: DataModel, input: LinkedRecordInput): NamedRecord {
  if (typeof input !== 'string') return readReference(input, OF_ALL_OBJECTS, model, matchingKey)
  const text = input.trim()
  if (isUuid(text)) return { anyId: text.toLowerCase() }
  const reference = readIdentifier(text, text.includes('@') ? 'people' : 'companies', model, matchingKey)
  if (!reference.object.is_enabled) throw standardObjectDisabled(reference.object.id)
  return reference
}

/** Returns each record once, and locks the records against their deletion. Throws 400 for a record that does not exist. */
export async function lockLinkedRecords(
  tx: Transaction,
  model: DataModel,
  named: readonly NamedRecord[],
): Promise<TaskLink[]> {
  const ids = named.flatMap((each) => ('anyId' in each ? [each.anyId] : []))
  const objects = await findObjectsOfRecords(tx, model, ids)
  const idsByKey = await findIdsByKey(tx, model, named)
  const found = named.map((each) => findRecord(each, objects, idsByKey))
  const once = [...new Map(found.map((each) => [each.id, each])).values()]
  for (const [object, records] of Map.groupBy(once, ({ object }) => object)) {
    const existing = await lockExistingRecords(
      tx,
      object,
      records.map(({ id }) => id),
    )
    const missing = records.find(({ id }) => !existing.has(id))
    if (missing) throw unknownRecord(object.api_slug, missing.written)
  }
  return once.map(({ object, id }) => ({ objectId: object.id, recordId: id }))
}

interface FoundRecord {
  readonly object: ObjectType
  readonly id: string
  /** As the body has it, for messages. */
  readonly written: string
}

/** The ids of records by unique value, of each attribute. */
type IdsByKey = ReadonlyMap<Attribute, ReadonlyMap<string, string>>

/** One statement for each attribute, of which a body names few. */
async function findIdsByKey(tx: Transaction, model: DataModel, named: readonly NamedRecord[]): Promise<IdsByKey> {
  const matches = named.flatMap((each) => ('anyId' in each || each.match === undefined ? [] : [each.match]))
  const found = new Map<Attribute, ReadonlyMap<string, string>>()
  for (const [attribute, ofAttribute] of Map.groupBy(matches, ({ attribute }) => attribute)) {
    const keys = ofAttribute.map(({ key }) => storedKey(key))
    found.set(attribute, await findByKeys(tx, model, attribute, keys))
  }
  return found
}

function findRecord(named: NamedRecord, objects: ReadonlyMap<string, ObjectType>, idsByKey: IdsByKey): FoundRecord {
  if ('anyId' in named) {
    const object = objects.get(named.anyId)
    if (object === undefined) throw unknownRecordOfAnyObject(named.anyId)
    return { object, id: named.anyId, written: named.anyId }
  }
  const { object, match, written } = named
  const id = named.id ?? (match && idsByKey.get(match.attribute)?.get(storedKey(match.key)))
  if (id === undefined) throw unknownRecord(object.api_slug, written)
  return { object, id, written }
}
