/**
 * Cursors: the place a walk has come to, signed together with everything else that was asked, so that one cannot be
 * changed or used for another query. See docs/reference/query.md (Pages).
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { RequestContext } from '../../call'
import type { EntityType } from '../../data-model/model'
import { invalidRequest } from '../../errors/errors'
import type { KeyTexts } from '../compile/keyset'

export interface Cursors {
  /** The cursor of a row that has these keys. */
  seal(keys: KeyTexts): string
  /** The keys in a cursor. Throws 400 for one that was made for anything else. */
  open(cursor: string): KeyTexts
}

/** Cursors for this one walk over what `of` names, the same in every process. */
export async function cursorsFor(
  context: RequestContext,
  of: Pick<EntityType, 'id'>,
  asked: { readonly cursor?: unknown },
): Promise<Cursors> {
  const { cursor: _, ...others } = asked
  const key = await readKey(context)
  const query = canonical([context.model.workspace.id, of.id, others])
  const sign = (payload: string) => createHmac('sha256', key).update(`${query}\n${payload}`).digest()
  return {
    seal(keys) {
      const payload = Buffer.from(JSON.stringify(keys)).toString('base64url')
      return `${payload}.${sign(payload).toString('base64url')}`
    },
    open(cursor) {
      const [payload = '', signature = ''] = cursor.split('.')
      const given = Buffer.from(signature, 'base64url')
      const right = sign(payload)
      if (given.length !== right.length || !timingSafeEqual(given, right)) throw foreignCursor()
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as KeyTexts // signed, so made by `seal`
    },
  }
}

const foreignCursor = () =>
  invalidRequest('The cursor is not of this query: send it with the same body, and begin with null for another one.')

/** What only the database knows of a workspace. */
async function readKey({ db, model }: RequestContext): Promise<string> {
  const { id } = model.workspace
  const [row] = await db.sql<{ secret: string }[]>`select secret from relata.workspaces where id = ${id}`
  if (!row) throw new Error(`There is no workspace ${id}.`)
  return row.secret
}

/** JSON in which the order of members makes no difference. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}
