/** Writes an object, an attribute, an option or a list of the source to the target. */

import { sha256 } from '#base/text/sha256'
import { isJsonObject, type Json, RefusalError } from '#run/cli/copy/api/api-client'
import type { CopyContext } from '#run/cli/copy/copy-context'

export interface Definition {
  readonly kind: string
  readonly section: string
  readonly sourceId: string
  /** Names the definition in problems. */
  readonly name: string
  readonly path: string
  /** The copy as the target answers it, if it exists. */
  readonly copy: unknown
  readonly copyId: string | undefined
  /** The member of the answer's `id` that names the definition. */
  readonly idMember: string
  readonly create: Json
  /** The members that may change later. */
  readonly changes: Json
}

/** Returns false when the target refuses the definition. */
export async function writeDefinition(context: CopyContext, definition: Definition): Promise<boolean> {
  const { kind, section, sourceId, name, copyId } = definition
  try {
    const id = copyId === undefined ? await create(context, definition) : copyId
    const isChanged = copyId !== undefined && (await change(context, definition, copyId))
    if (context.state.find(kind, sourceId)?.id !== id) context.state.set(kind, sourceId, { id, hash: '' })
    context.tally.add(section, copyId === undefined ? 'created' : isChanged ? 'updated' : 'unchanged')
    return true
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    context.problems.add(kind, name, error.message)
    context.tally.add(section, 'not copied')
    return false
  }
}

async function create({ target, state }: CopyContext, definition: Definition): Promise<string> {
  const { kind, sourceId, path, create: data, idMember } = definition
  // A creation whose answer was lost is answered again; a copy that was deleted is created anew.
  const idempotencyKey = sha256(JSON.stringify([kind, sourceId, state.find(kind, sourceId)?.id, data]))
  const answer = await target.request('POST', path, { data }, idempotencyKey)
  const id =
    isJsonObject(answer) && isJsonObject(answer.data) && isJsonObject(answer.data.id) ? answer.data.id[idMember] : 0
  if (typeof id !== 'string') throw new RefusalError(200, { message: `The target answers without ${idMember}.` })
  return id
}

/** Sends the members that differ, and returns whether there are any. */
async function change({ target }: CopyContext, { path, copy, changes }: Definition, id: string): Promise<boolean> {
  const current = isJsonObject(copy) ? copy : {}
  const differing = Object.entries(changes).filter(([member, value]) => !Bun.deepEquals(current[member], value))
  if (differing.length === 0) return false
  await target.request('PATCH', `${path}/${id}`, { data: Object.fromEntries(differing) })
  return true
}
