/** Writes one item of the source to the target: creates it, updates its copy, or leaves it when nothing changed. */

import { sha256 } from '#base/text/sha256'
import { isJsonObject, type Json, RefusalError } from '#run/cli/copy/api/api-client'
import type { CopyContext, CopyOutcome } from '#run/cli/copy/copy-context'

interface CopiedItem {
  readonly kind: string
  readonly sourceId: string
  /** The collection at the target, which `POST` creates items in; an item is at `<path>/<id>`. */
  readonly path: string
  readonly updateMethod: 'PUT' | 'PATCH'
  /** The member of the answer's `id` that names the item. */
  readonly idMember: string
  readonly members: Json
  /** Members that only the creation takes. */
  readonly membersOnCreate?: Json
  /** The member that holds the values of attributes, if the item has some. */
  readonly valuesMember?: 'values' | 'entry_values'
}

/** A refused item is a problem, and not an error. */
export async function writeItem(context: CopyContext, item: CopiedItem): Promise<CopyOutcome> {
  const { state, problems } = context
  const { kind, sourceId } = item
  const copy = state.find(kind, sourceId)
  const hash = sha256(JSON.stringify([item.members, item.membersOnCreate]))
  if (copy?.hash === hash) return 'unchanged'
  try {
    const written = await writeValues(context, item, copy?.id)
    state.set(kind, sourceId, { id: written.id, hash: written.isWhole ? hash : '' })
    return written.outcome
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    problems.add(kind, sourceId, error.message)
    return 'not copied'
  }
}

interface Written {
  readonly id: string
  readonly outcome: CopyOutcome
  readonly isWhole: boolean
}

/** Leaves out a value that the target refuses, and tries again with the others. */
async function writeValues(context: CopyContext, item: CopiedItem, copyId: string | undefined): Promise<Written> {
  let rest = item
  for (;;) {
    try {
      return { ...(await createOrUpdate(context, rest, copyId)), isWhole: rest === item }
    } catch (error) {
      const slug = error instanceof RefusalError ? refusedAttribute(rest, error) : undefined
      if (slug === undefined || rest.valuesMember === undefined) throw error
      context.problems.add(item.kind, item.sourceId, (error as RefusalError).message, slug) // a slug has this error only
      const { [slug]: _refused, ...values } = valuesOf(rest)
      rest = { ...rest, members: { ...rest.members, [rest.valuesMember]: values } }
    }
  }
}

const valuesOf = ({ members, valuesMember }: CopiedItem): Json => {
  const values = valuesMember && members[valuesMember]
  return isJsonObject(values) ? values : {}
}

/** The slug in the message of a refused value. */
function refusedAttribute(item: CopiedItem, { body, message }: RefusalError): string | undefined {
  if (body.code !== 'validation_type') return undefined
  const [, slug = ''] = /attribute with slug "([^"]{1,100})"/.exec(message) ?? []
  return Object.hasOwn(valuesOf(item), slug) ? slug : undefined
}

async function createOrUpdate(
  context: CopyContext,
  item: CopiedItem,
  copyId: string | undefined,
): Promise<Pick<Written, 'id' | 'outcome'>> {
  if (copyId !== undefined && (await update(context, item, copyId))) return { id: copyId, outcome: 'updated' }
  const { kind, sourceId, path, members, membersOnCreate } = item
  const data = { ...members, ...membersOnCreate }
  // A creation whose answer was lost is answered again instead of done again. A deleted copy is created anew.
  const idempotencyKey = sha256(JSON.stringify([kind, sourceId, copyId, data]))
  try {
    const answer = await context.target.request('POST', path, { data }, idempotencyKey)
    return { id: idIn(answer, item.idMember), outcome: 'created' }
  } catch (error) {
    const id = error instanceof RefusalError ? conflictingRecord(context, item, error) : undefined
    if (id === undefined || !(await update(context, item, id))) throw error
    return { id, outcome: 'updated' }
  }
}

/** Returns false when the copy no longer exists. */
async function update(context: CopyContext, item: CopiedItem, id: string): Promise<boolean> {
  try {
    await context.target.request(item.updateMethod, `${item.path}/${encodeURIComponent(id)}`, { data: item.members })
    return true
  } catch (error) {
    if (error instanceof RefusalError && error.status === 404) return false
    throw error
  }
}

/** The record of the target that has the same unique value and is not a copy of another record. */
function conflictingRecord({ state }: CopyContext, { kind }: CopiedItem, { body }: RefusalError): string | undefined {
  const ids: unknown = body.code === 'uniqueness_conflict' ? body.conflicting_record_ids : undefined
  if (kind !== 'record' || !Array.isArray(ids) || ids.length !== 1) return undefined
  const id: unknown = ids[0]
  return typeof id === 'string' && !state.isCopy(kind, id) ? id : undefined
}

function idIn(answer: unknown, member: string): string {
  const data = isJsonObject(answer) ? answer.data : undefined
  const ids = isJsonObject(data) ? data.id : undefined
  const id = isJsonObject(ids) ? ids[member] : undefined
  if (typeof id !== 'string') throw new RefusalError(200, { message: `The target answers without ${member}.` })
  return id
}
