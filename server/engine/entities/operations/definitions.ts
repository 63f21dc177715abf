/**
 * The operations that write one entity, each defined once for records and entries: of which entity type, what it reads, what it decides,
 * when it refuses, what it answers. The files beside this one run them: alone, coalesced, several together, in a batch.
 * See docs/decisions/operations.md.
 */

import { readId } from '#base/errors/http'
import type { Sql, Transaction } from '#db/connect'
import type { ApiContext } from '#context'
import type { ApiError } from '#base/errors/api-error'
import { newId } from '#base/ids'
import type { MarkedJson } from '#base/text/marked-json'
import type { EntityType } from '#engine/data-model/model'
import { etagOfRow, requireMatch } from '#engine/entities/read/etag'
import { rendererOf } from '#engine/entities/read/render'
import type { NewContents } from '#engine/entities/write/create-entity'
import {
  type Assignment,
  type ParseContext,
  completeAssignments,
  mergeAssignments,
  readAssignments,
} from '#engine/entities/write/parse-values'
import type { WriteTry } from '#engine/entities/write/retry-on-conflict'
import type { MultiselectWrite } from '#engine/storage/entity-change'
import type { Update } from '#engine/entities/write/update-entity'
import { idOf, type Row } from '#engine/storage/layout'
import type { StoredEntity, Parent } from '#engine/storage/read-entities'
import { matchByAttribute, type UpsertMatch } from './match-by-attribute'

type Values = Readonly<Record<string, unknown>>

/** The parent record of an entry, as requests name it. */
export interface NamedParent {
  readonly parent_object: string
  readonly parent_record_id: string
}

export interface EntityCreation {
  readonly values: Values
  /** Only of an entry. */
  readonly parent?: NamedParent
}

export interface EntityUpdate {
  readonly id: string
  readonly values: Values
  /** PATCH adds to multiselects, PUT replaces them. */
  readonly multiselectWrite: MultiselectWrite
  /** The `If-Match` header. */
  readonly ifMatch: string | null
  /** The parent of an entry cannot change. A request that names another one is refused. */
  readonly parent?: Partial<NamedParent>
}

export interface EntityUpsert extends EntityCreation {
  /** Values for a new entity only. `values` override them. */
  readonly valuesOnCreate: Values
  /** Only of a record. */
  readonly matchingAttribute?: string | undefined
}

export interface EntityDeletion {
  readonly id: string
  /** The `If-Match` header. */
  readonly ifMatch: string | null
}

/** What is particular to the entities of objects, or to those of lists. All functions throw `ApiError`. */
export interface EntityKind<T extends EntityType = EntityType> {
  readonly kind: T['kind']
  /** The member of bodies that has the values. */
  readonly member: ParseContext['member']
  /** The members of ids: that of the entity type and that of the entity. */
  readonly idMembers: readonly [entityType: string, entity: string]
  /** Returns the entity type if the caller may write to it. */
  find(context: ApiContext, slugOrId: string): T
  /** What an error says its id is of. */
  readonly noun: 'Record' | 'Entry'
  /** The error for an entity that does not exist. */
  missing(context: ApiContext, entityType: T, id: string): Promise<ApiError>
  /** The members of an entity as JSON text. */
  render(context: ApiContext, entityType: T, row: Row): string
  /** Looks up the parent of a new entity. */
  findParent?(context: ApiContext, entityType: T, parent: NamedParent, writeTry: WriteTry): Promise<Parent>
  refuseOtherParent?(context: ApiContext, entityType: T, entity: StoredEntity, parent: Partial<NamedParent>): void
  /** Finds the entity that an upsert updates by its parent. Absent where an upsert names a unique attribute. */
  matchByParent?(context: ApiContext, entityType: T, parent: Parent): UpsertMatch
  /** Deletes those that exist, as if one request after the other deleted each, and returns their ids. `check` may refuse all. */
  delete(
    context: ApiContext,
    entityType: T,
    ids: readonly string[],
    check: (entity: StoredEntity) => void,
  ): Promise<ReadonlySet<string>>
}

/** A rendered entity with the entity tag of its version, for `If-Match`. */
export interface AnsweredEntity {
  readonly id: string
  readonly entity: MarkedJson
  readonly etag: string
}

export function answerEntity(
  { render }: Pick<EntityKind, 'render'>,
  context: ApiContext,
  entityType: EntityType,
  row: Row,
): AnsweredEntity {
  const longTexts: string[] = []
  const marked = rendererOf(context.model, entityType).markLongTexts(row, longTexts)
  return { id: idOf(row), entity: { text: render(context, entityType, marked), longTexts }, etag: etagOfRow(row) }
}

/** What the definitions of all operations have. */
interface Operation {
  /** Throws 404 and 403. */
  entityTypeOf(context: ApiContext): EntityType
}

interface AnsweringOperation extends Operation {
  answer(context: ApiContext, entityType: EntityType, row: Row): AnsweredEntity
}

const operationOn = (kind: EntityKind, slugOrId: string): AnsweringOperation => ({
  entityTypeOf: (context) => kind.find(context, slugOrId),
  answer: (context, entityType, row) => answerEntity(kind, context, entityType, row),
})

/** The values of the request replace those of every multiselect. */
const overwriting = ({ member }: EntityKind): ParseContext => ({ member, appends: false })

export interface CreateOperation<Input> extends AnsweringOperation {
  /** Reads the id and the values of a new entity. Throws `ApiError`. */
  read(context: ApiContext, entityType: EntityType, input: Input, writeTry: WriteTry): Promise<NewContents>
}

