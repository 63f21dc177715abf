/** What imports add to their context, and how they follow a data model that changes. */

import type { BackgroundContext } from '#engine/entities/write/background-context'
import type { Attribute, DataModel } from '#engine/data-model/model'
import type { Assignment } from '#engine/entities/write/parse-values'

/** What is written with the context that this returns can be undone. See docs/decisions/import-runs-and-undo.md. */
export const withUndo = ({ context }: BackgroundContext, importId: string): BackgroundContext => ({
  context: () => ({ ...context(), importId }),
})

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

/** The import cannot be done as requested. The message says why, and what the person can do. */
export class ImportError extends Error {}
