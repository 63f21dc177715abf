/** A task: what its members say, and how it is rendered. See docs/reference/tasks.md (Members). */
import { InvalidValue } from '#base/errors/api-error'
import { standardObjectDisabled } from '#base/errors/attributes'
import { invalidBody, invalidQuery } from '#base/errors/http'
import { unknownMember, unknownRecord, unknownRecordOfAnyObject } from '#base/errors/records'
import type { Micros } from '#base/timing/clock'
import type { RequestContext } from '#context'
import type { Transaction } from '#db/connect'
import { findMember, getActor } from '#engine/attribute-types/actor-reference'
import { matchingKey } from '#engine/attribute-types/definition/parse-value'
import { parseInstant, renderInstant } from '#engine/attribute-types/formats/instants'
import { readIdentifier, readReference, type Reference } from '#engine/attribute-types/formats/references'
import { visibleLinks } from '#engine/data-model/access/hidden'
import { isEnabled, slugOfEntityType } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType, RecordType } from '#engine/data-model/model'
import { etagOf } from '#engine/entities/read/etag'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { findObjectsOfRecords, lockExistingRecords } from '#engine/storage/read-entities'
import { findByKeys } from '#engine/storage/statements/read-many-records'
import { storedKey } from '#engine/storage/unique-keys'
import type { ChangeEvent } from '#vocabulary/event-types'
import { isUuid } from '#vocabulary/uuids'
import type { AssigneeInput, TaskOutput, TaskRecordInput } from './schemas'

/** A task as the service stores it. */

/** A record that a task is linked to. */
export interface TaskLink {
  readonly objectId: string
  readonly recordId: string
}

/** Timestamps are texts, as PostgreSQL prints them or as clients get them. */
export interface Task {
  readonly id: string
  readonly content: string
  readonly deadline_at: string | null
  /** The nanoseconds of the deadline below the microsecond. */
  readonly deadline_ns: number | null
  readonly completed_at: string | null
  /** The number of the actor. */
  readonly completed_by: number | null
  /** The numbers of the members' actors, each once. */
  readonly assignees: readonly number[]
  /** Each record once. */
  readonly links: readonly TaskLink[]
  readonly created_at: string
  /** The number of the actor. */
  readonly created_by: number
  readonly version: number
}

// Finds the members that bodies and queries name as assignees. See docs/reference/tasks.md (Assignees).

/** Stands for "without assignees" in `task_assignees` and in a list of tasks. */
export const UNASSIGNED = 0

/** The numbers of the members' actors, each once. Throws 400 for an unknown member. Suspended members are members. */
export const resolveAssignees = (model: DataModel, inputs: readonly AssigneeInput[]): number[] => [
  ...new Set(inputs.map((input) => actorOf(model, idOrEmailOf(input)))),
]

/** The same for the parameter of a list; `UNASSIGNED` for an empty one and for `null`. */
export const resolveAssigneeFilter = (model: DataModel, text: string): number =>
  text === '' || text === 'null' ? UNASSIGNED : actorOf(model, text.trim())

function idOrEmailOf(input: AssigneeInput): string {
  if (typeof input === 'string') return input.trim()
  return 'referenced_actor_id' in input ? input.referenced_actor_id : input.workspace_member_email_address.trim()
}

function actorOf(model: DataModel, idOrEmail: string): number {
  const member = findMember(model, idOrEmail)
  if (member === undefined) throw unknownMember(idOrEmail)
  return member.actor
}

// Parses deadlines and their bounds. See docs/reference/tasks.md (Members, Lists of tasks).

/** Throws 400 for a text that is no date or timestamp. */
export function parseDeadline(text: string | null): Pick<Task, 'deadline_at' | 'deadline_ns'> {
  if (text === null) return { deadline_at: null, deadline_ns: null }
  const { value, value_ns } = parseAt(text, ['data', 'deadline_at'], invalidBody)
  return { deadline_at: value, deadline_ns: value_ns }
}

/** A bound of a list; its nanoseconds below the microsecond do not count. */
export const parseBound = (text: string, parameter: 'deadline_from' | 'deadline_before'): string =>
  parseAt(text, [parameter], invalidQuery).value

function parseAt(text: string, path: string[], refusal: typeof invalidBody) {
  try {
    return parseInstant(text, path)
  } catch (error) {
    if (error instanceof InvalidValue) throw refusal(error.issues)
    throw error
  }
}

// Finds the records that the body of a task names. See docs/reference/tasks.md (Linked records).

/** A record as a body names it: by id alone, or as references of attributes do. */
export type NamedRecord = { readonly anyId: string } | Reference

/** A task can be linked to records of all objects. */
const OF_ALL_OBJECTS = { config: {} }

/** Throws 400 for inputs that name no record of an object. */
export function parseTaskRecords(model: DataModel, inputs: readonly TaskRecordInput[]): NamedRecord[] {
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

function parseLinkedRecord(model: DataModel, input: TaskRecordInput): NamedRecord {
  if (typeof input !== 'string') return readReference(input, OF_ALL_OBJECTS, model, matchingKey)
  const text = input.trim()
  if (isUuid(text)) return { anyId: text.toLowerCase() }
  const reference = readIdentifier(text, text.includes('@') ? 'people' : 'companies', model, matchingKey)
  if (!isEnabled(reference.object)) throw standardObjectDisabled(reference.object.id)
  return reference
}

/** Returns each record once, and locks the records against their deletion. Throws 400 for a record that does not exist. */
export async function lockTaskRecords(
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
  readonly object: RecordType
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

/** The change events of tasks. See docs/reference/webhooks-and-events.md (Event types). */
type Change = 'created' | 'updated' | 'deleted'

export const taskEvent = (change: Change, task_id: string): ChangeEvent => ({
  event_type: `task.${change}`,
  id: { task_id },
})

/** Appends the event in the transaction of the write. */
export const recordTaskEvent = (
  tx: Transaction,
  context: RequestContext,
  change: Change,
  task: { readonly id: string; readonly at: Micros },
): Promise<void> => appendToOutbox(tx, eventOriginOf(context, task.at), [taskEvent(change, task.id)])

/** A task rendered, with the tag of its version for `If-Match`. */
export interface AnsweredTask {
  readonly data: TaskOutput
  readonly etag: string
}

export const answerTask = (model: DataModel, task: Task): AnsweredTask => ({
  data: renderTask(model, task),
  etag: etagOf(task.version),
})

/** Throws `ModelVersionConflict` for an object or an actor that is newer than the data model. */
export const renderTask = (model: DataModel, task: Task): TaskOutput => ({
  id: { workspace_id: model.workspace.id, task_id: task.id },
  content_plaintext: task.content,
  deadline_at: task.deadline_at === null ? null : renderInstant(task.deadline_at, task.deadline_ns),
  is_completed: task.completed_at !== null,
  completed_at: task.completed_at === null ? null : renderInstant(task.completed_at, null),
  linked_records: visibleLinks(model, task.links).map(({ objectId, recordId }) => ({
    target_object_id: slugOfEntityType(model, objectId),
    target_record_id: recordId,
  })),
  assignees: task.assignees.map((number) => {
    const { type, id } = getActor(model, number)
    return { referenced_actor_type: type, referenced_actor_id: id ?? '' } // a member has an id
  }),
  created_by_actor: getActor(model, task.created_by),
  created_at: renderInstant(task.created_at, null),
})
