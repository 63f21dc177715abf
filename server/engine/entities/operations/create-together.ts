/**
 * Creates several entities as if one request after the other created each, most of them in one statement. An entity that is
 * refused does not keep the others from being created.
 */

import type { ApiContext } from '#context'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { ApiError, refusalOf } from '#base/errors/api-error'
import { idOf, type Row, storesReferences } from '#engine/storage/layout'
import { VersionConflict } from '#engine/storage/preconditions'
import { hasReservedCharacter, type NewRow } from '#engine/storage/rows-text'
import { type TakenKey, UniqueKeyConflict, uniqueKeys } from '#engine/storage/unique-keys'
import { mayChangeOtherEntities } from '#engine/entities/relationships/relationships'
import { type NewContents, prepareMany, toRow } from '#engine/entities/write/create-entity'
import { FIRST_TRY, readInOrder, retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { requireWritableSides } from '#engine/entities/write/parse-values'
import type { CreateOperation } from './definitions'
import { type Answer, type Outcome, refuseConflicting, type WrittenTogether } from './together'

/** What an input is read to, or the reason to refuse it. */
type Contents = NewContents | ApiError

/**
 * Creates the entities of as many of the first inputs as one statement can create. An input that may need an entity of an
 * earlier one, or that changes other entities, ends them.
 */
export function createTogether<Input>(
  creation: CreateOperation<Input>,
  context: ApiContext,
  inputs: readonly Input[],
  answer: Answer,
): Promise<WrittenTogether> {
  let isConflicting = false
  return retryOnConflict(context, async (context, writeTry) => {
    const entityType = creation.entityTypeOf(context)
    const contents = await readFirst(creation, context, inputs, writeTry)
    const moves = contents.map((each) => ({
      removed: [],
      added: each instanceof ApiError ? [] : keysOf(toRow(each)),
    }))
    const refusals = await refuseConflicting(context, moves, { known: [], isConflicting })
    const accepted = contents.map((each, index) => refusals[index] ?? each)
    const entities = accepted.filter((each): each is NewContents => !(each instanceof ApiError))
    try {
      const rows = await insertAll(context, entityType, entities, answer)
      return { outcomes: accepted.map((each) => outcomeOf(each, rows)), context }
    } catch (error) {
      if (!(error instanceof UniqueKeyConflict)) throw error
      // The next try finds out which entities conflict.
      isConflicting = true
      throw new VersionConflict()
    }
  })
}

/** Creates all entities or none in one try. Throws if it creates none. */
export async function createOnce<Input>(
  creation: CreateOperation<Input>,
  context: ApiContext,
  inputs: readonly Input[],
): Promise<readonly Outcome[]> {
  const contents = await readFirst(creation, context, inputs, FIRST_TRY)
  const entities = contents.filter((each): each is NewContents => !(each instanceof ApiError))
  if (contents.length < inputs.length || entities.some(hasReferences)) throw new VersionConflict()
  const rows = await insertAll(context, creation.entityTypeOf(context), entities, 'rows')
  return contents.map((each) => outcomeOf(each, rows))
}

const hasReferences = ({ assignments }: NewContents): boolean =>
  assignments.some(({ attribute, values }) => values.length > 0 && storesReferences(attribute))

/** Returns the rows by id if they are asked for. */
async function insertAll(
  context: ApiContext,
  entityType: EntityType,
  entities: readonly NewContents[],
  answer: Answer,
): Promise<ReadonlyMap<string, Row>> {
  const stamp = { now: context.now(), actor: context.actor }
  if (entities.length === 0) return new Map()
  const options = { stamp, answer, partnerEvents: 'each' } as const
  const create = prepareMany(context.model, entityType, entities, options)
  return new Map((await create(context)).map((row) => [idOf(row), row]))
}

async function readFirst<Input>(
  creation: CreateOperation<Input>,
  context: ApiContext,
  inputs: readonly Input[],
  writeTry: WriteTry,
): Promise<Contents[]> {
  const entityType = creation.entityTypeOf(context)
  /** The refusals of one entity, so that none is left for the statement of all. */
  const readOne = async (input: Input, current: WriteTry): Promise<NewContents> => {
    const contents = await creation.read(context, entityType, input, current)
    requireWritableSides(
      context.model,
      contents.assignments.filter(({ values }) => values.length > 0),
    )
    return contents
  }
  const contents: Contents[] = []
  let isAnyAccepted = false
  for (const input of inputs) {
    const each = await readInOrder(writeTry, (current) => readOne(input, current)).catch(refusalOf)
    if (each instanceof ApiError) {
      // It may name an entity that this statement creates.
      if (isAnyAccepted && each.code === 'value_not_found') break
    } else {
      if (needsSeveralStatements(context.model, each)) break
      isAnyAccepted = true
    }
    contents.push(each)
  }
  return contents
}

const needsSeveralStatements = (model: DataModel, contents: NewContents): boolean =>
  contents.assignments.some(({ attribute, values }) => values.length > 0 && mayChangeOtherEntities(model, attribute)) ||
  hasReservedCharacter(toRow(contents))

const keysOf = ({ id, contents }: NewRow): TakenKey[] =>
  contents.flatMap(({ attribute, values }) => uniqueKeys(attribute, values).map((key) => ({ ...key, entity_id: id })))

const outcomeOf = (contents: Contents, rows: ReadonlyMap<string, Row>): Outcome =>
  contents instanceof ApiError ? { refusal: contents } : { id: contents.id, row: rows.get(contents.id) }
