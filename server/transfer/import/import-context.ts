/** The request context of an import. It always has the newest data model that was loaded, because the data model can change during an import. */

import type { Database } from '#db/connect'
import type { RequestContext } from '#context'
import { loadDataModel } from '#engine/data-model/load'
import { modelOfMember } from '#engine/data-model/access/member-model'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import type { Clock } from '#base/timing/clock'
import type { Assignment } from '#engine/entities/write/parse-values'
import { ImportError } from './import-error'

export interface ImportContext {
  /** The request context with the newest data model that was loaded. */
  context(): RequestContext
}

/** `actorOf` gives the number of the actor who writes. A member reads and writes with the member's access to objects. */
export async function openImportContext(
  db: Database,
  workspaceId: string,
  now: Clock,
  actorOf: (model: DataModel) => number,
): Promise<ImportContext> {
  const load = () => loadDataModel(db, workspaceId)
  const loaded = await load()
  const actor = actorOf(loaded)
  const memberId = memberOf(loaded, actor)
  let model = modelOfMember(loaded, memberId)
  const reloadModel = async () => (model = modelOfMember(await load(), memberId))
  const scopes = new Set(READ_WRITE_SCOPES)
  const rest = { reloadModel, actor, memberId, scopes, db, now }
  return { context: () => ({ ...rest, model }) }
}

/** What is written with the context that this returns can be undone. Decision 0140. */
export const withUndo = ({ context }: ImportContext, importId: string): ImportContext => ({
  context: () => ({ ...context(), importId }),
})

function memberOf({ actors }: DataModel, actor: number): string | undefined {
  const { type, id } = actors.get(actor) ?? { type: 'system', id: null }
  return type === 'workspace-member' && id !== null ? id : undefined
}

/** The same assignments with the attributes of another version of the data model. Throws `ImportError` when one was deleted. */
export function inModel(model: DataModel, assignments: readonly Assignment[]): readonly Assignment[] {
  const isCurrent = assignments.every(({ attribute }) => attributeIn(model, attribute) === attribute)
  if (isCurrent) return assignments
  return assignments.map(({ attribute, values }) => ({ attribute: attributeIn(model, attribute), values }))
}

export function attributeIn(model: DataModel, attribute: Attribute): Attribute {
  const current = model.attributesById.get(attribute.id)
  if (current && !current.is_archived) return current
  throw new ImportError(`The attribute "${attribute.api_slug}" was removed while its values were being imported.`)
}
