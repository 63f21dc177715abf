/** Reads the active and ended values of one attribute of one entity. See docs/reference/values.md (History). */

import type { RequestContext } from '#context'
import { getAttribute, visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { attributeNotFound } from '#base/errors/attributes'
import { invalidQuery } from '#base/errors/http'
import { readActive, readEndedInParts, type ValueWithEnd } from '#engine/storage/history'
import { insertLongTexts, markLongText } from '#base/text/marked-json'
import { inSlices, nextTurn } from '#base/timing/in-slices'
import { compileValues, visibleValues } from '#engine/entities/read/render'

export interface ValuesQuery {
  readonly show_historic?: boolean
  readonly limit?: number
  readonly offset?: number
}

/** The JSON text of an answer, or its pieces when it is large. */
export type ListedValues = string | AsyncGenerator<string, void>

/** A longer answer is not collected. */
const MAX_COLLECTED_LENGTH = 1_000_000

/**
 * The values: the active ones in their order, or with ended ones, oldest first; undefined if the entity does not exist. Throws 404
 * for the attribute, and 400 for the history of an attribute that has none.
 */
export async function listValues(
  { model, db }: RequestContext,
  entityType: EntityType,
  id: string,
  attributeName: string,
  query: ValuesQuery,
): Promise<ListedValues | undefined> {
  const attribute = getVisibleAttribute(model, entityType, attributeName)
  if (query.show_historic === true) requireHistory(attribute)
  const active = await readActive(db.sql, model, entityType, attribute, id)
  if (!active) return undefined
  const hasEnded = query.show_historic === true && attribute.stored_in !== 'entity'
  const parts = hasEnded ? withActive(readEndedInParts(db.sql, model, attribute, id), active) : [active]
  const pieces = renderPieces(attribute, compileValues(attribute, model), parts, query)
  const collected: string[] = []
  for (let length = 0; length <= MAX_COLLECTED_LENGTH;) {
    const { value, done } = await pieces.next()
    if (done === true) return collected.join('')
    collected.push(value)
    length += value.length
  }
  return continued(collected, pieces)
}

async function* continued(collected: readonly string[], pieces: AsyncGenerator<string, void>) {
  yield* collected
  yield* pieces
}

/** Adds the active values to the parts of ended ones, by the time at which they began. */
async function* withActive(
  parts: AsyncIterable<ValueWithEnd[]>,
  active: readonly ValueWithEnd[],
): AsyncGenerator<ValueWithEnd[], void> {
  const isEarlier = (one: ValueWithEnd, other: ValueWithEnd) => one.active_from - other.active_from
  let rest = active.toSorted(isEarlier)
  for await (const part of parts) {
    const end = part.at(-1)?.active_from ?? 0
    yield [...part, ...rest.filter(({ active_from }) => active_from < end)].sort(isEarlier)
    rest = rest.filter(({ active_from }) => active_from >= end)
  }
  yield rest
}

async function* renderPieces(
  attribute: Attribute,
  render: ReturnType<typeof compileValues>,
  parts: Iterable<ValueWithEnd[]> | AsyncIterable<ValueWithEnd[]>,
  { offset = 0, limit = Infinity }: ValuesQuery,
): AsyncGenerator<string, void> {
  let before = 0
  let begin = '{"data":['
  for await (const part of parts) {
    const visible = visibleValues(attribute, part)
    const values = visible.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before))
    before += visible.length
    if (values.length > 0) {
      const longTexts: string[] = []
      const text = begin + render(values.map((value) => withMarks(value, longTexts))).slice(1, -1)
      if (longTexts.length > 0) await nextTurn()
      yield* await inSlices(insertLongTexts({ text, longTexts }))
      begin = ','
    }
    if (before >= offset + limit) break
  }
  yield begin === ',' ? ']}' : `${begin}]}`
}

/** The value with marks in place of its long texts. */
function withMarks<Value extends ValueWithEnd>(value: Value, longTexts: string[]): Value {
  let marked: Record<string, unknown> | undefined
  for (const [member, stored] of Object.entries(value.stored)) {
    if (typeof stored !== 'string') continue
    const mark = markLongText(stored, longTexts)
    if (mark !== stored) (marked ??= { ...value.stored })[member] = mark
  }
  return marked === undefined ? value : { ...value, stored: marked as Value['stored'] } // the same members
}

/** An attribute named in a path. Throws 404 if it is archived or not visible to clients. */
export function getVisibleAttribute(model: DataModel, entityType: EntityType, slugOrId: string): Attribute {
  const attribute = getAttribute(entityType, slugOrId)
  if (attribute.stored_in !== 'entity' && !visibleAttributes(model, entityType).includes(attribute))
    throw attributeNotFound(slugOrId)
  return attribute
}

function requireHistory({ has_history, api_slug }: Attribute): void {
  if (has_history) return
  const message = `show_historic cannot be true for attribute "${api_slug}": enriched and communication-intelligence attributes keep no history`
  throw invalidQuery([{ code: 'invalid', path: ['show_historic'], message }])
}
