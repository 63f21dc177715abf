/** Cells of a table that are written together. */

import type { Attribute } from '../../../../api/data-model/attributes'
import type { Entity } from '../../../../api/records/entities'
import { textOfValues } from '../../../../values/registry'

export interface CellInput {
  readonly entity: Entity
  readonly attribute: Attribute
  /** The values in the form in which the API takes them. */
  readonly input: readonly unknown[]
}

/** A cell that was not written, and one sentence that says why. */
export interface CellProblem {
  readonly entity: Entity
  readonly attribute: Attribute
  readonly problem: string
}

const MAX_NAMED = 3

/** One message for all cells that were not written. `label` is the attribute that names a row. */
export function problemsText(problems: readonly CellProblem[], label: Attribute | undefined): string {
  const count = problems.length === 1 ? '1 value wasn’t saved' : `${problems.length} values weren’t saved`
  const named = problems.slice(0, MAX_NAMED).map((one) => `${cellName(one, label)}: ${one.problem}`)
  const rest = problems.length > MAX_NAMED ? [`And ${problems.length - MAX_NAMED} more.`] : []
  return [`${count}.`, ...named, ...rest].join(' ')
}

/** "Weight of Astrolabe". */
export function cellName(
  { entity, attribute }: Pick<CellInput, 'entity' | 'attribute'>,
  label: Attribute | undefined,
): string {
  const name = label === undefined ? '' : textOfValues(label, entity.values[label.api_slug] ?? [])
  return name === '' ? attribute.title : `${attribute.title} of ${name}`
}
