/**
 * Encodes and decodes cursors. A cursor holds the order keys of a row and a signature over them and the rest of the query, so
 * that it cannot be changed or used with another query. See docs/reference/query.md (Pages).
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createLru } from '#base/caching/caching'
import type { RequestContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import { invalidRequest } from '#base/errors/http'
import type { KeyTexts } from '#engine/query/compile/sort'

export interface Cursors {
  /** Returns the cursor of the row with these keys. */
  encode(keys: KeyTexts): string
  /** Returns the keys in a cursor. Throws 400 for a cursor of another query. */
  decode(cursor: string): KeyTexts
}

/** The cursors of one query over `source`. Every process encodes and decodes them alike. */
export async function cursorsFor(
  context: RequestContext,
  source: Pick<EntityType, 'id'>,
  parameters: { readonly cursor?: unknown },
): Promise<Cursors> {
  const { cursor: _, ...others } = parameters
  const key = await readSecret(context)
  const query = canonical([context.model.workspace.id, source.id, others])
  const sign = (payload: string) => createHmac('sha256', key).update(`${query}\n${payload}`).digest()
  return {
    encode(keys) {
      const payload = Buffer.from(JSON.stringify(keys)).toString('base64url')
      return `${payload}.${sign(payload).toString('base64url')}`
    },
    decode(cursor) {
      const [payload = '', signature = ''] = cursor.split('.')
      const actual = Buffer.from(signature, 'base64url')
      const expected = sign(payload)
      if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) throw foreignCursor()
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as KeyTexts // signed, so it comes from `encode`
    },
  }
}

const foreignCursor = () =>
  invalidRequest('The cursor is not of this query: send it with the same body, and begin with null for another one.')

/** A secret never changes and never leaves the server. A process serves fewer workspaces at a time. */
const MAX_SECRETS = 1000
const secrets = createLru<string, string>(MAX_SECRETS)

async function readSecret({ db, model }: RequestContext): Promise<string> {
  const { id } = model.workspace
  const cached = secrets.get(id)
  if (cached !== undefined) return cached
  const [row] = await db.sql<{ secret: string }[]>`select secret from relata.workspaces where id = ${id}`
  if (!row) throw new Error(`Workspace ${id} does not exist.`)
  const secret = db.secrets.decrypt({ table: 'workspaces', key: [id] }, row.secret)
  secrets.set(id, secret)
  return secret
}

/** JSON with the members of each object in alphabetical order. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}