/**
 * Creates an entity with the given values and the default values of its entity type. Throws 404 and 403 for the entity type, 400 for
 * the parent and for values. See docs/reference/records.md (Create), docs/reference/lists-and-entries.md (Entries) and
 * docs/reference/values.md (The order of checks).
 */
export const createOperation = (kind: EntityKind, slugOrId: string): CreateOperation<EntityCreation> => ({
  ...operationOn(kind, slugOrId),
  async read(context, entityType, { values, parent: named }, writeTry) {
    const parent = named && (await kind.findParent?.(context, entityType, named, writeTry))
    const given = await readAssignments(context, entityType, values, overwriting(kind), writeTry)
    return { id: newId(), assignments: await completeAssignments(context, entityType, given, writeTry), parent }
  },
})

export interface UpdateOperation<Input> extends AnsweringOperation {
  /** Throws 400 for a text that is no id. */
  idOf(input: Input): string
  valuesOf(input: Input): Values
  /** Decides what to assign to an entity. Throws `ApiError`. */
  decide(
    context: ApiContext,
    entityType: EntityType,
    input: Input,
    read: {
      readonly entity: StoredEntity
      readonly writeTry: WriteTry
      /** The transaction that has locked the entity. */
      readonly db?: Sql | Transaction
    },
  ): Promise<Update>
  /** The error for an entity that does not exist. */
  missing(context: ApiContext, entityType: EntityType, id: string): Promise<ApiError>
}

/**
 * Writes values to an entity. Attributes that the request does not name stay unchanged. Throws 404 and 403 for the entity type, 404 for
 * the entity, 412 when it has another version, 400 for another parent and for values. See docs/reference/records.md (Update),
 * docs/reference/lists-and-entries.md (Entries) and docs/reference/values.md (The order of checks).
 */
export const updateOperation = (kind: EntityKind, slugOrId: string): UpdateOperation<EntityUpdate> => ({
  ...operationOn(kind, slugOrId),
  idOf: ({ id }) => readId(kind.noun, id),
  valuesOf: ({ values }) => values,
  async decide(context, entityType, { values, parent, multiselectWrite, ifMatch }, { entity, writeTry, db }) {
    requireMatch(entity, ifMatch)
    if (parent) kind.refuseOtherParent?.(context, entityType, entity, parent)
    const parsing = { member: kind.member, appends: multiselectWrite === 'append' }
    const assignments = await readAssignments(context, entityType, values, parsing, writeTry, db)
    return { assignments, multiselectWriteOf: () => multiselectWrite }
  },
  missing: (context, entityType, id) => kind.missing(context, entityType, id),
})

export interface UpsertOperation extends AnsweringOperation {
  /** Finds out how to find the entity that the upsert updates. Throws `ApiError`. */
  match(context: ApiContext, entityType: EntityType, upsert: EntityUpsert, writeTry: WriteTry): Promise<UpsertMatch>
  /** Reads the values for a new entity and for one that exists. Throws `ApiError`. */
  read(context: ApiContext, entityType: EntityType, upsert: EntityUpsert, writeTry: WriteTry): Promise<Assignment[]>
  /** Completes `given`, which `read` returned, with the other values of a new entity. Throws `ApiError`. */
  readNew(
    context: ApiContext,
    entityType: EntityType,
    { given, upsert }: { readonly given: readonly Assignment[]; readonly upsert: EntityUpsert },
    writeTry: WriteTry,
  ): Promise<NewContents>
}

/**
 * Updates the record that has one of the payload's values of the matching attribute, or the one entry of a record, and otherwise creates
 * it. The matching attribute gains values, the values of every other multiselect are replaced. Two concurrent requests write the same
 * entity. Throws 404 and 403 for the entity type, 400 for the matching attribute, for the parent, for values, and when several entities match.
 * See docs/reference/records.md (Assert) and docs/reference/lists-and-entries.md (Assert by record).
 */
export const upsertOperation = (kind: EntityKind, slugOrId: string): UpsertOperation => ({
  ...operationOn(kind, slugOrId),
  async match(context, entityType, { parent: named, matchingAttribute }, writeTry) {
    const parent = named && (await kind.findParent?.(context, entityType, named, writeTry))
    const match = parent && kind.matchByParent?.(context, entityType, parent)
    return match ?? matchByAttribute(context, entityType, matchingAttribute)
  },
  read: async (context, entityType, { values }, writeTry) =>
    readAssignments(context, entityType, values, overwriting(kind), writeTry),
  async readNew(context, entityType, { given, upsert: { valuesOnCreate } }, writeTry) {
    const others = await readAssignments(context, entityType, valuesOnCreate, overwriting(kind), writeTry)
    const assignments = mergeAssignments(given, others)
    return { id: newId(), assignments: await completeAssignments(context, entityType, assignments, writeTry) }
  },
})

export interface DeleteOperation extends Operation, Pick<EntityKind, 'noun' | 'missing' | 'delete'> {}

/**
 * Deletes an entity: a record with its entries and what refers to it, or an entry without its record. Throws 404 and 403 for the entity type,
 * 404 for the entity, 412 when it has another version. See docs/reference/records.md (Delete) and docs/reference/lists-and-entries.md (Entries).
 */
export const deleteOperation = (kind: EntityKind, slugOrId: string): DeleteOperation => ({
  entityTypeOf: (context) => kind.find(context, slugOrId),
  noun: kind.noun,
  missing: (context, entityType, id) => kind.missing(context, entityType, id),
  delete: (context, entityType, ids, check) => kind.delete(context, entityType, ids, check),
})
