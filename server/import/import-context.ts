/** The request context of an import. It always has the newest data model that was loaded, because the data model can change during an import. */

import type { Database } from '../../db/connect'
import type { RequestContext } from '../context'
import { loadDataModel } from '../data-model/load'
import type { Attribute, DataModel } from '../data-model/model'
import { READ_WRITE_SCOPES } from '../scopes'
import type { Clock } from '../timing/clock'
import type { Assignment } from '../entities/write/parse-values'
import { ImportError } from './import-error'

export interface ImportContext {
  /** The request context with the newest data model that was loaded. */
  context(): RequestContext
}

/** `actorOf` gives the number of the actor who writes. */
export async function openImportContext(
  db: Database,
  workspaceId: string,
  now: Clock,
  actorOf: (model: DataModel) => number,
): Promise<ImportContext> {
  const load = () => loadDataModel(db, workspaceId)
  let model = await load()
  const actor = actorOf(model)
  const reloadModel = async () => (model = await load())
  const scopes = new Set(READ_WRITE_SCOPES)
  const rest = { reloadModel, actor, scopes, db, now }
  return { context: () => ({ ...rest, model }) }
}

/** The same assignments with the attributes of another version of the data model. Throws `ImportError` when one is gone. */
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
