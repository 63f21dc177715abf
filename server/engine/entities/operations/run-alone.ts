/** Runs an operation alone, as if there were no others: with one statement in most cases, and again after a conflict with another write. */

import { readId } from '#base/errors/http'
import { concurrentWriteConflict } from '#base/errors/records'
import type { ApiContext } from '#context'
import { ApiError } from '#base/errors/api-error'
import { requireMatch } from '#engine/entities/read/etag'
import { attributesNamed } from '#engine/entities/write/parse-values'
import { createEntity, type NewContents } from '#engine/entities/write/create-entity'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { writeEntity } from '#engine/entities/write/update-entity'
import type { EntityType } from '#engine/data-model/model'
import type { Row } from '#engine/storage/layout'
import { VersionConflict } from '#engine/storage/preconditions'
import { UniqueKeyConflict } from '#engine/storage/unique-keys'
import type {
  AnsweredEntity,
  CreateOperation,
  DeleteOperation,
  EntityDeletion,
  EntityUpdate,
  EntityUpsert,
  EntityCreation,
  UpdateOperation,
  UpsertOperation,
} from './definitions'
import type { UpsertMatch } from './match-by-attribute'

export const createAlone = (
  creation: CreateOperation<EntityCreation>,
  context: ApiContext,
  input: EntityCreation,
): Promise<AnsweredEntity> =>
  answerWrite(creation, context, async (context, entityType, writeTry) =>
    createEntity(context, entityType, await creation.read(context, entityType, input, writeTry)),
  )

export const updateAlone = (
  update: UpdateOperation<EntityUpdate>,
  context: ApiContext,
  input: EntityUpdate,
): Promise<AnsweredEntity> =>
  answerWrite(update, context, async (context, entityType, writeTry) => {
    const id = update.idOf(input)
    const attributes = attributesNamed(entityType, update.valuesOf(input))
    const writing = { context, entityType, id, locking: writeTry.locking, attributes }
    const row = await writeEntity(writing, (db, entity) =>
      update.decide(context, entityType, input, { entity, writeTry, db }),
    )
    if (!row) throw await update.missing(context, entityType, id)
    return row
  })

export const upsertAlone = (
  upsert: UpsertOperation,
  context: ApiContext,
  input: EntityUpsert,
): Promise<AnsweredEntity> =>
  answerWrite(upsert, context, async (context, entityType, writeTry) => {
    const match = await upsert.match(context, entityType, input, writeTry)
    const given = await upsert.read(context, entityType, input, writeTry)
    const create = async () => {
      const contents = await upsert.readNew(context, entityType, { given, upsert: input }, writeTry)
      return insertUnlessTaken(context, entityType, match, contents)
    }
    const created = writeTry.assumeExists && match.isProbablyNew ? await unlessRefused(create) : undefined
    if (created) return created
    const found = await match.find(given)
    if (!found) return create()
    const { multiselectWriteOf } = match
    const writing = { context, entityType, id: found.id, locking: writeTry.locking, found }
    const row = await writeEntity(writing, async () => ({ assignments: given, multiselectWriteOf }))
    // The entity was deleted between the look-up and the write: the retry creates it.
    if (!row) throw new VersionConflict()
    return row
  })

/**
 * Writes, again after a conflict with another write, and answers the row. A record that others change in all tries is refused as in the
 * public API. An entry is 503.
 */
const answerWrite = (
  operation: Pick<UpdateOperation<never>, 'entityTypeOf' | 'answer'>,
  context: ApiContext,
  write: (context: ApiContext, entityType: EntityType, writeTry: WriteTry) => Promise<Row>,
): Promise<AnsweredEntity> =>
  retryOnConflict(
    context,
    async (context, writeTry) => {
      const entityType = operation.entityTypeOf(context)
      return operation.answer(context, entityType, await write(context, entityType, writeTry))
    },
    () => (operation.entityTypeOf(context).kind === 'object' ? concurrentWriteConflict() : undefined),
  )

/** Creates the entity. When a concurrent request created one that matches, throws a version conflict, and the retry finds it. */
async function insertUnlessTaken(
  context: ApiContext,
  entityType: EntityType,
  { parent, isTaken }: UpsertMatch,
  contents: NewContents,
): Promise<Row> {
  try {
    return await createEntity(context, entityType, parent ? { ...contents, parent } : contents)
  } catch (error) {
    // The unique value may also belong to the entity that a concurrent request just created.
    if (error instanceof UniqueKeyConflict && (await isTaken(contents.assignments))) throw new VersionConflict()
    throw error
  }
}

/** Returns undefined when the insert was refused: the entity may exist, and an update may be allowed. */
async function unlessRefused(create: () => Promise<Row>): Promise<Row | undefined> {
  try {
    return await create()
  } catch (error) {
    if (error instanceof VersionConflict || error instanceof ApiError) return undefined
    throw error
  }
}

export const deleteAlone = (
  deletion: DeleteOperation,
  context: ApiContext,
  { id: text, ifMatch }: EntityDeletion,
): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const entityType = deletion.entityTypeOf(context)
    const id = readId(deletion.noun, text)
    const deleted = await deletion.delete(context, entityType, [id], (entity) => requireMatch(entity, ifMatch))
    if (!deleted.has(id)) throw await deletion.missing(context, entityType, id)
    return {}
  })
