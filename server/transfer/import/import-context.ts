/** What imports add to their context, and how they follow a data model that changes. */

import type { BackgroundContext } from '#engine/entities/write/background-context'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { createImportLog } from '#engine/storage/imports/imported-records'
import type { Assignment } from '#engine/entities/write/parse-values'

/** What is written with the context that this returns can be undone. See docs/decisions/import-runs-and-undo.md. */
export function withUndo({ context }: BackgroundContext, importId: string): BackgroundContext {
  const writeLog = createImportLog(importId)
  return { context: () => ({ ...context(), writeLog }) }
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

/** The import cannot be done as requested. The message says why, and what the person can do. */
export class ImportError extends Error {}

// Columns of a file that go to one attribute.

export interface BoundColumn {
  readonly index: number
  readonly name: string
  /** The part of the value that the column holds; undefined when it holds whole values. */
  readonly part: string | undefined
}

/** Either all columns hold parts, or none does. */
export interface Binding {
  readonly attribute: Attribute
  readonly columns: readonly BoundColumn[]
}
