/**
 * Creates several entities as if one request after the other created each, most of them in one statement. An entity that is
 * refused does not keep the others from being created.
 */

import type { RequestContext } from '../../context'
import type { DataModel, EntityType } from '../../data-model/model'
import { ApiError, refusalOf } from '../../errors/api-error'
import { idOf, type Row } from '../../storage/layout'
import { VersionConflict } from '../../storage/preconditions'
import { hasReservedCharacter, type NewRow } from '../../storage/rows-text'
import { conflictOf, findTakenKeys, type TakenKey, UniqueKeyConflict, uniqueKeys } from '../../storage/unique-keys'
import { mayChangeOtherEntities } from '../relationships/relationships'
import type { NewContents } from '../write/create-entity'
import { prepareMany, toRow } from '../write/create-many'
import { requireWritableSides } from '../write/require-writable'
import { retryOnConflict, type WriteTry } from '../write/retry-on-conflict'

/** The row of a created entity, or the reason to refuse it. */
export type Created = { readonly row: Row } | { readonly refusal: ApiError }

export interface CreateTogether<C extends RequestContext, Input> {
  entityTypeOf(context: C): EntityType
  /** Reads the values of one entity. Throws `ApiError`. */
  read(context: C, input: Input, writeTry: WriteTry): Promise<NewContents>
}

/** What an input is read to, or the reason to refuse it. */
type Contents = NewContents | ApiError

export interface CreatedTogether<C> {
  /** One for each of the first inputs, which may be none: then the first input needs several statements. */
  readonly created: readonly Created[]
  /** The context with the data model that the rows have. */
  readonly context: C
}

/**
 * Creates the entities of as many of the first inputs as one statement can create. An input that may need an entity of an
 * earlier one, or that changes other entities, ends them.
 */
export function createTogether<C extends RequestContext, Input>(
  context: C,
  inputs: readonly Input[],
  steps: CreateTogether<C, Input>,
): Promise<CreatedTogether<C>> {
  let isConflicting = false
  return retryOnConflict(context, async (context, writeTry) => {
    const { model } = context
    const entityType = steps.entityTypeOf(context)
    const contents = await readFirst(context, inputs, steps, writeTry)
    const keysOfAll = contents.map((each) => (each instanceof ApiError ? [] : keysOf(toRow(each))))
    const taken = isConflicting ? await findTakenKeys(context.db.sql, model, keysOfAll.flat()) : []
    const accepted = refuseTaken(model, contents, keysOfAll, taken)
    const stamp = { now: context.now(), actor: context.actor }
    const entities = accepted.filter((each): each is NewContents => !(each instanceof ApiError))
    try {
      const create = prepareMany(model, entityType, entities, { stamp, answer: 'rows' })
      const rows = new Map((entities.length > 0 ? await create(context) : []).map((row) => [idOf(row), row]))
      return { created: accepted.map((each) => resultOf(each, rows)), context }
    } catch (error) {
      if (!(error instanceof UniqueKeyConflict)) throw error
      // The next try finds out which entities conflict.
      isConflicting = true
      throw new VersionConflict()
    }
  })
}

async function readFirst<C extends RequestContext, Input>(
  context: C,
  inputs: readonly Input[],
  { read }: CreateTogether<C, Input>,
  writeTry: WriteTry,
): Promise<Contents[]> {
  const contents: Contents[] = []
  let isAnyAccepted = false
  for (const input of inputs) {
    const each = await readOne(context, input, read, writeTry).catch(refusalOf)
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

/** The refusals of one entity, so that none is left for the statement of all. */
async function readOne<C extends RequestContext, Input>(
  context: C,
  input: Input,
  read: CreateTogether<C, Input>['read'],
  writeTry: WriteTry,
): Promise<NewContents> {
  const contents = await read(context, input, writeTry)
  requireWritableSides(
    context.model,
    contents.assignments.filter(({ values }) => values.length > 0),
  )
  return contents
}

const needsSeveralStatements = (model: DataModel, contents: NewContents): boolean =>
  contents.assignments.some(({ attribute, values }) => values.length > 0 && mayChangeOtherEntities(model, attribute)) ||
  hasReservedCharacter(toRow(contents))

const keysOf = ({ id, contents }: NewRow): TakenKey[] =>
  contents.flatMap(({ attribute, values }) => uniqueKeys(attribute, values).map((key) => ({ ...key, entity_id: id })))

/** Refuses what has a unique key of another entity, or of an accepted one before it. */
function refuseTaken(
  model: DataModel,
  contents: readonly Contents[],
  keysOfAll: readonly (readonly TakenKey[])[],
  taken: readonly TakenKey[],
): Contents[] {
  const owners = new Map(taken.map((key) => [nameOf(key), key]))
  return contents.map((each, index) => {
    const keys = keysOfAll[index] ?? []
    const conflicting = keys.flatMap((key) => owners.get(nameOf(key)) ?? [])
    if (conflicting.length > 0) return conflictOf(model, conflicting, keys) ?? each
    for (const key of keys) owners.set(nameOf(key), key)
    return each
  })
}

const nameOf = ({ attribute, key }: TakenKey): string => `${attribute} ${key}`

function resultOf(contents: Contents, rows: ReadonlyMap<string, Row>): Created {
  if (contents instanceof ApiError) return { refusal: contents }
  const row = rows.get(contents.id)
  if (row === undefined) throw new Error(`The statement did not return entity ${contents.id}.`)
  return { row }
}
